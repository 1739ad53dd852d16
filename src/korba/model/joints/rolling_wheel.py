"""Wheel that rolls on a plane: it touches without slip, as a disc, a tyre or a castor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.rotation import Array
from ..joint import Joint
from .rolling import rolled
from .wheel_and_plane import WheelAndPlane
from .wheel_on_plane import WheelOnPlane


@final
@dataclass(frozen=True)
class RollingWheel(WheelAndPlane):
    """Wheel that rolls on a plane: the point of it that touches is at rest on the plane.

    The plane belongs to the parent and has the normal `axis`, the wheel to the child; `x_axis` is
    the heading of the drawing, and `at` the point of contact. Where it touches, (x, y), follows
    from how it turns, with the rim's radius R and the tyre's t:

        a = (R + t cos(lean)) spin',    b = -t lean',    (x', y') = a heading + b left

    So it has five coordinates and three velocities, those of its angles. A positive spin rolls
    ahead, a positive lean is to the right. It is meant for |lean| < 90 deg.
    """

    type = "rolling-wheel"
    symbol = "RW"
    velocity_names = ("yaw", "lean", "spin")
    velocity_kinds = ("angle", "angle", "angle")

    @property
    def slipping(self) -> Joint:
        """The wheel that keeps the plane alone."""
        return rolled(self, WheelOnPlane)

    def contact_speed(self, q: Any) -> Array:
        """What the angles' rates make of (a, b)."""
        return np.array(
            [[0.0, 0.0, self.radius + self.tyre * np.cos(q[3])], [0.0, -self.tyre, 0.0]]
        )

    def contact_turning(self, q: Any, v: Any) -> Array:
        """The leaning tyre rolls on a smaller circle."""
        return np.array([-self.tyre * np.sin(q[3]) * v[1] * v[2], 0.0])
