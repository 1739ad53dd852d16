"""Dimensions of quantities, and how they pass through arithmetic.

A `Dimension` holds the powers of the SI base units, and of the radian. The radian is tracked
but does not decide: N*m/rad fits N*m, because an angle is a ratio of lengths. One more mark,
the cycle of a hertz, is kept so that 50 Hz is never taken for 50 rad/s: where one side has it
and the other has radians, they do not fit.

While a text is read, two things have no dimension of their own. A number without a unit is
`Bare`, and so is its product with t or another variable: its unit may have been left out, so it
fits anything; with what carries a unit it makes a product of which all is known, but for seconds
beside t, which count whether they are written or not. `10*t` may be an angle, and so may
`10 deg*t` and `10 deg/s*t`, but not `10 mm*t`. A name nobody declared is UNKNOWN (None), and makes
the product unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from korba.errors import ExpressionError

RADIAN, CYCLE = "rad", "cycle"
HERTZ_HINT = "; Hz counts turns, not radians: write rpm, rev/s or rad/s"
_MARKS = (RADIAN, CYCLE)
_ORDER = ("kg", "m", "s", "A", "K", "mol", "cd", RADIAN, CYCLE)


@dataclass(frozen=True)
class Dimension:
    """Powers of base units, sorted, zeros left out: `(("m", 1), ("s", -2))`.

    The powers of `untold` bases cannot be known: `1 + 2*t` leaves units out, so seconds may stand
    with it or not, and `5 mm*(1 + 2*t)` is m with any power of s.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()
    untold: frozenset[str] = frozenset()

    @staticmethod
    def of(powers: Mapping[str, Fraction | int], untold: frozenset[str] = frozenset()) -> Dimension:
        """The dimension with these powers of base units."""
        told = ((b, Fraction(p)) for b, p in powers.items() if p and b not in untold)
        return Dimension(tuple(sorted(told)), untold)

    def __mul__(self, other: Dimension) -> Dimension:
        powers = dict(self.powers)
        for base, power in other.powers:
            powers[base] = powers.get(base, Fraction(0)) + power
        return Dimension.of(powers, self.untold | other.untold)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other ** Fraction(-1)

    def __pow__(self, power: Fraction) -> Dimension:
        return Dimension.of({base: p * power for base, p in self.powers}, self.untold)

    def but_for(self, base: str) -> Dimension:
        """The dimension with any power of a base unit."""
        return Dimension.of(dict(self.powers), self.untold | {base})

    def power_of(self, base: str) -> Fraction:
        """The power of one base unit, 0 where it does not occur."""
        return dict(self.powers).get(base, Fraction(0))

    def fits(self, other: Dimension) -> bool:
        """Whether the two can be added."""
        free = {*_MARKS, *self.untold, *other.untold}
        if any(base not in free for base in self._apart(other)):
            return False
        return not self.is_hertz_for_radians(other)

    def is_hertz_for_radians(self, other: Dimension) -> bool:
        """Whether the two differ in that one counts cycles and the other radians."""
        return all(self.power_of(mark) != other.power_of(mark) for mark in _MARKS)

    def in_common(self, other: Dimension) -> Dimension:
        """What two bare quantities that are added have in common; the rest is untold."""
        return Dimension.of(dict(self.powers), self.untold | other.untold | self._apart(other))

    def _apart(self, other: Dimension) -> frozenset[str]:
        """The bases of which the two have different powers."""
        return frozenset(base for base, _ in {*self.powers} ^ {*other.powers})

    def __str__(self) -> str:
        ranked = sorted(
            self.powers,
            key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER),
        )
        above = "*".join(_power_text(base, p) for base, p in ranked if p > 0) or "1"
        below = "".join("/" + _power_text(base, -p) for base, p in ranked if p < 0)
        return above + below


@dataclass(frozen=True)
class Bare:
    """A number without a unit, times variables of this dimension."""

    dimension: Dimension = Dimension()


Sort = Dimension | Bare | None
UNKNOWN = None
NUMBER = Dimension()
ANGLE = Dimension.of({RADIAN: 1})


def together(a: Sort, b: Sort) -> Sort:
    """The sort of a + b, a < b, min(a, b); an error where they do not fit."""
    if isinstance(a, Dimension) and isinstance(b, Dimension):
        if not a.fits(b):
            raise ExpressionError(
                f"units do not fit together: {a} and {b}{HERTZ_HINT * a.is_hertz_for_radians(b)}"
            )
        return Dimension.of(dict(b.powers + a.powers), a.untold & b.untold) if a.untold else a
    if isinstance(a, Bare) and isinstance(b, Bare):
        return Bare(a.dimension.in_common(b.dimension))
    if isinstance(a, Dimension):
        return a
    return b if isinstance(b, Dimension) else UNKNOWN


def product(a: Sort, b: Sort) -> Sort:
    """The sort of a * b; what makes a ratio of a variable, as in t/(2 s), is a bare number."""
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    own = _own(a) * _own(b)
    ratio = not own.powers and any(isinstance(x, Bare) and x != Bare() for x in (a, b))
    bare = ratio or (isinstance(a, Bare) and isinstance(b, Bare))
    return Bare(own) if bare else own


def power(base: Sort, exponent: float | None) -> Sort:
    """The sort of base ** exponent; None is an exponent that is not a fixed number."""
    if base is UNKNOWN:
        return UNKNOWN
    own = _own(base)
    fixed = exponent is not None and abs(exponent) <= 60
    fraction = Fraction(exponent or 0.0).limit_denominator(60) if fixed else Fraction(0)
    simple = fixed and abs(float(fraction) - (exponent or 0.0)) < 1e-12
    if isinstance(base, Bare):
        untold = own.untold | frozenset(base for base, _ in own.powers)
        return Bare(own**fraction if simple else Dimension.of({}, untold))
    if simple:
        return own**fraction
    if own.fits(NUMBER):
        return NUMBER
    raise ExpressionError(
        f"a quantity in {own} can only be raised to a fixed simple number, such as 2 or 0.5"
    )


def quotient(a: Sort, b: Sort) -> Sort:
    """The sort of a / b."""
    return product(a, power(b, -1.0))


def _own(sort: Dimension | Bare) -> Dimension:
    return sort.dimension if isinstance(sort, Bare) else sort


def _power_text(base: str, exponent: Fraction) -> str:
    if exponent == 1:
        return base
    return f"{base}^{exponent}" if exponent.denominator == 1 else f"{base}^({exponent})"
