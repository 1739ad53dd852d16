"""Ball on a plane (class V): three rotations and two translations in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ...spatial.rotation import Array
from ..joint import QUATERNION
from ..rubbing import BALL_ON_PLANE
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class PointOnPlane(ShiftAndTurn):
    """Ball on a plane (class V): three rotations and two translations; `axis` is the normal.

    The plane belongs to the parent, the ball to the child.
    """

    type = "point-on-plane"
    symbol = "SP"
    picture = "plane"
    ball_on_child = True
    rubs = BALL_ON_PLANE
    lower_pair = False
    coordinate_names = ("x", "y", *(f"q{part}" for part in QUATERNION))
    velocity_names = ("vx", "vy", "wx", "wy", "wz")
    shifts = (0, 1)
    about = "xyz"

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The normal of the plane."""
        return (self._turn(q)[2],)
