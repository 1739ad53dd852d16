"""Yoke (J): a pin of the child in a straight slot of the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_x
from ..joint import Joint
from ..profiles import Profiles, Side


@final
@dataclass(frozen=True)
class PinInSlot(Joint):
    """Yoke (J, class II in the plane): a pin of the child in a straight slot of the parent.

    `axis` is the direction of the slot; the pin turns about the normal of the plane.
    """

    type = "pin-in-slot"
    symbol = "J"
    role = "slot"
    periodic = ("angle",)
    algebraic = True
    lower_pair = False
    planar = True
    spatial = False
    axis_in_plane = True
    coordinate_names = ("stroke", "angle")
    coordinate_kinds = ("length", "angle")
    velocity_names = ("speed", "rate")
    rest = (0.0, 0.0)

    def pose(self, q: Any) -> Pose:
        """Tz(stroke) Rx(angle): z along the slot, x normal to the plane."""
        return Pose(rotation_x(q[1]), np.array([0.0, 0.0, q[0]]))

    def motion_subspace(self, q: Any) -> Array:
        """The slot's direction seen in M, and the rotation about x."""
        c, s = np.cos(q[1]), np.sin(q[1])
        return np.array([[0, 1.0], [0, 0], [0, 0], [0, 0], [s, 0], [c, 0]])

    def bias(self, q: Any, v: Any) -> Array:
        """The slot turns in M as the angle changes."""
        c, s = np.cos(q[1]), np.sin(q[1])
        return np.array([0.0, 0.0, 0.0, 0.0, c, -s]) * (v[0] * v[1])

    def profiles(self, q: Any, scale: float) -> Profiles:
        """The straight slot, and the pin about its centre."""
        pin = self.pose(q).p
        return Profiles(Side(pin, np.array([0.0, 0.0, 1.0])), Side(pin))
