"""Wrenches: a force, a moment about a point, and the line that the force acts along.

A wrench with the moment n about p is the same as the force f along its central axis, through

    c = p + f x n / f^2,      with the moment  (n.f / f^2) f  along it                (1)

In the plane that moment is zero, and the force alone acts along a line at h = |n| / |f| from p.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from ..display import as_data, described
from ..door import real_array
from ..errors import StructureError
from .rotation import Array, cross


class LineOfAction(NamedTuple):
    """A line that a force acts along: a point of it, its direction, the moment along it."""

    point: Array
    """The point next to that which the moment was about, (..., 3)."""
    direction: Array
    """Unit vector, (..., 3)."""
    moment: Array
    """What is left of the moment, along the line, (..., 3); zero in the plane."""
    distance: Array
    """How far the line is from the point that the moment was about, (...): h."""

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)

    def __repr__(self) -> str:
        return described(self)


class Wrench(NamedTuple):
    """A force, its moment about `point`, and that point; (..., 3) each, in world axes."""

    force: Array
    moment: Array
    point: Array

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)

    def __repr__(self) -> str:
        return described(self)

    def about(self, point: Any) -> Self:
        """The same with the moment about another point of the world."""
        p = _place(point)
        arm = self.point - p
        return type(self)(self.force, self.moment + cross(arm, self.force), p + 0.0 * arm)

    def __neg__(self) -> Self:
        """Its reaction."""
        return type(self)(-self.force, -self.moment, self.point)

    @property
    def line(self) -> LineOfAction:
        """The central axis (1); nan where there is no force, so no line."""
        f, n = self.force, self.moment
        square = np.sum(f * f, axis=-1, keepdims=True)
        square = np.where(square > 0, square, np.nan)
        away = cross(f, n) / square
        along = np.sum(n * f, axis=-1, keepdims=True) / square * f
        return LineOfAction(
            self.point + away, f / np.sqrt(square), along, np.linalg.norm(away, axis=-1)
        )


def _place(point: Any) -> Array:
    """Points of the world, (..., 3); of the plane two components are enough."""
    p = real_array("point", point)
    if p.shape[-1:] == (2,):
        p = np.concatenate([p, np.zeros((*p.shape[:-1], 1))], axis=-1)
    if p.shape[-1:] != (3,):
        raise StructureError(f"point: expected two or three components, got shape {p.shape}")
    return p
