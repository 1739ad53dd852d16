"""Formulas as expressions of SymPy: coordinates are functions of the time t."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol
from korba.libraries import library

FUNCTIONS = {
    "arctan2": "atan2",
    "arctan": "atan",
    "arcsin": "asin",
    "arccos": "acos",
    "abs": "Abs",
    "minimum": "Min",
    "maximum": "Max",
    "pow": "Pow",
}
CHOICES = {"less": "Lt", "less_equal": "Le"}
"""What is 1 where it holds, and else 0."""
TAKEN = frozenset(["sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "sign"])
TAKEN |= {"floor", "symbols", "Piecewise", "Ne", *FUNCTIONS.values()}
"""What programs for SymPy call: no symbol has such a name there."""

RATES = ("", "_dot", "_ddot")
"""What names of rates by time end with, where coordinates are symbols."""


def installed() -> Any:
    """SymPy, if it is installed."""
    missing = "formulas for SymPy need SymPy; install it with pip install 'korba[sympy]'"
    return library("sympy", missing)


def sympy(formula: Formula, coordinates: frozenset[str]) -> Any:
    """A formula for SymPy; the named `coordinates` depend on the time."""
    s = installed()

    def made(part: Formula) -> Any:
        match part:
            case Number(value):
                exact = isinstance(value, Fraction)
                return s.Rational(value.numerator, value.denominator) if exact else s.Float(value)  # type: ignore[union-attr]
            case Symbol(name, dots):
                return symbol(name, dots)
            case Power(base, exponent):
                return made(base) ** s.Rational(exponent.numerator, exponent.denominator)
            case Call(function, arguments) if function in CHOICES:
                holds = getattr(s, CHOICES[function])(*map(made, arguments))
                return s.Piecewise((1, holds), (0, True))
            case Call("where", (condition, one, other)):
                return s.Piecewise((made(one), s.Ne(made(condition), 0)), (made(other), True))
            case Call("lookup", (index, *entries)):
                place = made(index)
                pieces = [(made(entry), place < k) for k, entry in enumerate(entries, 1)]
                return s.Piecewise(*pieces[:-1], (pieces[-1][0], True))
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
            return s.Symbol(name + RATES[dots])
        t = s.Symbol("t")
        moving = s.Function(name)(t)
        return s.Derivative(moving, (t, dots)) if dots else moving

    return made(formula)


def python_text(pairs: Sequence[tuple[Formula, Formula]]) -> str:
    """Equations as a Python program for SymPy: its symbols, then a line for each result.

    A rate of A is the symbol A_dot; a name that Python does not take is changed, and said.
    """
    s = installed()
    made = [(sympy(left, frozenset()), sympy(right, frozenset())) for left, right in pairs]
    results = [left for left, _ in made]
    found = {name: None for _, right in pairs for name in _symbols(right)}
    own = [symbol for symbol in map(s.Symbol, found) if symbol not in results]
    names = _identifiers([str(symbol) for symbol in (*own, *results)])
    known = {s.Symbol(name): s.Symbol(other) for name, other in names.items()}
    listed = " ".join(names[str(symbol)] for symbol in own)
    changed = [f"# {names[x]}: {x!r}" for x in map(str, own) if x != names[x]]
    head = ["from sympy import *", "", *changed]
    head += [f"{', '.join(listed.split())} = symbols({listed!r})"] if own else []
    return "\n".join([*head, *(f"{x.xreplace(known)} = {y.xreplace(known)}" for x, y in made)])


def _symbols(formula: Formula) -> Iterator[str]:
    """Names of the symbols of a formula, in their order."""
    match formula:
        case Symbol(name, dots):
            yield name + RATES[dots]
        case Power(base, _):
            yield from _symbols(base)
        case Call(_, arguments):
            yield from (name for each in arguments for name in _symbols(each))
        case Product(over, under):
            yield from (name for each in (*over, *under) for name in _symbols(each))
        case Sum(terms):
            yield from (name for _, each in terms for name in _symbols(each))


def _identifiers(names: Sequence[str]) -> dict[str, str]:
    """Names of variables of Python, each another, that are no functions of SymPy."""
    taken: dict[str, str] = {}
    for name in names:
        plain = name.isidentifier()
        word = name if plain else re.sub(r"[\W_]+", "_", f"_{name}").rstrip("_") or "_"
        word = word[1:] if word[1:].isidentifier() and not plain else word
        while word in taken.values() or word in TAKEN or keyword.iskeyword(word):
            word += "_"
        taken[name] = word
    return taken
