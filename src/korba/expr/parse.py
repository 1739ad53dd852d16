"""Text to expression: `ast` reads the grammar, a list of allowed forms builds the nodes.

    30 deg + 2*pi*t      -c*v      60 mm      min(x, 2 m)      1 if t < 2 s else 0      'left-hip'/2

A number directly before a unit is a quantity; the unit goes on over `*`, `/` and `^` without
blanks as long as common units follow, so "5 N*m/rad" is one quantity and "2 mm*l1" is 2 mm
times l1. `^` means power. Nothing is executed.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Never

from korba.errors import ExpressionError, way_out
from korba.expr.dimensions import (
    ANGLE,
    HERTZ_HINT,
    NUMBER,
    UNKNOWN,
    Bare,
    Dimension,
    Sort,
    power,
    product,
    quotient,
    together,
)
from korba.expr.functions import FUNCTION_OF_TEXT, Function
from korba.expr.node import Expr, as_expr, build, constant, variable
from korba.expr.rises import NAMES as RISES
from korba.expr.rises import rise
from korba.expr.tokens import Clean, clean, refuse
from korba.expr.units import SECOND, described, time_hint

DEEPEST_NESTING, LONGEST_CHAIN = 100, 2000
"""The same for all Pythons, whose own parsers end at 3,000 operations or somewhere beyond."""
_TOO_DEEP = "the expression is nested too deeply; give its parts names"
_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}
_COMPARISONS = {  # operation, and whether its sides change places
    ast.Lt: ("less", False),
    ast.LtE: ("less_equal", False),
    ast.Gt: ("less", True),
    ast.GtE: ("less_equal", True),
}


@dataclass(frozen=True)
class Quantity:
    """An expression in SI and its dimension.

    The dimension None belongs to a bare number or an unchecked name, and fits anything.
    """

    value: Expr
    dimension: Dimension | None


Names = Mapping[str, Quantity | Expr | float]
NO_NAMES: Names = MappingProxyType({})
Measures = Mapping[str, Dimension]
NO_MEASURES: Measures = MappingProxyType({})
_Typed = tuple[Expr, Sort]


def parse(
    text: str,
    names: Names = NO_NAMES,
    *,
    allow: Collection[str] | None = None,
    measures: Measures = NO_MEASURES,
) -> Quantity:
    """The expression that `text` says.

    `names` are replaced by what they stand for. Any other name becomes a variable, if it is in
    `allow` or `allow` is None; `measures` says what such a variable measures. Everything wrong is
    an ExpressionError that shows the place.
    """
    if not isinstance(text, str):
        raise ExpressionError(f"expected text, got {type(text).__name__}: {text!r:.60}")
    try:
        cleaned, tree = _grammar(text)
    except ExpressionError:
        clean(text, {*names, *(allow or ())})  # what looks like a unit may be a name
        raise
    if not cleaned.units.isdisjoint([*names, *(allow or ())]):
        clean(text, {*names, *(allow or ())})
    if isinstance(tree, SyntaxError):
        place = cleaned.place((tree.offset or len(cleaned.text) + 1) - 1)
        refuse(f"cannot read the expression: {tree.msg}", text, place)
    try:
        value, sort = _Reader(cleaned, names, allow, measures).read(tree)
    except (RecursionError, MemoryError) as error:
        raise ExpressionError(_TOO_DEEP) from error
    return Quantity(value, sort if isinstance(sort, Dimension) else None)


@lru_cache(maxsize=4096)
def _grammar(text: str) -> tuple[Clean, ast.expr | SyntaxError]:
    """The tree of a text, whatever its names mean; the same texts are read again and again."""
    cleaned = clean(text)
    try:
        return cleaned, ast.parse(cleaned.text, mode="eval").body
    except SyntaxError as error:
        return cleaned, error.with_traceback(None)
    except (RecursionError, MemoryError) as error:
        raise ExpressionError(_TOO_DEEP) from error


class _Reader:
    """Walks the tree of one text; every form that has no case below is refused."""

    def __init__(
        self, cleaned: Clean, names: Names, allow: Collection[str] | None, measures: Measures
    ) -> None:
        self.cleaned, self.names, self.allow, self.measures = cleaned, names, allow, measures
        self.depth = 0

    def read(self, tree: ast.expr) -> _Typed:
        """The value and sort of one part of the tree."""
        if self.depth > DEEPEST_NESTING:
            self.refuse(_TOO_DEEP, tree)
        self.depth += 1
        match tree:
            case ast.Constant():
                result = self.leaf(tree)
            case ast.Name():
                result = self.name(tree.id, tree)
            case ast.UnaryOp(op=ast.UAdd() | ast.USub()):
                result = self.signed(tree)
            case ast.BinOp():
                result = self.chain(tree)
            case ast.Compare():
                result = self.comparison(tree)
            case ast.IfExp():
                result = self.call(
                    FUNCTION_OF_TEXT["where"], [tree.test, tree.body, tree.orelse], tree
                )
            case ast.Call(func=ast.Name(), keywords=[]):
                result = self.rise(tree) or self.call(self.function(tree), tree.args, tree)
            case _:
                self.refuse(f"{_form(tree)} is not part of the language of expressions", tree)
        self.depth -= 1
        return result

    def leaf(self, tree: ast.Constant) -> _Typed:
        """A number, a quantity or a quoted name."""
        if isinstance(tree.value, bytes):
            atom = self.cleaned.atoms[int(tree.value)]
            return self.name(atom, tree) if isinstance(atom, str) else atom
        if isinstance(tree.value, bool) or not isinstance(tree.value, int | float):
            self.refuse(f"{tree.value!r} is not a number", tree)
        with self.placed(tree):
            return constant(tree.value), Bare()

    def name(self, name: str, tree: ast.expr) -> _Typed:
        """A known name, pi, or a variable."""
        quoted = not isinstance(tree, ast.Name)
        if name in self.names:
            return self.known(self.names[name], tree)
        if name == "pi" and not quoted:
            return constant(math.pi), Bare()
        if name in FUNCTION_OF_TEXT and not quoted:
            self.refuse(f"{name} is a function; write {name}(...), or {name!r} for a name", tree)
        if self.allow is None or name in self.allow:
            own = self.measures.get(name)
            own = own.but_for("s") if own == SECOND else own  # seconds beside t may be left out
            return variable(name), UNKNOWN if own is None else Bare(own)
        choice = sorted({*self.names, *self.allow})
        return self.refuse(f"unknown name {name!r}; {way_out(name, choice)}", tree)

    def known(self, meaning: Quantity | Expr | float, tree: ast.expr) -> _Typed:
        """What a known name stands for."""
        if isinstance(meaning, Quantity):
            return meaning.value, meaning.dimension
        with self.placed(tree):
            return as_expr(meaning), UNKNOWN

    def signed(self, tree: ast.UnaryOp) -> _Typed:
        """+x or -x."""
        value, sort = self.read(tree.operand)
        return (-value if isinstance(tree.op, ast.USub) else value), sort

    def chain(self, tree: ast.BinOp) -> _Typed:
        """A sum or product of many terms, walked without recursion: it is no deep nesting."""
        steps = [tree]
        while isinstance(steps[-1].left, ast.BinOp):
            steps.append(steps[-1].left)
        if len(steps) > LONGEST_CHAIN:
            self.refuse(f"a sum or product of more than {LONGEST_CHAIN} terms; name parts", tree)
        left = self.read(steps[-1].left)
        for step in reversed(steps):
            left = self.operation(step, left, self.read(step.right))
        return left

    def operation(self, tree: ast.BinOp, a: _Typed, b: _Typed) -> _Typed:
        """One arithmetic operation."""
        op = _OPERATORS.get(type(tree.op))
        if op is None:
            self.refuse(f"the operator {type(tree.op).__name__} is not known; use + - * / ^", tree)
        if op in ("add", "sub"):
            self.check_terms(tree, a[1], b[1])
        with self.placed(tree):
            return build(op, a[0], b[0]), _sort_of_operation(op, a, b)

    def check_terms(self, tree: ast.BinOp, a: Sort, b: Sort) -> None:
        """Refuse a term that does not fit those before it, and say what it is."""
        if not (isinstance(a, Dimension) and isinstance(b, Dimension)) or a.fits(b):
            return
        before, term = self.words(tree.left), self.words(tree.right)
        message = (
            f"units do not fit together: {term!r:.60} is {described(b)}, "
            f"but {before!r:.60} is {described(a)}"
        )
        hint = HERTZ_HINT if a.is_hertz_for_radians(b) else time_hint(b, a) or time_hint(a, b)
        both = f"; terms of a sum are of one kind: give both as {described(a)}, or as numbers in SI"
        self.refuse(message + (hint or both), tree.right)

    def comparison(self, tree: ast.Compare) -> _Typed:
        """A < b, or a < b < c, which holds where both do."""
        sides = [self.read(side) for side in (tree.left, *tree.comparators)]
        result = constant(1.0)
        for sign, a, b in zip(tree.ops, sides, sides[1:], strict=False):
            if type(sign) not in _COMPARISONS:
                self.refuse("only the comparisons < <= > >= are known", tree)
            op, swapped = _COMPARISONS[type(sign)]
            with self.placed(tree):
                together(self.told(a), self.told(b))
                result *= build(op, b[0], a[0]) if swapped else build(op, a[0], b[0])
        return result, Bare()

    def told(self, side: _Typed) -> Sort:
        """The sort of one side of a comparison; a variable alone is what it measures."""
        value, sort = side
        return self.measures.get(str(value.value), sort) if value.op == "variable" else sort

    def rise(self, tree: ast.Call) -> _Typed | None:
        """One of the ways from 0 to 1, if that is what a call names."""
        name = tree.func.id if isinstance(tree.func, ast.Name) else ""
        if name not in RISES:
            return None
        if len(tree.args) != 1:
            self.refuse(f"{name} takes 1 argument, got {len(tree.args)}", tree)
        value, sort = self.read(tree.args[0])
        with self.placed(tree):
            _expect(NUMBER, sort, f"the argument of {name}, which goes from 0 to 1,")
            return rise(name, value), Bare()

    def function(self, tree: ast.Call) -> Function:
        """The function that a call names."""
        name = tree.func.id if isinstance(tree.func, ast.Name) else ""
        if name not in FUNCTION_OF_TEXT:
            hint = way_out(name, [*FUNCTION_OF_TEXT, *RISES])
            self.refuse(f"unknown function {name}; {hint}", tree)
        return FUNCTION_OF_TEXT[name]

    def call(self, function: Function, parts: list[ast.expr], tree: ast.expr) -> _Typed:
        """A function of its arguments; min and max take two or more."""
        args = [self.read(part) for part in parts]
        many = function.commutative and len(args) > function.arity
        if len(args) != function.arity and not many:
            self.refuse(f"{function.text} takes {function.arity} arguments, got {len(args)}", tree)
        with self.placed(tree):
            sort = _sort_of_function(function, [sort for _, sort in args])
            value = build(function.name, *[value for value, _ in args[: function.arity]])
            for extra, _ in args[function.arity :]:
                value = build(function.name, value, extra)
            return value, sort

    @contextmanager
    def placed(self, tree: ast.expr) -> Iterator[None]:
        """Errors inside get the place of `tree`."""
        try:
            yield
        except ExpressionError as error:
            self.refuse(str(error), tree)

    def refuse(self, message: str, tree: ast.expr) -> Never:
        """Raise an error that shows the place of `tree`."""
        place = self.characters(tree.col_offset)
        refuse(message, self.cleaned.original, self.cleaned.place(place))

    def words(self, tree: ast.expr) -> str:
        """What the text says in one part of the tree."""
        end = tree.end_col_offset or tree.col_offset
        return self.cleaned.words(self.characters(tree.col_offset), self.characters(end))

    def characters(self, size: int) -> int:
        """The characters in the first bytes of the clean text: the grammar counts bytes."""
        return len(self.cleaned.text.encode()[:size].decode(errors="ignore"))


def _sort_of_operation(op: str, a: _Typed, b: _Typed) -> Sort:
    if op == "mul":
        return product(a[1], b[1])
    if op == "div":
        return quotient(a[1], b[1])
    if op == "pow":
        _expect(NUMBER, b[1], "an exponent")
        return power(a[1], b[0].value if isinstance(b[0].value, float) else None)
    return together(a[1], b[1])


def _sort_of_function(function: Function, sorts: list[Sort]) -> Sort:
    match function.dimensions:
        case "angle to number":
            if not (isinstance(sorts[0], Dimension) and sorts[0].fits(NUMBER)):
                _expect(ANGLE, sorts[0], f"the argument of {function.text}")
            return Bare()
        case "number to angle":
            if function.arity == 1:
                _expect(NUMBER, sorts[0], f"the argument of {function.text}")
            else:
                together(*sorts)
            return ANGLE
        case "number":
            _expect(NUMBER, sorts[0], f"the argument of {function.text}")
            return Bare()
        case "root":
            return power(sorts[0], 0.5)
        case "truth":
            return Bare()
    chosen = sorts[1:] if function.name == "where" else sorts
    for sort in chosen[1:]:
        chosen[0] = together(chosen[0], sort)
    return chosen[0]


def _expect(dimension: Dimension, found: Sort, what: str) -> None:
    if isinstance(found, Dimension) and not found.fits(dimension):
        wanted = "an angle or a number" if dimension == ANGLE else "a number without unit"
        hint = time_hint(found, dimension)
        raise ExpressionError(f"{what} must be {wanted}, got {described(found)}{hint}")


def _form(tree: ast.expr) -> str:
    if isinstance(tree, ast.Call):
        return "calling anything but a named function with plain arguments"
    return f"this ({type(tree).__name__})"
