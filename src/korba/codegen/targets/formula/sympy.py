"""Formulas as expressions of SymPy: coordinates are functions of the time t."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

from korba.errors import StructureError
from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol

FUNCTIONS = {"arctan2": "atan2", "arctan": "atan", "arcsin": "asin", "arccos": "acos", "abs": "Abs"}


def library() -> Any:
    """SymPy, if it is installed."""
    try:
        import sympy
    except ImportError as error:
        raise StructureError(
            "formulas for SymPy need SymPy; install it with pip install 'korba[sympy]'"
        ) from error
    return sympy


def sympy(formula: Formula, coordinates: frozenset[str]) -> Any:
    """A formula for SymPy; the named `coordinates` depend on the time."""
    s = library()

    def made(part: Formula) -> Any:
        match part:
            case Number(value):
                exact = isinstance(value, Fraction)
                return s.Rational(value.numerator, value.denominator) if exact else s.Float(value)  # type: ignore[union-attr]
            case Symbol(name, dots):
                return symbol(name, dots)
            case Power(base, exponent):
                return made(base) ** s.Rational(exponent.numerator, exponent.denominator)
            case Call(function, arguments):
                return getattr(s, FUNCTIONS.get(function, function))(*map(made, arguments))
            case Product(over, under):
                above, below = (
                    reduce(lambda x, y: x * made(y), side, s.Integer(1)) for side in (over, under)
                )
                return above / below
            case Sum(terms):
                return sum(made(term) if plus else -made(term) for plus, term in terms)

    def symbol(name: str, dots: int) -> Any:
        if name not in coordinates:
            return s.Symbol(name)
        t = s.Symbol("t")
        moving = s.Function(name)(t)
        return s.Derivative(moving, (t, dots)) if dots else moving

    return made(formula)
