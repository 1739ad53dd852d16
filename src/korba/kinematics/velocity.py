"""Places, velocities and accelerations of links and of their points; Jacobians and their rates.

In the world's axes, angular first, for a point P of a body:

    (w, v_P) = J(q) v,      (w', a_P) = J a + J' v                                   (1)

A joint k on the way to the body has in J the columns (z, u + z x r) with z = R_k S_w, u = R_k S_u
and r from the origin of link k to P. They turn with link k, so their rates are

    z'   = w_k x z + R_k S_w'                                                        (2)
    (u + z x r)' = w_k x u + R_k S_u' + z' x r + z x (v_P - v_k)                     (3)

and with dependent coordinates J = J_all G has the rate J_all' G + J_all G'. (2) and (3) are the
product rule on the columns of the geometric Jacobian.

The centre of mass of a whole tree is where  m c = sum over the links of  m p + R h,  with the mass
m and the first moment h of each link in its own frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.pose import Pose, identity, in_axes
from ..spatial.rotation import Array, cross, skew
from ..system.tree import Link, Tree
from .couplings import all_coordinates, all_motion, all_velocities, coupling_map, velocity_map
from .forward import forward_motion, relative_pose, subspaces, world_poses
from .rates import subspace_rates
from .sweep import Outward, Values, swept

ORIGIN = (0.0, 0.0, 0.0)


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
    return np.concatenate([X_PB.R.T @ w, X_PB.R.T @ (u + cross(w, X_PB.p))])


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
        return identity()
    X_WL = world_poses(tree, all_coordinates(tree, q))[i]
    return X_WL @ tree.links[i].X_BL.inverse()


def jacobian(tree: Tree, q: Any, body: str, point: Any = ORIGIN) -> Array:
    """J with (w, v_P) = J v for a point of a body: 6 x nv, in the world's axes, angular first."""
    q_all = all_coordinates(tree, q)
    return full_jacobian(tree, q_all, body, point) @ velocity_map(tree, q_all)


def full_jacobian(tree: Tree, q_all: Any, body: str, point: Any = ORIGIN) -> Array:
    """J over the velocities of all joints, dependent ones too.

    The columns of joint k on the way to the body are its motion in the world's axes, carried from
    the origin of link k to the point P: z = R S_w, and R S_u + z x (p_P - p_k).
    """
    X_WL, S = world_poses(tree, q_all), subspaces(tree, q_all)
    i = tree.number(body)
    J = np.zeros((6, len(tree.velocities)), dtype=q_all.dtype)
    if i >= 0:
        p_W = X_WL[i].point(_on_link(tree, i, point))
        for k in tree.support(i):
            z = X_WL[k].R @ S[k][:3]
            J[:3, tree.links[k].v] = z
            J[3:, tree.links[k].v] = X_WL[k].R @ S[k][3:] - skew(p_W - X_WL[k].p) @ z
    return J


def velocity(tree: Tree, q: Any, v: Any, body: str, point: Any = ORIGIN) -> Array:
    """(w, v_P) of a point of a body, in the world's axes."""
    i = tree.number(body)
    if i < 0:
        return np.zeros(6)
    q_all = all_coordinates(tree, q)
    twist = link_twists(tree, q_all, all_velocities(tree, q_all, v))[i]
    u = twist[3:] + cross(twist[:3], _on_link(tree, i, point))
    return in_axes(world_poses(tree, q_all)[i].R, np.concatenate([twist[:3], u]))


def acceleration(tree: Tree, state: tuple[Any, Any, Any], body: str, point: Any = ORIGIN) -> Array:
    """(w', a_P) of a point of a body at the state (q, v, a), in the world's axes (1)."""
    i = tree.number(body)
    if i < 0:
        return np.zeros(6)
    q, v, a = state
    x = all_motion(tree, q, v, a)
    motion = forward_motion(tree, x.q, x.v, x.a, np.zeros(3))
    a_P = motion.a[i] + motion.U[i] @ _on_link(tree, i, point)
    return in_axes(world_poses(tree, x.q)[i].R, np.concatenate([motion.wd[i], a_P]))


def jacobian_rate(tree: Tree, q: Any, v: Any, body: str, point: Any = ORIGIN) -> Array:
    """dJ/dt of `jacobian` while the mechanism moves with v: 6 x nv."""
    q_all = all_coordinates(tree, q)
    G = velocity_map(tree, q_all)
    Jd = _full_rate(tree, q_all, G @ np.asarray(v), body, point) @ G
    if not tree.couplings:
        return Jd
    Gd = coupling_map(tree, q_all, v).out_rate(G, np.zeros((tree.nv, tree.nv)))
    return Jd + full_jacobian(tree, q_all, body, point) @ Gd


def _full_rate(tree: Tree, q_all: Any, v_all: Any, body: str, point: Any) -> Array:
    """dJ/dt over the velocities of all joints, (2) and (3)."""
    found = np.zeros((6, len(tree.velocities)), dtype=object)
    i = tree.number(body)
    if i < 0:
        return found
    S, Sd = subspaces(tree, q_all), subspace_rates(tree, q_all, v_all)
    X, V = world_poses(tree, q_all), link_twists(tree, q_all, v_all)
    W = [in_axes(pose.R, twist) for pose, twist in zip(X, V, strict=True)]
    p_P = X[i].point(_on_link(tree, i, point))
    v_P = W[i][3:] + cross(W[i][:3], p_P - X[i].p)
    for k in tree.support(i):
        w, r, r_rate = W[k][:3], p_P - X[k].p, v_P - W[k][3:]
        z, u = X[k].R @ S[k][:3], X[k].R @ S[k][3:]
        zd = skew(w) @ z + X[k].R @ Sd[k][:3]  # (2)
        ud = skew(w) @ u + X[k].R @ Sd[k][3:]
        found[:3, tree.links[k].v] = zd
        found[3:, tree.links[k].v] = ud - skew(r) @ zd - skew(r_rate) @ z  # (3)
    return found


def _on_link(tree: Tree, i: int, point: Any) -> Array:
    """A point given in the body's frame, in the link's."""
    return tree.links[i].X_BL.inverse().point(np.asarray(point))


def total_mass(tree: Tree) -> Any:
    """Mass of all links."""
    return sum(link.mass for link in tree.links)


def centre_of_mass(tree: Tree, q: Any) -> Array:
    """c in the world, of a tree with mass."""
    moment = np.zeros(3)
    for link, X in zip(tree.links, world_poses(tree, all_coordinates(tree, q)), strict=True):
        moment = moment + link.mass * X.p + X.R @ link.h
    return moment * (1.0 / total_mass(tree))
