"""Expressions as text that `parse` reads back to the same node."""

from __future__ import annotations

import keyword
import math
import unicodedata

from korba.errors import ExpressionError
from korba.expr.functions import FUNCTION_OF_TEXT, FUNCTIONS
from korba.expr.node import Expr

RESERVED = frozenset({"pi", *FUNCTION_OF_TEXT, *keyword.kwlist})

# how tightly each operator binds; a looser text inside a tighter one needs parentheses
_COMPARISON, _SUM, _PRODUCT, _MINUS, _POWER, _ATOM = range(1, 7)
_BINDING = {
    "less": _COMPARISON,
    "less_equal": _COMPARISON,
    "add": _SUM,
    "sub": _SUM,
    "mul": _PRODUCT,
    "div": _PRODUCT,
    "neg": _MINUS,
    "pow": _POWER,
}
_BETWEEN = {"less": " < ", "less_equal": " <= ", "add": " + ", "sub": " - ", "mul": "*", "div": "/"}

Piece = str | tuple[Expr, int]  # finished text, or a node and the binding its place asks for


def to_text(e: Expr, limit: int = 1_000_000) -> str:
    """`e` as text; a shared part is written out at each use, up to `limit` characters in all."""
    written: list[str] = []
    length = 0
    stack: list[Piece] = [(e, 0)]
    while stack:
        piece = stack.pop()
        if not isinstance(piece, str):
            stack.extend(reversed(_pieces(*piece)))
            continue
        written.append(piece)
        length += len(piece)
        if length > limit:
            raise ExpressionError(
                f"the expression is longer than {limit} characters as text; "
                "write its parts one by one"
            )
    return "".join(written)


def name_text(name: str) -> str:
    """The name of a variable as it stands in an expression: quoted where it is not a plain word."""
    plain = name.isidentifier() and name not in RESERVED
    if plain and unicodedata.normalize("NFKC", name) == name:
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def number_text(x: float) -> str:
    """A number, to the last bit."""
    if x == math.pi:
        return "pi"
    return str(int(x)) if x.is_integer() and abs(x) < 1e15 else repr(x)


def _pieces(e: Expr, asked: int) -> list[Piece]:
    if _binding(e) < asked:
        return ["(", (e, 0), ")"]
    if isinstance(e.value, float):
        return [number_text(e.value)]
    if isinstance(e.value, str):
        return [name_text(e.value)]
    if _is_turned_difference(e):
        return [(e.args[0].args[1], _SUM), " - ", (e.args[0].args[0], _PRODUCT)]
    if e.op == "neg":
        return ["-", (e.args[0], _POWER)]
    if e.op == "pow":
        return [(e.args[0], _ATOM), "**", (e.args[1], _MINUS)]
    if e.op == "add" and isinstance(e.args[0].value, float):
        return _sum_with_number(e.args[1], e.args[0].value)
    if e.op in _BETWEEN:
        binding = _BINDING[e.op]
        left = binding + 1 if binding == _COMPARISON else binding
        return [(e.args[0], left), _BETWEEN[e.op], (e.args[1], binding + 1)]
    return _call(e)


def _sum_with_number(x: Expr, number: float) -> list[Piece]:
    return [(x, _SUM), " - " if number < 0.0 else " + ", number_text(abs(number))]


def _call(e: Expr) -> list[Piece]:
    pieces: list[Piece] = [FUNCTIONS[e.op].text or e.op, "("]
    for arg in e.args:
        pieces += [(arg, 0), ", "]
    return [*pieces[:-1], ")"]


def _binding(e: Expr) -> int:
    if isinstance(e.value, float):
        return _MINUS if e.value < 0.0 else _ATOM
    if _is_turned_difference(e):
        return _SUM
    return _BINDING.get(e.op, _ATOM)


def _is_turned_difference(e: Expr) -> bool:
    """Whether e is -(x - y), written y - x."""
    return e.op == "neg" and e.args[0].op == "sub"
