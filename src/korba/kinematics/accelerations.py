"""Velocity and acceleration of points of bodies, and the rate of their Jacobians.

In the world's axes, angular first, for a point P of a body:

    (w, v_P) = J(q) v,      (w', a_P) = J a + J' v                                   (1)

A joint k on the way to the body has in J the columns (z, u + z x r) with z = R_k S_w, u = R_k S_u
and r from the origin of link k to P. They turn with link k, so their rates are

    z'   = w_k x z + R_k S_w'                                                        (2)
    (u + z x r)' = w_k x u + R_k S_u' + z' x r + z x (v_P - v_k)                     (3)

and with dependent coordinates J = J_all G has the rate J_all' G + J_all G'. (2) and (3) are the
product rule on the columns of the geometric Jacobian.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..system.tree import Tree
from .couplings import all_coordinates, all_motion, all_velocities, velocity_map
from .forward import forward_motion, subspaces, world_poses
from .rates import coupling_map, subspace_rates
from .velocity import full_jacobian, link_twists

ORIGIN = (0.0, 0.0, 0.0)


def velocity(tree: Tree, q: Any, v: Any, body: str, point: Any = ORIGIN) -> Array:
    """(w, v_P) of a point of a body, in the world's axes."""
    i = tree.number(body)
    if i < 0:
        return np.zeros(6)
    q_all = all_coordinates(tree, q)
    twist = link_twists(tree, q_all, all_velocities(tree, q_all, v))[i]
    u = twist[3:] + np.cross(twist[:3], _on_link(tree, i, point))
    return _in_world(world_poses(tree, q_all)[i], twist[:3], u)


def acceleration(tree: Tree, state: tuple[Any, Any, Any], body: str, point: Any = ORIGIN) -> Array:
    """(w', a_P) of a point of a body at the state (q, v, a), in the world's axes (1)."""
    i = tree.number(body)
    if i < 0:
        return np.zeros(6)
    q, v, a = state
    x = all_motion(tree, q, v, a)
    motion = forward_motion(tree, x.q, x.v, x.a, np.zeros(3))
    a_P = motion.a[i] + motion.U[i] @ _on_link(tree, i, point)
    return _in_world(world_poses(tree, x.q)[i], motion.wd[i], a_P)


def jacobian_rate(tree: Tree, q: Any, v: Any, body: str, point: Any = ORIGIN) -> Array:
    """dJ/dt of `jacobian` while the mechanism moves with v: 6 x nv."""
    q_all = all_coordinates(tree, q)
    G = velocity_map(tree, q_all)
    Jd = _full_rate(tree, q_all, G @ np.asarray(v), body, point) @ G
    if not tree.couplings:
        return Jd
    couplings = coupling_map(tree, q_all, v)
    Gd = np.column_stack([couplings.out_rate(column, np.zeros(tree.nv)) for column in G.T])
    return Jd + full_jacobian(tree, q_all, body, point) @ Gd


def _full_rate(tree: Tree, q_all: Any, v_all: Any, body: str, point: Any) -> Array:
    """dJ/dt over the velocities of all joints, (2) and (3)."""
    found = np.zeros((6, len(tree.velocities)), dtype=object)
    i = tree.number(body)
    if i < 0:
        return found
    S, Sd = subspaces(tree, q_all), subspace_rates(tree, q_all, v_all)
    X, V = world_poses(tree, q_all), link_twists(tree, q_all, v_all)
    W = [_in_world(pose, twist[:3], twist[3:]) for pose, twist in zip(X, V, strict=True)]
    p_P = X[i].point(_on_link(tree, i, point))
    v_P = W[i][3:] + np.cross(W[i][:3], p_P - X[i].p)
    for k in tree.support(i):
        w, r, r_rate = W[k][:3], p_P - X[k].p, v_P - W[k][3:]
        for column, place in enumerate(range(tree.links[k].v.start, tree.links[k].v.stop)):
            z, u = X[k].R @ S[k][:3, column], X[k].R @ S[k][3:, column]
            zd = np.cross(w, z) + X[k].R @ Sd[k][:3, column]  # (2)
            ud = np.cross(w, u) + X[k].R @ Sd[k][3:, column]
            found[:, place] = [*zd, *(ud + np.cross(zd, r) + np.cross(z, r_rate))]  # (3)
    return found


def _on_link(tree: Tree, i: int, point: Any) -> Array:
    """A point given in the body's frame, in the link's."""
    return tree.links[i].X_BL.inverse().point(np.asarray(point))


def _in_world(X_WL: Pose, angular: Array, linear: Array) -> Array:
    return np.concatenate([X_WL.R @ angular, X_WL.R @ linear])
