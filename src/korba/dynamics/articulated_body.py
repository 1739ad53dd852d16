"""Forward dynamics of a tree by articulated bodies, in time proportional to the number of links.

Every link with all that hangs on it answers a spatial acceleration A with the force  I A + p; its
own joint gives way:

    D = S' I S,   U = I S,   u = tau - S' p                                  (1)
    I_a = I - U D^-1 U',   p_a = p + I_a c + U D^-1 u                        (2)
    I_P += X' I_a X,   p_P += X' p_a                                         (3)
    a = D^-1 (u - U' A'),   A = A' + S a,   A' = X A_P + c                   (4)

6-vectors are angular first, in the link's frame about its origin. Source: Featherstone (2008),
section 7.3.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from ..kinematics.forward import relative_poses, subspaces
from ..kinematics.tree import Link, Tree
from ..spatial.inertia import congruent
from ..spatial.pose import twist_matrix
from ..spatial.rotation import Array, skew
from .ldl import solve_symmetric
from .newton_euler import Wrenches


def joint_accelerations(
    tree: Tree,
    state: tuple[Any, Any],
    tau_all: Any,
    gravity: Array,
    wrenches: Wrenches = MappingProxyType({}),
) -> Array:
    """Accelerations of all joints of a tree without couplings, for the given forces.

    `state` holds q and v of all joints; `wrenches` act on links from outside.
    """
    q_all, v_all = state
    S = subspaces(tree, q_all)
    X = [twist_matrix(pose.inverse()) for pose in relative_poses(tree, q_all)]
    V, c = _velocities(tree, X, S, q_all, v_all)
    I = [_inertia(link) for link in tree.links]  # noqa: E741
    p = [_force_cross(V[i]) @ (I[i] @ V[i]) for i in range(len(tree.links))]
    for i, wrench in wrenches.items():
        p[i] = p[i] - np.concatenate(wrench)
    answers: dict[int, Array] = {}
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        U = I[i] @ S[i]
        u = tau_all[link.v] - S[i].T @ p[i]  # (1)
        answers[i] = solve_symmetric(S[i].T @ U, np.column_stack([U.T, u]))
        if link.parent >= 0:
            I_a = I[i] - U @ answers[i][:, :6]  # (2)
            p_a = p[i] + I_a @ c[i] + U @ answers[i][:, 6]
            I[link.parent] = I[link.parent] + congruent(X[i].T, I_a)  # (3)
            p[link.parent] = p[link.parent] + X[i].T @ p_a
    found = np.zeros(len(tree.velocities), dtype=object)
    A: list[Array] = []
    for i, link in enumerate(tree.links):
        base = np.concatenate([np.zeros(3), -gravity])
        A_in = X[i] @ (base if link.parent < 0 else A[link.parent]) + c[i]
        a = answers[i][:, 6] - answers[i][:, :6] @ A_in  # (4)
        A.append(A_in + S[i] @ a)
        found[link.v] = a
    return found


def _velocities(
    tree: Tree, X: list[Array], S: list[Array], q: Any, v: Any
) -> tuple[list[Array], list[Array]]:
    """Twists of the links, and the accelerations c = V x S v + bias that need no force."""
    V: list[Array] = []
    c: list[Array] = []
    for i, link in enumerate(tree.links):
        own = S[i] @ v[link.v]
        V.append(own if link.parent < 0 else X[i] @ V[link.parent] + own)
        c.append(_motion_cross(V[i]) @ own + link.joint.bias(q[link.q], v[link.v]))
    return V, c


def _inertia(link: Link) -> Array:
    """Spatial inertia of a link about its origin."""
    J = np.trace(link.K) * np.eye(3) - link.K
    H = skew(link.h)
    return np.block([[J, H], [H.T, link.mass * np.eye(3)]])


def _motion_cross(V: Array) -> Array:
    w, u = skew(V[:3]), skew(V[3:])
    return np.block([[w, np.zeros((3, 3))], [u, w]])


def _force_cross(V: Array) -> Array:
    return -_motion_cross(V).T
