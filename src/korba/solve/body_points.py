"""Where points of bodies, and joints, go: verbs that the rooms below ask along whole motions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kinematics.rates import moved
from ..kinematics.velocity import body_pose, jacobian
from ..model.drawing import drawing
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.options import ORIGIN
from ..verbs.verb import verb


@verb(closed=True)
def placed(system: System, q: Any, body: str, point: Any = ORIGIN) -> tuple[Array, Array, Array]:
    """A point of a body in the world, the body's rotation, and the Jacobian, angular first."""
    X = body_pose(system.tree, q, body)
    return X.point(np.array(point)), X.R, jacobian(system.tree, q, body, point)


@verb(closed=True)
def after(system: System, q: Any, v: Any) -> Array:
    """Coordinates after a small motion v, shape (..., nq); quaternions stay unit."""
    return moved(system.tree, q, v)


@verb(closed=True, checks={"joints": lambda _, given, __: tuple(given)})
def joint_tracks(system: System, q: Any, joints: tuple[str, ...]) -> Array:
    """Points and axes of joints, shape (..., joints, 2, 3)."""
    drawn, tracks = drawing(system.m), []
    for joint in map(system.m.joint, joints):
        X_WM = body_pose(system.tree, q, joint.child) @ drawn.X_BM(joint)
        X_WF = body_pose(system.tree, q, joint.parent) @ drawn.X_PF(joint)
        tracks.append([X_WM.p, X_WF.R[:, 2]])
    return np.array(tracks, dtype=object)
