"""Spherical pair (S): three rotations about a point; coordinates are a unit quaternion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose, rotation
from ...spatial.rotation import Array, quaternion_rate, rotation_of_quaternion
from ..joint import QUATERNION, Joint


@final
@dataclass(frozen=True)
class Spherical(Joint):
    """Spherical pair (S): three rotations about a point; coordinates are a unit quaternion."""

    type = "spherical"
    symbol = "S"
    role = "ball"
    centred = True
    coordinate_names = QUATERNION
    coordinate_kinds = ("number",) * 4
    velocity_names = ("wx", "wy", "wz")
    velocity_kinds = ("angle",) * 3

    def pose(self, q: Any) -> Pose:
        """R of the quaternion."""
        return rotation(rotation_of_quaternion(q))

    def motion_subspace(self, q: Any) -> Array:
        """w in M."""
        return np.eye(6)[:, :3]

    def qdot(self, q: Any, v: Any) -> Array:
        """1/2 q (0, w)."""
        return quaternion_rate(q, v)
