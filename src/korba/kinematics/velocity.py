"""Velocities of the links of a tree, and Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.pose import Pose
from ..spatial.rotation import Array, skew
from ..system.tree import Link, Tree
from .couplings import all_coordinates, velocity_map
from .forward import relative_pose, subspaces, world_poses
from .sweep import Outward, Values, swept


def link_twists(tree: Tree, q_all: Any, v_all: Any) -> list[Array]:
    """Twist of every link in its own frame about its origin, angular first."""
    given = [{"q": q_all[link.q], "v": v_all[link.v]} for link in tree.links]
    return [own["V"] for own in swept(tree, [Outward(_twisting, {"V": np.zeros(6)})], given)]


def _twisting(link: Link, own: Values, parent: Values) -> Values:
    """V_B = Ad(X_BP) V_P + S v."""
    carried = of_parent(relative_pose(link, own["q"]), parent["V"])
    return {"V": carried + link.joint.motion_subspace(own["q"]) @ own["v"]}


def of_parent(X_PB: Pose, V_P: Array) -> Array:
    """A parent's twist, in the link's frame about the link's origin."""
    w, u = V_P[:3], V_P[3:]
    return np.concatenate([X_PB.R.T @ w, X_PB.R.T @ (u + np.cross(w, X_PB.p))])


def _placing(link: Link, own: Values, parent: Values) -> Values:
    """Where a link stands in the world, and its twist: R by rows, p and V in `place`."""
    X_W = Pose(parent["R"], parent["p"]) @ relative_pose(link, own["q"])
    V = _twisting(link, own, parent)["V"]
    return {"R": X_W.R, "p": X_W.p, "V": V, "place": np.concatenate([X_W.R.ravel(), X_W.p, V])}


PLACING = Outward(_placing, {"R": np.eye(3), "p": np.zeros(3), "V": np.zeros(6)})
"""The sweep that places every link: q and v are given, the 18 elements of `place` are found."""


def body_pose(tree: Tree, q: Any, body: str) -> Pose:
    """X_WB of a body, in the frame it was described in."""
    i = tree.number(body)
    if i < 0:
        return Pose(np.eye(3), np.zeros(3))
    X_WL = world_poses(tree, all_coordinates(tree, q))[i]
    return X_WL @ tree.links[i].X_BL.inverse()


def jacobian(tree: Tree, q: Any, body: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """J with (w, v_P) = J v for a point of a body: 6 x nv, in the world's axes, angular first."""
    q_all = all_coordinates(tree, q)
    return full_jacobian(tree, q_all, body, point) @ velocity_map(tree, q_all)


def full_jacobian(tree: Tree, q_all: Any, body: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """J over the velocities of all joints, dependent ones too.

    The columns of joint k on the way to the body are its motion in the world's axes, carried from
    the origin of link k to the point P: z = R S_w, and R S_u + z x (p_P - p_k).
    """
    X_WL, S = world_poses(tree, q_all), subspaces(tree, q_all)
    i = tree.number(body)
    J = np.zeros((6, len(tree.velocities)), dtype=q_all.dtype)
    if i >= 0:
        p_W = (X_WL[i] @ tree.links[i].X_BL.inverse()).point(np.asarray(point))
        for k in tree.support(i):
            z = X_WL[k].R @ S[k][:3]
            J[:3, tree.links[k].v] = z
            J[3:, tree.links[k].v] = X_WL[k].R @ S[k][3:] - skew(p_W - X_WL[k].p) @ z
    return J
