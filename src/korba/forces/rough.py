"""Dry friction of all joints of a mechanism at once: its efforts as unknowns, and Newton's step.

Friction has one effort e in each velocity of a joint that rubs. Wrenches F of the joints are linear
in all of them, and the law of each joint (model/rubbing.py) gives them back,

    F = F_0 + sum F_k e_k,      e = phi(F, e)                                              (1)

At given motions friction is let grow in (1) until it is whole, or jams (verbs/forces/friction.py);
in a simulation what sticks takes conditions of rest in place of its law (simulation/sticking.py).
Both are zeros of a residual r(e), found by steps of Newton's method in e alone,

    J de = -r,      J = dr/de                                                              (2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..expr.differentiate import jacobian_columns
from ..expr.node import as_expr
from ..model.joint import Joint
from ..model.joint_parts import Friction
from ..model.mechanism import Mechanism
from ..model.rubbing import Rubbing, friction_efforts
from ..spatial.rotation import Array


class RoughJoint(NamedTuple):
    """A joint with friction, its data, and the places of its efforts among all."""

    joint: Joint
    data: Friction
    own: slice


def rough_joints(m: Mechanism) -> dict[str, RoughJoint]:
    """The joints with friction by name."""
    found, stop = {}, 0
    for joint in m.joints:
        if joint.friction is not None:
            start, stop = stop, stop + joint.nv
            found[joint.name] = RoughJoint(joint, joint.friction, slice(start, stop))
    return found


def law(rubbing: Iterable[Rubbing]) -> Array:
    """phi of (1): efforts of all joints, one after the other."""
    return np.concatenate([np.zeros(0), *map(friction_efforts, rubbing)])


def newton_step(residual: Callable[[Array], Any], e: Array) -> Array:
    """de of (2), at symbols e."""
    rest = [as_expr(x) for x in residual(e)]
    J = np.array(jacobian_columns(rest, [str(x.value) for x in e]), dtype=object)
    return eliminated(J.reshape(len(e), len(e)).T, [-x for x in rest])


def eliminated(A: Array, b: Any) -> Array:
    """A x = b by elimination in the order of the rows: fewest operations for what is near to 1."""
    A, x = np.array(A, dtype=object), np.array(b, dtype=object)
    for k in range(len(x)):
        for i in range(k + 1, len(x)):
            share = A[i, k] / A[k, k]
            A[i, k:] = A[i, k:] - share * A[k, k:]
            x[i] = x[i] - share * x[k]
    for k in reversed(range(len(x))):
        x[k] = (x[k] - A[k, k + 1 :] @ x[k + 1 :]) / A[k, k]
    return x
