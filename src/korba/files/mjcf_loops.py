"""Equality constraints of MJCF: loops closed by `connect` and `weld`, couplings by `joint`.

MuJoCo holds them by soft forces; in Korba they hold exactly. Its compiled data say

    connect   p_1A = data[0:3] on body 1 meets p_2A = data[3:6] on body 2
    weld      p_1A = data[3:6], R_1A = data[6:10] on body 1 meets p_2A = data[0:3] on body 2
    joint     y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4,  a = data[0:5]

and with sites the frames are those of the sites.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import Fault
from ..expr import Expr, constant, variable
from ..model.coupling import Coupling
from ..model.drawing import drawing
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joints.fixed import Fixed
from ..model.joints.spherical import Spherical
from ..model.mechanism import Mechanism
from ..model.validate import CLOSURE
from ..spatial.pose import Pose, rotation, translation
from .mjcf_names import Named, pose, switched_on

CONNECT, WELD, JOINT = 0, 1, 2
"""Equality types that are carried over, in MuJoCo's numbering."""
SITE = 6
"""MuJoCo's number for sites as objects of a constraint."""


def is_carried(model: Any, e: int) -> bool:
    """Whether an equality constraint is in force and of a type that Korba has."""
    on = switched_on(model, "EQUALITY", "CONSTRAINT") and bool(model.eq_active0[e])
    return on and int(model.eq_type[e]) in (CONNECT, WELD, JOINT)


def couplings(source: Named) -> list[Coupling]:
    """Couplings of `equality/joint`; with one joint it is held at a constant."""
    model, found = source.model, []
    for e in range(model.neq):
        if is_carried(model, e) and model.eq_type[e] == JOINT:
            y, x = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            law = constant(_reference(model, y) + float(model.eq_data[e][0]))
            if x >= 0:
                dx = variable(source.joints[x]) - _reference(model, x)
                law = law + _polynomial(model.eq_data[e][1:5], dx)
            found.append(Coupling(source.equalities[e], source.joints[y], law))
    return found


def _reference(model: Any, j: int) -> float:
    """Coordinate of a joint in the reference pose."""
    return float(model.qpos0[model.jnt_qposadr[j]])


def _polynomial(a: Any, x: Expr) -> Expr:
    """x (a1 + x (a2 + x (a3 + x a4)))."""
    value = constant(0.0)
    for factor in reversed(a):
        value = x * (value + float(factor))
    return value


def closing_joints(source: Named, tree: Mechanism) -> tuple[list[Joint], list[Fault]]:
    """Joints that close loops, and the faults of those that do not meet in the drawing position."""
    placed = drawing(tree)
    found: list[Joint] = []
    faults: list[Fault] = []
    for e in range(source.model.neq):
        if not is_carried(source.model, e) or source.model.eq_type[e] == JOINT:
            continue
        (parent, X_PF), (child, X_BM) = _ends(source, e)
        X_FM = (placed.X_WB[parent] @ X_PF).inverse() @ placed.X_WB[child] @ X_BM
        cls: type[Joint] = Fixed
        if source.model.eq_type[e] == CONNECT:
            cls, X_BM, X_FM = Spherical, X_BM @ rotation(X_FM.R.T), translation(*X_FM.p)
        if (gap := _size(X_FM)) > CLOSURE:
            faults.append(_open(source.equalities[e], gap))
        on_parent, on_child = Frame.of_pose(X_PF), Frame.of_pose(X_BM)
        name = source.equalities[e]
        found.append(cls(name, parent, child, on_parent=on_parent, on_child=on_child))
    return found, faults


def _ends(source: Named, e: int) -> tuple[tuple[str, Pose], tuple[str, Pose]]:
    """Body and frame on each side; the ground comes first."""
    model, data = source.model, source.model.eq_data[e]
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if model.eq_objtype[e] == SITE:
        frames = [pose(model.site_pos[s], model.site_quat[s]) for s in (one, two)]
        one, two = int(model.site_bodyid[one]), int(model.site_bodyid[two])
    elif model.eq_type[e] == CONNECT:
        frames = [translation(*data[:3]), translation(*data[3:6])]
    else:
        frames = [pose(data[3:6], data[6:10]), translation(*data[:3])]
    ends = ((source.bodies[one], frames[0]), (source.bodies[two], frames[1]))
    return ends if two else (ends[1], ends[0])


def _size(X: Pose) -> float:
    """Largest distance or angle (for small ones) of a pose from the identity."""
    turn = np.linalg.norm(X.R - np.eye(3)) / np.sqrt(2)
    return float(max(np.linalg.norm(X.p), turn))


def _open(name: str, gap: float) -> Fault:
    message = (
        f"its two sides are {gap:.3g} apart (m, rad) in the reference pose qpos0; MuJoCo pulls "
        "them together softly, but here they must meet: change the bodies' pos and quat, or the "
        "constraint's anchor, sites or relpose, or leave it out"
    )
    return Fault(("equality", name), message)
