"""Universal joint (U): rotation about the axis on the parent, then about x on the child."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose, rotation
from ...spatial.rotation import Array, rotation_x, rotation_z
from ..rubbing import CROSS
from .guided import Guided


@final
@dataclass(frozen=True)
class Universal(Guided):
    """Universal joint (U): rotation about the axis on the parent, then about x on the child."""

    type = "universal"
    symbol = "U"
    picture = "cross"
    rubs = CROSS
    centred = True
    periodic = ("first", "second")
    coordinate_names = ("first", "second")
    coordinate_kinds = ("angle", "angle")
    velocity_names = ("first", "second")

    def pose(self, q: Any) -> Pose:
        """Rz(q1) Rx(q2)."""
        return rotation(rotation_z(q[0]) @ rotation_x(q[1]))

    def motion_subspace(self, q: Any) -> Array:
        """w = Rx(q2)' z v1 + x v2."""
        c, s = np.cos(q[1]), np.sin(q[1])
        return np.array([[0, 1.0], [s, 0], [c, 0], [0, 0], [0, 0], [0, 0]])

    def bias(self, q: Any, v: Any) -> Array:
        """The first axis turns in M as the second angle changes."""
        c, s = np.cos(q[1]), np.sin(q[1])
        return np.array([0.0, c, -s, 0.0, 0.0, 0.0]) * (v[0] * v[1])
