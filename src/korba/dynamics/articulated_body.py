"""Forward dynamics of a tree by articulated bodies, in time proportional to the number of links.

First h(q, v) is taken off the forces by the Newton-Euler recursion; what is left, r = tau - h,
accelerates the mechanism from rest without gravity. Every link with all that hangs on it answers
a spatial acceleration A with the force  I A + p; its own joint gives way:

    D = S' I S,   U = I S,   u = r - S' p                                    (1)
    I_a = I - U D^-1 U',   p_a = p + U D^-1 u                                (2)
    I_P += X' I_a X,   p_P += X' p_a                                         (3)
    a = D^-1 (u - U' A'),   A = A' + S a,   A' = X A_P                       (4)

6-vectors are angular first, in the link's frame about its origin. In blocks I = [[J, H], [H', M]]
(3) turns each block and shifts to the parent's origin with H_P = H + [p x] M and
J_P = J + (p x H')' + p x H_P'. Source: Featherstone (2008), section 7.3.

Couplings p = F(q) are kept by forces lambda in all joints, of which there are as many:

    C a_all = c,   C = (1, -F_q),   c = (d/dt F_q) v                         (5)
    a_all = a_0 + Y lambda,   Y = M_all^-1 C',   (C Y) lambda = c - C a_0    (6)

with a_0 and every column of Y by the same sweeps: still in time proportional to the links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..kinematics.couplings import CouplingMap, all_coordinates, coupling_map
from ..kinematics.forward import relative_pose
from ..kinematics.sweep import Inward, Outward, Sweep, Values, in_order, swept, together
from ..kinematics.velocity import of_parent
from ..spatial.inertia import congruent
from ..spatial.pose import Pose
from ..spatial.rotation import Array, skew
from ..system.system import Loads, System, no_loads
from ..system.tree import Link, Tree
from . import newton_euler
from .composite_body import full_mass_matrix
from .factored import solve_symmetric
from .formulation import Formulation
from .recursions import carried, link_values, resisted

REFUSED = "couplings hold links there that have no inertia of their own; use another formulation"
LOWER = np.tril_indices(6)
"""Places of the 21 entries that a symmetric matrix is known by."""


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """Accelerations a with  M(q) a = tau - h(q, v)."""
    tree, q_all = s.lean, all_coordinates(s.lean, q)
    couplings = coupling_map(tree, q_all, np.asarray(v))
    v_all = couplings.out(np.asarray(v))
    force = np.zeros(len(v_all), dtype=object)
    force[list(tree.free_v)] = np.asarray(tau)
    a_0 = _accelerations(s, q_all, v_all, force, s.loads(q_all, v_all))
    if not couplings.slopes:
        return a_0
    C, c = _coupling_rows(couplings, v_all)  # (5)
    alone = replace(s, gravity=np.zeros(3))
    nothing = no_loads(q_all, 0 * v_all)
    Y = np.column_stack([_accelerations(alone, q_all, 0 * v_all, row, nothing) for row in C])
    a_all = a_0 + Y @ solve_symmetric(C @ Y, c - C @ a_0)  # (6)
    return np.asarray(a_all[list(tree.free_v)])


def _accelerations(s: System, q_all: Array, v_all: Array, force: Array, acting: Loads) -> Array:
    """Of all joints, each free of the others."""
    values = {"q": q_all, "v": v_all, "a": np.zeros(len(v_all)), "force": force}
    given = link_values(s.lean, values, acting)
    return in_order(s.lean, swept(s.lean, forward_sweeps(s.gravity), given), "a")


def _coupling_rows(couplings: CouplingMap, v_all: Array) -> tuple[Array, Array]:
    """C and c of (5), a row for each coupling."""
    C = np.zeros((len(couplings.slopes), len(v_all)), dtype=object)
    c = np.zeros(len(C), dtype=object)
    for k, (row, terms) in enumerate(couplings.slopes):
        C[k, row] = 1.0
        for source, slope, rate in terms:
            C[k, source] = C[k, source] - slope
            c[k] = c[k] + rate * v_all[source]
    return C, c


def _refusal(tree: Tree) -> str | None:
    """A sentence where links that couplings hold could not move on their own: M_all is singular."""
    if not tree.couplings:
        return None
    rng, q_all = np.random.default_rng(5), np.zeros(len(tree.coordinates))
    for link in tree.links:
        drawn = link.joint.drawn_coordinates
        q_all[link.q] = link.joint.normalised(drawn + rng.uniform(-0.3, 0.3, len(drawn)))
    M = np.asarray(full_mass_matrix(tree, q_all), dtype=float)
    size = np.sqrt(np.maximum(M.diagonal(), 1e-300))
    return None if np.linalg.eigvalsh(M / np.outer(size, size))[0] > 1e-11 else REFUSED


def forward_sweeps(gravity: Array) -> Sequence[Sweep]:
    """From q, v, force, wrench and load of every link to `a`, which is given as zero."""
    steps = together(newton_euler.INWARD.step, resisted, _left, INWARD.step)
    inward = Inward(steps, {**newton_euler.INWARD.gathered, **INWARD.gathered})
    return newton_euler.outward(gravity), inward, OUTWARD


def _left(_: Link, own: Values) -> tuple[Values, Values]:
    """What is left to accelerate the mechanism."""
    return {"r": own["force"] - own["tau"]}, {}


def _inward(link: Link, own: Values) -> tuple[Values, Values]:
    """What a link answers with at its joint, and its share in its parent."""
    S = link.joint.motion_subspace(own["q"])
    X = relative_pose(link, own["q"])
    I, p = _inertia(link) + _square(own["I"]), own["p"]  # noqa: E741
    U = I @ S
    u = own["r"] - S.T @ p  # (1)
    answer = solve_symmetric(S.T @ U, np.column_stack([U.T, u]))
    I_a = I - _symmetric(U, answer[:, :6])  # (2)
    p_a = p + U @ answer[:, 6]
    return {"answer": answer}, {"I": _moved(X, I_a)[LOWER], "p": carried(X, p_a)}  # (3)


def _outward(link: Link, own: Values, parent: Values) -> Values:
    """Accelerations of a joint and of its link (4)."""
    A = of_parent(relative_pose(link, own["q"]), parent["A"])
    a = own["answer"][:, 6] - own["answer"][:, :6] @ A
    return {"a": a, "A": A + link.joint.motion_subspace(own["q"]) @ a}


INWARD = Inward(_inward, {"I": 21, "p": 6})
OUTWARD = Outward(_outward, {"A": np.zeros(6)})
"""The two sweeps: q and r = tau - h of every link are given, a is found."""


def _inertia(link: Link) -> Array:
    """Spatial inertia of a link about its origin."""
    J = np.trace(link.K) * np.eye(3) - link.K
    H = skew(link.h)
    return np.block([[J, H], [H.T, link.mass * np.eye(3)]])


def _moved(X: Pose, I: Array) -> Array:  # noqa: E741
    """The inertia in the parent's frame about its origin."""
    J, M = congruent(X.R, I[:3, :3]), congruent(X.R, I[3:, 3:])
    H = X.R @ I[:3, 3:] @ X.R.T
    H_P = H + skew(X.p) @ M
    J_P = J + (skew(X.p) @ H.T).T + skew(X.p) @ H_P.T
    return np.block([[J_P, H_P], [H_P.T, M]])


def _symmetric(U: Array, A: Array) -> Array:
    """U A, which is symmetric, with every entry above the diagonal made once."""
    return _square(np.array([U[i] @ A[:, j] for i, j in zip(*LOWER, strict=True)]))


def _square(entries: Array) -> Array:
    """The symmetric matrix of its lower entries."""
    found = np.zeros((6, 6), dtype=entries.dtype)
    found[LOWER] = entries
    found.T[LOWER] = entries
    return found


FORMULATION = Formulation(
    "articulated-body",
    "Featherstone (2008), section 7.3",
    {"forward_dynamics": forward_dynamics},
    refuses=_refusal,
    repeats=lambda tree: not tree.couplings,
    sweeps={"forward_dynamics": forward_sweeps},
    everyday=True,
)
