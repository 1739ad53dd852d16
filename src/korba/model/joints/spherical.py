"""Spherical pair (S): three rotations about a point; coordinates are a unit quaternion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ..joint import QUATERNION
from ..rubbing import BALL
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class Spherical(ShiftAndTurn):
    """Spherical pair (S): three rotations about a point; coordinates are a unit quaternion."""

    type = "spherical"
    symbol = "S"
    picture = "ball"
    rubs = BALL
    centred = True
    coordinate_names = QUATERNION
    velocity_names = ("wx", "wy", "wz")
    about = "xyz"
