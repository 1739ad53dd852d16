"""Frames in the plane and in space, and Denavit-Hartenberg chains (Gronowicz 2.2, 2.4.1, 3.5.1).

Successive displacements are made in the frame that has moved, so matrices are multiplied from left
to right in the order of execution; `A_jk` takes points of frame k to frame j. The convention is the
modified one: z_k is the axis of the pair between the links j and k,

    A_jk = transl(x_j, a_j) rot(x_j, alpha_j) transl(z_k, d_k) rot(z_k, theta_k)           (2.30)

Velocities and accelerations go from link j to link k = j + 1, everything in frame 0, r = R_0j p_jk:

    R  p'_k  = p'_j + w_j x r                          w_k  = w_j + z_k q'               (3.73-75)
       p''_k = p''_j + w'_j x r + w_j x (w_j x r)      w'_k = w'_j + w_k x z_k q' + z_k q'' (3.81)
    T  p'_k  as for R, and + z_k q'                    w_k  = w_j                        (3.78-79)
       p''_k as for R, and + 2 w_j x z_k q' + z_k q''  w'_k = w'_j                       (3.84-85)

A C pair is R and T on one axis and an S pair three R whose axes meet (pairs.py): they are one link
with two and three coordinates, and the recursion takes them one after another.

In (2.152), (2.154) and (2.155) the element (3, 1) is -sin q_2, printed with a plus, and in the
third row of A_30 of Example 2.13 the angle is theta_0, printed as theta_3. In Example 3.6 the print
has wrong signs in the second rows of (3.93), (3.98), (3.100) and (3.104); the recursion itself is
right. The functions give the right ones, and positions are plain NumPy that takes symbols too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import public
from ...errors import StructureError
from ...expr import Expr, expression
from ...spatial.pose import Pose, translation
from ...spatial.rotation import Array, cross
from .pairs import AXES, PAIRS, Motion


@public
def planar_matrix(x: Any, y: Any, theta: Any) -> Array:
    """Homogeneous 3 x 3 matrix of a frame in the plane (2.9)."""
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]])


@public
def planar_inverse(A: Array) -> Array:
    """A_kj of A_jk: rotation transposed, position taken back (2.12)."""
    n = len(A) - 1
    inverse = np.array(A)
    inverse[:n, :n] = A[:n, :n].T
    inverse[:n, n] = -(A[:n, :n].T @ A[:n, n])
    return inverse


@public
def point_homogeneous(q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Any:
    """A, A' and A'' of a link: r = A r_i, r' = A' r_i, r'' = A'' r_i (2.10), (3.63), (3.64)."""
    c, s = np.cos(q[2]), np.sin(q[2])
    R, B = np.array([[c, -s], [s, c]]), np.array([[-s, -c], [c, -s]])
    parts = (
        (R, q, 1.0),
        (v[2] * B, v, 0.0),
        (a[2] * B - v[2] ** 2 * R, a, 0.0),
    )
    return tuple(
        np.block([[turn, np.reshape(shift[:2], (2, 1))], [np.zeros((1, 2)), np.array([[one]])]])
        for turn, shift, one in parts
    )


@public
def transl(x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Array:
    """4 x 4 matrix of a translation (2.24)."""
    return translation(x, y, z).matrix()


@public
def rot(axis: str, angle: Any) -> Array:
    """4 x 4 matrix of a rotation about "x", "y" or "z" (2.25)-(2.27)."""
    if axis not in AXES:
        raise StructureError(f"axis: expected 'x', 'y' or 'z', got {axis!r}")
    return Pose(AXES[axis](angle), np.zeros(3)).matrix()


@public
def spatial_inverse(A: Array) -> Array:
    """A_kj of A_jk (2.23), as in the plane; the print has two entries in the fourth column."""
    return planar_inverse(A)


@dataclass(frozen=True)
class DHLink(Displayed):
    """A row [a, alpha, theta, d] of a Denavit-Hartenberg table, in the book's order (2.33).

    The coordinates of the pair come on top: R turns about z and adds to theta, T adds to d, C does
    both (angle, stroke), S turns about z, then y, then x. Sizes are numbers, texts with units
    ("60 mm", "90 deg") or symbols ("a", "alpha"), which positions carry along.

        >>> A = kb.course.DHLink("60 mm", d=0.1, pair="C").matrix([0.0, 0.2])
        >>> np.round(A[:3, 3], 6)
        array([0.06, 0.  , 0.3 ])
    """

    a: Any = 0.0
    alpha: Any = 0.0
    theta: Any = 0.0
    d: Any = 0.0
    pair: str = "R"

    def __post_init__(self) -> None:
        if self.pair not in PAIRS:
            raise StructureError(
                f"pair: expected 'R', 'T', 'C' or 'S', got {self.pair!r}; write others as links "
                "of these"
            )
        for name in ("a", "alpha", "theta", "d"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, written(getattr(self, name)))

    @property
    def motions(self) -> tuple[Motion, ...]:
        """What the pair allows, one elementary motion for each coordinate."""
        return PAIRS[self.pair]

    def factors(self, q: Any) -> list[Array]:
        """A_jk as a product, with a factor for each coordinate; the first holds the row."""
        values = np.atleast_1d(np.array(q))
        if values.shape != (len(self.motions),):
            raise StructureError(
                f"q: expected {len(self.motions)} values of a pair {self.pair}, got {len(values)}"
            )
        turn, slide = (values[0], 0.0) if self.motions[0].turns else (0.0, values[0])
        row = dh_matrix(self.a, self.alpha, self.theta + turn, self.d + slide)
        others = zip(self.motions[1:], values[1:], strict=True)
        return [row, *(motion.matrix(value) for motion, value in others)]

    def matrix(self, q: Any) -> Array:
        """A_jk at the coordinate of the pair, or at its coordinates."""
        return reduce(np.matmul, self.factors(q))


def written(value: Any) -> Any:
    """A text as a number, or as the expression of its symbols; anything else as it is."""
    if not isinstance(value, str):
        return value
    size: Expr = expression(value, "any")
    return size.value if isinstance(size.value, float) else size


@public
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


@public
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


def coordinate_count(links: Sequence[DHLink]) -> int:
    """How many coordinates the pairs have: one of R and T, two of C, three of S."""
    return sum(len(link.motions) for link in links)


def factors_of(links: Sequence[DHLink], q: Any) -> list[list[Array]]:
    """The factors of every link at the coordinates of all pairs, in their order."""
    count = coordinate_count(links)
    if not links or np.ndim(q) != 1 or len(q) != count:
        pairs = "".join(link.pair for link in links)
        raise StructureError(
            f"q: expected {count} values, one for each coordinate of the pairs {pairs or 'none'}, "
            f"got {len(q) if np.ndim(q) == 1 else np.shape(q)}"
        )
    ends = list(accumulate(len(link.motions) for link in links))
    return [
        link.factors(q[end - len(link.motions) : end])
        for link, end in zip(links, ends, strict=True)
    ]


@public
def dh_frames(links: Sequence[DHLink], q: Any) -> list[Array]:
    """A_01, A_02, ... of a serial chain (2.148); q has the coordinates of all pairs."""
    return list(accumulate((reduce(np.matmul, f) for f in factors_of(links, q)), np.matmul))


@public
def dh_position(links: Sequence[DHLink], q: Any, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """Position in frame 0 of a point of the last link (2.149)."""
    return np.asarray((dh_frames(links, q)[-1] @ np.array([*point, 1.0]))[:3])


@dataclass(frozen=True, eq=False)
class LinkMotion(Displayed):
    """A link in frame 0: its frame's origin and rotation with their rates."""

    p: Array
    R: Array
    v: Array
    w: Array
    a: Array
    w_rate: Array

    def point(self, r: Any) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration of a point given in the link (3.86)-(3.88)."""
        arm = self.R @ np.asarray(r)
        across = cross(self.w, arm)
        bend = cross(self.w_rate, arm) + cross(self.w, across)
        return self.p + arm, self.v + across, self.a + bend


REST = LinkMotion(np.zeros(3), np.eye(3), *[np.zeros(3)] * 4)
"""The base."""


@public
def dh_motion(links: Sequence[DHLink], q: Any, qd: Any, qdd: Any = None) -> list[LinkMotion]:
    """Motion of every link of a serial chain; without accelerations they are zero."""
    link, A, moving = REST, np.eye(4), []
    qdd = np.zeros(len(q)) if qdd is None else qdd
    rates = zip(qd, qdd, strict=True)
    for row, factors in zip(links, factors_of(links, q), strict=True):
        for motion, factor in zip(row.motions, factors, strict=True):
            A = A @ factor
            link = _next(motion, link, A, *next(rates, (0.0, 0.0)))
        moving.append(link)
    return moving


def _next(motion: Motion, j: LinkMotion, A: Array, rate: Any, second: Any) -> LinkMotion:
    """Link k from link j: (3.68)-(3.85)."""
    p, R = A[:3, 3], A[:3, :3]
    r, z = p - j.p, A[:3, motion.number]
    v = j.v + cross(j.w, r)
    a = j.a + cross(j.w_rate, r) + cross(j.w, cross(j.w, r))
    if motion.turns:
        w = j.w + z * rate
        w_rate = j.w_rate + cross(w, z * rate) + z * second
        return LinkMotion(p, R, v, w, a, w_rate)
    a = a + 2 * cross(j.w, z * rate) + z * second
    return LinkMotion(p, R, v + z * rate, j.w, a, j.w_rate)


@public
def dh_jacobian(links: Sequence[DHLink], q: Any, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """J with (velocity of a point of the last link, w) = J q', shape (6, n), linear rows first.

    A column is (z x (r_M - p), z) of a turn and (z, 0) of a slide, with the axis z and the origin p
    of the pair itself. The book stops at the recursion; J' q' is the recursion with q'' = 0.
    """
    parts = factors_of(links, q)
    motions = [motion for link in links for motion in link.motions]
    frames = list(accumulate((factor for link in parts for factor in link), np.matmul))
    r_M = (frames[-1] @ np.array([*point, 1.0]))[:3]
    columns = []
    for motion, A in zip(motions, frames, strict=True):
        z, p = A[:3, motion.number], A[:3, 3]
        parts_z = [cross(z, r_M - p), z] if motion.turns else [z, 0.0 * z]
        columns.append(np.concatenate(parts_z))
    return np.stack(columns, axis=1)
