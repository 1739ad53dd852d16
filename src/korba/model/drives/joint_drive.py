"""A joint's coordinate in time (Gronowicz 2.101, 2.102)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..curve import LawOrCurve
from ..drive import Drive, Motion, Position, Prescribed
from ..fields import field
from ..specs import Text


@final
@dataclass(frozen=True)
class JointDrive(Drive):
    """A joint's coordinate in time: angle of a revolute, stroke of a prismatic (2.101, 2.102).

    Its moment or force is positive where it pushes the coordinate up: power is effort times rate.
    """

    type = "joint"
    joints = ("joint",)
    motions = ("position",)

    joint: str = field(Text(), doc="the joint, or one of its coordinates")
    position: Motion = field(
        LawOrCurve("t", ("angle", "length")), doc="its value in time, such as '300 rpm * t'"
    )

    @property
    def coordinate(self) -> str:
        """The driven coordinate."""
        return self.joint

    def rows(self, at: Position, t: Any) -> Prescribed:
        """q = f(t)."""
        q, columns = at.coordinate(self.joint)
        return Prescribed(np.array([q], dtype=object), columns, self.motion(t))
