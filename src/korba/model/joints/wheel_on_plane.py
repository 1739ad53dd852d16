"""Wheel on a plane without friction (class V): it keeps the plane and slides as it likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.rotation import Array
from .wheel_and_plane import WheelAndPlane


@final
@dataclass(frozen=True)
class WheelOnPlane(WheelAndPlane):
    """Wheel on a plane without friction (class V): it keeps the plane and slides as it likes.

    The plane belongs to the parent and has the normal `axis`, the wheel to the child; `x_axis` is
    the heading of the drawing, and `at` the point of contact. x and y are where it touches.
    """

    type = "wheel-on-plane"
    symbol = "W"
    velocity_names = ("x", "y", "yaw", "lean", "spin")

    def contact_speed(self, q: Any) -> Array:
        """(x', y') along the heading and to the left of it."""
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[c, s, 0.0, 0.0, 0.0], [-s, c, 0.0, 0.0, 0.0]])

    def contact_turning(self, q: Any, v: Any) -> Array:
        """The heading turns."""
        a, b = self.contact_speed(q) @ np.asarray(v)
        return np.array([v[2] * b, -v[2] * a])

    def qdot(self, q: Any, v: Any) -> Array:
        """Every coordinate is its own velocity."""
        return np.asarray(v)
