"""Formulas for typst's mathematics:  m_("2") (l_("1")^(2) + ...) dot.double(q)_("1")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from korba.codegen.targets.formula.latex import KNOWN, WIDTH
from korba.codegen.targets.formula.text import CALLED, LETTERS, number
from korba.codegen.targets.formula.text import lines as broken
from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol, parted

RELATIONS = {"less": "<", "less_equal": "<="}
DOTS = ("", "dot", "dot.double")


def typst(formula: Formula) -> str:
    """A formula for typst's mathematics."""
    match formula:
        case Number(value):
            return _number(value)
        case Symbol(name, dots):
            return symbol(name, dots)
        case Power(base, exponent):
            inner = typst(base) if isinstance(base, Symbol | Number) else f"({typst(base)})"
            return f"{inner}^({exponent})"
        case Call("sqrt", (argument,)):
            return f"sqrt({typst(argument)})"
        case Call(relation, (left, right)) if relation in RELATIONS:
            return f"[{typst(left)} {RELATIONS[relation]} {typst(right)}]"
        case Call(function, arguments):
            own = {**CALLED, "arctan2": "atan2"}.get(function, function)
            name = own if own in KNOWN else f"op({quoted(own)})"
            inside = ", ".join(map(typst, arguments))
            simple = len(arguments) == 1 and isinstance(arguments[0], Symbol)
            return f"{name} {inside}" if simple else f"{name} ({inside})"
        case Product(over, under):
            return f"frac({_product(over)}, {_product(under)})" if under else _product(over)
        case Sum(terms):
            return _added(terms)


def symbol(name: str, dots: int = 0) -> str:
    """A name: Greek letters by their names, the digits at its end as an index."""
    stem, index = parted(name)
    letter = stem if stem in LETTERS else _word(stem)
    dotted = f"{DOTS[dots]}({letter})" if dots else letter
    return f"{dotted}_({_word(index)})" if index else dotted


def quoted(words: str) -> str:
    """Words as a string of typst, in which nothing means anything to it."""
    plain = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def lines(left: Formula, right: Formula) -> str:
    """An equation whose sign of equality is aligned; a long sum goes on in the next line."""
    first, *rest = broken(right, WIDTH)
    rows = [f"{typst(left)} &= {_added(first)}"]
    rows += [f"&quad {_added(more, first=False)}" for more in rest]
    return " \\\n".join(rows)


def _added(terms: Sequence[tuple[bool, Formula]], *, first: bool = True) -> str:
    """Terms with their signs; the first of a sum has none if it is added."""
    whole = "".join((" + " if plus else " - ") + typst(term) for plus, term in terms)
    return whole[3:] if first and terms[0][0] else whole[1:]


def _word(stem: str) -> str:
    """A letter as it is, all else upright."""
    return stem if re.fullmatch(r"[A-Za-z]", stem) else quoted(stem)


def _product(factors: tuple[Formula, ...]) -> str:
    """Factors, sums in brackets; one that stands alone above or below a line needs none."""
    return typst(factors[0]) if len(factors) == 1 else " thin ".join(map(_factor, factors))


def _factor(formula: Formula) -> str:
    return f"({typst(formula)})" if isinstance(formula, Sum) else typst(formula)


def _number(value: Fraction | float) -> str:
    digits, _, exponent = number(value).partition("e")
    return f"{digits} dot 10^({int(exponent)})" if exponent else digits
