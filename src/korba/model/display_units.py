"""In which units people read the quantities of a mechanism: those it was written with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..expr.display_units import DisplayUnits
from ..expr.tokens import units_in
from .fields import Element
from .mechanism import Mechanism
from .parameters import texts_in
from .validate import CLASSES


def display_units(m: Mechanism, *asked: Any) -> DisplayUnits:
    """The units that it was written with; those of what somebody `asked` come first.

    >>> display_units(kb.linkages.four_bar("50 mm", "120 mm", "90 mm", "130 mm")).told(0.12, "m")
    '120 mm'
    """
    return DisplayUnits.of(_units(list(_texts(m))), _units(asked))


def _texts(m: Mechanism) -> Iterator[Any]:
    """All that was written for it: in a file, or as arguments of its elements."""
    yield from (raw for _, raw in m.parameters)
    yield from (raw for _, raw in m.formulas)
    yield m.unit_texts
    for key in CLASSES:
        yield from (each.unit_texts for each in getattr(m, key) if isinstance(each, Element))


def _units(raw: Any) -> Iterator[str]:
    return (unit for text in texts_in(raw) for unit in units_in(text))
