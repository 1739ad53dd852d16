"""Ball on a plane (class V): three rotations and two translations in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, quaternion_rate, rotation_of_quaternion, skew
from ..joint import QUATERNION, Joint


@final
@dataclass(frozen=True)
class PointOnPlane(Joint):
    """Ball on a plane (class V): three rotations and two translations; `axis` is the normal.

    The plane belongs to the parent, the ball to the child.
    """

    type = "point-on-plane"
    symbol = "SP"
    lower_pair = False
    coordinate_names = ("x", "y", *(f"q{part}" for part in QUATERNION))
    coordinate_kinds = ("length", "length", *("number",) * 4)
    velocity_names = ("vx", "vy", "wx", "wy", "wz")
    velocity_kinds = ("length", "length", *("angle",) * 3)
    rest = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def pose(self, q: Any) -> Pose:
        """T(x, y) R(quaternion)."""
        return Pose(rotation_of_quaternion(q[2:]), np.array([q[0], q[1], 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """Translations along x and y of F, seen in M, and w in M."""
        xy_M = rotation_of_quaternion(q[2:])[:2].T
        return np.column_stack([np.concatenate([np.zeros((3, 2)), xy_M]), np.eye(6)[:, :3]])

    def bias(self, q: Any, v: Any) -> Array:
        """x and y of F turn in M by -w x."""
        speed_M = rotation_of_quaternion(q[2:])[:2].T @ np.asarray(v[:2])
        return np.concatenate([np.zeros(3), skew(speed_M) @ np.asarray(v[2:])])

    def qdot(self, q: Any, v: Any) -> Array:
        """The speeds, and 1/2 q (0, w)."""
        return np.concatenate([v[:2], quaternion_rate(q[2:], v[2:])])
