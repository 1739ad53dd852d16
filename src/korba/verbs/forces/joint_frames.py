"""Forces of joints as they are asked for: about which point, along which axes.

From the unknowns x of all bodies' equations (dynamics/kinetostatics.py) to force, moment and point
of every joint, for numbers and symbols.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.freedoms import Apart
from ...dynamics.kinetostatics import Equations, parted
from ...dynamics.load_distribution import left_open
from ...kinematics.couplings import all_coordinates
from ...model.mechanism import Mechanism
from ...spatial.pose import Pose
from ...spatial.rotation import Array, cross
from ...system.system import System, Tie, ties
from ..options import one_of
from ..verb import verb


def frame_of(place: Apart, tie: Tie, at: str) -> Pose:
    """The frame of a joint on its child or on its parent, in the world."""
    if at == "child":
        return place.pose(tie.child) @ tie.X_LM
    return place.pose(tie.parent) @ tie.X_LF


def maps(equations: Equations, seen_at: str) -> list[Array]:
    """What takes a joint's unknowns, moments in typical lengths, to (moment, force) as seen."""
    scale, space = equations.scale, equations.at.space
    maps = []
    for tie in equations.ties:
        units = np.diag([scale if row < 3 else 1.0 for row in space])
        columns = [wrench(equations, tie, column, seen_at) for column in units]
        maps.append(np.array([np.concatenate([n / scale, f]) for f, n, _ in columns]).T)
    return maps


def wrench(equations: Equations, tie: Tie, part: Array, seen_at: str) -> tuple[Array, Array, Array]:
    """Force, moment and point of a joint from its unknowns."""
    at, frame = equations.at, frame_of(equations.at, tie, seen_at)
    X_WM, F = frame_of(at, tie, "child"), np.zeros(6, dtype=object)
    F[list(at.space)] = part
    if len(at.space) == 6:  # rows in space are in the axes of M
        F = np.concatenate([X_WM.R @ F[:3], X_WM.R @ F[3:]])
    moment, force = F[:3], F[3:]
    if seen_at != "child":
        moment = moment + cross(X_WM.p - frame.p, force)
    return force, moment, frame.p


def told(equations: Equations, x: Array, seen_at: str) -> dict[str, Any]:
    """Forces, moments and points of all joints, and the efforts of the drives, from x."""
    parts = parted(equations, x)
    wrenches = [
        wrench(equations, tie, part, seen_at)
        for tie, part in zip(equations.ties, parts, strict=False)  # couplings and drives follow
    ]
    names = ("force", "moment", "point")
    whole = {name: np.array([each[k] for each in wrenches]) for k, name in enumerate(names)}
    return whole | {"efforts": equations.efforts(x)}


def row_of(equations: Equations, x: Array, seen_at: str) -> Array:
    """All forces, then moments, then efforts of drives in one row, linear in the unknowns."""
    own = told(equations, x, seen_at)
    return np.concatenate([np.ravel(own[name]) for name in ("force", "moment", "efforts")])


def columns_of(equations: Equations, X: Array, seen_at: str) -> Array:
    """The rows of several columns of unknowns, as columns."""
    return np.array([row_of(equations, x, seen_at) for x in X.T]).T


def undetermined(equations: Equations, seen_at: str) -> dict[str, Any]:
    """What is left open of joints and drives (dynamics/load_distribution.py), by name."""
    if not equations.leave_open:
        return {}
    spread, drives = left_open(equations, maps(equations, seen_at))
    return {"open": spread, "open_drives": drives}


def directed_joints(m: Mechanism) -> tuple[str, ...]:
    """Names of joints that can push and not pull, and of rods."""
    return tuple(joint.name for joint in m.joints if joint.one_way or joint.between_points)


@verb(closed=True)
def joint_directions(system: System, q: Any) -> Array:
    """Where `directed_joints` push their children, or rods pull them, in the world, (joints, 3)."""
    tree, names = system.tree, directed_joints(system.m)
    place = Apart(tree, all_coordinates(tree, q))
    own = [tie for tie in ties(tree, tree.m.joints) if tie.joint.name in names]
    directions = [
        frame_of(place, tie, "child").R
        @ (joint.pulls if joint.between_points else joint.pushes)(at)
        for tie in own
        for joint, at in [(tie.joint, place.tie_coordinates(tie))]
    ]
    return np.array(directions, dtype=object).reshape(-1, 3)


@verb(closed=True, checks={"at": one_of("at", "child", "parent")})
def joint_axes(system: System, q: Any, *, at: str = "child") -> Array:
    """R_WJ of every joint's frame on the child or on the parent, (joints, 3, 3)."""
    tree = system.tree
    place = Apart(tree, all_coordinates(tree, q))
    return np.array([frame_of(place, tie, at).R for tie in ties(tree, tree.m.joints)])
