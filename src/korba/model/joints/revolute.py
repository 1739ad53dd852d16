"""Revolute pair (R): one rotation about the axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ..rubbing import PIN
from .guided import Guided
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class Revolute(Guided, ShiftAndTurn):
    """Revolute pair (R): one rotation about the axis."""

    type = "revolute"
    symbol = "R"
    picture = "pin"
    rubs = PIN
    centred = True
    axial = True
    planar = True
    coordinate_names = ("angle",)
    velocity_names = ("rate",)
    about = "z"
