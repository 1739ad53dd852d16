"""The door for what a user wrote: text or number in, SI of the expected kind out."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from korba.errors import ExpressionError
from korba.expr.dimensions import CYCLE, HERTZ_HINT, Dimension
from korba.expr.node import Expr, constant
from korba.expr.parse import NO_NAMES, Names, parse
from korba.expr.units import described, kind_dimension, kind_in_words


def number(value: str | float, kind: str, names: Names = NO_NAMES) -> float:
    """The value in SI of a number or a text such as "60 mm" or "2*l1"; `kind` is one of KINDS."""
    if isinstance(value, float | int):
        return _plain_number(value, kind)
    found = expression(value, kind, names, allow=())
    if not isinstance(found.value, float):
        raise ExpressionError(f"expected {kind_in_words(kind)}, a fixed value; got {found}")
    return found.value


def expression(
    value: str | float | Expr,
    kind: str,
    names: Names = NO_NAMES,
    allow: Collection[str] | None = None,
) -> Expr:
    """The expression in SI of a number, a text or an expression; `kind` is one of KINDS.

    Names are treated as in `parse`. A bare number fits every kind and is taken in SI.
    """
    if isinstance(value, str):
        expected = kind_dimension(kind)
        found = parse(value, names, allow=allow)
        if expected is not None and found.dimension is not None:
            _refuse_other_kind(found.dimension, expected, kind, value)
        return found.value
    if isinstance(value, Expr):
        return value
    return constant(_plain_number(value, kind))


def _plain_number(value: object, kind: str) -> float:
    plain = isinstance(value, int | float | np.integer | np.floating)
    if not plain or isinstance(value, bool):
        raise ExpressionError(
            f"expected {kind_in_words(kind)}, got {value!r:.60} ({type(value).__name__})"
        )
    try:
        result = float(value)  # type: ignore[arg-type]
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ExpressionError(f"expected {kind_in_words(kind)}, got {result}")
    return result


def _refuse_other_kind(found: Dimension, expected: Dimension, kind: str, text: str) -> None:
    if found.fits(expected):
        return
    message = f"expected {kind_in_words(kind)}, got {text!r:.60} ({described(found)})"
    if found.power_of(CYCLE) and found.is_hertz_for_radians(expected):
        message += HERTZ_HINT
    raise ExpressionError(message)
