"""Cylindrical pair (C): rotation about the axis and translation along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..rubbing import CYLINDER
from .guided import Guided


@final
@dataclass(frozen=True)
class Cylindrical(Guided):
    """Cylindrical pair (C): rotation about the axis and translation along it."""

    type = "cylindrical"
    symbol = "C"
    picture = "cylinder"
    rubs = CYLINDER
    periodic = ("angle",)
    axial = True
    coordinate_names = ("angle", "stroke")
    coordinate_kinds = ("angle", "length")
    velocity_names = ("rate", "speed")

    def pose(self, q: Any) -> Pose:
        """Rz(q1) Tz(q2)."""
        return Pose(rotation_z(q[0]), np.array([0.0, 0.0, q[1]]))

    def motion_subspace(self, q: Any) -> Array:
        """Rotation about z, translation along z."""
        return np.array([[0.0, 0], [0, 0], [1, 0], [0, 0], [0, 0], [0, 1]])
