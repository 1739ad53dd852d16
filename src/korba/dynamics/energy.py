"""Energies and momentum of a tree.

    T = 1/2 sum (m u'u + 2 u'(w x h) + w'J w),    V = - sum g'(m p + R h)

with w, u the angular velocity and the velocity of the origin of each link in its own frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kinematics.couplings import all_coordinates, velocity_map
from ..kinematics.forward import world_poses
from ..kinematics.tree import Tree
from ..kinematics.velocity import link_twists
from ..spatial.rotation import Array


def kinetic_energy(tree: Tree, q: Any, v: Any) -> Any:
    """T(q, v)."""
    total: Any = 0.0
    for link, V in zip(tree.links, _twists(tree, q, v), strict=True):
        w, u = V[:3], V[3:]
        Jw = np.trace(link.K) * w - link.K @ w
        total = total + 0.5 * (link.mass * (u @ u) + w @ Jw) + u @ np.cross(w, link.h)
    return total


def potential_energy(tree: Tree, q: Any, gravity: Array) -> Any:
    """V(q) of gravity; zero at the world's origin."""
    total: Any = 0.0
    for link, X in zip(tree.links, world_poses(tree, all_coordinates(tree, q)), strict=True):
        total = total - gravity @ (link.mass * X.p + X.R @ link.h)
    return total


def momentum(tree: Tree, q: Any, v: Any) -> Array:
    """Angular momentum about the world's origin, and linear momentum, in the world's axes."""
    total = np.zeros(6)
    poses = world_poses(tree, all_coordinates(tree, q))
    for link, V, X in zip(tree.links, _twists(tree, q, v), poses, strict=True):
        w, u = V[:3], V[3:]
        linear = X.R @ (link.mass * u + np.cross(w, link.h))
        spin = X.R @ (np.trace(link.K) * w - link.K @ w + np.cross(link.h, u))
        total = total + np.concatenate([spin + np.cross(X.p, linear), linear])
    return total


def _twists(tree: Tree, q: Any, v: Any) -> list[Array]:
    q_all = all_coordinates(tree, q)
    v_all = velocity_map(tree, q_all) @ np.asarray(v) if tree.couplings else np.asarray(v)
    return link_twists(tree, q_all, v_all)
