"""Mass matrix of a tree by composite rigid bodies, and forward dynamics by factors of it.

In each link's own frame, with the moments (m, h, K) of the link and all that hangs on it,

    K_P += R K R' + (R h) p' + p (R h)' + m p p'                             (1)
    f = m S_u + S_w x h,   n = J S_w + h x S_u,   J = tr(K) 1 - K            (2)
    M_bb = S_b' (n, f),    M_ab = S_a' (n, f) carried to every link a        (3)

on the path to the base. Accelerations are M^-1 (tau - h) with h by Newton and Euler and M factored
along the tree. Source: Featherstone (2008), Rigid Body Dynamics Algorithms, sections 6.2 and 6.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kinematics.forward import relative_poses, subspaces
from ..spatial.inertia import congruent
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross
from ..system.system import System
from ..system.tree import Tree
from .factored import factored
from .formulation import Formulation
from .newton_euler import bias_forces
from .recursions import carried, of_all_joints

DEEPEST = 16
"""Freedoms in series up to which composite bodies may take less work than articulated ones."""


def mass_matrix(s: System, q: Any) -> Array:
    """M(q) over the independent velocities."""
    return of_all_joints(s.lean, q, full_mass_matrix)


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """Accelerations by M^-1 (tau - h), with the sparsity of the tree."""
    M = mass_matrix(s, q)
    return factored(s.tree, M).solve(np.asarray(tau) - bias_forces(s, q, v))


def full_mass_matrix(tree: Tree, q_all: Any) -> Array:
    """Mass matrix over the velocities of all joints, dependent ones too."""
    X_PB, S = relative_poses(tree, q_all), subspaces(tree, q_all)
    m = [link.mass for link in tree.links]
    h = [link.h for link in tree.links]
    K = [link.K for link in tree.links]
    M = np.zeros((len(tree.velocities),) * 2, dtype=object)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        if link.parent >= 0:
            p = link.parent
            moved_h, moved_K = _moved(m[i], h[i], K[i], X_PB[i])  # (1)
            m[p], h[p], K[p] = m[p] + m[i], h[p] + moved_h, K[p] + moved_K
        J = np.trace(K[i]) * np.eye(3) - K[i]
        S_w, S_u = S[i][:3], S[i][3:]
        f = m[i] * S_u + cross(S_w.T, h[i]).T  # (2)
        F = np.concatenate([J @ S_w + cross(h[i], S_u.T).T, f])
        for a in tree.support(i):
            block = S[a][:3].T @ F[:3] + S[a][3:].T @ F[3:]  # (3)
            M[tree.links[a].v, link.v] = block
            M[link.v, tree.links[a].v] = block.T
            F = carried(X_PB[a], F)
    return M


def _moved(m: Any, h: Array, K: Array, X: Pose) -> tuple[Array, Array]:
    """First and second moments of a composite body about its parent's origin."""
    Rh = X.R @ h
    outer = np.outer(Rh + 0.5 * m * X.p, X.p)
    return Rh + m * X.p, congruent(X.R, K) + (outer + outer.T)


def _is_shallow(tree: Tree) -> bool:
    """Whether no path from the base is long: a matrix of all freedoms on it grows as its square."""
    depth: list[int] = []
    for link in tree.links:
        own = link.v.stop - link.v.start
        depth.append(own + (depth[link.parent] if link.parent >= 0 else 0))
    return max(depth, default=0) <= DEEPEST


FORMULATION = Formulation(
    "composite-body",
    "Featherstone (2008), sections 6.2 and 6.5",
    {"mass_matrix": mass_matrix, "forward_dynamics": forward_dynamics},
    everyday=True,
    pays=_is_shallow,
)
