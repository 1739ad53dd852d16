"""Energies and momentum of a tree.

    T = 1/2 sum (m u'u + 2 u'(w x h) + w'J w),    V = - sum g'(m p + R h)

with w, u the angular velocity and the velocity of the origin of each link in its own frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kinematics.couplings import all_coordinates, all_velocities
from ..kinematics.forward import world_poses
from ..kinematics.velocity import link_twists
from ..spatial.rotation import Array, cross
from ..system.system import System
from ..system.tree import Link, Tree
from .recursions import carried


def kinetic_energy(tree: Tree, q: Any, v: Any) -> Any:
    """T(q, v)."""
    total: Any = 0.0
    for link, V in zip(tree.links, _twists(tree, q, v), strict=True):
        w, u = V[:3], V[3:]
        Jw = np.trace(link.K) * w - link.K @ w
        total = total + 0.5 * (link.mass * (u @ u) + w @ Jw) + u @ cross(w, link.h)
    return total


def potential_energy(tree: Tree, q: Any, gravity: Array) -> Any:
    """V(q) of gravity; zero at the world's origin."""
    total: Any = 0.0
    for link, X in zip(tree.links, world_poses(tree, all_coordinates(tree, q)), strict=True):
        total = total - gravity @ (link.mass * X.p + X.R @ link.h)
    return total


def energy(s: System, q: Any, v: Any) -> tuple[Any, Any]:
    """T(q, v) and V(q)."""
    return kinetic_energy(s.tree, q, v), potential_energy(s.tree, q, s.gravity)


def momentum(s: System, q: Any, v: Any) -> Array:
    """Angular momentum about the world's origin, and linear momentum, in the world's axes."""
    total = np.zeros(6)
    poses = world_poses(s.tree, all_coordinates(s.tree, q))
    for link, V, X in zip(s.tree.links, _twists(s.tree, q, v), poses, strict=True):
        total = total + carried(X, link_momentum(link, V))
    return total


def link_momentum(link: Link, V: Array) -> Array:
    """Angular momentum about the link's origin, and linear momentum, in the link's frame."""
    w, u = V[:3], V[3:]
    spin = np.trace(link.K) * w - link.K @ w + cross(link.h, u)
    return np.concatenate([spin, link.mass * u + cross(w, link.h)])


def _twists(tree: Tree, q: Any, v: Any) -> list[Array]:
    q_all = all_coordinates(tree, q)
    return link_twists(tree, q_all, all_velocities(tree, q_all, v))
