"""Kane's equations, decoupled by congruency transformations: accelerations with no matrix inverted.

For every body i with mass m, tensor I and mass centre r, in world axes, and speeds u with
v = T u of all joints (T = G: the couplings are the paper's rate matrix):

    V_i = J_i T,   Γ_i = Ω_i T,     J_i = dr_i/dq,   Ω_i = dw_i/dv           (1-3, 9, 10)
    A = - sum of  m V'V + Γ'I Γ                                              (12, 54)
    h =   sum of  m V' d(V)/dt u + Γ' (I d(Γ)/dt u + w x I w) - V'f - Γ'M    (11, 53)
    A u' = h                                                                 (55)

A is minus the mass matrix. Moments between two bodies (drives, springs and dampers of joints) do
work on the joint's own speed only and are taken off h there. Rows are then eliminated one by one:
T_k is unity but for row k right of the diagonal, t_kj = -a_kj / a_kk, and

    Ψ = T_1 T_2 ... T_p-1,   Ψ'A Ψ = L diagonal                              (a)-(d)
    u' = Ψ x,   L x = Ψ'h                                                    (56)-(60)

so that each x follows from one equation. Ψ is found anew at every evaluation, on the graph, and
needs not be multiplied out: the factors are applied one after the other. All pivots are negative,
because A is negative definite. Source: Meghdari & Fahimi, Modeling a Robot with Flexible Joints and
Decoupling its Equations of Motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..kinematics.blocks import (
    Blocks,
    angular_map,
    blocks,
    crossed,
    linear_map,
    of_fathers,
    of_joints,
    outward,
    wide,
)
from ..kinematics.couplings import all_motion
from ..kinematics.rates import subspace_rates
from ..spatial.rotation import Array, cross
from ..system.system import System, no_loads
from .block_matrix import external, turned
from .formulation import Formulation, completed
from .recursions import damping


@dataclass(frozen=True, eq=False)
class Kane:
    """What Kane's equations need of every body: stacks over the bodies, world axes."""

    V: Array
    Gamma: Array
    """Partial velocities of the mass centre and of rotation, (N, 3, p)."""
    Vdot_u: Array
    Gammadot_u: Array
    """Their rates times the speeds, (N, 3)."""
    w: Array
    """Angular velocities, (N, 3)."""
    m: Array
    I: Array  # noqa: E741
    """Masses (N,) and central tensors (N, 3, 3)."""
    f: Array
    M: Array
    """Forces at the mass centres and moments about them, (N, 3)."""
    joints: Array
    """Drives, springs and dampers of the joints on the speeds, (p,)."""

    def A(self) -> Array:
        """- sum of m V'V + Γ'I Γ  (12), every entry above the diagonal made once."""
        momentum, spin = self.m[:, None, None] * self.V, turned(self.I, self.Gamma)
        A = np.zeros((self.V.shape[2],) * 2, dtype=np.result_type(self.V, self.Gamma))
        for j in range(len(A)):
            for k in range(j, len(A)):
                pairs = self.V[:, :, j] * momentum[:, :, k] + self.Gamma[:, :, j] * spin[:, :, k]
                A[j, k] = A[k, j] = -pairs.sum()
        return A

    def h(self) -> Array:
        """Sum of  m V' Vdot u + Γ' (I Γdot u + w x I w) - V'f - Γ'M  (53), less the joints' own."""
        f = self.m[:, None] * self.Vdot_u - self.f
        M = turned(self.I, self.Gammadot_u) + cross(self.w, turned(self.I, self.w)) - self.M
        shares = [self.V[i].T @ f[i] + self.Gamma[i].T @ M[i] for i in range(len(f))]
        return np.asarray(sum(shares, start=-self.joints))


@dataclass(frozen=True, eq=False)
class Congruency:
    """Ψ as its factors T_1, T_2, ..., and the diagonal L = Ψ'A Ψ."""

    rows: list[Array]
    """Row k of T_k right of the diagonal."""
    L: Array

    def matrix(self) -> Array:
        """Ψ, unit upper triangular."""
        n = len(self.L)
        return np.reshape([self.times(e) for e in np.eye(n)], (n, n)).T

    def times(self, x: Any) -> Array:
        """Ψ x = T_1 (T_2 (... x))."""
        y = np.array(x, dtype=self.L.dtype)
        for k in reversed(range(len(self.rows))):
            y[k] = y[k] + self.rows[k] @ y[k + 1 :]
        return y

    def transposed_times(self, h: Any) -> Array:
        """Ψ'h = ... T_2' (T_1' h)."""
        y = np.array(h, dtype=self.L.dtype)
        for k, row in enumerate(self.rows):
            y[k + 1 :] = y[k + 1 :] + row * y[k]
        return y

    def solved(self, h: Any) -> Array:
        """u' = Ψ L^-1 Ψ'h (60)."""
        return self.times(self.transposed_times(h) / self.L)


def kane(s: System, q: Any, v: Any, tau: Any) -> Kane:
    """Partial velocities, their rates and all that acts, at a state."""
    x = all_motion(s.tree, q, v, np.zeros(s.tree.nv))  # x.G is T, x.a is dT/dt u
    b, acting = blocks(s.tree, x.q), s.loads(x.q, x.v)
    J, Omega = linear_map(b, b.c), angular_map(b)
    Jdot, Omegadot = partial_rates(b, x.q, x.v)
    f, M = external(b, s.gravity, acting)
    return Kane(
        J @ x.G if x.coupled else J,
        Omega @ x.G if x.coupled else Omega,
        Jdot @ x.v + J @ x.a,
        Omegadot @ x.v + Omega @ x.a,
        Omega @ x.v,
        b.m[:, 0, 0],
        np.reshape(b.J, (-1, 3, 3)),
        f[:, :, 0],
        (M - crossed(b.c, f))[:, :, 0],
        np.asarray(tau) + x.back(acting.tau - damping(s.tree) * x.v),
    )


def kane_equations(s: System, q: Any, v: Any, tau: Any) -> tuple[Array, Array]:
    """A and h of  A u' = h  (55)."""
    terms = kane(s, q, v, tau)
    return terms.A(), terms.h()


def partial_rates(b: Blocks, q_all: Any, v_all: Any) -> tuple[Array, Array]:
    """dJ/dt and dΩ/dt of all bodies over the velocities of all joints.

    Zdot = w x Z + R Sdot_w and Udot alike; J is a sweep over the tree, and Jdot its derivative.
    """
    Omega = angular_map(b)
    w = outward(b.tree, of_joints(b, b.Z, v_all))
    rates = subspace_rates(b.tree, q_all, v_all)
    turn = crossed(w, wide(b, b.Z)) + _rates(b, rates, slice(0, 3))
    slide = crossed(w, wide(b, b.U)) + _rates(b, rates, slice(3, 6))
    Omegadot = outward(b.tree, turn)
    w_f, Omega_f, Omegadot_f = (of_fathers(b.tree, x) for x in (w, Omega, Omegadot))
    sdot = crossed(w_f, b.s) + of_joints(b, b.U, v_all)
    along = slide + crossed(Omegadot_f, b.s) + crossed(Omega_f, sdot)
    Jdot = outward(b.tree, along) + crossed(Omegadot, b.c) + crossed(Omega, crossed(w, b.c))
    return Jdot, Omegadot


def congruency(A: Array) -> Congruency:
    """The factors T_k and the diagonal of a symmetric definite A, eliminated from row 1 on."""
    rows, L, left = [], [], np.array(A)
    for k in range(len(left) - 1):
        row = -left[k, k + 1 :] / left[k, k]
        for j in range(k + 1, len(left)):
            left[j, j:] = left[j, j:] + row[j - k - 1] * left[k, j:]
        rows.append(row)
        L.append(left[k, k])
    return Congruency(rows, np.array([*L, *left.diagonal()[-1:]], dtype=left.dtype))


def mass_matrix(s: System, q: Any) -> Array:
    """M = -A."""
    rest = np.zeros(s.tree.nv)
    return -kane_equations(replace(s, loads=no_loads), q, rest, rest)[0]


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """tau = h - A u'."""
    A, h = kane_equations(s, q, v, np.zeros(s.tree.nv))
    return np.asarray(h - A @ np.asarray(a))


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """u' = Ψ L^-1 Ψ'h."""
    A, h = kane_equations(s, q, v, tau)
    return congruency(A).solved(h)


def _rates(b: Blocks, rates: list[Array], part: slice) -> Array:
    """R Sdot, angular or linear, in the block diagonal arrangement."""
    return wide(b, [X.R @ rate[part] for X, rate in zip(b.X, rates, strict=True)])


FORMULATION = Formulation(
    "kane-congruence",
    "Meghdari & Fahimi, (1)-(12), (53)-(60)",
    completed(inverse_dynamics, mass_matrix=mass_matrix, forward_dynamics=forward_dynamics),
)
