"""A planar mechanism at one instant: where everything is, and which motions it can make.

The motion of a body in the plane is three numbers, angular velocity and velocity of the point of
the body that is at the world's origin: V = (w, v_x, v_y). Motions of bodies add in this form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import real_array
from ...errors import StructureError
from ...kinematics.couplings import all_coordinates
from ...kinematics.velocity import body_pose, jacobian
from ...model.body import GROUND
from ...model.drawing import drawing
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...positions.loop_system import LoopSystem, loop_system
from ...positions.rank import rank_of
from ...solve.assemble import assemble
from ...solve.configuration import Configuration
from ...solve.motion import loops_of
from ...spatial.pose import Pose, identity, twist_matrix
from ...spatial.rotation import Array
from ...system.system import PLANE
from ...system.tree import Tree, places_of
from ...trajectory.places import kept_tree
from ...trajectory.trajectory import Trajectory
from ...verbs.states import state

AT_REST = 1e-12
"""Largest speed of a mechanism that stands still, in typical lengths and radians a second."""
OPEN = 1e-9
"""Largest residual of loops that count as closed, in typical lengths and radians."""


@dataclass(frozen=True, eq=False)
class Instant(Displayed):
    """Poses, joint frames and possible motions of a planar mechanism at one position."""

    m: Mechanism
    t: float
    X_WB: dict[str, Pose]
    X_WF: dict[str, Pose]
    X_WM: dict[str, Pose]
    q: dict[str, Array]
    """Coordinates of every joint."""
    scale: float
    """A typical length."""
    motions: dict[str, Array]
    """(w, v_x, v_y) of every body, shape (3, motions): in the motion of the drives and idle ones;
    without drives, or at rest, in all motions that the loops leave; nothing if only placed."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all links, the base first."""
        return (GROUND, *(body.name for body in self.m.bodies))

    def place(self, joint: Joint) -> Array:
        """Where a joint's frame M is in the plane."""
        return np.asarray(self.X_WM[joint.name].p[:2], dtype=float)

    def freedoms(self, joint: Joint) -> Array:
        """(w, v_x, v_y) of the child relative to the parent for a unit of every velocity."""
        S = joint.motion_subspace(self.q[joint.name])
        return np.asarray((twist_matrix(self.X_WM[joint.name]) @ S)[list(PLANE)], dtype=float)


def instant(source: Mechanism | Trajectory | Configuration, at: Any = None) -> Instant:
    """A mechanism at its drawing, at coordinates or a configuration, or a motion at an index.

    Where some coordinates are given by name the others follow, as `kb.assemble` has them.
    """
    if isinstance(source, Trajectory):
        k = 0 if at is None else at
        now, system = placed(source, k), loops_of(source)
        q, v = source.q[k], _velocities(system, source.q[k], source.v[k], now.t)
    else:
        m, at = (source.m, source) if isinstance(source, Configuration) else (source, at)
        _refuse_space(m)
        system = loop_system(m, drives=False)
        if isinstance(at, Mapping) and not {*system.tree.coordinates} <= at.keys():
            at = assemble(m, at)
        q = _coordinates(system, at.q if isinstance(at, Configuration) else at)
        now, v = _placed(system.tree, q, 0.0), _free_motions(system, q)
    motions = {}
    for body, X in now.X_WB.items():
        w, x, y = np.asarray(jacobian(system.tree, q, body) @ v, dtype=float)[list(PLANE)]
        motions[body] = np.array([w, x + w * X.p[1], y - w * X.p[0]])
    return replace(now, motions=motions)


def placed(motion: Trajectory, k: int) -> Instant:
    """A motion at the index k of its times: places only."""
    _refuse_space(motion.mechanism)
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise StructureError(f"expected the index of a time of the motion, got {k!r}")
    if not -len(motion.t) <= k < len(motion.t):
        raise StructureError(f"the motion has {len(motion.t)} times; there is no index {k}")
    return _placed(kept_tree(motion.mechanism), motion.q[k], float(motion.t[k]))


def drawn(m: Mechanism, t: float) -> Instant:
    """A mechanism as it is drawn, taken as its position at a time: places only."""
    _refuse_space(m)
    at = drawing(m)
    return Instant(m, t, at.X_WB, at.X_WF, at.X_WM, at.q, at.scale, {})


def _placed(tree: Tree, q: Array, t: float) -> Instant:
    q_all, at = np.asarray(all_coordinates(tree, q), dtype=float), drawing(tree.m)
    X_WB = {GROUND: identity()}
    for body in tree.m.bodies:
        X = body_pose(tree, q, body.name)
        X_WB[body.name] = Pose(np.asarray(X.R, dtype=float), np.asarray(X.p, dtype=float))
    values = {name: q_all[own] for name, (own, _) in places_of(tree.m.joints).items()}
    X_WF = {j.name: X_WB[j.parent] @ at.X_PF(j) for j in tree.m.joints}
    X_WM = {j.name: X_WB[j.child] @ at.X_BM(j) for j in tree.m.joints}
    return Instant(tree.m, t, X_WB, X_WF, X_WM, values, at.scale, {})


def _refuse_space(m: Mechanism) -> None:
    """These methods are for the plane."""
    if not m.plane:
        raise StructureError(
            f"mechanism {m.name!r} is spatial; centres and plans are for plane = 'xy'"
        )


def _coordinates(system: LoopSystem, q: Any) -> Array:
    if q is None:
        return np.asarray(system.drawn)
    q = state(system.tree, "q", q) if isinstance(q, Mapping | str) else real_array("q", q)
    if q.shape != (system.tree.nq,):
        names = ", ".join(system.tree.coordinates[i] for i in system.tree.free_q)
        raise StructureError(f"q: expected the {system.tree.nq} values of {names}; got {q.shape}")
    return np.asarray(q)


def _velocities(system: LoopSystem, q: Array, v: Array, t: float) -> Array:
    """The velocities of a motion and the idle ones, in columns; at rest all that loops leave."""
    J = system.unitless(q, np.zeros(system.wanted), np.array([t, 1.0]))[1]
    first, last = len(system.still), len(J) - system.wanted
    if np.max(np.abs(v) / system.units, initial=0.0) > AT_REST:
        return np.column_stack([v, _null(system, J, slice(first, None))])
    return _null(system, J, slice(first, last))


def _free_motions(system: LoopSystem, q: Array) -> Array:
    """All velocities that the loops leave at a position, in columns; open loops are an error."""
    if not system.tree.closing:
        return np.diag(system.units)
    residual, J = system.unitless(q, np.zeros(0), np.zeros(2))
    gap = float(np.max(np.abs(residual), initial=0.0))
    if gap > OPEN:
        raise StructureError(
            f"the loops of {system.m.name!r} are open by {gap:.2g} at this position; close them "
            "with kb.assemble(m, {...}) first"
        )
    return _null(system, J, slice(None))


def _null(system: LoopSystem, J: Array, rows: slice) -> Array:
    """All velocities with J v = 0 in some rows, in columns."""
    return np.asarray(system.units[:, None] * rank_of(J[rows]).null)
