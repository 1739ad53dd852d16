"""No motion: two bodies in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose, identity
from ...spatial.rotation import Array
from ..joint import Joint


@final
@dataclass(frozen=True)
class Fixed(Joint):
    """No motion: two bodies in one."""

    type = "fixed"
    symbol = "0"
    algebraic = True
    planar = True
    needs_place = False

    def pose(self, q: Any) -> Pose:
        """The identity."""
        return identity()

    def motion_subspace(self, q: Any) -> Array:
        """Nothing."""
        return np.zeros((6, 0))
