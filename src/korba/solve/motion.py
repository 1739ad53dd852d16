"""Driven motion: positions, velocities and accelerations of a mechanism over time.

The drives give f(t); loops and drives together are Phi(q, t) = 0. From the drawing the mechanism
is led to the first time, then along the times on one branch (branch.py); velocities and
accelerations are linear equations at every position (Gronowicz 3.4):

    J v = f',    J a = f'' - J' v
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..trajectory.point_motion import BodyMotion, PointMotion, body_motion, point_motion
from ..trajectory.progress import Progress
from ..trajectory.tables import dataset, write_csv, write_parquet
from ..verbs.store import kept
from .assemble import assembled, freedoms, settled, without_idle
from .branch import Along, Inputs, Nodes, closed_between, follow
from .closing import fight_of_drives, refuse_open
from .crossing import bridged, jump_of_a_drive, past_the_end
from .dead_point import dead_point
from .loop_system import LoopSystem, loop_system

MOST_ROUNDS = 5
"""How often a motion is followed again, with more nodes."""


@dataclass(frozen=True, eq=False)
class Motion:
    """What moves how, over time.

    `motion["B"]` is a coordinate over time, `motion["v_B"]` its velocity, `motion["a_B"]` its
    acceleration; `names` lists them all.
    """

    system: LoopSystem
    t: Array
    q: Array
    """Coordinates, shape (times, nq)."""
    v: Array
    """Velocities, shape (times, nv)."""
    a: Array
    pivots: Array
    """How far the equations are from singular: see `singularity`."""
    status: str = "finished"
    """Or "interrupted", with the motion up to then."""

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.system.m

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names in the order of q."""
        return tuple(self.system.tree.coordinates[i] for i in self.system.tree.free_q)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names in the order of v and a."""
        return tuple(self.system.tree.velocities[i] for i in self.system.tree.free_v)

    @property
    def singularity(self) -> Array:
        """Smallest pivot of the velocity equations over the largest: 0 at a dead point."""
        if not self.pivots.shape[1]:
            return np.ones(len(self.t))
        return np.asarray(self.pivots.min(axis=1) / self.pivots.max(axis=1))

    @property
    def gap(self) -> float:
        """Largest residual of loops and drives over the motion, in typical lengths and rad."""
        wanted, _, clock = on_time(self.system)(self.t)
        residual = self.system.residuals(self.q, wanted, clock)
        return float(np.max(np.abs(residual) / self.system.size, initial=0.0))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all columns: t, coordinates, velocities, accelerations."""
        rates = [f"{kind}_{name}" for kind in "va" for name in self.velocities]
        return ("t", *self.coordinates, *rates)

    @cached_property
    def columns(self) -> Array:
        """All columns beside each other, in the order of `names`."""
        return np.column_stack([self.t, self.q, self.v, self.a])

    def __getitem__(self, name: str) -> Array:
        """A column by name."""
        if name not in self.names:
            raise StructureError(f"there is no column {name!r}; there are {', '.join(self.names)}")
        return np.asarray(self.columns[:, self.names.index(name)])

    def body(self, name: str) -> BodyMotion:
        """Pose, velocity and acceleration of a body's frame over time."""
        return body_motion(self.system.m, name, (self.q, self.v, self.a))

    def point(self, body: str, at: Any = (0.0, 0.0, 0.0)) -> PointMotion:
        """Position, velocity and acceleration, in the world, of a point of a body.

        `at` is the name of one of the body's points, or a place in its frame.
        """
        return point_motion(self.system.m, body, at, (self.q, self.v, self.a))

    def to_csv(self, path: str | Path, **more: Array) -> None:
        """Write all columns, and more of them by name, with the names in the first line."""
        table = np.column_stack([self.columns, *more.values()])
        write_csv(path, [*self.names, *more], table)

    def to_parquet(self, path: str | Path, **more: Array) -> None:
        """The same as a Parquet file; it needs pyarrow."""
        write_parquet(path, dict(zip(self.names, self.columns.T, strict=True)) | more)

    def to_xarray(self) -> Any:
        """The same as an `xarray.Dataset` over the time."""
        return dataset(dict(zip(self.names, self.columns.T, strict=True)), self.status)


def motion(
    m: Mechanism, times: Any, *, progress: bool | Callable[[float], object] | None = None
) -> Motion:
    """Motion of a driven mechanism at the given times, from the branch that was drawn.

    The mechanism needs as many drives as it has freedoms. Raises an `AssemblyError` if it cannot
    be assembled at the first time, and a `DeadPointError`, which holds the motion so far, if the
    drives cannot move it further. `progress` shows a bar (by itself after a second at a terminal)
    or is called with the time reached; an interrupted run gives the motion so far.
    """
    t = _times(times)
    system = kept(m, "driven loops", lambda: _driven(m, float(t[0])))
    start, _ = assembled(system, np.zeros(0), float(t[0]))
    if not settled(system, start, float(t[0])):
        raise StructureError(
            f"mechanism {system.m.name!r} stands in a singular position at t = {t[0]:g} s; start "
            "from another time"
        )
    along = Along(system, on_time(system))
    if len(t) == 1:
        return moving(system, t, start[None])
    nodes, q = _followed(along, start, t, Progress(progress, float(t[-1] - t[0]), "moving"))
    done = bridged(along, nodes, moving(system, t[: len(q)], q))
    if nodes.interrupted:
        return replace(done, status="interrupted")
    if not nodes.complete:
        fight = fight_of_drives(system, nodes.q[-1], float(nodes.s[-1]), 1e-6 * float(t[-1] - t[0]))
        raise (
            fight or jump_of_a_drive(along, nodes) or dead_point(system, nodes, float(t[-1]), done)
        )
    return done


def _followed(along: Along, start: Array, t: Array, shown: Progress) -> tuple[Nodes, Array]:
    """Nodes, and positions at those times that were reached.

    Where the drives do something between two nodes that these did not see, it is followed again
    with nodes at the times themselves.
    """
    first, last = float(t[0]), float(t[-1])
    stops = np.zeros(0)
    try:
        for _ in range(MOST_ROUNDS):
            nodes = follow(
                along, start, first, last, told=lambda s: shown(s - first, s), stops=stops
            )
            nodes = past_the_end(along, nodes, last, stops)
            reached = t if nodes.complete else t[t <= nodes.s[-1]]
            made = closed_between(along, nodes, reached)
            more = reached[:0] if made.fair.all() else np.setdiff1d(reached[~made.fair], stops)
            if nodes.interrupted or not len(more):
                break
            stops = np.union1d(stops, more)
    finally:
        shown.close()
    if not made.closed:
        refuse_open(along.system, made.q, along.inputs(reached)[0], reached)
    return nodes, made.q


def moving(system: LoopSystem, t: Array, q: Array) -> Motion:
    """The motion through solved positions."""
    v, a, _, pivots = system.rates(q, *on_time(system)(t), check_finite=False)
    return Motion(system, t, q, v, a, pivots)


def on_time(system: LoopSystem) -> Any:
    """Inputs of the system on the way that the drives prescribe."""
    rest = np.zeros(system.wanted)

    def inputs(t: Any) -> Inputs:
        if isinstance(t, float):
            return rest, rest, np.array([t, 1.0])
        t = np.asarray(t, dtype=float)
        still = np.zeros((*t.shape, system.wanted))
        return still, still, np.stack([t, np.ones_like(t)], axis=-1)

    return inputs


def _times(times: Any) -> Array:
    try:
        t = np.atleast_1d(np.asarray(times, dtype=float))
    except (TypeError, ValueError):
        t = np.zeros(0)
    if t.ndim != 1 or not len(t) or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
        raise StructureError(
            "times: expected increasing finite times, such as np.linspace(0, 1, 361), got "
            f"{times!r:.60}"
        )
    return t


def _driven(m: Mechanism, t: float) -> LoopSystem:
    """Loops and drives with nothing left free but idle freedoms, which are kept still."""
    system = loop_system(m)
    if not system.tree.nv:
        raise StructureError(f"mechanism {system.m.name!r} has no joint that could move")
    free = freedoms(system, system.drawn, t)
    idle = mobility(m).local if free and system.drives else 0
    if not system.drives or free > idle:
        raise StructureError(
            f"mechanism {system.m.name!r} has {free - idle} more freedoms than its "
            f"{len(system.drives)} drives{_springs(m)}; add drives such as [[drive]] with a joint "
            "and its position in time, or ask assemble with values"
        )
    return without_idle(system, system.drawn, t, free)


def _springs(m: Mechanism) -> str:
    """Which freedoms are those of springs."""
    names = [repr(joint.name) for joint in m.joints if joint.elastic is not None]
    return f", those of the springs of {', '.join(names)} among them" if names else ""
