"""Frames in the plane and in space, and Denavit-Hartenberg matrices (Gronowicz 2.2, 2.4.1).

Successive displacements are made in the frame that has moved, so matrices are multiplied from left
to right in the order of execution; `A_jk` takes points of frame k to frame j. The convention is the
modified one: z_k is the axis of the pair between the links j and k,

    A_jk = transl(x_j, a_j) rot(x_j, alpha_j) transl(z_k, d_k) rot(z_k, theta_k)           (2.30)

In (2.152), (2.154) and (2.155) the element (3, 1) is -sin q_2, printed with a plus, and in the
third row of A_30 of Example 2.13 the angle is theta_0, printed as theta_3; the functions give the
right ones. Everything is plain NumPy and works with symbols too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed
from ...errors import StructureError
from ...spatial.pose import Pose, translation
from ...spatial.rotation import Array, rotation_x, rotation_y, rotation_z

AXES = {"x": rotation_x, "y": rotation_y, "z": rotation_z}


def planar_matrix(x: Any, y: Any, theta: Any) -> Array:
    """Homogeneous 3 x 3 matrix of a frame in the plane (2.9)."""
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]])


def planar_inverse(A: Array) -> Array:
    """A_kj of A_jk: rotation transposed, position taken back (2.12)."""
    return _inverse(A, 2)


def transl(x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Array:
    """4 x 4 matrix of a translation (2.24)."""
    return translation(x, y, z).matrix()


def rot(axis: str, angle: Any) -> Array:
    """4 x 4 matrix of a rotation about "x", "y" or "z" (2.25)-(2.27)."""
    if axis not in AXES:
        raise StructureError(f"axis: expected 'x', 'y' or 'z', got {axis!r}")
    return Pose(AXES[axis](angle), np.zeros(3)).matrix()


def spatial_inverse(A: Array) -> Array:
    """A_kj of A_jk (2.23); the print has only two entries in the fourth column."""
    return _inverse(A, 3)


@dataclass(frozen=True)
class DHLink(Displayed):
    """A row [a, alpha, theta, d] of a Denavit-Hartenberg table, in the book's order (2.33).

    The coordinate of the pair is added to theta (pair "R") or to d (pair "T"). Other pairs are
    written as rows first: C as R and T on one axis, S as three R whose axes meet.
    """

    a: Any = 0.0
    alpha: Any = 0.0
    theta: Any = 0.0
    d: Any = 0.0
    pair: str = "R"

    def __post_init__(self) -> None:
        if self.pair not in ("R", "T"):
            raise StructureError(
                f"pair: expected 'R' or 'T', got {self.pair!r}; write C as R and T, S as three R"
            )

    def at(self, q: Any) -> tuple[Any, Any, Any, Any]:
        """[a, alpha, theta, d] with the coordinate of the pair put in."""
        turn, slide = (q, 0.0) if self.pair == "R" else (0.0, q)
        return self.a, self.alpha, self.theta + turn, self.d + slide

    def matrix(self, q: Any) -> Array:
        """A_jk at a coordinate."""
        return dh_matrix(*self.at(q))


def dh_matrix(a: Any, alpha: Any, theta: Any, d: Any) -> Array:
    """A_jk, the frame of link k in that of link j (2.31)."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [
            [c, -s, 0, a],
            [ca * s, ca * c, -sa, -d * sa],
            [sa * s, sa * c, ca, d * ca],
            [0, 0, 0, 1],
        ]
    )


def dh_inverse(a: Any, alpha: Any, theta: Any, d: Any) -> Array:
    """A_kj (2.32)."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [
            [c, ca * s, sa * s, -a * c],
            [-s, ca * c, sa * c, a * s],
            [0, -sa, ca, -d],
            [0, 0, 0, 1],
        ]
    )


def dh_frames(links: Sequence[DHLink], q: Any) -> list[Array]:
    """A_01, A_02, ... of a serial chain (2.148)."""
    _check(links, q)
    frames: list[Array] = []
    for link, value in zip(links, q, strict=True):
        A = link.matrix(value)
        frames.append(frames[-1] @ A if frames else A)
    return frames


def dh_position(links: Sequence[DHLink], q: Any, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """Position in frame 0 of a point of the last link (2.149)."""
    return np.asarray((dh_frames(links, q)[-1] @ np.array([*point, 1.0]))[:3])


def _inverse(A: Array, n: int) -> Array:
    found = np.array(A)
    found[:n, :n] = A[:n, :n].T
    found[:n, n] = -(A[:n, :n].T @ A[:n, n])
    return found


def _check(links: Sequence[DHLink], q: Any) -> None:
    if not links or len(links) != len(q):
        raise StructureError(f"q: expected {len(links)} values, one for each link, got {len(q)}")
