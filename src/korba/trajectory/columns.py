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

UNITS = {"angle": "rad", "length": "m", "number": "1"}
FORCES = {"angle": "N m", "length": "N"}
MOMENTA = {"angle": "kg m^2/s", "length": "kg m/s"}
"""Units of what belongs to a coordinate or velocity of a kind."""


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

    def __repr__(self) -> str:
        return f"<Column in {self.unit}>"


def columns_of(names: Iterable[str], values: Array, units: Iterable[str]) -> dict[str, Column]:
    """A column for each entry of the last axis."""
    rows = np.moveaxis(values, -1, 0)
    return {name: Column(*each) for name, *each in zip(names, rows, units, strict=True)}


def coordinate_units(tree: Tree) -> list[str]:
    """Units of q."""
    return [UNITS[kind] for kind in tree.coordinate_kinds]


def velocity_units(tree: Tree, order: int) -> list[str]:
    """Units of v (order 1) and a (order 2)."""
    return [f"{UNITS[kind]}/s{'^2' if order == 2 else ''}" for kind in tree.velocity_kinds]


def force_units(tree: Tree) -> list[str]:
    """Units of forces on the velocities."""
    return [FORCES[kind] for kind in tree.velocity_kinds]


def momentum_units(tree: Tree) -> list[str]:
    """Units of the momenta that belong to the velocities."""
    return [MOMENTA[kind] for kind in tree.velocity_kinds]
