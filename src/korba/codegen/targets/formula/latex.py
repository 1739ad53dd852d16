r"""Formulas as LaTeX:  m_{2} \left(l_{1}^{2} + ...\right) \ddot{q}_{1}."""

from __future__ import annotations

import re
from fractions import Fraction

from korba.codegen.targets.formula.text import CALLED, LETTERS, number
from korba.expr.formula import Call, Formula, Number, Power, Product, Sum, Symbol, parted

KNOWN = frozenset(["cos", "sin", "tan", "arcsin", "arccos", "arctan", "exp", "log"])
KNOWN |= {"sinh", "cosh", "tanh", "min", "max"}
RELATIONS = {"less": "<", "less_equal": r"\le"}
DOTS = ("", r"\dot", r"\ddot")
WIDTH = 70
"""Signs of a line, about, from which on a sum goes on in the next one."""
_GREEK = {letter: rf"\ensuremath{{\{word}}}" for word, letter in LETTERS.items()}
_SIGNS = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
_SIGNS |= {sign: f"\\{sign}" for sign in "_#$%&{}"} | _GREEK


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
        case Call(relation, (left, right)) if relation in RELATIONS:
            return rf"\left[{latex(left)} {RELATIONS[relation]} {latex(right)}\right]"
        case Call(function, arguments):
            own = {**CALLED, "arctan2": "atan2"}.get(function, function)
            name = rf"\{own}" if own in KNOWN else rf"\operatorname{{{own}}}"
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
    letter = f"\\{stem}" if stem in LETTERS else _word(stem)
    dotted = f"{DOTS[dots]}{{{letter}}}" if dots else letter
    return f"{dotted}_{{{_word(index)}}}" if index else dotted


def escaped(words: str) -> str:
    """Words as LaTeX's text, signs that mean something to it and Greek letters written out."""
    return "".join(_SIGNS.get(sign, sign) for sign in words)


def lines(left: Formula, right: Formula) -> str:
    """An equation for an environment that aligns; a long sum is broken between its terms."""
    rows = [f"  {latex(left)} &= "]
    for k, (plus, term) in enumerate(right.terms if isinstance(right, Sum) else ((True, right),)):
        sign = (" + " if plus else " - ") if k else "" if plus else "-"
        piece = latex(term)
        if k and _width(rows[-1]) + _width(piece) > WIDTH:
            rows.append(rf"  &\quad {{}}{sign[1:]}{piece}")
        else:
            rows[-1] += sign + piece
    return " \\\\\n".join(rows)


def _width(text: str) -> int:
    """About how many signs are seen of a text."""
    return len(re.sub(r"\\(?!cos|sin|tan)[a-z]+|[\\{}_^&, ]", "", text))


def _word(stem: str) -> str:
    """A letter or an index such as 12 and 2x as it is; words upright, odd ones as text."""
    if re.fullmatch(r"[A-Za-z]|[\d,]+[A-Za-z]?", stem):
        return stem
    if len(stem) == 1 and stem in _GREEK:
        return _GREEK[stem].removeprefix(r"\ensuremath{").removesuffix("}")
    plain = re.fullmatch(r"[\w. ]+", stem, re.ASCII)
    inside = escaped(stem)
    return rf"\mathrm{{{inside}}}".replace(" ", r"\ ") if plain else rf"\text{{{inside}}}"


def _product(factors: tuple[Formula, ...]) -> str:
    """Factors, sums in brackets; one that stands alone above or below a line needs none."""
    return latex(factors[0]) if len(factors) == 1 else r" \, ".join(map(_factor, factors))


def _factor(formula: Formula) -> str:
    whole = latex(formula)
    return rf"\left({whole}\right)" if isinstance(formula, Sum) else whole


def _number(value: Fraction | float) -> str:
    digits, _, exponent = number(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits
