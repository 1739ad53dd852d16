"""Inverse dynamics of a tree by Newton-Euler recursion.

    M(q) a + h(q, v) = tau

Out along the tree the motion of every link, back the forces on it. In the link's own frame, about
its origin, with mass m, first moment h and second moments K,

    f_B = m a_B + U_B h                      + sum over children C of  R_BC f_C                  (1)
    n_B = axial(U_B K) + h x a_B             + sum over C of  R_BC n_C + p_BC x R_BC f_C         (2)
    tau = S' (n_B, f_B)                                                                          (3)

where axial(A) has the components A_zy - A_yz, ...: the integral of r x (U r) dm. Gravity is an
acceleration of the base. Source: Luh, Walker & Paul (1980); the form with U after Khalil &
Kleinfinger (1987).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..kinematics.forward import Motion, forward_motion
from ..kinematics.tree import Tree
from ..spatial.rotation import Array

Wrenches = Mapping[int, tuple[Array, Array]]
"""Moment and force on some links, in their own frames about their origins."""


def joint_forces(
    tree: Tree,
    q_all: Any,
    v_all: Any,
    a_all: Any,
    gravity: Array,
    *,
    wrenches: Wrenches = MappingProxyType({}),
) -> Array:
    """Generalised forces of all joints, dependent ones too, for the given motion.

    `wrenches` act on links from outside and take their share off.
    """
    motion = forward_motion(tree, q_all, v_all, a_all, gravity)
    f, n = body_wrenches(tree, motion)
    for i, (moment, force) in wrenches.items():
        n[i], f[i] = n[i] - moment, f[i] - force
    tau = np.zeros(
        len(tree.velocities), dtype=np.result_type(f[0], object) if tree.links else float
    )
    for i in reversed(range(len(tree.links))):
        link, X = tree.links[i], motion.X_PB[i]
        tau[link.v] = motion.S[i][:3].T @ n[i] + motion.S[i][3:].T @ f[i]  # (3)
        if link.parent >= 0:
            f_P = X.R @ f[i]
            f[link.parent] = f[link.parent] + f_P  # (1)
            n[link.parent] = n[link.parent] + X.R @ n[i] + np.cross(X.p, f_P)  # (2)
    return tau


def body_wrenches(tree: Tree, motion: Motion) -> tuple[list[Array], list[Array]]:
    """Force and moment, about the link's origin, that each link's own motion takes."""
    f, n = [], []
    for link, U, a in zip(tree.links, motion.U, motion.a, strict=True):
        f.append(link.mass * a + U @ link.h)
        n.append(_axial(U @ link.K) + np.cross(link.h, a))
    return f, n


def _axial(A: Array) -> Array:
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
