"""Dimensions of quantities, and how they pass through arithmetic.

A `Dimension` holds the powers of the SI base units, and of the radian. The radian is tracked
but does not decide: N*m/rad fits N*m, because an angle is a ratio of lengths. One more mark,
the cycle of a hertz, is kept so that 50 Hz is never taken for 50 rad/s: where one side has it
and the other has radians, they do not fit.

While a text is read, two things have no dimension of their own: a number without a unit
(`Loose.NUMBER`, it fits anything and leaves a product's dimension alone) and a name nobody
declared (`Loose.UNKNOWN`, it makes the product unknown).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from korba.errors import ExpressionError

RADIAN, CYCLE = "rad", "cycle"
HERTZ_HINT = "; Hz counts turns, not radians: write rpm, rev/s or rad/s"
_MARKS = (RADIAN, CYCLE)
_ORDER = ("kg", "m", "s", "A", "K", "mol", "cd", RADIAN, CYCLE)


class Loose(Enum):
    """What a part of an expression can be instead of having a dimension."""

    NUMBER = "a bare number"
    UNKNOWN = "not declared"


@dataclass(frozen=True)
class Dimension:
    """Powers of base units, sorted, zeros left out: `(("m", 1), ("s", -2))`."""

    powers: tuple[tuple[str, Fraction], ...] = ()

    @staticmethod
    def of(powers: Mapping[str, Fraction | int]) -> Dimension:
        """The dimension with these powers of base units."""
        return Dimension(tuple(sorted((b, Fraction(p)) for b, p in powers.items() if p)))

    def __mul__(self, other: Dimension) -> Dimension:
        powers = dict(self.powers)
        for base, power in other.powers:
            powers[base] = powers.get(base, Fraction(0)) + power
        return Dimension.of(powers)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other ** Fraction(-1)

    def __pow__(self, power: Fraction) -> Dimension:
        return Dimension.of({base: p * power for base, p in self.powers})

    def power_of(self, base: str) -> Fraction:
        """The power of one base unit, 0 where it does not occur."""
        return dict(self.powers).get(base, Fraction(0))

    def fits(self, other: Dimension) -> bool:
        """Whether the two can be added."""
        if self._without_marks() != other._without_marks():
            return False
        return not self.is_hertz_for_radians(other)

    def is_hertz_for_radians(self, other: Dimension) -> bool:
        """Whether the two differ in that one counts cycles and the other radians."""
        return all(self.power_of(mark) != other.power_of(mark) for mark in _MARKS)

    def _without_marks(self) -> dict[str, Fraction]:
        return {base: power for base, power in self.powers if base not in _MARKS}

    def __str__(self) -> str:
        ranked = sorted(
            self.powers,
            key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER),
        )
        above = "*".join(_power_text(base, p) for base, p in ranked if p > 0) or "1"
        below = "".join("/" + _power_text(base, -p) for base, p in ranked if p < 0)
        return above + below


Sort = Dimension | Loose
NUMBER = Dimension()
ANGLE = Dimension.of({RADIAN: 1})


def together(a: Sort, b: Sort) -> Sort:
    """The sort of a + b, a < b, min(a, b); an error where they do not fit."""
    if isinstance(a, Dimension) and isinstance(b, Dimension):
        if not a.fits(b):
            raise ExpressionError(
                f"units do not fit together: {a} and {b}{HERTZ_HINT * a.is_hertz_for_radians(b)}"
            )
        return a
    if isinstance(a, Dimension):
        return a
    return b if isinstance(b, Dimension) or b is Loose.UNKNOWN else a


def product(a: Sort, b: Sort) -> Sort:
    """The sort of a * b."""
    if Loose.UNKNOWN in (a, b):
        return Loose.UNKNOWN
    if isinstance(a, Dimension) and isinstance(b, Dimension):
        return a * b
    return b if a is Loose.NUMBER else a


def power(base: Sort, exponent: float | None) -> Sort:
    """The sort of base ** exponent; None is an exponent that is not a fixed number."""
    if not isinstance(base, Dimension):
        return base
    fixed = exponent is not None and abs(exponent) <= 60
    fraction = Fraction(exponent or 0.0).limit_denominator(60) if fixed else Fraction(0)
    if fixed and abs(float(fraction) - (exponent or 0.0)) < 1e-12:
        return base**fraction
    if base.fits(NUMBER):
        return NUMBER
    raise ExpressionError(
        f"a quantity in {base} can only be raised to a fixed simple number, such as 2 or 0.5"
    )


def quotient(a: Sort, b: Sort) -> Sort:
    """The sort of a / b."""
    return product(a, power(b, -1.0))


def _power_text(base: str, exponent: Fraction) -> str:
    if exponent == 1:
        return base
    return f"{base}^{exponent}" if exponent.denominator == 1 else f"{base}^({exponent})"
