"""Ball in a cylinder (class IV): three rotations, and translation along the cylinder's axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, quaternion_rate, rotation_of_quaternion, skew
from ..joint import QUATERNION, Joint


@final
@dataclass(frozen=True)
class PointOnLine(Joint):
    """Ball in a cylinder (class IV): three rotations, and translation along the axis.

    The cylinder belongs to the parent, the ball to the child.
    """

    type = "point-on-line"
    symbol = "SL"
    lower_pair = False
    coordinate_names = ("stroke", *QUATERNION)
    coordinate_kinds = ("length", *("number",) * 4)
    velocity_names = ("speed", "wx", "wy", "wz")
    velocity_kinds = ("length", *("angle",) * 3)
    rest = (0.0, 1.0, 0.0, 0.0, 0.0)

    def pose(self, q: Any) -> Pose:
        """Tz(stroke) R(quaternion)."""
        return Pose(rotation_of_quaternion(q[1:]), np.array([0.0, 0.0, q[0]]))

    def motion_subspace(self, q: Any) -> Array:
        """Translation along z of F, seen in M, and w in M."""
        z_M = rotation_of_quaternion(q[1:])[2]
        return np.column_stack([np.concatenate([np.zeros(3), z_M]), np.eye(6)[:, :3]])

    def bias(self, q: Any, v: Any) -> Array:
        """z of F turns in M by -w x z."""
        z_M = rotation_of_quaternion(q[1:])[2]
        return np.concatenate([np.zeros(3), skew(z_M) @ np.asarray(v[1:]) * v[0]])

    def qdot(self, q: Any, v: Any) -> Array:
        """The speed, and 1/2 q (0, w)."""
        return np.concatenate([v[:1], quaternion_rate(q[1:], v[1:])])
