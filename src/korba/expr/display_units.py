"""In which units people read quantities: those that texts had, and what follows from them.

    metric = DisplayUnits.of(["mm", "kN", "rpm"])
    metric.told(0.12, "m")         # "120 mm"
    metric.told(-50e3, "N")        # "-50 kN"

Data are in SI everywhere; only what is read by people asks here. A quantity is named by its SI unit
as columns have it ("N m", "rad/s"). It is shown in the unit that most texts of its kind have. Where
there is none, angles are in degrees, rates are the unit of lengths and angles that was written per
second, areas are squares of lengths, and moments go with the unit of forces; all others are in SI.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from korba.display import DIGITS, number_told
from korba.errors import ExpressionError
from korba.expr.dimensions import Dimension
from korba.expr.units import unit

ENERGIES = ("J", "kJ", "MJ", "mJ", "Wh", "kWh", "cal", "kcal", "BTU")
"""Units of energy: the dimension of a moment is the same."""
KNOWN = (
    *("m", "rad", "s", "kg", "m/s", "rad/s", "m/s^2", "rad/s^2", "N", "N m", "J", "W", "m^2"),
    *("kg m^2", "N/m", "N m/rad", "N s/m", "N m s/rad", "Pa", "Hz", "V", "A", "kg/m^3"),
    *("kg m/s", "kg m^2/s", "1/s", "1/s^2", "kg m", "N s", "N m s", "m^3"),
)
"""SI units of quantities as columns and tables name them."""
INCHES = ("in", "inch", "ft")


@dataclass(frozen=True)
class DisplayUnits:
    """Units for people, by the SI unit of the quantity; what is not in `by` is shown in SI."""

    by: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def of(texts: Iterable[str], *first: Iterable[str]) -> DisplayUnits:
        """Those that go with units as they were written: of each kind the most frequent.

        Units that are asked for `first` are taken before all others, the last of these first.
        """
        own = _most(texts)
        for asked in first:
            own |= _most(asked)
        return DisplayUnits(tuple(sorted((_derived(own) | own).items())))

    def unit(self, si: str) -> str:
        """The unit in which a quantity is shown."""
        own = spelled(si)
        return dict(self.by).get(own, own)

    def values(self, values: Any, si: str) -> Any:
        """Numbers in SI in that unit."""
        own = self.unit(si)
        return values if own == spelled(si) else values * (_worth(spelled(si)) / _worth(own))

    def told(self, value: float, si: str, digits: int = DIGITS) -> str:
        """A number in SI as people read it, with its unit: `120 mm`."""
        own = "" if self.unit(si) == "1" else self.unit(si)
        return f"{self.number(value, si, digits)} {own}".rstrip()

    def number(self, value: float, si: str, digits: int = DIGITS) -> str:
        """The number alone, where the unit is told beside it."""
        return number_told(float(self.values(value, si)), digits)

    def turning(self, angle: str) -> DisplayUnits:
        """The same with angles in this unit, and rates of them per second."""
        own = {"rad": angle, "rad/s": f"{angle}/s", "rad/s^2": f"{angle}/s^2"}
        return DisplayUnits(tuple(sorted((dict(self.by) | own).items())))


IN_SI = DisplayUnits()
"""Everything as it is computed."""


def spelled(text: str) -> str:
    """A unit as tables spell it: products with blanks, `kN m`, `kg m^2`."""
    plain = text.replace("**", "^").replace("²", "^2").replace("³", "^3").replace("°", "deg")
    return " ".join(plain.replace("*", " ").replace("·", " ").replace("Nm", "N m").split())


def _most(texts: Iterable[str]) -> dict[str, str]:
    """The most frequent unit of each quantity."""
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        if quantity := _quantity(text):
            counts.setdefault(quantity, Counter())[spelled(text)] += 1
    return {quantity: count.most_common(1)[0][0] for quantity, count in counts.items()}


@cache
def _worth(text: str) -> float:
    """What one of a unit is in SI."""
    return _read(text)[0]


@cache
def _read(text: str) -> tuple[float, Dimension]:
    return unit("*".join(text.split(" ")))


@cache
def _quantities() -> Mapping[Dimension, str]:
    """SI units by their dimension; of several the first."""
    found: dict[Dimension, str] = {}
    for text in KNOWN:
        found.setdefault(_read(text)[1], text)
    return found


@cache
def _quantity(text: str) -> str:
    """The SI unit of what a text measures; "" where it is nothing that is shown."""
    try:
        dimension = unit(text)[1]
    except ExpressionError:
        return ""
    if any(each in ENERGIES for each in spelled(text).split(" ")):
        return "J"
    return _quantities().get(dimension, "")


def _derived(own: Mapping[str, str]) -> dict[str, str]:
    """What follows from units of lengths, angles and forces for quantities without one."""
    derived = {"rad": own.get("rad", "deg")}
    if length := own.get("m"):
        derived |= {"m/s": f"{length}/s", "m^2": f"{length}^2", "m^3": f"{length}^3"}
    if speed := own.get("m/s", derived.get("m/s")):
        derived["m/s^2"] = f"{speed}^2" if speed.endswith("/s") else "m/s^2"
    if turning := own.get("rad/s", f"{own['rad']}/s" if "rad" in own else ""):
        derived |= {"rad/s": turning}
        derived["rad/s^2"] = f"{turning}^2" if turning.endswith("/s") else "rad/s^2"
    if force := own.get("N"):
        derived["N m"] = f"{force} {length if length in INCHES else 'm'}"
    return derived
