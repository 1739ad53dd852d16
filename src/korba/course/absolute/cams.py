"""Cam pairs in absolute coordinates (Gronowicz 2.85-2.91): one more unknown beta, two equations.

The profile belongs to link j: with its pole at o and axes G on the link,

    s_P = o + G rho(beta) (cos beta, sin beta),   t = s_P',   t', t'' by beta        (2.85, 2.86)

Roller of radius r about the point Q of link k, n = r_P - r_Q:      n'n - r^2 = 0,  t'n = 0   (2.89)
Flat face of link k with the normal n_k through Q, d = r_Q - r_P:   d'n_k = 0,  t'n_k = 0     (2.91)

In (2.90) the last sign is a minus, printed as a plus. (2.89) also holds with the roller on the
inner side: the start decides. A roller of radius 0 is a knife edge, n = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...spatial.rotation import Array
from ..laws import Function
from .pairs import TURN, PlanarState, Rows


@dataclass(frozen=True, eq=False)
class Profile:
    """A profile rho(beta) on a link: a law with derivatives, its pole and axes there."""

    rho: Function
    pole: Array = field(default_factory=lambda: np.zeros(2))
    axes: Array = field(default_factory=lambda: np.eye(2))

    def at(self, beta: float) -> tuple[Array, Array, Array, Array]:
        """s_P and its first, second and third derivative, in the link."""
        r = [self.rho(beta, order) for order in range(4)]
        out = self.axes @ np.array([np.cos(beta), np.sin(beta)])
        across = self.axes @ np.array([-np.sin(beta), np.cos(beta)])
        return (
            self.pole + r[0] * out,
            r[1] * out + r[0] * across,
            (r[2] - r[0]) * out + 2 * r[1] * across,
            (r[3] - 3 * r[1]) * out + (3 * r[2] - r[0]) * across,
        )


@dataclass(frozen=True, eq=False)
class _Contact:
    """The contact point P and the tangent t at a state, with derivatives.

    `by_q` and `by_beta` are derivatives by q_j and beta, `rate` the one in time, `bend` what is
    left of the second in time when q'' = 0.
    """

    P: Array
    P_by_q: Array
    P_rate: Array
    P_bend: Array
    t: Array
    t_by_q: Array
    t_by_beta: Array
    t_rate: Array
    t_bend: Array


def _contact(s: PlanarState, j: int, profile: Profile, beta: int) -> _Contact:
    """P and t of the profile of link j, the parameter being unknown number `beta`."""
    p, R, v, w = s.link(j)
    b = s.v[beta]
    s_P, t, t1, t2 = profile.at(float(s.q[beta]))
    B = TURN @ R
    return _Contact(
        P=p + R @ s_P,
        P_by_q=np.column_stack([np.eye(2), B @ s_P]),
        P_rate=v + w * B @ s_P + b * R @ t,
        P_bend=-(w**2) * R @ s_P + 2 * w * b * B @ t + b**2 * R @ t1,
        t=R @ t,
        t_by_q=np.column_stack([np.zeros((2, 2)), B @ t]),
        t_by_beta=R @ t1,
        t_rate=w * B @ t + b * R @ t1,
        t_bend=-(w**2) * R @ t + 2 * w * b * B @ t1 + b**2 * R @ t2,
    )


def _point(s: PlanarState, k: int, s_k: Array) -> tuple[Array, Array, Array, Array]:
    """A point of link k: position, derivative by q_k, velocity, velocity part of acceleration."""
    p, R, v, w = s.link(k)
    arm = TURN @ R @ s_k
    return p + R @ s_k, np.column_stack([np.eye(2), arm]), v + w * arm, -(w**2) * R @ s_k


@dataclass(frozen=True, eq=False)
class CamRollerPair:
    """A roller of link k, radius r about the point s_k, on the profile of link j (2.89)."""

    j: int
    profile: Profile
    k: int
    s_k: Array
    r: float
    beta: int
    """Place of the profile parameter among the unknowns."""
    count: int = 2

    def rows(self, s: PlanarState) -> Rows:
        """Derivatives of n'n - r^2 and t'n; of n itself for a knife edge."""
        c = _contact(s, self.j, self.profile, self.beta)
        Q, Q_by_q, Q_rate, Q_bend = _point(s, self.k, self.s_k)
        n, rate, bend = c.P - Q, c.P_rate - Q_rate, c.P_bend - Q_bend
        by_n = [(self.j, c.P_by_q), (self.k, -Q_by_q)], c.t
        if self.r == 0.0:
            return Rows(n, s.spread(by_n[0], {self.beta: by_n[1]}), -bend, np.zeros(2))
        phi = np.array([n @ n - self.r**2, c.t @ n])
        by_j = np.stack([2 * n @ c.P_by_q, c.t @ c.P_by_q + n @ c.t_by_q])
        by_k = np.stack([-2 * n @ Q_by_q, -c.t @ Q_by_q])
        by_beta = np.array([2 * n @ c.t, c.t @ c.t + n @ c.t_by_beta])
        gamma = -np.array(
            [2 * rate @ rate + 2 * n @ bend, c.t_bend @ n + 2 * c.t_rate @ rate + c.t @ bend]
        )
        phi_q = s.spread([(self.j, by_j), (self.k, by_k)], {self.beta: by_beta})
        return Rows(phi, phi_q, gamma, np.zeros(2))


@dataclass(frozen=True, eq=False)
class CamFlatPair:
    """A flat face of link k, normal n through the point s_k, on the profile of link j (2.91)."""

    j: int
    profile: Profile
    k: int
    s_k: Array
    n: Array
    beta: int
    count: int = 2

    def rows(self, s: PlanarState) -> Rows:
        """Derivatives of d'n_k and t'n_k."""
        c = _contact(s, self.j, self.profile, self.beta)
        Q, Q_by_q, Q_rate, Q_bend = _point(s, self.k, self.s_k)
        _, R_k, _, w = s.link(self.k)
        n = R_k @ self.n
        across = TURN @ n
        n_rate, n_bend = w * across, -(w**2) * n
        n_by_q = np.column_stack([np.zeros((2, 2)), across])
        d, rate, bend = Q - c.P, Q_rate - c.P_rate, Q_bend - c.P_bend
        phi = np.array([d @ n, c.t @ n])
        by_j = np.stack([-n @ c.P_by_q, n @ c.t_by_q])
        by_k = np.stack([n @ Q_by_q + d @ n_by_q, c.t @ n_by_q])
        by_beta = np.array([-n @ c.t, n @ c.t_by_beta])
        gamma = -np.array(
            [
                bend @ n + 2 * rate @ n_rate + d @ n_bend,
                c.t_bend @ n + 2 * c.t_rate @ n_rate + c.t @ n_bend,
            ]
        )
        phi_q = s.spread([(self.j, by_j), (self.k, by_k)], {self.beta: by_beta})
        return Rows(phi, phi_q, gamma, np.zeros(2))
