"""Scalar expressions: build, read, write, evaluate and differentiate them. No mechanics."""

from korba.expr import rewrite as _rewrite  # noqa: F401  (gives the operators their rules)
from korba.expr.choices import less, less_equal, maximum, minimum, sign, where
from korba.expr.differentiate import derivative
from korba.expr.evaluate import evaluate, substitute, variables
from korba.expr.node import Expr, constant, variable
from korba.expr.parse import Quantity, parse
from korba.expr.quantities import expression, number
from korba.expr.text import to_text
from korba.expr.units import KINDS

__all__ = [
    "KINDS",
    "Expr",
    "Quantity",
    "constant",
    "derivative",
    "evaluate",
    "expression",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "number",
    "parse",
    "sign",
    "substitute",
    "to_text",
    "variable",
    "variables",
    "where",
]
