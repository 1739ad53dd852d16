"""Planar contact (P): two translations in a plane and the rotation about its normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.rotation import Array
from ..rubbing import PLANE
from .shift_and_turn import ShiftAndTurn


@final
@dataclass(frozen=True)
class Planar(ShiftAndTurn):
    """Planar contact (P): two translations in a plane and the rotation about its normal.

    In a planar mechanism it leaves the body free.
    """

    type = "planar"
    symbol = "P"
    picture = "plane"
    rubs = PLANE
    planar = True
    needs_place = False
    coordinate_names = ("x", "y", "angle")
    velocity_names = ("vx", "vy", "rate")
    shifts = (0, 1)
    about = "z"

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The normal, z."""
        return (np.array([0.0, 0.0, 1.0]),)
