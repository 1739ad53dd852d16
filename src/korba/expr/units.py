"""Units at the door: what a unit is worth in SI; nothing behind this file knows pint.

Products, quotients and powers are put together here. Common names are in a table
(common_units.py); pint is asked for the others ("furlong"), and imported at the first of them, so
that answers about mechanisms in millimetres and newtons do not wait for it.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any

from korba.errors import ExpressionError, nearest, way_out
from korba.expr.common_units import COMMON
from korba.expr.dimensions import CYCLE, Dimension
from korba.libraries import undisturbed

SECOND = Dimension.of({"s": 1})
KINDS: dict[str, str] = {
    "length": "m",
    "angle": "rad",
    "time": "s",
    "mass": "kg",
    "inertia": "kg*m^2",
    "velocity": "m/s",
    "angular velocity": "rad/s",
    "acceleration": "m/s^2",
    "angular acceleration": "rad/s^2",
    "force": "N",
    "moment": "N*m",
    "stiffness": "N/m",
    "angular stiffness": "N*m/rad",
    "damping": "N*s/m",
    "angular damping": "N*m*s/rad",
    "pressure": "Pa",
    "area": "m^2",
    "density": "kg/m^3",
    "frequency": "Hz",
    "voltage": "V",
    "current": "A",
    "resistance": "ohm",
    "inductance": "H",
    "torque constant": "N*m/A",
    "back emf": "V*s/rad",
    "number": "",
    "any": "",
}
"""Kinds of quantities and the SI unit of each."""

EXAMPLES = {
    "length": "60 mm",
    "angle": "30 deg",
    "time": "0.5 s",
    "mass": "2 kg",
    "angular velocity": "300 rpm",
    "acceleration": "9.81 m/s^2",
    "pressure": "6 bar",
    "density": "7850 kg/m^3",
    "frequency": "50 Hz",
    "number": "0.5",
}

COMMON_UNITS = frozenset(COMMON)
"""The units that may follow `*` or `/` in a unit; any other name there is a variable."""

_ALIASES = {"°C": "degC", "°F": "degF"}
_BASES = {
    "meter": "m",
    "kilogram": "kg",
    "second": "s",
    "ampere": "A",
    "kelvin": "K",
    "mole": "mol",
    "candela": "cd",
    "radian": "rad",
}
UNIT_NAME = r"(?:[^\W\d²³][^\W²³]*|°[CF]?|%)"
UNIT_POWER = r"(?:\s*(?:\^|\*\*)\s*(?P<power>[+-]?[0-9]{1,2})|(?P<small>[²³]))?"
_FACTOR = re.compile(
    rf"\s*(?P<name>{UNIT_NAME}|1(?=\s*/)|\([^()]+\)){UNIT_POWER}\s*(?P<next>[*/·]|$)"
)


@cache
def unit(text: str) -> tuple[float, Dimension]:
    """What one of the unit is in SI, and its dimension: `unit("mm")` is `(0.001, length)`."""
    factor, dimension, place, sign = 1.0, Dimension(), 0, 1
    while True:
        found = _FACTOR.match(text, place)
        if found is None:
            raise ExpressionError(
                f"cannot read the unit {text!r:.60} from {text[place:]!r:.30}; "
                "write names joined by * and /, with whole powers, such as 'kg*m^2' or 'N*m/rad'"
            )
        power = sign * int(found["power"] or {"²": 2, "³": 3}.get(found["small"], 1))
        one, base = _factor(found["name"])
        factor *= one**power
        dimension *= base ** Fraction(power)
        if not found["next"]:
            return factor, dimension
        sign, place = (-1 if found["next"] == "/" else 1), found.end()


def kind_dimension(kind: str) -> Dimension | None:
    """The dimension of a kind of quantity; None for `any`."""
    if kind not in KINDS:
        raise ExpressionError(f"unknown kind of quantity {kind!r}; {way_out(kind, KINDS)}")
    if kind == "any":
        return None
    return unit(KINDS[kind])[1] if KINDS[kind] else Dimension()


def with_article(kind: str) -> str:
    """`an angle`, `a length`."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def described(dimension: Dimension) -> str:
    """A dimension in words: `a length`, or `a quantity in kg*m^3` where it has no name."""
    for kind in KINDS:
        own = kind_dimension(kind)
        if own is not None and own.powers == dimension.powers:
            return with_article(kind)
    return f"a quantity in {dimension}"


def si_unit(dimension: Dimension | None) -> str:
    """The unit in SI of a dimension, by the name of its kind; "" where it has none."""
    if dimension is None:
        return ""
    names = [KINDS[kind] for kind in KINDS if kind_dimension(kind) == dimension]
    return next(filter(None, names), str(dimension) if dimension.powers else "")


def time_hint(found: Dimension, wanted: Dimension) -> str:
    """The way out for a rate of what is `wanted`; "" where that is not the trouble."""
    rate = (found * SECOND).fits(wanted)
    return "; multiply a rate by t, as in '300 rpm*t'" if rate else ""


def kind_in_words(kind: str) -> str:
    """A kind and an example: `an angle (such as '30 deg')`."""
    return f"{with_article(kind)} (such as '{EXAMPLES.get(kind, '1 ' + KINDS[kind])}')"


def _factor(text: str) -> tuple[float, Dimension]:
    if text == "1":
        return 1.0, Dimension()
    return unit(text[1:-1]) if text[0] == "(" else _single_unit(text)


@cache
def _single_unit(name: str) -> tuple[float, Dimension]:
    """A single unit name in SI."""
    return COMMON[name] if name in COMMON else unusual(name)


def unusual(name: str) -> tuple[float, Dimension]:
    """The same, as pint has it."""
    registry = _registry()
    try:
        found = registry.parse_units(_ALIASES.get(name, name))
        zero, one, two = (registry.Quantity(x, found).to_base_units() for x in (0.0, 1.0, 2.0))
    except Exception as error:  # pint answers nonsense with errors of many types
        raise ExpressionError(_unknown(name)) from error
    if zero.magnitude != 0.0 or abs(two.magnitude - 2.0 * one.magnitude) > 1e-9 * abs(
        one.magnitude
    ):
        raise ExpressionError(
            f"the unit {name!r} does not start at zero, so it cannot be multiplied; "
            "write temperatures in K"
        )
    powers = {
        _BASES.get(base, base): Fraction(power).limit_denominator(60)
        for base, power in one.unit_items()
    }
    if str(found).endswith("hertz"):
        powers[CYCLE] = Fraction(1)
    return float(one.magnitude), Dimension.of(powers)


def _unknown(name: str) -> str:
    same = [known for known in sorted(COMMON_UNITS) if known.lower() == name.lower()]
    near = nearest(name, sorted(COMMON_UNITS), 0.5) or next(iter(same), None)
    hint = f"did you mean {near!r}?" if near else "known are m, mm, deg, rpm, N, kg, s, ..."
    return f"unknown unit {name!r:.40}; {hint}"


@cache
def _registry() -> Any:
    with undisturbed():
        import pint

    return pint.UnitRegistry()
