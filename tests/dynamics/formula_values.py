"""Printed formulas at numbers."""

import numpy as np

from korba.expr.formula import Call, Number, Power, Product, Sum, Symbol


def value(formula, at):
    """A formula at numbers for its symbols."""
    match formula:
        case Number(x):
            return float(x)
        case Symbol(name, dots):
            return at[name, dots]
        case Power(base, n):
            return value(base, at) ** float(n)
        case Call(function, arguments):
            return getattr(np, function)(*(value(x, at) for x in arguments))
        case Product(over, under):
            above, below = (np.prod([value(x, at) for x in side]) for side in (over, under))
            return above / below
        case Sum(terms):
            return sum((1 if plus else -1) * value(x, at) for plus, x in terms)
