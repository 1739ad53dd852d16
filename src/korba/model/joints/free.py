"""No constraint at all: six freedoms, position and quaternion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, quaternion_rate, rotation_of_quaternion
from ..joint import QUATERNION, Joint


@final
@dataclass(frozen=True)
class Free(Joint):
    """No constraint at all: six freedoms.

    q is the position of the child in F and a unit quaternion: x, y, z, qw, qx, qy, qz. v is the
    angular velocity, then the velocity of the origin, both in the axes of the child: wx, wy, wz,
    vx, vy, vz. (Pinocchio has x, y, z, qx, qy, qz, qw and the velocity first; MuJoCo has our q, and
    in v the velocity first and in the world's axes.)
    """

    type = "free"
    symbol = "F"
    needs_place = False
    coordinate_names = ("x", "y", "z", *(f"q{part}" for part in QUATERNION))
    coordinate_kinds = (*("length",) * 3, *("number",) * 4)
    velocity_names = ("wx", "wy", "wz", "vx", "vy", "vz")
    velocity_kinds = (*("angle",) * 3, *("length",) * 3)

    def pose(self, q: Any) -> Pose:
        """T(x, y, z) R(quaternion)."""
        return Pose(rotation_of_quaternion(q[3:]), np.asarray(q[:3]))

    def motion_subspace(self, q: Any) -> Array:
        """Everything."""
        return np.eye(6)

    def qdot(self, q: Any, v: Any) -> Array:
        """R v_M, and 1/2 q (0, w)."""
        position = rotation_of_quaternion(q[3:]) @ np.asarray(v[3:])
        return np.concatenate([position, quaternion_rate(q[3:], v[:3])])
