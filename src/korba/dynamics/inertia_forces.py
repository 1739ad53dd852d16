"""Inertia forces of d'Alembert: what the motion of every body takes, with the other sign.

    F_b = -m a_S,      M_b = -(I_S w' + w x I_S w)                                    (1)

about the centre of mass S of each body, in the world's axes (Gronowicz 4.7; in the plane
M_b = -I_S w'). Their sum is what a mechanism does to its frame besides weight and loads: the
shaking force is the rate of the linear, the shaking moment that of the angular momentum, negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kinematics.couplings import all_motion
from ..kinematics.forward import forward_motion, world_poses
from ..spatial.rotation import Array, cross
from ..system.system import System
from .newton_euler import body_wrench


def inertia_forces(s: System, q: Any, v: Any, a: Any) -> tuple[Array, Array, Array]:
    """F_b, M_b about S, and S of every body (1), each (bodies, 3)."""
    x = all_motion(s.tree, q, v, a)
    motion = forward_motion(s.tree, x.q, x.v, x.a, np.zeros(3))
    poses = world_poses(s.tree, x.q)
    rows = []
    for body in s.m.bodies:
        i = s.tree.number(body.name)
        link, X = s.tree.links[i], poses[i]
        f, n = body_wrench(link, motion.U[i], motion.a[i])
        c = link.X_BL.inverse().point(np.array(body.com))
        rows.append([-(X.R @ f), X.R @ (cross(c, f) - n), X.point(c)])
    force, moment, point = (np.array([row[k] for row in rows]) for k in range(3))
    return force.reshape(-1, 3), moment.reshape(-1, 3), point.reshape(-1, 3)


def shaking_forces(s: System, q: Any, v: Any, a: Any, about: Any) -> tuple[Array, Array]:
    """Their sum: force, and moment about a point of the world."""
    force, moment, point = inertia_forces(s, q, v, a)
    arms = point - np.array(about)
    turning = [n + cross(r, f) for n, r, f in zip(moment, arms, force, strict=True)]
    return sum(force, np.zeros(3)), sum(turning, np.zeros(3))
