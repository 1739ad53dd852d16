"""Inverse dynamics of a tree by Newton-Euler recursion.

    M(q) a + h(q, v) = tau

Out along the tree the motion of every link, back the forces on it. In the link's own frame, about
its origin, with mass m, first moment h and second moments K,

    f_B = m a_B + U_B h                      + sum over children C of  R_BC f_C                  (1)
    n_B = axial(U_B K) + h x a_B             + sum over C of  R_BC n_C + p_BC x R_BC f_C         (2)
    tau = S' (n_B, f_B)                                                                          (3)

where axial(A) has the components A_zy - A_yz, ...: the integral of r x (U r) dm. Gravity is an
acceleration of the base; loads and viscous damping of the joints are part of h. Source: Luh,
Walker & Paul (1980); the form with U after Khalil & Kleinfinger (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kinematics.couplings import all_motion
from ..kinematics.forward import moving, relative_pose, resting
from ..kinematics.sweep import Inward, Outward, Sweep, Values, in_order, swept, together
from ..spatial.rotation import Array, cross
from ..system.system import System
from ..system.tree import Link
from . import energy
from .formulation import Formulation
from .recursions import carried, link_values, resisted


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """Forces tau that give the accelerations a:  tau = M(q) a + h(q, v)."""
    x = all_motion(s.lean, q, v, a)
    given = link_values(s.lean, {"q": x.q, "v": x.v, "a": x.a}, s.loads(x.q, x.v))
    return x.back(in_order(s.lean, swept(s.lean, inverse_sweeps(s.gravity), given), "tau"))


def bias_forces(s: System, q: Any, v: Any) -> Array:
    """h(q, v): what holds the mechanism in its motion without acceleration."""
    return inverse_dynamics(s, q, v, np.zeros(s.lean.nv))


def inverse_sweeps(gravity: Array) -> Sequence[Sweep]:
    """From q, v, a, wrench and load of every link to `tau`: out by motion, in by forces."""
    return outward(gravity), Inward(together(INWARD.step, resisted), INWARD.gathered)


def outward(gravity: Array) -> Outward:
    """The sweep that finds the motion of every link and the force and moment it takes."""
    return Outward(_loaded, resting(gravity))


def _loaded(link: Link, own: Values, parent: Values) -> Values:
    """The motion of a link, and the moment and force F that it takes, about its origin."""
    motion = moving(link, own, parent)
    f, n = body_wrench(link, motion["U"], motion["acceleration"])
    return {**motion, "F": np.concatenate([n, f]) - own["wrench"]}


def _inward(link: Link, own: Values) -> tuple[Values, Values]:
    """The force in a joint, and what its link hands to its parent."""
    S, X = link.joint.motion_subspace(own["q"]), relative_pose(link, own["q"])
    F = own["F"] + own["F_children"]
    return {"tau": S.T @ F}, {"F_children": carried(X, F)}  # (1), (2), (3)


INWARD = Inward(_inward, {"F_children": 6})
"""The sweep that finds tau of every joint."""


def body_wrench(link: Link, U: Array, a: Array) -> tuple[Array, Array]:
    """Force and moment, about the link's origin, that a link's own motion takes."""
    return link.mass * a + U @ link.h, axial_product(U, link.K) + cross(link.h, a)


def axial_product(U: Array, K: Array) -> Array:
    """axial(U K) of a symmetric K: the integral of r x (U r) dm, entries of K taken once each."""
    (Uxx, Uxy, Uxz), (Uyx, Uyy, Uyz), (Uzx, Uzy, Uzz) = U
    (Kxx, Kxy, Kxz), (_, Kyy, Kyz), (_, _, Kzz) = K
    return np.array(
        [
            Uzx * Kxy - Uyx * Kxz + Uzy * Kyy - Uyz * Kzz + (Uzz - Uyy) * Kyz,
            Uxy * Kyz - Uzy * Kxy + Uxz * Kzz - Uzx * Kxx + (Uxx - Uzz) * Kxz,
            Uyz * Kxz - Uxz * Kyz + Uyx * Kxx - Uxy * Kyy + (Uyy - Uxx) * Kxy,
        ]
    )


FORMULATION = Formulation(
    "newton-euler",
    "Luh, Walker & Paul (1980)",
    {
        "inverse_dynamics": inverse_dynamics,
        "bias_forces": bias_forces,
        "energy": energy.energy,
        "momentum": energy.momentum,
    },
    sweeps={"inverse_dynamics": inverse_sweeps, "bias_forces": inverse_sweeps},
    everyday=True,
)
