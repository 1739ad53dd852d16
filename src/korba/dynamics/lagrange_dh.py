"""Lagrange's equations in trace form, from 4 x 4 poses W, their tables U and 4 x 4 inertias B.

With B_i = integral r r' dm, r = (x, y, z, 1) (3.14), gravity g = (g_x, g_y, g_z, 0) and
b_i = B_i (0, 0, 0, 1)' = (m c, m), sums over the links i that the velocity l moves:

    T = 1/2 sum Tr[Wdot_i B_i Wdot_i'],    V = - sum g' W_i b_i                      (3.12, 3.15)
    A_lj = sum Tr[U_ij B_i U_il']                                                    (3.20)
    tau_l = sum_j A_lj a_j + sum_i,j,k Tr[U_ijk B_i U_il'] v_j v_k - sum g' U_il b_i (3.17)

The last line is  tau_l = sum_i Tr[F_i U_il']  with  F_i = Wddot_i B_i - g b_i',  the integral of
(acceleration - gravity) r' dm; a wrench (n, f) on a link takes off  R_i [n x / 2, f].

Accompanying elements (rotors behind gears, counterweights, pistons) are the links whose way from
the base has dependent coordinates p = F(q); with P = F_q their shares come back through it:

    gamma = P' R P,  beta = P' (R pddot_0 + w),  R_ij = Tr[U_j B U_i']               (3.59-3.62)

and so do the torques of motors on lead-in coordinates (3.66). Nothing is differentiated but F.

Source: Maryniak & Malecki (received 1987), with the corrections of its misprints: (3.17) is taken
with the velocity sum of (3.22), (3.61) with the factor p_i,l.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..kinematics.couplings import all_coordinates, all_motion, all_velocities
from ..spatial.rotation import Array, skew
from ..system.regroup import inertia_matrix
from ..system.system import Loads, System
from ..system.tree import Link, Tree
from .formulation import Formulation, completed
from .recursions import damping, of_all_joints
from .theta import Tables, rates, second_table, tables


def full_mass_matrix(tree: Tree, q_all: Any) -> Array:
    """A over the velocities of all joints (3.20)."""
    U = tables(tree, q_all).U
    A = np.zeros((len(tree.velocities),) * 2, dtype=object)
    for i, link in enumerate(tree.links):
        B = inertia_matrix(link)
        for place, (j, U_j) in enumerate(U[i].items()):
            UB = U_j @ B
            for l_, U_l in list(U[i].items())[place:]:
                A[l_, j] = A[l_, j] + _trace(UB, U_l)
                A[j, l_] = A[l_, j]
    return A


def joint_forces(
    tree: Tree, q_all: Any, v_all: Any, a_all: Any, gravity: Array, *, loads: Loads
) -> Array:
    """Generalised forces of all joints for the given motion (3.17), less what the loads give."""
    first = tables(tree, q_all)
    _, change = rates(tree, q_all, v_all, first)
    tau = np.zeros(len(tree.velocities), dtype=object) + damping(tree) * v_all - loads.tau
    for i, link in enumerate(tree.links):
        Wdd = change[i] + sum((U * a_all[j] for j, U in first.U[i].items()), np.zeros((4, 4)))
        B = inertia_matrix(link)
        F = (Wdd @ B)[:3] - np.outer(gravity, B[:, 3])
        if i in loads.wrenches:
            n, f = loads.wrenches[i]
            F = F - first.W[i][:3, :3] @ np.column_stack([0.5 * skew(n), f])
        for j, U in first.U[i].items():
            tau[j] = tau[j] + _trace(F, U)
    return tau


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """M = A(q) a + C(q, v) of (3.67), through the lead-in functions p = F(q)."""
    x = all_motion(s.tree, q, v, a)  # (3.58)
    return x.back(joint_forces(s.tree, x.q, x.v, x.a, s.gravity, loads=s.loads(x.q, x.v)))


def mass_matrix(s: System, q: Any) -> Array:
    """A(q) of (3.68): the main chain's and every accompanying element's."""
    return of_all_joints(s.tree, q, full_mass_matrix)


def energies(tree: Tree, q: Any, v: Any, gravity: Array) -> tuple[list[Any], list[Any]]:
    """Kinetic and potential energy of every link (3.12), (3.15), (3.26), (3.28)."""
    q_all = all_coordinates(tree, q)
    v_all = all_velocities(tree, q_all, v)
    first = tables(tree, q_all)
    speed, _ = rates(tree, q_all, v_all, first)
    B = [inertia_matrix(link) for link in tree.links]
    T = [0.5 * _trace(Wd @ B_i, Wd) for Wd, B_i in zip(speed, B, strict=True)]
    V = [-(gravity @ (W[:3] @ B_i[:, 3])) for W, B_i in zip(first.W, B, strict=True)]
    return T, V


def energy(s: System, q: Any, v: Any) -> tuple[Any, Any]:
    """Kinetic and potential energy of the whole."""
    T, V = energies(s.tree, q, v, s.gravity)
    return sum(T, start=0.0), sum(V, start=0.0)


@dataclass(frozen=True, eq=False)
class Share(Displayed):
    """What one link adds to the equations; r velocities lead to it from the base."""

    body: str
    accompanying: bool
    """Whether a dependent coordinate is on its way from the base."""
    lead_in: tuple[int, ...]
    """Places of those r velocities among the velocities of all joints."""
    P: Array
    """p_i,l: the lead-in velocities by the independent ones, r x nv."""
    R: Array
    """R_ij = Tr[U_j B U_i'], r x r (3.39)."""
    R3: Array
    """R_ijk = Tr[U_jk B U_i'], r x r x r (3.54)."""
    gamma: Array
    """Its share of A, nv x nv (3.59)."""
    beta_1: Array
    """Its share of C from the second derivatives of the lead-in functions (3.61)."""
    beta_2: Array
    """Its share of C from R3 and gravity (3.62)."""
    kinetic: Any
    potential: Any


def shares(tree: Tree, q: Any, v: Any, gravity: Array) -> list[Share]:
    """The share of every link, from the tables U_ij and U_ijk as the paper has them."""
    at = all_motion(tree, q, v, np.zeros(tree.nv))
    first = tables(tree, at.q)
    second = second_table(tree, at.q, first)
    found = []
    for i, link in enumerate(tree.links):
        way = list(first.U[i])
        R, R3, weight = _coefficients(link, first, second, i, gravity)
        p = at.v[way]
        w = np.array([p @ R_i @ p for R_i in R3], dtype=object) - weight
        P = at.G[way]
        beta_1, beta_2 = P.T @ (R @ at.a[way]), P.T @ w
        found.append(
            Share(
                link.name,
                not set(way) <= set(tree.free_v),
                tuple(way),
                P,
                R,
                R3,
                P.T @ R @ P,
                beta_1,
                beta_2,
                0.5 * (p @ R @ p),
                -(gravity @ (first.W[i][:3] @ inertia_matrix(link)[:, 3])),
            )
        )
    return found


def _coefficients(
    link: Link,
    first: Tables,
    second: list[dict[tuple[int, int], Array]],
    i: int,
    gravity: Array,
) -> tuple[Array, Array, Array]:
    """R, R3 and the generalised weights g' U_j b of link i."""
    B, U = inertia_matrix(link), first.U[i]
    place = {j: n for n, j in enumerate(U)}
    R = np.zeros((len(U),) * 2, dtype=object)
    R3 = np.zeros((len(U),) * 3, dtype=object)
    for j, U_j in U.items():
        for k, U_k in U.items():
            R[place[k], place[j]] = _trace(U_j @ B, U_k)
    for (j, k), U_jk in second[i].items():
        UB = U_jk @ B
        for l_, U_l in U.items():
            R3[place[l_], place[j], place[k]] = R3[place[l_], place[k], place[j]] = _trace(UB, U_l)
    weight = np.array([gravity @ (U_j[:3] @ B[:, 3]) for U_j in U.values()], dtype=object)
    return R, R3, weight


def _trace(X: Array, Y: Array) -> Any:
    """Tr[X Y'], of matrices whose fourth row is zero."""
    return np.sum(X[:3] * Y[:3])


FORMULATION = Formulation(
    "lagrange-dh",
    "Maryniak & Malecki (1987), (3.1)-(3.68)",
    completed(inverse_dynamics, mass_matrix=mass_matrix, energy=energy),
)
