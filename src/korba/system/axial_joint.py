"""A joint that moves about and along its z axis, in frames of our own choice.

Its motion commutes with constant turns about z and shifts along z, so both its frames may be
turned and shifted together, and a constant turn before it is an addition to its angle:

    C X(q) C^-1 = X(q),    X(offset) X(q) = X(q + offset)

The rotation is kept as one turn about z and never multiplied out with the constant one before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..model.joint import Joint
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..spatial.turns import turn_z
from .reversed_joint import ReversedJoint, SeenJoint


@dataclass(frozen=True, eq=False)
class AxialJoint(SeenJoint):
    """The four functions of a joint about and along z, its angle counted from another direction."""

    joint: AnyJoint
    offset: Array

    @property
    def axial(self) -> bool:
        """Whether it moves about and along z only."""
        return True

    def pose(self, q: Any) -> Pose:
        """X(q + offset)."""
        X = self.joint.pose([x + o for x, o in zip(q, self.offset, strict=True)])
        return Pose(turn_z(X.R), X.p)

    @cached_property
    def _S(self) -> Array:
        return np.asarray(self.joint.motion_subspace(self.drawn_coordinates), dtype=float)

    def motion_subspace(self, q: Any) -> Array:
        """S, which is constant."""
        del q
        return self._S

    def bias(self, q: Any, v: Any) -> Array:
        """Zero, as S is constant."""
        del q, v
        return np.zeros(6)


def angle_offset(joint: AnyJoint, theta: float) -> Array:
    """What to add to the coordinates for a turn by theta before the joint; none without angles."""
    about_z = np.asarray(joint.motion_subspace(joint.drawn_coordinates), dtype=float)[2]
    kinds = joint.coordinate_kinds
    return np.array(
        [theta * s if k == "angle" else 0.0 for s, k in zip(about_z, kinds, strict=True)]
    )


AnyJoint = Joint | ReversedJoint | AxialJoint
"""A joint as a link has it: as described, turned round, in frames of our choice."""
