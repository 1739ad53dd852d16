"""A joint seen from its other side, for trees that reach its child first.

With X_FM(q), S and bias of the joint itself, the motion of F in M is

    X_MF = X_FM^-1,    S' = -Ad(X_FM) S,    bias' = -Ad(X_FM) bias

in F about Fo: the terms from the turning of the frames cancel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model.joint import Joint
from ..spatial.pose import Pose, twist_matrix
from ..spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class SeenJoint:
    """A joint seen in another way: its coordinates, and what is known of them, are the same."""

    joint: Joint | SeenJoint

    @property
    def described(self) -> Joint:
        """The joint as the user describes it."""
        return self.joint.described

    @property
    def nv(self) -> int:
        """Count of freedoms."""
        return self.joint.nv

    @property
    def quaternion(self) -> range:
        """Places of the unit quaternion among its coordinates."""
        return self.joint.quaternion

    @property
    def coordinate_kinds(self) -> tuple[str, ...]:
        """What its coordinates are: angles or lengths."""
        return self.joint.coordinate_kinds

    @property
    def drawn_coordinates(self) -> Array:
        """Coordinates in the drawing position."""
        return self.joint.drawn_coordinates

    def qdot(self, q: Any, v: Any) -> Array:
        """Rate of the coordinates."""
        return self.joint.qdot(q, v)


@dataclass(frozen=True, eq=False)
class ReversedJoint(SeenJoint):
    """The four functions of a joint, from child to parent; the coordinates are the same."""

    joint: Joint

    @property
    def axial(self) -> bool:
        """Whether it moves about and along z only; so does its reverse."""
        return self.joint.axial

    def pose(self, q: Any) -> Pose:
        """X_MF."""
        return self.joint.pose(q).inverse()

    def motion_subspace(self, q: Any) -> Array:
        """S' with V_MF = S' v."""
        return -(twist_matrix(self.joint.pose(q)) @ self.joint.motion_subspace(q))

    def bias(self, q: Any, v: Any) -> Array:
        """S'dot v."""
        return -(twist_matrix(self.joint.pose(q)) @ self.joint.bias(q, v))
