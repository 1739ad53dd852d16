"""Velocity and acceleration of a body in the plane, as vector fields.

Equations hold between two points M, N of one link (Gronowicz 3.6-3.10),

    v_N = v_M + w x r_MN,            a_N = a_M + a^n + a^t,   a^n = -w^2 r_MN,  a^t = e x r_MN

and between coincident points J of a guide j and K of a slider k on it (3.11-3.17),

    v_K = v_J + v_KJ,                a_K = a_J + a^n + a^t + a^c,   a^c = 2 w_j x v_KJ
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...display import Displayed
from ...spatial.rotation import Array
from .instant import acceleration_at, cross, turned, velocity_at


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

    def velocity(self, r: Array) -> Array:
        """Velocity of the point of the body at r."""
        return velocity_at(self.V, r)

    def acceleration(self, r: Array) -> Array:
        """Acceleration of the point of the body at r."""
        return acceleration_at(self.A, self.V, r)


AT_REST = Rate(np.zeros(3), np.zeros(3))
"""The base."""


@dataclass(frozen=True, eq=False)
class PointRate:
    """A point with its velocity and acceleration."""

    r: Array
    v: Array
    a: Array


def point_rate(body: Rate, r: Array) -> PointRate:
    """The point of a body at r."""
    return PointRate(np.asarray(r), body.velocity(r), body.acceleration(r))


def about(point: PointRate, w: float, e: float) -> Rate:
    """Motion of the body through a point, with angular velocity w and acceleration e."""
    V = np.array([w, *(point.v - w * turned(point.r))])
    A = np.array([e, *(point.a - e * turned(point.r) + w**2 * point.r)])
    return Rate(V, A)


def through(M: PointRate, N: PointRate) -> Rate:
    """Motion of the body through two points, by (3.7) and (3.10)."""
    r = N.r - M.r
    square = float(r @ r)
    return about(M, cross(r, N.v - M.v) / square, cross(r, N.a - M.a) / square)


def slid(guide: Rate, u: Array, speed: float, growth: float = 0.0) -> Rate:
    """Motion of a body that slides in a guide along u, with the given speed and its rate."""
    v, a = speed * u, growth * u + 2 * guide.w * turned(speed * u)
    A = guide.A + np.array([0.0, *a])
    return Rate(guide.V + np.array([0.0, *v]), A)


@dataclass(frozen=True, eq=False)
class Sliding:
    """Relative vectors of coincident points: v_KJ and the parts of a_K - a_J (3.11-3.17)."""

    v: Array
    normal: Array
    tangential: Array
    coriolis: Array


def sliding(guide: Rate, slider: Rate, K: Array, centre: Array | None = None) -> Sliding:
    """A slider on its guide: a straight one, or an arc about a centre.

    On an arc a^n = -w^2 rho and a^t = e x rho with w = w_k - w_j, e = e_k - e_j and rho from the
    centre to K (3.14, 3.15); on a straight guide a^n = 0 and a^t is what remains.
    """
    v = slider.velocity(K) - guide.velocity(K)
    coriolis = 2 * guide.w * turned(v)
    if centre is None:
        rest = slider.acceleration(K) - guide.acceleration(K) - coriolis
        return Sliding(v, np.zeros(2), rest, coriolis)
    rho = np.asarray(K) - np.asarray(centre)
    w, e = slider.w - guide.w, slider.e - guide.e
    return Sliding(v, -(w**2) * rho, e * turned(rho), coriolis)


def similar(M: Array, B: Array, C: Array) -> complex:
    """z = (M - B) / (C - B) of three points of a link; their images have the same z."""
    return complex(*(M - B)) / complex(*(C - B))


def image(z: complex, b: Array, c: Array) -> Array:
    """The image m = b + z (c - b) of a third point of a link, from those of two others."""
    m = complex(*b) + z * complex(*(c - b))
    return np.array([m.real, m.imag])
