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
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kinematics.forward import relative_pose
from ..kinematics.sweep import Inward, Outward, Sweep, Values, in_order, swept, together
from ..kinematics.velocity import of_parent
from ..spatial.inertia import congruent
from ..spatial.pose import Pose
from ..spatial.rotation import Array, skew
from ..system.system import System
from ..system.tree import Link
from . import newton_euler
from .factored import solve_symmetric
from .formulation import Formulation
from .recursions import carried, link_values, resisted

REFUSED = "it does not take couplings; use another formulation"
LOWER = np.tril_indices(6)
"""Places of the 21 entries that a symmetric matrix is known by."""


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """Accelerations a with  M(q) a = tau - h(q, v); for trees without couplings."""
    q, v = np.asarray(q), np.asarray(v)
    values = {"q": q, "v": v, "a": np.zeros(len(v)), "force": np.asarray(tau)}
    given = link_values(s.lean, values, s.loads(q, v))
    return in_order(s.lean, swept(s.lean, forward_sweeps(s.gravity), given), "a")


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
    refuses=lambda tree: REFUSED if tree.couplings else None,
    sweeps={"forward_dynamics": forward_sweeps},
    everyday=True,
)
