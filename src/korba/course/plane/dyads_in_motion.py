"""Velocities and accelerations of dyads: two scalar equations each (Gronowicz 3.6-3.17).

Inner revolute pair C (RRR, RRT, TRT): every side gives an equation for v_C and one for a_C,

    arm with a pin B        (v_C - v_B) . r = 0,   (a_C - a_B) . r = -w^2 r . r,    r = r_BC
    guide with normal n     (v_C - v_J) . n = 0,   (a_C - a_J - 2 w_g x v_CJ) . n = 0

where J is the point of the guide at C. Inner prismatic pair along u, pins B and D (RTR):

    v_B - v_D = w x r + d' u,      a_B - a_D = e x r - w^2 r + 2 w x d' u + d'' u,  r = r_DB

Inner prismatic pair along u_1 and an outer one along u_2 with a guide g, pin B (RTT):

    v_B - v_J = d_1' u_1 + d_2' u_2,      a_B - a_J - 2 w_g x (v_B - v_J) = d_1'' u_1 + d_2'' u_2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import StructureError
from ...spatial.rotation import Array
from .instant import turned
from .rates import PointRate, Rate, about, point_rate, slid, through

SINGULAR = 1e-10
"""Least sine of the angle of two directions that determine a point."""


@dataclass(frozen=True, eq=False)
class Arm:
    """A link with a pin on something known."""

    pin: PointRate


@dataclass(frozen=True, eq=False)
class Slide:
    """A link that slides along u in something known."""

    guide: Rate
    u: Array


def inner_revolute(C: Array, one: Arm | Slide, two: Arm | Slide) -> tuple[Rate, Rate]:
    """RRR, RRT and TRT: motions of the two links that meet in C."""
    rows = np.array([_direction(side, C) for side in (one, two)])
    known = [_point(side, C) for side in (one, two)]
    v = _solved(rows, [n @ J.v for n, J in zip(rows, known, strict=True)])
    right = [n @ _acceleration_so_far(side, C, v) for n, side in zip(rows, (one, two), strict=True)]
    a = _solved(rows, right)
    found = PointRate(np.asarray(C), v, a)
    return _link(one, found), _link(two, found)


def inner_prismatic(B: PointRate, D: PointRate, u: Array) -> tuple[Rate, Rate]:
    """RTR: motions of the link with the pin B and of the link with the pin D."""
    r = B.r - D.r
    columns = np.column_stack([turned(r), u])
    w, speed = _solved(columns, B.v - D.v)
    right = B.a - D.a + w**2 * r - 2 * w * turned(speed * u)
    e, _ = _solved(columns, right)
    return about(B, w, e), about(D, w, e)


def two_prismatic(B: PointRate, u_1: Array, slide: Slide) -> tuple[Rate, Rate]:
    """RTT: motions of the link with the pin B and of the link that slides in the guide."""
    guide, u_2 = slide.guide, slide.u
    columns = np.column_stack([u_1, u_2])
    relative = B.v - guide.velocity(B.r)
    _, speed = _solved(columns, relative)
    turning = 2 * guide.w * turned(relative)
    _, growth = _solved(columns, B.a - guide.acceleration(B.r) - turning)
    return about(B, guide.w, guide.e), slid(guide, u_2, float(speed), float(growth))


def _direction(side: Arm | Slide, C: Array) -> Array:
    """The direction in which the velocity of C is known, of unit length."""
    n = C - side.pin.r if isinstance(side, Arm) else turned(side.u)
    length = float(np.linalg.norm(n))
    if not length > 0:
        raise StructureError("an arm of length zero does not determine where its end goes")
    return np.asarray(n / length)


def _point(side: Arm | Slide, C: Array) -> PointRate:
    """The known point: the pin, or that of the guide at C."""
    return side.pin if isinstance(side, Arm) else point_rate(side.guide, C)


def _acceleration_so_far(side: Arm | Slide, C: Array, v: Array) -> Array:
    """a_C but for its part across the direction: a_B + a^n, or a_J + a^c."""
    J = _point(side, C)
    if isinstance(side, Slide):
        return J.a + 2 * side.guide.w * turned(v - J.v)
    r = C - J.r
    return J.a - r * float((v - J.v) @ (v - J.v)) / float(r @ r)


def _link(side: Arm | Slide, C: PointRate) -> Rate:
    if isinstance(side, Arm):
        return through(side.pin, C)
    return about(C, side.guide.w, side.guide.e)


def _solved(A: Array, b: object) -> Array:
    """2 x 2 equations; a dead point is an error."""
    scale = np.linalg.norm(A, axis=0)
    if abs(np.linalg.det(A / np.where(scale > 0, scale, 1.0))) < SINGULAR:
        raise StructureError("the dyad is stretched: a dead point, where it has no single velocity")
    return np.asarray(np.linalg.solve(A, np.asarray(b, dtype=float)))
