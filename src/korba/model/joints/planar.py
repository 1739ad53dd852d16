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
    periodic = ("angle",)
    algebraic = True
    planar = True
    needs_place = False
    coordinate_names = ("x", "y", "angle")
    coordinate_kinds = ("length", "length", "angle")
    velocity_names = ("vx", "vy", "rate")
    shifts, about = (0, 1), "z"
