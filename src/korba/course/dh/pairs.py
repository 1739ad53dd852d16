"""Pairs of Denavit-Hartenberg links as elementary motions in the frame of the link.

The notation knows R and T pairs; others are replaced by them first (Gronowicz 2.2.3, Fig. 2.4), C
by R and T on one axis, S by three R whose axes meet:

    R  rot(z, q)      C  rot(z, q_1) transl(z, q_2)
    T  transl(z, q)   S  rot(z, q_1) rot(y, q_2) rot(x, q_3)

So at q = 0 a ball leaves the frame where a revolute would, and it is singular where q_2 is a
quarter turn. The derivative of a motion is the motion and a constant operator after it:

    dE/dq = E Q                                                              (3.109), (3.111)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...spatial.pose import Pose, translation
from ...spatial.rotation import Array, rotation_x, rotation_y, rotation_z, skew

AXES = {"x": rotation_x, "y": rotation_y, "z": rotation_z}


@dataclass(frozen=True)
class Motion:
    """A rotation about an axis of the frame that has moved so far, or a translation along it."""

    axis: str
    turns: bool = True

    @property
    def number(self) -> int:
        """Which column of a frame the axis is."""
        return "xyz".index(self.axis)

    def matrix(self, q: Any) -> Array:
        """E, 4 x 4."""
        if self.turns:
            return Pose(AXES[self.axis](q), np.zeros(3)).matrix()
        return translation(**{self.axis: q}).matrix()

    @property
    def Q(self) -> Array:
        """The constant operator of the derivative, 4 x 4."""
        unit, Q = np.eye(3)[self.number], np.zeros((4, 4))
        if self.turns:
            Q[:3, :3] = skew(unit)
        else:
            Q[:3, 3] = unit
        return Q


PAIRS = {
    "R": (Motion("z"),),
    "T": (Motion("z", turns=False),),
    "C": (Motion("z"), Motion("z", turns=False)),
    "S": (Motion("z"), Motion("y"), Motion("x")),
}
"""Motions of a pair, in the order of its coordinates."""
