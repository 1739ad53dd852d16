"""Planar contact (P): two translations in a plane and the rotation about its normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class Planar(ShiftAndTurn):
    """Planar contact (P): two translations in a plane and the rotation about its normal.

    In a planar mechanism it leaves the body free.
    """

    type = "planar"
    symbol = "P"
    planar = True
    needs_place = False
    coordinate_names = ("x", "y", "angle")
    velocity_names = ("vx", "vy", "rate")
    shifts = (0, 1)
    about = "z"
