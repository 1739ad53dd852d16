"""Trigonometric polynomials: numbers in which the equations of mechanisms have one short form.

A value is a sum of waves in angles x, with coefficients that are polynomials in other symbols,

    sum of  c  s_1^n_1 s_2^n_2 ...  exp(i (k_1 x_1 + k_2 x_2 + ...))                            (1)

Products of sines and cosines become waves of sums of angles by themselves, equal terms meet, and
what cancels is gone: two values are equal only if their terms are. So nothing has to be
simplified. Powers n may be negative; whatever is no such polynomial (a root, a quotient by a sum)
becomes a symbol of its own (canonical.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from math import cos, sin
from operator import mul
from typing import NamedTuple, TypeVar

from korba.errors import ExpressionError

ROUNDING = 1e-12
"""What is left of two numbers, as a part of them, that cancel but for rounding."""
MOST_TERMS = 2_000
"""Terms above which a value is no formula to be read."""
MOST_PRODUCTS = 500_000
"""Products of terms, of two values, above which their product is none either: about a second."""

Powers = tuple[tuple[str, Fraction], ...]
"""Symbols and their powers, or angles and how often each is taken: sorted, without zeros."""


class Term(NamedTuple):
    """One kind of term of (1)."""

    waves: Powers = ()
    symbols: Powers = ()


K = TypeVar("K")


class TooLongError(ExpressionError):
    """A value with more terms than anybody reads."""


class Waves:
    """A trigonometric polynomial; it does not change."""

    __slots__ = ("terms",)
    terms: Mapping[Term, complex]

    def __init__(self, terms: Mapping[Term, complex]) -> None:
        if len(terms) > MOST_TERMS:
            raise TooLongError(f"a formula of more than {MOST_TERMS} terms")
        self.terms = terms

    def __add__(self, other: Waves) -> Waves:
        total = dict(self.terms)
        for term, c in other.terms.items():
            _gather(total, term, c)
        return Waves(total)

    def __neg__(self) -> Waves:
        return Waves({term: -c for term, c in self.terms.items()})

    def __sub__(self, other: Waves) -> Waves:
        return self + (-other)

    def __mul__(self, other: Waves) -> Waves:
        if len(self.terms) * len(other.terms) > MOST_PRODUCTS:
            raise TooLongError(f"a product of {len(self.terms)} by {len(other.terms)} terms")
        waves, symbols = _Joined(), _Joined()
        right = [(waves.place(w), symbols.place(s), d) for (w, s), d in other.terms.items()]
        total: dict[tuple[int, int], complex] = {}
        for (w, s), c in self.terms.items():
            own_waves, own_symbols = waves.place(w), symbols.place(s)
            for i, j, d in right:
                _gather(total, (waves.of(own_waves, i), symbols.of(own_symbols, j)), c * d)
        return Waves({Term(waves.parts[i], symbols.parts[j]): c for (i, j), c in total.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Waves) and not (self - other).terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    @property
    def names(self) -> set[str]:
        """The symbols and angles that it depends on."""
        return {name for term in self.terms for part in term for name, _ in part}

    @property
    def number(self) -> float | None:
        """The value, if it depends on nothing."""
        if not self.terms:
            return 0.0
        return self.terms[Term()].real if set(self.terms) == {Term()} else None

    def inverse(self) -> Waves | None:
        """1 over a single term without waves; None for others."""
        if len(self.terms) != 1:
            return None
        (term, c), *_ = self.terms.items()
        if term.waves:
            return None
        return Waves({Term((), tuple((name, -n) for name, n in term.symbols)): 1 / c})

    def linear(self) -> tuple[Powers, float] | None:
        """The symbols and how often each is taken, and a constant; None if it is not linear."""
        parts, constant = [], 0.0
        for (waves, symbols), c in self.terms.items():
            if waves or len(symbols) > 1 or any(n != 1 for _, n in symbols):
                return None
            if not symbols:
                constant = c.real
                continue
            often = rational(c.real)
            if often is None:
                return None
            parts.append((symbols[0][0], often))
        return tuple(sorted(parts)), constant

    def parts(self, names: Iterable[str]) -> dict[Powers, Waves]:
        """The coefficients of the products of some symbols."""
        own = set(names)
        parts: dict[Powers, dict[Term, complex]] = {}
        for (waves, symbols), c in self.terms.items():
            asked = tuple(each for each in symbols if each[0] in own)
            rest = tuple(each for each in symbols if each[0] not in own)
            parts.setdefault(asked, {})[Term(waves, rest)] = c
        return {asked: Waves(terms) for asked, terms in parts.items()}

    def derivative(self, name: str) -> Waves:
        """By a symbol, which may be an angle too."""
        total: dict[Term, complex] = {}
        for term, c in self.terms.items():
            often, power = dict(term.waves).get(name, 0), dict(term.symbols).get(name, 0)
            if often:
                _gather(total, term, 1j * float(often) * c)
            if power:
                lower = Term(term.waves, _joined(term.symbols, ((name, Fraction(-1)),)))
                _gather(total, lower, float(power) * c)
        return Waves(total)

    def replaced(self, values: Mapping[str, Waves]) -> Waves:
        """The same with values in place of some symbols, where these have no negative powers."""
        total = Waves({})
        for powers, product in self.parts(values).items():
            factors = [values[name] for name, n in powers for _ in range(int(n))]
            total = total + reduce(mul, factors, product)
        return total

    def real_terms(self) -> Iterator[tuple[float, Powers, str, Powers]]:
        """(c, symbols, "cos" or "sin" or "", angle) of each real term, in a fixed order."""
        ordered = sorted(self.terms, key=lambda term: (len(term.waves), term.waves, term.symbols))
        for term in ordered:
            c, (waves, symbols) = self.terms[term], term
            if not waves:
                yield c.real, symbols, "", ()
            elif waves[0][1] > 0:  # its mirror image has the conjugate coefficient
                if abs(c.real) > ROUNDING * abs(c):
                    yield 2 * c.real, symbols, "cos", waves
                if abs(c.imag) > ROUNDING * abs(c):
                    yield -2 * c.imag, symbols, "sin", waves


def number(x: float) -> Waves:
    """A plain number."""
    return Waves({Term(): complex(x)} if x else {})


def symbol(name: str, power: int = 1) -> Waves:
    """A named quantity."""
    return Waves({Term((), ((name, Fraction(power)),)): 1.0 + 0j})


def wave(angle: Waves, function: str) -> Waves | None:
    """Cosine or sine of a whole-number combination of angles; None of anything else."""
    known = angle.linear()
    if known is None:
        return None
    waves, constant = known
    c, s = _clean(cos(constant)), _clean(sin(constant))
    plus = complex(c, s) / 2 if function == "cos" else complex(s, -c) / 2
    if not waves:
        return number(2 * plus.real)
    mirrored = tuple((name, -n) for name, n in waves)
    return Waves({Term(waves): plus, Term(mirrored): plus.conjugate()})


def linear(parts: Powers) -> Waves:
    """A combination of symbols."""
    return Waves({Term((), ((name, Fraction(1)),)): complex(n) for name, n in parts})


def rational(x: float) -> Fraction | None:
    """The fraction with a small denominator that a number is, if it is one."""
    near = Fraction(x).limit_denominator(1000)
    return near if abs(x - float(near)) <= ROUNDING * abs(x) else None


def _clean(x: float) -> float:
    return 0.0 if abs(x) < 1e-15 else x


def _gather(total: dict[K, complex], term: K, c: complex) -> None:
    """Add to a term; what cancels is gone."""
    before = total.get(term)
    if before is None:
        total[term] = c
        return
    after = before + c
    if abs(after) <= ROUNDING * max(abs(before), abs(c)):
        del total[term]
    else:
        total[term] = after


def _joined(one: Powers, two: Powers) -> Powers:
    """Powers of a product, or angles of a product of waves: they add up."""
    if not one or not two:
        return one or two
    total = dict(one)
    for name, n in two:
        total[name] = total.get(name, Fraction(0)) + n
    return tuple(sorted((name, n) for name, n in total.items() if n))


class _Joined:
    """Powers by their places in a list, and the place of every product, which is made once."""

    def __init__(self) -> None:
        self.parts: list[Powers] = []
        self.places: dict[Powers, int] = {}
        self.products: dict[tuple[int, int], int] = {}

    def place(self, part: Powers) -> int:
        place = self.places.setdefault(part, len(self.parts))
        if place == len(self.parts):
            self.parts.append(part)
        return place

    def of(self, i: int, j: int) -> int:
        """The place of a product."""
        place = self.products.get((i, j))
        if place is None:
            place = self.products[i, j] = self.place(_joined(self.parts[i], self.parts[j]))
        return place
