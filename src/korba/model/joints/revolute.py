"""Revolute pair (R): one rotation about the axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose, rotation
from ...spatial.rotation import Array, rotation_z
from ..joint import Joint


@final
@dataclass(frozen=True)
class Revolute(Joint):
    """Revolute pair (R): one rotation about the axis."""

    type = "revolute"
    symbol = "R"
    role = "pin"
    centred = True
    periodic = ("angle",)
    algebraic = True
    axial = True
    planar = True
    coordinate_names = ("angle",)
    coordinate_kinds = ("angle",)
    velocity_names = ("rate",)

    def pose(self, q: Any) -> Pose:
        """Rz(q)."""
        return rotation(rotation_z(q[0]))

    def motion_subspace(self, q: Any) -> Array:
        """Rotation about z."""
        return np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [0.0]])
