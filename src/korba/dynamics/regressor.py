"""Inverse dynamics as a matrix of the motion times the inertial parameters of the bodies.

    tau = Y(q, v, a) p                                                                        (1)

p holds of every body its mass m, its first moment h = m c and its tensor I about the origin of its
own frame, in its axes. With angular velocity w and acceleration w' of the body, U = [w' x] + [w
x][w x] and the acceleration a of its origin less gravity, all in these axes,

    f = m a + U h,      n = h x a + I w' + w x I w                                            (2)

are columns of a matrix times (m, h, I); they go inward along the tree like any force, and each
joint takes its share S'(n, f). Viscous and dry friction of a joint add the columns v and sign v.
Source: (2) is Newton and Euler's; that it is linear in p, Khalil & Kleinfinger (1987).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..expr import Expr, sign
from ..kinematics.couplings import AllMotion, all_motion
from ..kinematics.forward import Motion, forward_motion, spin_matrix
from ..model.body import Body
from ..model.mechanism import Mechanism
from ..spatial.inertia import moved_tensor
from ..spatial.rotation import Array, skew
from ..system.system import System
from ..system.tree import places_of
from .multipliers import driving_columns
from .recursions import carried

MOMENTS = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Mass, first moments, and the tensor about the origin of the body's frame."""
IN_A_PLANE = ("m", "mx", "my", "Izz")
VISCOUS, DRY = "b", "c"
"""Coefficient of v, and of sign v, of a joint."""


class Parameter(NamedTuple):
    """What the forces of a motion are linear in: a moment of a body, or friction of a joint."""

    symbol: str
    owner: str

    @property
    def name(self) -> str:
        """Such as Izz_forearm, without blanks."""
        return f"{self.symbol}_{self.owner}".replace(" ", "_")

    @property
    def degree(self) -> int:
        """Lengths in what is multiplied by it to give a moment: 2 for a mass, 1 for m x."""
        return {"m": 2, "mx": 1, "my": 1, "mz": 1}.get(self.symbol, 0)


def parameters_of(
    m: Mechanism, *, friction: bool = False, massless: bool = False
) -> tuple[Parameter, ...]:
    """All parameters of a mechanism with rotors written out: of bodies that have mass, of joints.

    Without `friction` only joints that have damping have a coefficient of it.
    """
    moments = IN_A_PLANE if m.plane else MOMENTS
    bodies = [Parameter(x, b.name) for b in m.bodies if massless or heavy(b) for x in moments]
    moving = [joint for joint in m.joints if joint.nv]
    damped = [j for j in moving if friction or isinstance(j.damping, Expr) or j.damping]
    rest = [Parameter(VISCOUS, joint.name) for joint in damped]
    return (*bodies, *rest, *(Parameter(DRY, joint.name) for joint in moving if friction))


def heavy(body: Body) -> bool:
    """Whether a body has mass or inertia."""
    return any(isinstance(x, Expr) or x for x in (body.mass, *np.ravel(body.inertia)))


def values_of(m: Mechanism, parameters: tuple[Parameter, ...]) -> Array:
    """What the mechanism has for its parameters, numbers or symbols; dry friction is none."""
    values: dict[Parameter, Any] = {}
    for body in m.bodies:
        c, I_c = np.array(body.com), np.array(body.inertia)
        own = [body.mass, *(body.mass * c), *six(moved_tensor(body.mass, I_c, c))]
        values |= {Parameter(x, body.name): y for x, y in zip(MOMENTS, own, strict=True)}
    values |= {Parameter(VISCOUS, joint.name): joint.damping for joint in m.joints}
    return np.array([values.get(each, 0.0) for each in parameters])


def six(I_B: Array) -> list[Any]:
    """The six different entries of a tensor, in the order of `MOMENTS`."""
    return [I_B[0, 0], I_B[1, 1], I_B[2, 2], I_B[0, 1], I_B[0, 2], I_B[1, 2]]


def regressor(s: System, q: Any, v: Any, a: Any, parameters: tuple[Parameter, ...]) -> Array:
    """Y of (1), (nv, parameters): in a tree of all joints, with loops of the drives."""
    x = all_motion(s.tree, q, v, a)
    taken = taken_by_joints(s, x, parameters)
    return driving_columns(s, q, x, taken) if s.ties else np.asarray(x.back(taken))


def taken_by_joints(s: System, x: AllMotion, parameters: tuple[Parameter, ...]) -> Array:
    """Forces that a unit of each parameter takes in all joints of the opened tree."""
    Y = np.zeros((len(s.tree.velocities), len(parameters)), dtype=object)
    for column, force in taken_by_friction(s, x, parameters):
        Y[:, column] = force
    places = {each: k for k, each in enumerate(parameters)}
    motion = forward_motion(s.tree, x.q, x.v, x.a, s.gravity)
    for i, link in enumerate(s.tree.links):
        own = [k for k, symbol in enumerate(MOMENTS) if Parameter(symbol, link.name) in places]
        columns = [places[Parameter(MOMENTS[k], link.name)] for k in own]
        F = _wrenches(s, i, motion)[:, own] if own else np.zeros((6, 0))
        for j in s.tree.support(i) if own else ():
            Y[s.tree.links[j].v, columns] = motion.S[j].T @ F
            F = carried(motion.X_PB[j], F)
    return Y


def _wrenches(s: System, i: int, motion: Motion) -> Array:
    """Moment and force on link i that a unit of each of the ten takes, in the link's frame (2)."""
    X_BL, (w_L, wd_L, U_L, a_L) = s.tree.links[i].X_BL, motion.of(i)
    X_LB = X_BL.inverse()
    w, wd = X_BL.R @ w_L, X_BL.R @ wd_L
    a = X_BL.R @ (a_L + U_L @ X_LB.p)
    F = np.zeros((6, 10), dtype=object)
    F[3:, 0], F[3:, 1:4], F[:3, 1:4] = a, spin_matrix(w, wd), -skew(a)
    F[:3, 4:] = _tensor_times(wd) + skew(w) @ _tensor_times(w)
    return carried(X_LB, F)


def _tensor_times(w: Array) -> Array:
    """L(w) with  I w = L(w) (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    x, y, z = w
    return np.array([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])


def taken_by_friction(
    s: System, x: AllMotion, parameters: tuple[Parameter, ...]
) -> Iterator[tuple[int, Array]]:
    """Columns of friction: v, or its sign, in the velocities of the joint."""
    places = places_of(s.m.joints)
    for column, (symbol, owner) in enumerate(parameters):
        if symbol in (VISCOUS, DRY):
            force, own = np.zeros(len(s.tree.velocities), dtype=object), places[owner][1]
            force[own] = [sign(v) for v in x.v[own]] if symbol == DRY else x.v[own]
            yield column, force
