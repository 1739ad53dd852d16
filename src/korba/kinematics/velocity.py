"""Velocities of the links of a tree, and Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.pose import Pose, twist_matrix
from ..spatial.rotation import Array, skew
from .couplings import all_coordinates, velocity_map
from .forward import relative_poses, subspaces, world_poses
from .tree import Tree


def link_twists(tree: Tree, q_all: Any, v_all: Any) -> list[Array]:
    """Twist of every link in its own frame about its origin, angular first.

    V_B = Ad(X_BP) V_P + S v.
    """
    found: list[Array] = []
    S = subspaces(tree, q_all)
    for i, (link, X_PB) in enumerate(zip(tree.links, relative_poses(tree, q_all), strict=True)):
        own = S[i] @ v_all[link.v]
        if link.parent >= 0:
            w, u = found[link.parent][:3], found[link.parent][3:]
            carried = [X_PB.R.T @ w, X_PB.R.T @ (u + np.cross(w, X_PB.p))]
            own = own + np.concatenate(carried)
        found.append(own)
    return found


def body_pose(tree: Tree, q: Any, body: str) -> Pose:
    """X_WB of a body, in the frame it was described in."""
    i = tree.number(body)
    if i < 0:
        return Pose(np.eye(3), np.zeros(3))
    X_WL = world_poses(tree, all_coordinates(tree, q))[i]
    return X_WL @ tree.links[i].X_BL.inverse()


def jacobian(tree: Tree, q: Any, body: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """J with (w, v_P) = J v for a point of a body: 6 x nv, in the world's axes, angular first.

    The columns of a joint on the way to the body are its motion, carried to the point P:
    Ad(X_WB) S, then v_P = v + w x p.
    """
    q_all = all_coordinates(tree, q)
    X_WL, S = world_poses(tree, q_all), subspaces(tree, q_all)
    i = tree.number(body)
    J = np.zeros((6, len(tree.velocities)), dtype=q_all.dtype)
    if i >= 0:
        p_W = (X_WL[i] @ tree.links[i].X_BL.inverse()).point(np.asarray(point))
        for k in tree.support(i):
            columns = twist_matrix(X_WL[k]) @ S[k]
            J[:3, tree.links[k].v] = columns[:3]
            J[3:, tree.links[k].v] = columns[3:] - skew(p_W) @ columns[:3]
    return J @ velocity_map(tree, q_all)
