"""Poses: `X_AB` is where frame B stands in frame A. Plain NumPy, any dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .rotation import Array, skew


@dataclass(frozen=True, eq=False)
class Pose:
    """Rotation `R_AB` and position `p_AB`; poses chain like `X_WB = X_WP @ X_PB`."""

    R: Any
    """A 3 x 3 array, or `Turns`, which has the operators of one."""
    p: Array

    def __matmul__(self, other: Pose) -> Pose:
        """`X_AC = X_AB @ X_BC`."""
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Pose:
        """`X_BA` of `X_AB`."""
        return Pose(self.R.T, -(self.R.T @ self.p))

    def point(self, p_B: ArrayLike) -> Array:
        """Position in A of the point given in B."""
        return np.asarray(self.p + self.R @ np.asarray(p_B))

    def matrix(self) -> Array:
        """Homogeneous 4 x 4 matrix."""
        top = np.concatenate([np.asarray(self.R), np.reshape(self.p, (3, 1))], axis=1)
        return np.concatenate([top, np.array([[0, 0, 0, 1]])], axis=0)


def identity() -> Pose:
    """The pose that changes nothing."""
    return Pose(np.eye(3), np.zeros(3))


def translation(x: object = 0.0, y: object = 0.0, z: object = 0.0) -> Pose:
    """A pure translation."""
    return Pose(np.eye(3), np.array([x, y, z]))


def rotation(R: Array) -> Pose:
    """A pure rotation."""
    return Pose(R, np.zeros(3))


def in_axes(R_AB: Any, V_B: Array) -> Array:
    """A 6-vector, or columns of them, in the axes of A instead of B, about the same point."""
    return np.concatenate([R_AB @ V_B[:3], R_AB @ V_B[3:]])


def twist_matrix(X_AB: Pose) -> Array:
    """6 x 6 matrix that takes a twist about Bo in B to the same twist about Ao in A.

    Angular first:  [w_A; v_A] = [[R, 0], [p x R, R]] [w_B; v_B].
    """
    R, zero = np.asarray(X_AB.R), np.zeros((3, 3))
    return np.block([[R, zero], [skew(X_AB.p) @ R, R]])
