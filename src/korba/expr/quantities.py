"""The door for what a user wrote: text or number in, SI of the expected kind out.

Where two kinds are possible, such as ("angle", "length"), the quantity must be of one of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from types import MappingProxyType
from typing import Any

import numpy as np

from korba.errors import ExpressionError, StructureError
from korba.expr.dimensions import ANGLE, CYCLE, HERTZ_HINT, Dimension
from korba.expr.evaluate import variables
from korba.expr.functions import FUNCTIONS
from korba.expr.node import Expr, constant, postorder, variable
from korba.expr.parse import NO_NAMES, Measures, Names, Quantity, parse
from korba.expr.units import SECOND, described, kind_dimension, kind_in_words, time_hint

Kind = str | tuple[str, ...]
TIME: Measures = MappingProxyType({"t": SECOND})
"""What a variable of a law measures: t is the time."""


def number(value: str | float, kind: Kind, names: Names = NO_NAMES) -> float:
    """The value in SI of a number or a text such as "60 mm" or "2*l1"; `kind` is one of KINDS."""
    if isinstance(value, float | int):
        return _plain_number(value, kind)
    found = expression(value, kind, names, allow=())
    if is_size(found):
        return found  # type: ignore[return-value]
    if not isinstance(found.value, float):
        raise ExpressionError(f"expected {_in_words(kind)}, a fixed value; got {found}")
    return found.value


def quantity(what: str, given: Any, kind: Any) -> float:
    """The same of what is given to a verb: its error says what it was given for."""
    try:
        return number(given, kind)
    except ExpressionError as error:
        raise StructureError(f"{what}: {error}") from error


def expression(
    value: str | float | Expr,
    kind: Kind,
    names: Names = NO_NAMES,
    allow: Collection[str] | None = None,
    measures: Measures = TIME,
) -> Expr:
    """The expression in SI of a number, a text or an expression; `kind` is one of KINDS.

    Names and measures are treated as in `parse`. A bare number fits every kind and is taken in SI.
    """
    if isinstance(value, str):
        found = parse(value, names, allow=allow, measures=measures)
        timed = allow is None or "t" in allow
        if message := kind_fault(_checked_dimension(found), kind, value, timed):
            raise ExpressionError(message)
        return found.value
    if isinstance(value, Expr):
        return value
    return constant(_plain_number(value, kind))


def size_symbol(i: int) -> Expr:
    """The symbol that stands for the i-th of the sizes that are inputs of a program."""
    return variable(f"p[{i}]")


def is_size(value: Expr) -> bool:
    """Whether an expression depends on such symbols alone."""
    names = variables(value)
    return bool(names) and all(map(names_size, names))


def names_size(name: str) -> bool:
    """Whether a variable is such a symbol; no text a user writes can name one."""
    return name.startswith("p[")


def dimension(text: str, names: Names = NO_NAMES) -> Dimension | None:
    """The dimension of a text; None where anything fits, or the text cannot be read."""
    try:
        return _checked_dimension(parse(text, names, measures=TIME))
    except ExpressionError:
        return None


def kind_fault(found: Dimension | None, kind: Kind, text: str, timed: bool = False) -> str | None:
    """What is wrong with a quantity where `kind` belongs; `timed` says that a law may use t."""
    expected = [kind_dimension(one) for one in _kinds(kind)]
    if found is None or any(one is None or found.fits(one) for one in expected):
        return None
    wanted = [one for one in expected if one is not None]
    message = f"expected {_in_words(kind)}, got {text!r:.60} ({described(found)})"
    if found.power_of(CYCLE) and any(found.is_hertz_for_radians(one) for one in wanted):
        return message + HERTZ_HINT
    hints = (time_hint(found, one) for one in wanted if timed)
    return message + next(filter(None, hints), "")


def _checked_dimension(found: Quantity) -> Dimension | None:
    """The dimension that is held against a kind.

    The angle of an inverse function is a bare number here, because a radius without a unit may
    stand before it: `0.03*atan2(y, x)` is a length too.
    """
    if found.dimension is not None and found.dimension.fits(ANGLE):
        ops = {node.op for node in postorder([found.value])}
        if any(FUNCTIONS[op].dimensions == "number to angle" for op in ops & FUNCTIONS.keys()):
            return None
    return found.dimension


def _kinds(kind: Kind) -> tuple[str, ...]:
    return (kind,) if isinstance(kind, str) else kind


def _in_words(kind: Kind) -> str:
    words = ("a number or a text" if one == "any" else kind_in_words(one) for one in _kinds(kind))
    return " or ".join(words)


def _plain_number(value: object, kind: Kind) -> float:
    plain = isinstance(value, int | float | np.integer | np.floating)
    if not plain or isinstance(value, bool):
        raise ExpressionError(
            f"expected {_in_words(kind)}, got {value!r:.60} ({type(value).__name__})"
        )
    try:
        result = float(value)  # type: ignore[arg-type]
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ExpressionError(f"expected {_in_words(kind)}, got {result}")
    return result
