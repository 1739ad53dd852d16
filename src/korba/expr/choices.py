"""Choices between values, for numbers and for symbols alike.

NumPy's own `minimum`, `sign`, `where` and `<` ask an object whether it is true, which a symbol
cannot say. These ones compute with numbers and float arrays, build a node from an `Expr`, and
work element by element on object arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from korba.expr.functions import FUNCTIONS
from korba.expr.node import as_expr, build


def minimum(a: Any, b: Any) -> Any:
    """The smaller of a and b."""
    return _chosen("minimum", a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of a and b."""
    return _chosen("maximum", a, b)


def sign(x: Any) -> Any:
    """-1, 0 or 1 with the sign of x."""
    return _chosen("sign", x)


def less(a: Any, b: Any) -> Any:
    """1 where a < b, else 0."""
    return _chosen("less", a, b)


def less_equal(a: Any, b: Any) -> Any:
    """1 where a <= b, else 0."""
    return _chosen("less_equal", a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds (is not 0), else `b`."""
    return _chosen("where", condition, a, b)


def _chosen(op: str, *args: Any) -> Any:
    if any(np.asarray(arg).dtype == object for arg in args):
        return np.frompyfunc(lambda *items: build(op, *map(as_expr, items)), len(args), 1)(*args)
    return FUNCTIONS[op].numeric(*args)
