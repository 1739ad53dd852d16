"""Knife edge on a plane: a skate, which runs along its edge and turns, and does not slip aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..joint import Joint
from .planar import Planar
from .rolling import rolled


@final
@dataclass(frozen=True)
class KnifeEdge(Joint):
    """Knife edge on a plane: a skate, or a light wheel upright on a plane.

    The edge stands in the origin of M along its axis x; it runs along itself and turns about the
    normal, and does not slip aside: three coordinates, two velocities,

        x' = cos(angle) along,    y' = sin(angle) along,    angle' = turn
    """

    type = "knife-edge"
    symbol = "K"
    picture = "plane"
    lower_pair = False
    proposed = False
    planar = True
    periodic = ("angle",)
    coordinate_names = ("x", "y", "angle")
    coordinate_kinds = ("length", "length", "angle")
    velocity_names = ("along", "turn")
    velocity_kinds = ("length", "angle")

    @property
    def slipping(self) -> Joint:
        """The planar pair."""
        return rolled(self, Planar)

    @property
    def own_rates(self) -> dict[str, str]:
        """That of the angle."""
        return {self.coordinates()[2]: self.velocities()[1]}

    def pose(self, q: Any) -> Pose:
        """T(x, y) Rz(angle)."""
        return Pose(rotation_z(q[2]), np.array([q[0], q[1], 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """Along x, and about z."""
        return np.eye(6)[:, [3, 2]]

    def qdot(self, q: Any, v: Any) -> Array:
        """The edge runs where it points."""
        return np.array([np.cos(q[2]) * v[0], np.sin(q[2]) * v[0], v[1]])
