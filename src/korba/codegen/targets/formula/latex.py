r"""Formulas as LaTeX:  m_{2} \left(l_{1}^{2} + ...\right) \ddot{q}_{1}."""

from __future__ import annotations

import re
from fractions import Fraction

from korba.codegen.targets.formula.text import LETTERS, number
from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol, parted

FUNCTIONS = {"arctan2": r"\operatorname{atan2}", "arctan": r"\arctan", "abs": r"\operatorname{abs}"}
KNOWN = frozenset(["cos", "sin", "tan", "exp", "log", "sinh", "cosh", "tanh"])
DOTS = ("", r"\dot", r"\ddot")


def latex(formula: Formula) -> str:
    """A formula for LaTeX's mathematics."""
    match formula:
        case Number(value):
            return _number(value)
        case Symbol(name, dots):
            return symbol(name, dots)
        case Power(base, exponent):
            inner = latex(base) if isinstance(base, Number) else f"{{{latex(base)}}}"
            if isinstance(base, Call | Sum | Product):
                inner = rf"\left({latex(base)}\right)"
            return f"{inner}^{{{exponent}}}"
        case Call("sqrt", (argument,)):
            return rf"\sqrt{{{latex(argument)}}}"
        case Call(function, arguments):
            other = rf"\{function}" if function in KNOWN else rf"\operatorname{{{function}}}"
            name = FUNCTIONS.get(function, other)
            inside = ", ".join(map(latex, arguments))
            simple = len(arguments) == 1 and isinstance(arguments[0], Symbol)
            return f"{name} {inside}" if simple else rf"{name}\left({inside}\right)"
        case Product(over, under):
            return rf"\frac{{{_product(over)}}}{{{_product(under)}}}" if under else _product(over)
        case Sum(terms):
            whole = "".join((" + " if plus else " - ") + latex(term) for plus, term in terms)
            return whole[3:] if terms[0][0] else "-" + whole[3:]


def symbol(name: str, dots: int = 0) -> str:
    """A name: Greek letters by their names, the digits at its end as an index."""
    stem, index = parted(name)
    letter = f"\\{stem}" if stem in LETTERS else stem if len(stem) == 1 else _word(stem)
    dotted = f"{DOTS[dots]}{{{letter}}}" if dots else letter
    if index.isalpha() and len(index) > 1:
        index = _word(index)
    return f"{dotted}_{{{index}}}" if index else dotted


def _word(stem: str) -> str:
    return rf"\mathrm{{{_escaped(stem)}}}"


def _escaped(text: str) -> str:
    return re.sub(r"([_#$%&{}])", r"\\\1", text).replace(" ", r"\ ")


def _product(factors: tuple[Formula, ...]) -> str:
    """Factors, sums in brackets; one that stands alone above or below a line needs none."""
    return latex(factors[0]) if len(factors) == 1 else r" \, ".join(map(_factor, factors))


def _factor(formula: Formula) -> str:
    whole = latex(formula)
    return rf"\left({whole}\right)" if isinstance(formula, Sum) else whole


def _number(value: Fraction | float) -> str:
    digits, _, exponent = number(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits
