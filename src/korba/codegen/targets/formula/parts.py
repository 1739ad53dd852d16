"""Sums that would not fit on a line inside another formula get names and lines of their own.

A long sum goes on in the next line, but not inside a fraction, a root or brackets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from korba.codegen.targets.formula.text import LINE, text
from korba.expr.formula import Call, Formula, Names, Power, Product, Sum, Symbol

Pair = tuple[Formula, Formula]
"""Left and right side of an equation."""


class Parts:
    """Names for long sums inside the lines of some equations."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        known = {symbol.name: symbol for pair in pairs for x in pair for symbol in _symbols(x)}
        self.letter = Names(known).letter("s", "c", "w", "z")
        self.numbers = count(1)

    def lines(self, left: Formula, right: Formula) -> list[Pair]:
        """An equation without long sums inside, and behind it what they are, innermost first."""
        found: list[Pair] = []
        return [(self._whole(left, found), self._whole(right, found)), *found]

    def _whole(self, formula: Formula, found: list[Pair]) -> Formula:
        """A formula whose own terms may go on in the next line."""
        if isinstance(formula, Sum):
            return Sum(tuple((plus, self._whole(term, found)) for plus, term in formula.terms))
        return self._rebuilt(formula, found)

    def _inside(self, formula: Formula, found: list[Pair]) -> Formula:
        """A formula inside another: its name if it is a long sum."""
        if not isinstance(formula, Sum):
            return self._rebuilt(formula, found)
        own = Sum(tuple((plus, self._inside(term, found)) for plus, term in formula.terms))
        if len(text(own)) <= LINE:
            return own
        found.append((Symbol(f"{self.letter}_{next(self.numbers)}"), own))
        return found[-1][0]

    def _rebuilt(self, formula: Formula, found: list[Pair]) -> Formula:
        """What is no sum, of parts that fit."""

        def all_of(parts: Sequence[Formula]) -> tuple[Formula, ...]:
            return tuple(self._inside(part, found) for part in parts)

        match formula:
            case Power(base, exponent):
                return Power(self._inside(base, found), exponent)
            case Call(function, arguments):
                return Call(function, all_of(arguments))
            case Product(over, under):
                return Product(all_of(over), all_of(under))
        return formula


def _symbols(formula: Formula) -> Iterator[Symbol]:
    match formula:
        case Symbol():
            yield formula
        case Power(base, _):
            yield from _symbols(base)
        case Call(_, parts):
            for part in parts:
                yield from _symbols(part)
        case Product(over, under):
            for part in (*over, *under):
                yield from _symbols(part)
        case Sum(terms):
            for _, part in terms:
                yield from _symbols(part)
