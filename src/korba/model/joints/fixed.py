"""No motion: two bodies in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class Fixed(ShiftAndTurn):
    """No motion: two bodies in one."""

    type = "fixed"
    symbol = "0"
    planar = True
    needs_place = False
