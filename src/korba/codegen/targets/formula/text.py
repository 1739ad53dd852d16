"""Formulas as Unicode text:  m₂ (l₁² + s₂² + 2 l₁ s₂ cos q₂) q̈₁."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol, parted

RAISED = str.maketrans("0123456789-/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ")
LOWERED = str.maketrans("0123456789x", "₀₁₂₃₄₅₆₇₈₉ₓ")
_WORDS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
LETTERS = dict(zip(_WORDS.split(" "), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
"""Greek letters by their names."""
DOTS = ("", "\u0307", "\u0308")
"""Marks above a letter."""
CALLED = {"minimum": "min", "maximum": "max"}
"""Functions that people call otherwise."""
RELATIONS = {"less": "<", "less_equal": "≤"}
"""What is 1 where it holds, and else 0: written in square brackets, after Iverson."""
LINE = 90
"""Signs of a line, about, from which on a sum goes on in the next one."""
DIGITS = 6
"""Digits of a number that is no fraction."""


def text(formula: Formula) -> str:
    """A formula on one line: products without signs, powers raised, digits of names lowered."""
    match formula:
        case Number(value):
            return number(value)
        case Symbol(name, dots):
            return symbol(name, dots)
        case Power(base, exponent):
            inner = text(base) if isinstance(base, Symbol | Number) else f"({text(base)})"
            return inner + str(exponent).translate(RAISED)
        case Call(relation, (left, right)) if relation in RELATIONS:
            return f"[{text(left)} {RELATIONS[relation]} {text(right)}]"
        case Call(function, arguments):
            simple = len(arguments) == 1 and isinstance(arguments[0], Symbol)
            simple = simple and " " not in arguments[0].name  # type: ignore[union-attr]
            inside = ", ".join(map(text, arguments))
            name = CALLED.get(function, function)
            return f"{name} {inside}" if simple else f"{name}({inside})"
        case Product(over, under):
            above = " ".join(map(_factor, over))
            if not under:
                return above
            below = " ".join(map(_factor, under))
            return f"{above}/{below}" if len(under) == 1 else f"{above}/({below})"
        case Sum(terms):
            signs = [(" + " if plus else " - ") for plus, _ in terms]
            whole = "".join(sign + text(term) for sign, (_, term) in zip(signs, terms, strict=True))
            return whole[3:] if terms[0][0] else "-" + whole[3:]


def symbol(name: str, dots: int = 0) -> str:
    """A name with its digits lowered; rates have dots above a letter, primes after a word."""
    stem, index = parted(name)
    stem = LETTERS.get(stem, stem)
    mark = DOTS[dots] if len(stem) == 1 else "'" * dots
    lowered = index.translate(LOWERED) if index[:1].isdigit() else f"_{index}" if index else ""
    if mark.startswith("'"):
        return f"{stem}{index if index[:1].isdigit() else lowered}{mark}"
    return unicodedata.normalize("NFC", stem + mark) + lowered


def _factor(formula: Formula) -> str:
    return f"({text(formula)})" if isinstance(formula, Sum) else text(formula)


def number(value: Fraction | float) -> str:
    """A number, to a few digits if it is no fraction."""
    return str(value) if isinstance(value, Fraction) else f"{value:.{DIGITS}g}"


Terms = list[tuple[bool, Formula]]
"""Terms of a sum, each with whether it is added."""


def lines(formula: Formula, width: int = LINE) -> list[Terms]:
    """The terms of a sum, or the one that there is, in lines of about so many signs."""
    broken: list[Terms] = [[]]
    used = 0
    for each in formula.terms if isinstance(formula, Sum) else ((True, formula),):
        long = len(text(each[1])) + 3
        if broken[-1] and used + long > width:
            broken.append([])
            used = 0
        broken[-1].append(each)
        used += long
    return broken
