"""Stable keys: the content of a value as text that is the same in every process.

Two values have one key only where they have the same type and content, to the last bit of every
number. Values made of Korba's own frozen dataclasses, expressions, arrays and plain Python data
have a key; anything else has none, because nobody knows what it depends on.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from korba.expr import Expr
from korba.expr.node import postorder

_OWN = "korba."


class _NoKeyError(Exception):
    """The value has no stable key."""


def stable_key(*values: object) -> str | None:
    """The key of the values together, or None where one of them has none."""
    try:
        return repr(_content(values))
    except _NoKeyError:
        return None


def _content(value: Any) -> Any:
    """Nested tuples of plain data whose `repr` tells one value from another."""
    if value is None or isinstance(value, (bool, str, bytes)):
        return value
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value).hex()
    if isinstance(value, (tuple, list)):
        return ("sequence", *map(_content, value))
    if isinstance(value, dict):
        return ("mapping", *((_content(key), _content(item)) for key, item in value.items()))
    if isinstance(value, Expr):
        return _expression(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        return ("array", value.dtype.str, value.shape, value.tobytes())
    return _dataclass(value)


def _expression(value: Expr) -> tuple[Any, ...]:
    nodes = postorder([value])
    place = {node: i for i, node in enumerate(nodes)}
    listed = ((n.op, _content(n.value), *[place[arg] for arg in n.args]) for n in nodes)
    return ("expression", *listed)


def _dataclass(value: Any) -> tuple[Any, ...]:
    """The fields that count when two values are compared, of a frozen class of this package."""
    kind = type(value)
    if not is_dataclass(kind) or not kind.__module__.startswith(_OWN):
        raise _NoKeyError
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise _NoKeyError
    own = [
        (item.name, _content(getattr(value, item.name))) for item in fields(kind) if item.compare
    ]
    return (f"{kind.__module__}.{kind.__qualname__}", *own)
