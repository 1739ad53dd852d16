"""In which units people read the quantities of a mechanism: those it was written with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..display import DIGITS
from ..expr.display_units import DisplayUnits
from ..expr.tokens import units_in
from .fields import Element
from .joint import coordinate_names
from .parameters import texts_in
from .validate import CLASSES

if TYPE_CHECKING:
    from .mechanism import Mechanism


def display_units(m: Mechanism, *asked: Any) -> DisplayUnits:
    """The units that it was written with; those of what somebody `asked`, and of its sizes, first.

    >>> display_units(kb.linkages.four_bar("50 mm", "120 mm", "90 mm", "130 mm")).told(0.12, "m")
    '120 mm'
    """
    sizes = [raw for _, raw in m.parameters]
    return DisplayUnits.of(_units(list(_texts(m))), _units(sizes), _units(asked))


def _texts(m: Mechanism) -> Iterator[Any]:
    """All that was written for it: in a file, or as arguments of its elements."""
    yield from (raw for _, raw in m.parameters)
    yield from (raw for _, raw in m.formulas)
    yield m.unit_texts
    for key in CLASSES:
        yield from (each.unit_texts for each in getattr(m, key) if isinstance(each, Element))


def _units(raw: Any) -> Iterator[str]:
    return (unit for text in texts_in(raw) for unit in units_in(text))


SI = {"angle": "rad", "length": "m", "number": "1"}
"""SI units of coordinates, by their kind."""


def coordinates_told(
    m: Mechanism, values: Mapping[str, float], digits: int = DIGITS
) -> dict[str, str]:
    """Values of coordinates as people read them, with units, by name."""
    shown = display_units(m)
    kinds = {
        name: kind
        for joint in m.joints
        for name, kind in zip(coordinate_names(joint), joint.coordinate_kinds, strict=False)
    }
    return {n: shown.told(x, SI.get(kinds.get(n, ""), "1"), digits) for n, x in values.items()}
