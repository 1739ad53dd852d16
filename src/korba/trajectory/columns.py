"""Columns over time: values that may be made when they are first asked for, and their units."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..display import Displayed
from ..spatial.rotation import Array
from ..system.tree import Tree

Given = Array | Callable[[], Any]
"""Values, or what makes them."""

UNITS = {
    "q": {"angle": "rad", "length": "m", "number": "1"},
    "v": {"angle": "rad/s", "length": "m/s", "number": "1/s"},
    "a": {"angle": "rad/s^2", "length": "m/s^2", "number": "1/s^2"},
    "p": {"angle": "kg m^2/s", "length": "kg m/s"},
    "tau": {"angle": "N m", "length": "N"},
}
"""Units of what belongs to a coordinate or velocity, by its kind."""


class Column(Displayed):
    """Values of shape (..., times) with their unit."""

    def __init__(self, values: Given, unit: str = "1") -> None:
        self._values, self.unit = values, unit

    @property
    def known(self) -> bool:
        """Whether the values are there already."""
        return not callable(self._values)

    @property
    def values(self) -> Array:
        """The values, made at the first use."""
        if callable(self._values):
            self._values = np.asarray(self._values(), dtype=float)
        return self._values

    def taken(self, *places: Any) -> Column:
        """Some of the values."""
        return Column(lambda: self.values[places], self.unit)

    def __getstate__(self) -> dict[str, Any]:
        return {"_values": self.values, "unit": self.unit}

    def __repr__(self) -> str:
        return f"<Column in {self.unit}>"


def columns_of(names: Iterable[str], values: Array, units: Iterable[str]) -> dict[str, Column]:
    """A column for each entry of the last axis."""
    if not values.shape[-1]:
        return {}
    rows = np.moveaxis(values, -1, 0)
    return {name: Column(*each) for name, *each in zip(names, rows, units, strict=True)}


def units_of(tree: Tree, what: str) -> list[str]:
    """Units of q, v, a, momenta p or forces tau."""
    kinds = tree.coordinate_kinds if what == "q" else tree.velocity_kinds
    return [UNITS[what][kind] for kind in kinds]
