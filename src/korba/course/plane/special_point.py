"""Velocities and accelerations of a triad by its special (Assur) point (Gronowicz 3.2.4, Ex. 3.2).

A link with three pins P_i hangs on three legs. A leg lets its pin move across its line only, so
the component of v_P along the line is known, and that of a_P once velocities are:

    v_P . d = s,       a_P . d = g                                                         (1)

    rod with a pin Q            d along QP      s = v_Q . d,          g = a_Q . d - w^2 |QP|
    slider in a guide           d across it     s = v_J . d,          g = (a_J + 2 w_g x v_PJ) . d
    actuator of length l on Q   d along QP      s = v_Q . d + l',     g = a_Q . d - w^2 l + l''

The lines of two legs meet in the special point H, taken as a point of the link. As H lies on them,
H satisfies (1) of both legs with s unchanged: two equations for v_H. The third leg gives w:

    (v_H + w x r_HP) . d = s                                                          (3.28, 3.29)
    a_H . d = g - w^2 r_PH . d        (a_H - w^2 r_HP + e x r_HP) . d = g             (3.33-3.36)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...errors import StructureError
from ...spatial.rotation import Array
from .instant import cross, turned
from .rates import PointRate, Rate, about, point_rate

SINGULAR = 1e-10
"""Least sine of the angle of two legs that determine a point."""


@dataclass(frozen=True, eq=False)
class Rod:
    """A leg with a pin Q on something known; an actuator if it grows."""

    P: Array
    Q: PointRate
    growth: float = 0.0
    """l'."""
    growth_rate: float = 0.0
    """l''."""

    @property
    def d(self) -> Array:
        """Unit vector of the line of the leg."""
        return np.asarray((self.P - self.Q.r) / np.linalg.norm(self.P - self.Q.r))

    @property
    def speed(self) -> float:
        """s of (1)."""
        return float(self.Q.v @ self.d) + self.growth

    def acceleration(self, v_P: Array) -> float:
        """g of (1)."""
        across = cross(self.d, v_P - self.Q.v)
        length = float(np.linalg.norm(self.P - self.Q.r))
        return float(self.Q.a @ self.d) - across**2 / length + self.growth_rate


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
        """s of (1)."""
        return float(self.guide.velocity(self.P) @ self.d)

    def acceleration(self, v_P: Array) -> float:
        """g of (1)."""
        J = point_rate(self.guide, self.P)
        return float((J.a + 2 * self.guide.w * turned(v_P - J.v)) @ self.d)


Leg = Rod | Slider


@dataclass(frozen=True, eq=False)
class Triad:
    """The motion of the link with three pins, and its special point."""

    H: PointRate
    body: Rate
    legs: tuple[int, int]
    """Which legs meet in H."""


def triad(legs: tuple[Leg, Leg, Leg]) -> Triad:
    """Motion of a link on three legs by its special point."""
    angles = {(i, j): abs(cross(legs[i].d, legs[j].d)) for i, j in combinations(range(3), 2)}
    crossing = [pair for pair in ((0, 1), (0, 2), (1, 2)) if angles[pair] > 0.1]
    i, j = crossing[0] if crossing else max(angles, key=lambda pair: angles[pair])
    if angles[i, j] < SINGULAR:
        raise StructureError("the three legs are parallel: the link has no single velocity")
    return _at_special_point(legs, (i, j))


def _at_special_point(legs: tuple[Leg, Leg, Leg], two: tuple[int, int]) -> Triad:
    one, other = (legs[k] for k in two)
    third = legs[3 - sum(two)]
    rows = np.array([one.d, other.d])
    along = cross(other.P - one.P, other.d) / cross(one.d, other.d)
    H = one.P + along * one.d
    v_H = np.linalg.solve(rows, [one.speed, other.speed])
    lever = float(turned(third.P - H) @ third.d)
    if abs(lever) < SINGULAR * max(float(np.linalg.norm(third.P - H)), abs(along)):
        raise StructureError("the lines of the three legs meet in one point: a dead point")
    w = float(third.speed - v_H @ third.d) / lever
    g = [leg.acceleration(v_H + w * turned(leg.P - H)) for leg in (one, other, third)]
    a_H = np.linalg.solve(
        rows, [g[k] - w**2 * float((H - leg.P) @ leg.d) for k, leg in enumerate((one, other))]
    )
    e = float(g[2] - (a_H - w**2 * (third.P - H)) @ third.d) / lever
    point = PointRate(np.asarray(H), v_H, a_H)
    return Triad(point, about(point, w, e), two)
