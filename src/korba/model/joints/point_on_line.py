"""Ball in a cylinder (class IV): three rotations, and translation along the cylinder's axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ...spatial.rotation import Array
from ..joint import QUATERNION
from ..rubbing import BALL_ON_LINE
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class PointOnLine(ShiftAndTurn):
    """Ball in a cylinder (class IV): three rotations, and translation along the axis.

    The cylinder belongs to the parent, the ball to the child.
    """

    type = "point-on-line"
    symbol = "SL"
    picture = "cylinder"
    ball_on_child = True
    rubs = BALL_ON_LINE
    lower_pair = False
    coordinate_names = ("stroke", *QUATERNION)
    velocity_names = ("speed", "wx", "wy", "wz")
    shifts = (2,)
    about = "xyz"

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The direction of the line."""
        return (self._turn(q)[2],)
