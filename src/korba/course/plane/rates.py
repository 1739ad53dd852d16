"""Links in the plane that hang on known ones: motions as vector fields, dyads and triads of legs.

With V = (w, v_x, v_y) and A = (e, a_x, a_y), v and a those of the point of the body that is at the
world's origin, the point at r has

    v(r) = v + w x r,        a(r) = a + e x r - w^2 r                                       (1)

so between two points M, N of one link (Gronowicz 3.6-3.10)

    v_N = v_M + w x r_MN,            a_N = a_M + a^n + a^t,   a^n = -w^2 r_MN,  a^t = e x r_MN

and between coincident points J of a guide j and K of a slider k on it (3.11-3.17)

    v_K = v_J + v_KJ,                a_K = a_J + a^n + a^t + a^c,   a^c = 2 w_j x v_KJ

A leg lets its pin P move across its line only, so the component of v_P along the line is known,
and that of a_P once velocities are:

    v_P . d = s,       a_P . d = g                                                         (2)

    rod with a pin Q            d along QP      s = v_Q . d,          g = a_Q . d - w^2 |QP|
    slider in a guide           d across it     s = v_J . d,          g = (a_J + 2 w_g x v_PJ) . d
    actuator of length l on Q   d along QP      s = v_Q . d + l',     g = a_Q . d - w^2 l + l''

Two legs with one pin are a dyad RRR, RRT or TRT: (2) of both gives v_P and a_P. The other dyads
have an inner prismatic pair along u. With pins B and D (RTR), r = r_DB,

    v_B - v_D = w x r + d' u,      a_B - a_D = e x r - w^2 r + 2 w x d' u + d'' u

and with a pin B and an outer prismatic pair along u_2 in a guide g (RTT)

    v_B - v_J = d_1' u + d_2' u_2,      a_B - a_J - 2 w_g x (v_B - v_J) = d_1'' u + d_2'' u_2

A link with three pins on three legs is a triad. The lines of two legs meet in the special point H,
taken as a point of the link. As H lies on them, H satisfies (2) of both legs with s unchanged: two
equations for v_H. The third leg gives w:

    (v_H + w x r_HP) . d = s                                                          (3.28, 3.29)
    a_H . d = g - w^2 r_PH . d        (a_H - w^2 r_HP + e x r_HP) . d = g             (3.33-3.36)

Source: Gronowicz (2003), equations (3.6)-(3.17), section 3.2.4 and Example 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...display import Displayed
from ...errors import StructureError
from ...spatial.rotation import Array, cross_in_plane
from ..construction import lines_meet, turned

SINGULAR = 1e-10
"""Least sine of the angle of two directions that determine a point."""


@dataclass(frozen=True, eq=False)
class PointRate:
    """A point with its velocity and acceleration."""

    r: Array
    v: Array
    a: Array


@dataclass(frozen=True, eq=False)
class Rate(Displayed):
    """Motion of a body: V = (w, v) and A = (e, a), v and a those of its point at the origin."""

    V: Array
    A: Array

    @property
    def w(self) -> float:
        """Angular velocity."""
        return float(self.V[0])

    @property
    def e(self) -> float:
        """Angular acceleration."""
        return float(self.A[0])

    def at(self, r: Array) -> PointRate:
        """(1): the point of the body at r."""
        v = self.V[1:] + self.w * turned(r)
        a = self.A[1:] + self.e * turned(r) - self.w**2 * np.asarray(r)
        return PointRate(np.asarray(r), v, a)


AT_REST = Rate(np.zeros(3), np.zeros(3))
"""The base."""


def about(point: PointRate, w: float, e: float) -> Rate:
    """Motion of the body through a point, with angular velocity w and acceleration e."""
    V = np.array([w, *(point.v - w * turned(point.r))])
    A = np.array([e, *(point.a - e * turned(point.r) + w**2 * point.r)])
    return Rate(V, A)


def slid(guide: Rate, u: Array, speed: float, growth: float = 0.0) -> Rate:
    """Motion of a body that slides in a guide along u, with the given speed and its rate."""
    v, a = speed * u, growth * u + 2 * guide.w * turned(speed * u)
    return Rate(guide.V + np.array([0.0, *v]), guide.A + np.array([0.0, *a]))


@dataclass(frozen=True, eq=False)
class RodLeg:
    """A leg with a pin Q on something known; an actuator if it grows."""

    P: Array
    Q: PointRate
    growth: float = 0.0
    """l'."""
    growth_rate: float = 0.0
    """l''."""

    @property
    def length(self) -> float:
        """|QP|."""
        return float(np.linalg.norm(self.P - self.Q.r))

    @property
    def d(self) -> Array:
        """Unit vector of the line of the leg."""
        return np.asarray((self.P - self.Q.r) / self.length)

    @property
    def speed(self) -> float:
        """s of (2)."""
        return float(self.Q.v @ self.d) + self.growth

    def acceleration(self, v_P: Array) -> float:
        """g of (2)."""
        across = cross_in_plane(self.d, v_P - self.Q.v)
        return float(self.Q.a @ self.d) - across**2 / self.length + self.growth_rate

    def link(self, P: PointRate) -> Rate:
        """Motion of the leg: n . v = w l,  n . a = e l + 2 w l',  n across it."""
        w = cross_in_plane(self.d, P.v - self.Q.v) / self.length
        e = (cross_in_plane(self.d, P.a - self.Q.a) - 2 * w * self.growth) / self.length
        return about(P, w, e)


@dataclass(frozen=True, eq=False)
class Slider:
    """A leg that is a slider along u in something known."""

    P: Array
    guide: Rate
    u: Array

    @property
    def d(self) -> Array:
        """Unit vector across the guide."""
        return turned(self.u)

    @property
    def speed(self) -> float:
        """s of (2)."""
        return float(self.guide.at(self.P).v @ self.d)

    def acceleration(self, v_P: Array) -> float:
        """g of (2)."""
        J = self.guide.at(self.P)
        return float((J.a + 2 * self.guide.w * turned(v_P - J.v)) @ self.d)

    def link(self, P: PointRate) -> Rate:
        """Motion of the leg, which turns with its guide."""
        return about(P, self.guide.w, self.guide.e)


Leg = RodLeg | Slider


def inner_revolute(one: Leg, two: Leg) -> tuple[Rate, Rate]:
    """RRR, RRT and TRT: motions of two legs with one pin."""
    rows = np.array([one.d, two.d])
    v = _solved(rows, [one.speed, two.speed])
    a = _solved(rows, [one.acceleration(v), two.acceleration(v)])
    pin = PointRate(one.P, v, a)
    return one.link(pin), two.link(pin)


def inner_prismatic(one: Leg, two: Leg, u: Array) -> tuple[Rate, Rate] | None:
    """RTR and RTT: motions of the legs; None for two sliders."""
    if isinstance(one, Slider):
        return None if isinstance(two, Slider) else _two_prismatic(two.Q, u, one)[::-1]
    if isinstance(two, Slider):
        return _two_prismatic(one.Q, u, two)
    B, D = one.Q, two.Q
    r = B.r - D.r
    columns = np.column_stack([turned(r), u])
    w, speed = _solved(columns, B.v - D.v)
    e, _ = _solved(columns, B.a - D.a + w**2 * r - 2 * w * turned(speed * u))
    return about(B, w, e), about(D, w, e)


def _two_prismatic(B: PointRate, u: Array, slider: Slider) -> tuple[Rate, Rate]:
    """RTT: motions of the link with the pin B and of the slider."""
    guide, u_2 = slider.guide, slider.u
    columns, J = np.column_stack([u, u_2]), guide.at(B.r)
    _, speed = _solved(columns, B.v - J.v)
    _, growth = _solved(columns, B.a - J.a - 2 * guide.w * turned(B.v - J.v))
    return about(B, guide.w, guide.e), slid(guide, u_2, float(speed), float(growth))


def _solved(A: Array, b: object) -> Array:
    """2 x 2 equations; a dead point is an error."""
    scale = np.linalg.norm(A, axis=0)
    if abs(np.linalg.det(A / np.where(scale > 0, scale, 1.0))) < SINGULAR:
        raise StructureError("the dyad is stretched: a dead point, where it has no single velocity")
    return np.asarray(np.linalg.solve(A, np.asarray(b, dtype=float)))


def triad(legs: tuple[Leg, Leg, Leg]) -> tuple[PointRate, Rate]:
    """The special point, and the motion of the link that three legs hold."""
    angles = {
        (i, j): abs(cross_in_plane(legs[i].d, legs[j].d)) for i, j in combinations(range(3), 2)
    }
    crossing = [pair for pair in angles if angles[pair] > 0.1]
    i, j = crossing[0] if crossing else max(angles, key=lambda pair: angles[pair])
    if angles[i, j] < SINGULAR:
        raise StructureError("the three legs are parallel: the link has no single velocity")
    one, two, third = legs[i], legs[j], legs[3 - i - j]
    H = lines_meet(one.P, one.d, two.P, two.d)
    arm = third.P - H
    lever = cross_in_plane(arm, third.d)
    if abs(lever) < SINGULAR * max(float(np.linalg.norm(x)) for x in (arm, H - one.P)):
        raise StructureError("the lines of the three legs meet in one point: a dead point")
    rows = np.array([one.d, two.d])
    v_H = np.linalg.solve(rows, [one.speed, two.speed])
    w = float(third.speed - v_H @ third.d) / lever
    g = [leg.acceleration(v_H + w * turned(leg.P - H)) for leg in (one, two, third)]
    bends = [w**2 * float((H - leg.P) @ leg.d) for leg in (one, two)]
    a_H = np.linalg.solve(rows, np.subtract(g[:2], bends))
    e = float(g[2] - (a_H - w**2 * arm) @ third.d) / lever
    special = PointRate(H, v_H, a_H)
    return special, about(special, w, e)
