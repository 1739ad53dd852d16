"""Prismatic pair (T): one translation along the axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ..rubbing import SLIDE
from .guided import Guided
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class Prismatic(Guided, ShiftAndTurn):
    """Prismatic pair (T): one translation along the axis."""

    type = "prismatic"
    symbol = "T"
    rubs = SLIDE
    axial = True
    planar = True
    axis_in_plane = True
    coordinate_names = ("stroke",)
    velocity_names = ("rate",)
    shifts = (2,)
