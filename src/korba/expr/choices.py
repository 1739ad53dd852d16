"""Choices between values, for numbers and for symbols alike.

NumPy's own `minimum`, `sign`, `where` and `<` ask an object whether it is true, which a symbol
cannot say. These ones compute with numbers and float arrays, build a node from an `Expr`, and
work element by element on object arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from korba.expr.functions import FUNCTIONS
from korba.expr.node import as_expr, build


def _choice(op: str) -> Callable[..., Any]:
    """An operation of the graph for values of any kind."""

    def chosen(*args: Any) -> Any:
        if any(np.asarray(arg).dtype == object for arg in args):
            nodes = np.frompyfunc(lambda *items: build(op, *map(as_expr, items)), len(args), 1)
            return nodes(*args)
        return FUNCTIONS[op].numeric(*args)

    return chosen


minimum, maximum, sign, less, less_equal, where = map(
    _choice, ("minimum", "maximum", "sign", "less", "less_equal", "where")
)
"""The smaller, the larger, the sign; 1 where a < b or a <= b, else 0; a where a condition holds."""
