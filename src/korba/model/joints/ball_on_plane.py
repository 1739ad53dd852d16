"""Ball of a given radius on a plane without friction (class V)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ..fields import field, missing
from ..joint import QUATERNION
from ..specs import Number
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class BallOnPlane(ShiftAndTurn):
    """Ball of a given radius on a plane (class V): it keeps the plane and slides as it likes.

    As `PointOnPlane`, with F on the plane and M in the centre of the ball: at the height of its
    `radius` above the place of contact, (x, y).
    """

    type = "ball-on-plane"
    symbol = "B"
    picture = "plane"
    ball_on_child = True
    lower_pair = False
    proposed = False
    coordinate_names = ("x", "y", *(f"q{part}" for part in QUATERNION))
    velocity_names = ("vx", "vy", "wx", "wy", "wz")
    shifts = (0, 1)
    about = "xyz"

    radius: float = field(
        Number("length", positive=True),
        default=missing("the radius of the ball"),
        doc="radius of the ball",
    )

    @property
    def ball_radius(self) -> float:
        """That of the ball."""
        return self.radius

    def pose(self, q: Any) -> Pose:
        """T(x, y, radius) R(quaternion)."""
        return Pose(self._turn(q), np.array([q[0], q[1], self.radius]))
