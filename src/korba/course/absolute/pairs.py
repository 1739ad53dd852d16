"""Constraint equations of planar pairs in absolute coordinates (Gronowicz 2.3.3.1 and 3.4).

Every moving link i has q_i = (x_i, y_i, Theta_i); link 0 is the base. A pair gives rows

    Phi(q) = 0,     Phi_q q' = -Phi_t (3.52),     Phi_q q'' = gamma (3.57)

gamma being minus what is left of the second derivative of Phi when q'' = 0. With local points s_j
and s_k of the links j and k, d = p_k + R_k s_k - p_j - R_j s_j, B = dR/dTheta:

    d'  = p'_k + Theta'_k B_k s_k - p'_j - Theta'_j B_j s_j
    d_v = -Theta'_k^2 R_k s_k + Theta'_j^2 R_j s_j           d'' when q'' = 0

Where the print writes A_k together with p_k in (2.75) and (2.76), the rotation R_k is meant; the
yoke (2.82)-(2.84) is restored from its use in Example 2.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...spatial.rotation import Array

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""R with an upright sign: u turned by 90 deg."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Some equations at a state: Phi, its derivatives by q and t, and gamma."""

    phi: Array
    phi_q: Array
    gamma: Array
    phi_t: Array


@dataclass(frozen=True, eq=False)
class PlanarState:
    """Coordinates and velocities of all links, (x, y, Theta) each, profile parameters after them.

    `running` is how fast the time runs: 1, or 0 where it stands still.
    """

    q: Array
    v: Array
    t: float = 0.0
    running: float = 1.0

    @cached_property
    def _links(self) -> dict[int, tuple[Array, Array, Array, Any]]:
        return {0: (np.zeros(2), np.eye(2), np.zeros(2), 0.0)}

    def link(self, i: int) -> tuple[Array, Array, Array, Any]:
        """p, R, p' and Theta' of a link."""
        if i not in self._links:
            k = 3 * i
            c, s = np.cos(self.q[k - 1]), np.sin(self.q[k - 1])
            R, rate = np.array([[c, -s], [s, c]]), self.v[k - 1]
            self._links[i] = self.q[k - 3 : k - 1], R, self.v[k - 3 : k - 1], rate
        return self._links[i]

    def angle(self, i: int) -> Any:
        """Theta of a link."""
        return self.q[3 * i - 1] if i else 0.0

    def rate(self, i: int) -> Any:
        """Theta' of a link."""
        return self.v[3 * i - 1] if i else 0.0

    def spread(
        self, blocks: list[tuple[int, Array]], extra: dict[int, Array] | None = None
    ) -> Array:
        """Rows of Phi_q from blocks of three columns a link, and columns of profile parameters."""
        found = np.zeros((len(blocks[0][1]), len(self.q)))
        for i, block in blocks:
            if i:
                found[:, 3 * i - 3 : 3 * i] += block
        for column, values in (extra or {}).items():
            found[:, column] += values
        return found


class Constraint(Protocol):
    """What gives rows: a pair or a driver."""

    @property
    def count(self) -> int:
        """Count of equations."""

    def rows(self, s: PlanarState) -> Rows:
        """The rows at a state."""


@dataclass(frozen=True, eq=False)
class Between:
    """The vector d from a point of link j to a point of link k, with its derivatives."""

    s: PlanarState
    j: int
    s_j: Array
    k: int
    s_k: Array

    @cached_property
    def d(self) -> Array:
        """d."""
        (p_j, R_j, _, _), (p_k, R_k, _, _) = self.s.link(self.j), self.s.link(self.k)
        return np.asarray(p_k + R_k @ self.s_k - p_j - R_j @ self.s_j)

    @cached_property
    def rate(self) -> Array:
        """d'."""
        (_, R_j, v_j, w_j), (_, R_k, v_k, w_k) = self.s.link(self.j), self.s.link(self.k)
        return np.asarray(v_k + w_k * TURN @ R_k @ self.s_k - v_j - w_j * TURN @ R_j @ self.s_j)

    @cached_property
    def bend(self) -> Array:
        """d_v."""
        (_, R_j, _, w_j), (_, R_k, _, w_k) = self.s.link(self.j), self.s.link(self.k)
        return np.asarray(w_j**2 * R_j @ self.s_j - w_k**2 * R_k @ self.s_k)

    @cached_property
    def by_j(self) -> Array:
        """dd/dq_j = [-1, -B_j s_j]."""
        x, y = self.s.link(self.j)[1] @ self.s_j
        return np.array([[-1.0, 0.0, y], [0.0, -1.0, -x]])

    @cached_property
    def by_k(self) -> Array:
        """dd/dq_k = [1, B_k s_k]."""
        x, y = self.s.link(self.k)[1] @ self.s_k
        return np.array([[1.0, 0.0, -y], [0.0, 1.0, x]])

    def blocks(self, row: Array) -> list[tuple[int, Array]]:
        """Blocks of row'd."""
        return [(self.j, row @ self.by_j), (self.k, row @ self.by_k)]


def _still(count: int) -> Array:
    return np.zeros(count)


@dataclass(frozen=True, eq=False)
class RevolutePair:
    """Two points that coincide: d = 0 (2.75)-(2.77)."""

    j: int
    s_j: Array
    k: int
    s_k: Array
    count: int = 2

    def rows(self, s: PlanarState) -> Rows:
        """gamma = Theta'_k^2 R_k s_k - Theta'_j^2 R_j s_j."""
        between = Between(s, self.j, self.s_j, self.k, self.s_k)
        phi_q = s.spread(between.blocks(np.eye(2)))
        return Rows(between.d, phi_q, -between.bend, _still(2))


@dataclass(frozen=True, eq=False)
class YokePair:
    """A pin of link k in a slot of link j through the point s_j along e: e'_perp d = 0 (2.84)."""

    j: int
    s_j: Array
    e: Array
    k: int
    s_k: Array
    count: int = 1

    def rows(self, s: PlanarState) -> Rows:
        """gamma = -d_v'u_perp + 2 Theta'_j d''u + Theta'_j^2 d'u_perp, u = R_j e."""
        between = Between(s, self.j, self.s_j, self.k, self.s_k)
        d, w = between.d, s.rate(self.j)
        u = s.link(self.j)[1] @ self.e
        across = TURN @ u
        turning = np.array([[0.0, 0.0, -(d @ u)]])
        phi_q = s.spread([*between.blocks(across[None]), (self.j, turning)])
        gamma = -between.bend @ across + 2 * w * between.rate @ u + w**2 * d @ across
        return Rows(np.array([d @ across]), phi_q, np.array([gamma]), _still(1))


@dataclass(frozen=True, eq=False)
class PrismaticPair:
    """A slide of link k on link j: a yoke (2.80) and Theta_j - Theta_k - c = 0 (2.81)."""

    j: int
    s_j: Array
    u: Array
    k: int
    s_k: Array
    c: float
    count: int = 2

    def rows(self, s: PlanarState) -> Rows:
        """The row of the yoke, and the angle, whose gamma is zero."""
        line = YokePair(self.j, self.s_j, self.u, self.k, self.s_k).rows(s)
        angle = parallel(s, self.j, self.k, self.c)
        return stacked([line, angle])


@dataclass(frozen=True, eq=False)
class WeldPair:
    """No motion: a revolute pair and (2.81)."""

    j: int
    s_j: Array
    k: int
    s_k: Array
    c: float
    count: int = 3

    def rows(self, s: PlanarState) -> Rows:
        """Three rows."""
        point = RevolutePair(self.j, self.s_j, self.k, self.s_k).rows(s)
        return stacked([point, parallel(s, self.j, self.k, self.c)])


def parallel(s: PlanarState, j: int, k: int, c: float) -> Rows:
    """Theta_j - Theta_k - c = 0 (2.81)."""
    one = np.array([[0.0, 0.0, 1.0]])
    phi = np.array([s.angle(j) - s.angle(k) - c])
    return Rows(phi, s.spread([(j, one), (k, -one)]), _still(1), _still(1))


def stacked(parts: list[Rows]) -> Rows:
    """Rows under each other."""
    return Rows(
        np.concatenate([part.phi for part in parts]),
        np.concatenate([part.phi_q for part in parts]),
        np.concatenate([part.gamma for part in parts]),
        np.concatenate([part.phi_t for part in parts]),
    )
