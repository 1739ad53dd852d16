"""Omni wheel on a plane: it rolls along its heading, and slides freely to the sides."""

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
class OmniWheel(WheelAndPlane):
    """Omni wheel on a plane: it does not slip along its heading, and slides freely to the sides.

    As a rolling wheel (`RollingWheel`) without the row across: of two wheels on one axle one may be
    such, and the side force is that of the other. Its first velocity is the slide to the left:

        a = (R + t cos(lean)) spin',    b = slide - t lean',    (x', y') = a heading + b left
    """

    type = "omni-wheel"
    symbol = "OW"
    velocity_names = ("slide", "yaw", "lean", "spin")
    velocity_kinds = ("length", "angle", "angle", "angle")

    @property
    def slipping(self) -> Joint:
        """The wheel that keeps the plane alone."""
        return rolled(self, WheelOnPlane)

    def contact_speed(self, q: Any) -> Array:
        """What it slides, and the angles' rates, make of (a, b)."""
        ahead = self.radius + self.tyre * np.cos(q[3])
        return np.array([[0.0, 0.0, 0.0, ahead], [1.0, 0.0, -self.tyre, 0.0]])

    def contact_turning(self, q: Any, v: Any) -> Array:
        """The leaning tyre rolls on a smaller circle."""
        return np.array([-self.tyre * np.sin(q[3]) * v[2] * v[3], 0.0])
