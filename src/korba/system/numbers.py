"""Values taken apart into what they are and the numbers in them, and put together with others.

What a value is: types, shapes, names, whole numbers, the constants of joints, how laws are written.
The numbers stand beside it in one list. Zeros, ones and minus ones tell values apart as well, where
a formula is shorter by every one that is known: they are its `pattern`. Two mechanisms of one
structure are the same but for other numbers; what stands for the structure is its `key`, the same
in every process.

    what, numbers = apart(value)            together(value, iter(other numbers))
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from ..codegen import stable_key
from ..expr import Expr
from ..expr.evaluate import replaced
from ..expr.node import as_expr, postorder
from ..model.curve import Curve
from ..model.fields import Element
from ..model.joint import Joint

COMMON = frozenset(field.name for field in fields(Joint))
"""Fields that all joints have: where one is, and what it does not feel."""
KNOWN = frozenset((0.0, 1.0, -1.0))
"""Numbers that make formulas shorter; minus zero is zero."""


def apart(value: Any, numbers: list[float] | None = None) -> tuple[Hashable, list[float]]:
    """What a value is, and the numbers in it, which go to the end of a list if one is given."""
    numbers = [] if numbers is None else numbers
    return _what(value, numbers), numbers


def pattern(numbers: Sequence[float]) -> tuple[float | None, ...]:
    """Zeros and ones of either sign where they stand, None for other numbers."""
    return tuple([x + 0.0 if x in KNOWN else None for x in numbers])


def structure_key(what: Hashable, shown: tuple[float | None, ...]) -> str:
    """What stands for all values that are this, with this pattern of numbers."""
    return sha256(repr((what, shown)).encode()).hexdigest()


def together(value: Any, numbers: Iterator[Any]) -> Any:
    """The value with other numbers in it."""
    if isinstance(value, float | np.floating):
        return next(numbers)
    if isinstance(value, Expr):
        return replaced([value], {x: as_expr(next(numbers)) for x in _constants(value)})[0]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        array = np.array([next(numbers) for _ in range(value.size)], dtype=object)
        return array.reshape(value.shape)
    if isinstance(value, dict):
        return {name: together(part, numbers) for name, part in value.items()}
    if isinstance(value, tuple | list):
        parts = [together(part, numbers) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, Joint | Curve):
        return value
    if isinstance(value, Element):
        changed = copy(value)
        for name in names_of(type(value)):
            object.__setattr__(changed, name, together(getattr(value, name), numbers))
        return changed
    if _is_made_of_parts(value):
        return type(value)(*[together(getattr(value, n), numbers) for n in names_of(type(value))])
    return value


def _what(value: Any, numbers: list[float]) -> Hashable:
    """What a value is; the numbers in it go to the end of the list."""
    if isinstance(value, float):
        numbers.append(value)
        return "x"
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        numbers.extend(value.ravel().tolist())
        return value.shape
    if isinstance(value, Expr):
        return _law(value, numbers)
    if isinstance(value, dict):
        return "dict", *value, *[_what(part, numbers) for part in value.values()]
    if isinstance(value, tuple | list):
        return type(value).__name__, *[_what(part, numbers) for part in value]
    if isinstance(value, slice):
        return "slice", value.start, value.stop
    kind = type(value)
    if isinstance(value, Joint):
        sized = value.sized
        own = [getattr(sized, name) for name in names_of(kind) if name not in COMMON]
        return kind.__name__, *map(_content, own)
    if _is_made_of_parts(value):
        return kind.__name__, *[_what(getattr(value, name), numbers) for name in names_of(kind)]
    return _content(value)


def _content(value: Any) -> Hashable:
    """What stands for a value all of which counts."""
    if value is None or isinstance(value, str | int | float):
        return value
    key = stable_key(value)
    if key is None:
        raise TypeError(f"nobody knows what a {type(value).__name__} depends on")
    return key


def _is_made_of_parts(value: Any) -> bool:
    """Whether a value is its fields and nothing else; tables of points count as a whole."""
    return is_dataclass(value) and not isinstance(value, type | Joint | Curve)


def names_of(kind: Any) -> tuple[str, ...]:
    """The fields of a class, without what was given in their places."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in fields(kind) if not field.kw_only)
    return _NAMES[kind]


_NAMES: dict[type, tuple[str, ...]] = {}


def _law(law: Expr, numbers: list[float]) -> Hashable:
    """How a law is written; its constants are numbers, but for exponents."""
    nodes = postorder([law])
    place = {node: i for i, node in enumerate(nodes)}
    numbers += [float(x) for x in _constants(law)]
    free = set(_constants(law))
    return "law", *[
        "x" if node in free else (node.op, node.value, *[place[arg] for arg in node.args])
        for node in nodes
    ]


def _constants(law: Expr) -> list[Expr]:
    """Constants of a law that may be any number: those that are no exponent."""
    nodes = postorder([law])
    exponents = {node.args[1] for node in nodes if node.op == "pow"}
    return [x for x in nodes if isinstance(x.value, float) and x not in exponents]
