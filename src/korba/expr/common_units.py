"""The units that nearly every file has, so that pint is loaded for the others only.

Factors are those of the units' definitions; `tests/expr/test_common_units.py` compares all with
pint, which takes half a second to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from korba.expr.dimensions import CYCLE, RADIAN, Dimension

POUND, GRAVITY, INCH = 0.45359237, 9.80665, 0.0254
MICRO = "uµμ"
"""The letter u, the micro sign and the Greek letter."""


def _micro(unit: str) -> dict[str, float]:
    return {f"{letter}{unit}": 1e-6 for letter in MICRO}


_LENGTH = {"m": 1, "mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "km": 1e3, "nm": 1e-9, **_micro("m")}
_LENGTH |= {"in": INCH, "inch": INCH, "ft": 0.3048}
_ANGLE = {"rad": 1, "mrad": 1e-3, "deg": pi / 180, "°": pi / 180, "grad": pi / 200}
_ANGLE |= {"rev": 2 * pi, "turn": 2 * pi}
_FORCE = {"N": 1, "mN": 1e-3, "kN": 1e3, "MN": 1e6, "lbf": POUND * GRAVITY, "kgf": GRAVITY}
_PRESSURE = {"Pa": 1, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5}
_PRESSURE |= {"psi": POUND * GRAVITY / INCH**2}

_TABLE: tuple[tuple[Mapping[str, int], Mapping[str, float]], ...] = (
    ({"m": 1}, _LENGTH),
    ({RADIAN: 1}, _ANGLE),
    ({"s": 1}, {"s": 1, "ms": 1e-3, **_micro("s"), "min": 60, "h": 3600}),
    ({"kg": 1}, {"g": 1e-3, "mg": 1e-6, "kg": 1, "lb": POUND}),
    ({"kg": 1, "m": 1, "s": -2}, _FORCE),
    ({"kg": 1, "m": -1, "s": -2}, _PRESSURE),
    ({"kg": 1, "m": 2, "s": -2}, {"Nm": 1, "J": 1, "kJ": 1e3}),
    ({"kg": 1, "m": 2, "s": -3}, {"W": 1, "kW": 1e3, "hp": 550 * 0.3048 * POUND * GRAVITY}),
    ({CYCLE: 1, "s": -1}, {"Hz": 1, "kHz": 1e3, "MHz": 1e6}),
    ({RADIAN: 1, "s": -1}, {"rpm": 2 * pi / 60}),
    ({"kg": 1, "m": 2, "s": -3, "A": -1}, {"V": 1, "mV": 1e-3, "kV": 1e3}),
    ({"A": 1}, {"A": 1, "mA": 1e-3}),
    ({"kg": 1, "m": 2, "s": -3, "A": -2}, {"ohm": 1, "Ω": 1, "kohm": 1e3}),
    ({"kg": 1, "m": 2, "s": -2, "A": -2}, {"H": 1, "mH": 1e-3, **_micro("H")}),
    ({"K": 1}, {"K": 1}),
    ({}, {"%": 1e-2}),
)
"""Powers of base units, and what units of them are in SI."""
COMMON = {
    name: (float(factor), Dimension.of(powers))
    for powers, units in _TABLE
    for name, factor in units.items()
}
"""What one of each unit is in SI, and its dimension."""
