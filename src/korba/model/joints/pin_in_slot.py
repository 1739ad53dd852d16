"""Yoke (J): a pin of the child in a straight slot of the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..profiles import Profiles, Side
from ..rubbing import SLOT
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class PinInSlot(ShiftAndTurn):
    """Yoke (J, class II in the plane): a pin of the child in a straight slot of the parent.

    `axis` is the direction of the slot; the pin turns about the normal of the plane: Tz Rx.
    """

    type = "pin-in-slot"
    symbol = "J"
    slotted = True
    rubs = SLOT
    lower_pair = False
    planar = True
    spatial = False
    axis_in_plane = True
    coordinate_names = ("stroke", "angle")
    velocity_names = ("speed", "rate")
    shifts = (2,)
    about = "x"

    def profiles(self, q: Any, scale: float) -> Profiles:
        """The straight slot, and the pin about its centre."""
        pin = self.pose(q).p
        return Profiles(Side(pin, np.array([0.0, 0.0, 1.0])), Side(pin))
