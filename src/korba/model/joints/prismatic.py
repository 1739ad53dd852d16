"""Prismatic pair (T): one translation along the axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose, translation
from ...spatial.rotation import Array
from ..joint import Joint


@final
@dataclass(frozen=True)
class Prismatic(Joint):
    """Prismatic pair (T): one translation along the axis."""

    type = "prismatic"
    symbol = "T"
    role = "slide"
    algebraic = True
    axial = True
    planar = True
    axis_in_plane = True
    coordinate_names = ("stroke",)
    coordinate_kinds = ("length",)
    velocity_names = ("rate",)

    def pose(self, q: Any) -> Pose:
        """Tz(q)."""
        return translation(z=q[0])

    def motion_subspace(self, q: Any) -> Array:
        """Translation along z."""
        return np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [1.0]])
