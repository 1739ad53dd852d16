"""Gear meshing in absolute coordinates (Gronowicz 2.92).

Wheels j and k with pitch radii r_j and r_k on a carrier m, angles counted from the drawing and
accumulated over turns; the radius of a ring is negative:

    [(Theta_j - Theta_j0) - (Theta_m - Theta_m0)] r_j
        + [(Theta_k - Theta_k0) - (Theta_m - Theta_m0)] r_k = 0                            (2.92)

Where no link carries both wheels, the angle of their line of centres takes the place of Theta_m;
parting of the centres then turns the wheels by their pressure angle as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...spatial.rotation import Array
from .pairs import TURN, Between, PlanarState, Rows

ONE = np.array([[0.0, 0.0, 1.0]])


@dataclass(frozen=True, eq=False)
class GearPair:
    """Two wheels on a carrier m: (2.92), with the angles (Theta_j0, Theta_k0, Theta_m0)."""

    j: int
    r_j: float
    k: int
    r_k: float
    m: int
    drawn: tuple[float, float, float]
    count: int = 1

    def rows(self, s: PlanarState) -> Rows:
        """A row of constants; gamma is zero."""
        theta_j, theta_k, theta_m = (
            s.angle(i) - drawn
            for i, drawn in zip((self.j, self.k, self.m), self.drawn, strict=True)
        )
        phi = (theta_j - theta_m) * self.r_j + (theta_k - theta_m) * self.r_k
        blocks = [
            (self.j, self.r_j * ONE),
            (self.k, self.r_k * ONE),
            (self.m, -(self.r_j + self.r_k) * ONE),
        ]
        return Rows(np.array([phi]), s.spread(blocks), np.zeros(1), np.zeros(1))


@dataclass(frozen=True, eq=False)
class FreeGearPair:
    """Two wheels without a common carrier, by the line of their centres s_j and s_k.

        Phi = r_j (Theta_j + a_j - phi) + r_k (Theta_k + a_k - phi) - lean (distance - r_j - r_k)

    phi and distance are polar coordinates of d, the vector between the centres, turned round where
    a ring makes the distance negative; lean is the tangent of the pressure angle.
    """

    j: int
    s_j: Array
    r_j: float
    k: int
    s_k: Array
    r_k: float
    a: tuple[float, float]
    lean: float = 0.0
    count: int = 1

    def rows(self, s: PlanarState) -> Rows:
        """Rates of phi are d x d' / d'd, of the distance d'd' / |d|."""
        between = Between(s, self.j, self.s_j, self.k, self.s_k)
        total = self.r_j + self.r_k
        side = np.sign(total)
        d, rate, bend = side * between.d, side * between.rate, side * between.bend
        square, across = d @ d, TURN @ d
        length = np.sqrt(square)
        parting = (d @ rate) / length
        turn_bend = (across @ bend) / square - 2 * (d @ rate) * (across @ rate) / square**2
        length_bend = (rate @ rate + d @ bend - parting**2) / length
        slope = -total * across / square - self.lean * side * d / length
        phi_q = s.spread(
            [
                *between.blocks(side * slope[None]),
                (self.j, self.r_j * ONE),
                (self.k, self.r_k * ONE),
            ]
        )
        gamma = total * turn_bend + self.lean * side * length_bend
        return Rows(
            np.array([self._value(s, d, side * length)]), phi_q, np.array([gamma]), np.zeros(1)
        )

    def _value(self, s: PlanarState, d: Array, distance: float) -> float:
        """Phi, phi counted over the turns that leave it nearest to zero."""
        total = self.r_j + self.r_k
        turned = self.r_j * (s.angle(self.j) + self.a[0]) + self.r_k * (s.angle(self.k) + self.a[1])
        rest = turned - self.lean * (distance - total)
        phi = np.arctan2(d[1], d[0])
        phi = phi + 2 * np.pi * np.round((rest / total - phi) / (2 * np.pi))
        return float(rest - total * phi)
