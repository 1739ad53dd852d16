"""Random expressions for the tests of this folder: every operation appears."""

import math

from hypothesis import strategies as st

from korba.errors import ExpressionError
from korba.expr import Expr, constant, variable
from korba.expr.functions import FUNCTIONS
from korba.expr.node import build

NAMES = ("x", "y", "left-hip", "pi", "it's", "back\\slash", "φ", "lambda")
SMOOTH = ("add", "sub", "mul", "div", "neg", "sin", "cos", "tanh", "arctan", "sinh", "cosh")


def _built(op: str, args: list[Expr]) -> Expr:
    """The node, or its first argument where numbers have no finite result."""
    try:
        return build(op, *args)
    except ExpressionError:
        return args[0]


def expressions(
    operations: tuple[str, ...] = tuple(FUNCTIONS), names: tuple[str, ...] = NAMES
) -> st.SearchStrategy[Expr]:
    numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, math.pi, -0.3, 1e-200, 1e200])
    leaves = st.sampled_from(names).map(variable) | numbers.map(constant)

    def larger(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        return st.sampled_from(operations).flatmap(
            lambda op: st.lists(
                parts, min_size=FUNCTIONS[op].arity, max_size=FUNCTIONS[op].arity
            ).map(lambda args: _built(op, args))
        )

    return st.recursive(leaves, larger, max_leaves=12)
