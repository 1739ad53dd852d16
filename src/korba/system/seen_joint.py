"""A joint seen in another way: from its other side, or in frames of our own choice.

Its coordinates, and all that is not said here, are those of the joint itself. Seen from its child,
for trees that reach that first, with X_FM(q), S and bias of the joint, the motion of F in M is

    X_MF = X_FM^-1,    S' = -Ad(X_FM) S,    bias' = -Ad(X_FM) bias

in F about Fo: the terms from the turning of the frames cancel. The motion of a joint about and
along its z axis commutes with constant turns about z and shifts along z, so both its frames may be
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
from ..spatial.pose import Pose, twist_matrix
from ..spatial.rotation import Array
from ..spatial.turns import turn_z


@dataclass(frozen=True, eq=False)
class SeenJoint:
    """A joint seen in another way."""

    joint: AnyJoint

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "joint":  # asked for before there is one
            raise AttributeError(name)
        return getattr(self.joint, name)


@dataclass(frozen=True, eq=False)
class ReversedJoint(SeenJoint):
    """The functions of a joint, from child to parent."""

    def pose(self, q: Any) -> Pose:
        """X_MF."""
        return self.joint.pose(q).inverse()

    def motion_subspace(self, q: Any) -> Array:
        """S' with V_MF = S' v."""
        return -(twist_matrix(self.joint.pose(q)) @ self.joint.motion_subspace(q))

    def bias(self, q: Any, v: Any) -> Array:
        """S'dot v."""
        return -(twist_matrix(self.joint.pose(q)) @ self.joint.bias(q, v))


@dataclass(frozen=True, eq=False)
class AxialJoint(SeenJoint):
    """The functions of a joint about and along z, its angle counted from another direction."""

    offset: Array

    def pose(self, q: Any) -> Pose:
        """X(q + offset)."""
        X = self.joint.pose([x + o for x, o in zip(q, self.offset, strict=True)])
        return Pose(turn_z(X.R), X.p)

    @cached_property
    def _S(self) -> Array:
        return np.asarray(self.joint.motion_subspace(self.drawn_coordinates), dtype=float)

    def motion_subspace(self, _: Any) -> Array:
        """S, which is constant."""
        return self._S

    def bias(self, *_: Any) -> Array:
        """Zero, as S is constant."""
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
