"""Squares of sums among the terms of a sum:  g x^2 + 2 g x y + g y^2  is  g (x + y)^2.

The canonical form multiplies everything out; books write the square of a sum of angular velocities,
or of radii, as one factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt

from korba.expr.waves import rational

Key = tuple[str, object]
"""A factor of a term: ("symbol", name), a cosine or sine with its angle, or a sum to be squared."""
Factors = Mapping[Key, Fraction]
Plain = tuple[float, Factors]
"""A term: its number and the powers of its factors."""
SQUARE = "square"
"""Kind of the factor that is a sum: (number, factors) of each of its terms."""
ALIKE = 1e-9


def with_squares(terms: Sequence[Plain]) -> list[Plain]:
    """Terms of a sum, those that make up the square of a sum as one."""
    rest, kinds = list(terms), {id(term): _kind(term) for term in terms}
    for first in terms:
        kind = kinds[id(first)]
        alike = [term for term in rest if kinds.get(id(term)) == kind]
        if len(rest) >= 3 and len(alike) >= 2 and any(term is first for term in alike):
            for whole, used in _squares(first, alike, rest):
                rest = [term for term in rest if term not in used]
                rest.append(whole)
                break
    return rest


def _kind(term: Plain) -> frozenset[tuple[Key, Fraction]]:
    """What two terms g x^2 and g y^2 have in common: waves, and which powers are odd."""
    powers = ((key, n % 2 if key[0] == "symbol" else n) for key, n in term[1].items())
    return frozenset((key, n) for key, n in powers if n)


def _squares(
    first: Plain, alike: Sequence[Plain], terms: Sequence[Plain]
) -> Iterator[tuple[Plain, list[Plain]]]:
    """A square that has a term as its first, g x^2, and the terms that it is made of."""
    others = [(other, *part) for other in alike if (part := _roots(first, other)) is not None]
    for x in dict.fromkeys(_frozen(x) for _, x, _, _ in others):
        g = _product(first[1], dict(x), -2)
        members: list[tuple[Fraction, Factors]] = [(Fraction(1), dict(x))]
        used = [first]
        for other, own, number, y in others:
            if _frozen(own) != x:
                continue
            for sign in (1, -1):
                crossed = [
                    _term_of(terms, 2 * first[0] * float(n * sign * number), (g, z, y))
                    for n, z in members
                ]
                if None not in crossed:
                    used += [other, *(each for each in crossed if each is not None)]
                    members.append((sign * number, y))
                    break
        if len(members) > 1:
            key = SQUARE, tuple((n, _frozen(z)) for n, z in members)
            yield (first[0], {**g, key: Fraction(2)}), used


def _roots(one: Plain, two: Plain) -> tuple[Factors, Fraction, Factors] | None:
    """x, n and y, if two terms are g x^2 and g (n y)^2."""
    apart = {
        key: two[1].get(key, Fraction(0)) - one[1].get(key, Fraction(0))
        for key in {**one[1], **two[1]}
    }
    uneven = any(n % 2 or (n and key[0] != "symbol") for key, n in apart.items())
    number = _root(two[0] / one[0])
    x = {key: -n / 2 for key, n in apart.items() if n < 0}
    y = {key: n / 2 for key, n in apart.items() if n > 0}
    return (x, number, y) if number and x and y and not uneven else None


def _root(x: float) -> Fraction | None:
    """The square root of a number, if it is a fraction."""
    square = rational(x)
    if square is None or square <= 0:
        return None
    over, under = isqrt(square.numerator), isqrt(square.denominator)
    return Fraction(over, under) if Fraction(over, under) ** 2 == square else None


def _term_of(
    terms: Sequence[Plain], c: float, parts: tuple[Factors, Factors, Factors]
) -> Plain | None:
    """The term with a number and a product of factors."""
    g, x, y = parts
    factors = _product(_product(g, x, 1), y, 1)
    alike = (t for t in terms if t[1] == factors and abs(t[0] - c) <= ALIKE * abs(c))
    return next(alike, None)


def _product(one: Factors, two: Factors, power: int) -> dict[Key, Fraction]:
    total = {key: one.get(key, Fraction(0)) + power * two.get(key, 0) for key in {**one, **two}}
    return {key: n for key, n in total.items() if n}


def _frozen(factors: Factors) -> tuple[tuple[Key, Fraction], ...]:
    return tuple(sorted(factors.items(), key=str))
