"""Formulas as MathML, which browsers show without any other program."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from korba.codegen.targets.formula.text import CALLED, LETTERS, RELATIONS, lines, number
from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol, parted

SPACE = "<mspace width='0.2em'/>"
"""Between factors, so that words can be told apart, and behind the name of a function."""


def mathml(formula: Formula) -> str:
    """A formula as one element to be put into <math>...</math>."""
    match formula:
        case Number(value):
            return f"<mn>{number(value)}</mn>"
        case Symbol(name, dots):
            return _symbol(name, dots)
        case Power(base, exponent):
            inner = mathml(base) if isinstance(base, Symbol | Number) else _bracket(mathml(base))
            return f"<msup>{inner}<mn>{exponent}</mn></msup>"
        case Call("sqrt", (argument,)):
            return f"<msqrt>{mathml(argument)}</msqrt>"
        case Call(relation, (left, right)) if relation in RELATIONS:
            sign = escape(RELATIONS[relation])
            inside = f"{mathml(left)}<mo>{sign}</mo>{mathml(right)}"
            return f"<mrow><mo>[</mo>{inside}<mo>]</mo></mrow>"
        case Call(function, arguments):
            inside = "<mo>,</mo>".join(map(mathml, arguments))
            simple = len(arguments) == 1 and isinstance(arguments[0], Symbol)
            given = SPACE + inside if simple else _bracket(inside)
            return f"<mrow><mi>{CALLED.get(function, function)}</mi>{given}</mrow>"
        case Product(over, under):
            above = _product(over)
            return f"<mfrac>{above}{_product(under)}</mfrac>" if under else above
        case Sum(terms):
            return f"<mrow>{_added(terms)}</mrow>"


def rows(left: Formula, right: Formula) -> str:
    """An equation as rows of a table; a long sum goes on in the next row."""
    first, *rest = lines(right)
    made = _row(mathml(left), f"<mo>=</mo>{_added(first)}")
    return made + "".join(_row("", SPACE * 6 + _added(more, first=False)) for more in rest)


def _row(left: str, right: str) -> str:
    cells = ("right", left), ("left", right)
    inside = "".join(f'<mtd style="text-align: {side}">{each}</mtd>' for side, each in cells)
    return f"<mtr>{inside}</mtr>"


def _added(terms: Sequence[tuple[bool, Formula]], *, first: bool = True) -> str:
    """Terms with their signs; the first of a sum has none if it is added."""
    signs = ["<mo>+</mo>" if plus else "<mo>\u2212</mo>" for plus, _ in terms]
    if first and terms[0][0]:
        signs[0] = ""
    return "".join(sign + mathml(term) for sign, (_, term) in zip(signs, terms, strict=True))


def _symbol(name: str, dots: int) -> str:
    stem, index = parted(name)
    inner = f"<mi>{escape(LETTERS.get(stem, stem))}</mi>"
    if dots:
        mark = "˙" if dots == 1 else "¨"  # an accent='true' lies on the letter without a math font
        inner = f"<mover>{inner}<mo scriptlevel='0'>{mark}</mo></mover>"
    kind = "mn" if index[:1].isdigit() else "mi"
    return f"<msub>{inner}<{kind}>{escape(index)}</{kind}></msub>" if index else inner


def _product(factors: tuple[Formula, ...]) -> str:
    inner = mathml(factors[0]) if len(factors) == 1 else SPACE.join(map(_factor, factors))
    return f"<mrow>{inner}</mrow>"


def _factor(formula: Formula) -> str:
    return _bracket(mathml(formula)) if isinstance(formula, Sum) else mathml(formula)


def _bracket(inside: str) -> str:
    return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"
