"""Planar contact (P): two translations in a plane and the rotation about its normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..joint import Joint


@final
@dataclass(frozen=True)
class Planar(Joint):
    """Planar contact (P): two translations in a plane and the rotation about its normal.

    In a planar mechanism it leaves the body free.
    """

    type = "planar"
    symbol = "P"
    periodic = ("angle",)
    algebraic = True
    planar = True
    needs_place = False
    coordinate_names = ("x", "y", "angle")
    coordinate_kinds = ("length", "length", "angle")
    velocity_names = ("vx", "vy", "rate")
    rest = (0.0, 0.0, 0.0)

    def pose(self, q: Any) -> Pose:
        """T(x, y) Rz(angle)."""
        return Pose(rotation_z(q[2]), np.array([q[0], q[1], 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """Velocities along x and y of F, seen in M, and the rotation."""
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[0, 0, 0.0], [0, 0, 0], [0, 0, 1], [c, s, 0], [-s, c, 0], [0, 0, 0]])

    def bias(self, q: Any, v: Any) -> Array:
        """x and y of F turn in M as the angle changes."""
        c, s = np.cos(q[2]), np.sin(q[2])
        x = (c * v[1] - s * v[0]) * v[2]
        y = (-s * v[1] - c * v[0]) * v[2]
        return np.array([0.0, 0.0, 0.0, x, y, 0.0])
