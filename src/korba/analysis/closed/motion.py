"""Driven motion: positions, velocities and accelerations of a mechanism over time.

The drives give f(t); loops and drives together are Phi(q, t) = 0. From the drawing the mechanism
is led to the first time, then along the times on one branch (branch.py); velocities and
accelerations are linear equations at every position (Gronowicz 3.4):

    J v = f',    J a = f'' - J' v
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ..keeping import kept_value
from .assemble import assembled, determined, freedoms
from .branch import Along, Inputs, filled, follow
from .dead_point import dead_point
from .loop_system import LoopSystem, loop_system
from .point_motion import BodyMotion, PointMotion, body_motion, point_motion


@dataclass(frozen=True, eq=False)
class Motion:
    """What moves how, over time. `motion["B"]` is a coordinate over time, by name."""

    system: LoopSystem
    t: Array
    q: Array
    """Coordinates, shape (times, nq)."""
    v: Array
    """Velocities, shape (times, nv)."""
    a: Array
    pivots: Array
    """How far the equations are from singular: see `singularity`."""

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

    def __getitem__(self, name: str) -> Array:
        """A coordinate over time."""
        return np.asarray(self.q[:, _place(name, self.coordinates, "coordinate")])

    def velocity(self, name: str) -> Array:
        """A velocity over time."""
        return np.asarray(self.v[:, _place(name, self.velocities, "velocity")])

    def acceleration(self, name: str) -> Array:
        """The rate of a velocity over time."""
        return np.asarray(self.a[:, _place(name, self.velocities, "velocity")])

    def body(self, name: str) -> BodyMotion:
        """Pose, velocity and acceleration of a body's frame over time."""
        return body_motion(self.system.tree, name, (self.q, self.v, self.a))

    def point(self, body: str, at: Any = (0.0, 0.0, 0.0)) -> PointMotion:
        """Position, velocity and acceleration, in the world, of a point given in a body's frame."""
        return point_motion(self.system.tree, body, at, (self.q, self.v, self.a))

    def columns(self) -> Iterator[tuple[str, Array]]:
        """Every array by name: t, coordinates, `v.` velocities, `a.` accelerations."""
        yield "t", self.t
        yield from zip(self.coordinates, self.q.T, strict=True)
        for prefix, values in (("v.", self.v), ("a.", self.a)):
            for name, column in zip(self.velocities, values.T, strict=True):
                yield prefix + name, column

    def to_xarray(self) -> Any:
        """The same as an `xarray.Dataset` over the time."""
        try:
            import xarray  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise StructureError(
                "to_xarray needs the package xarray; install it with `pip install xarray`"
            ) from error
        data = {name: ("t", column) for name, column in self.columns() if name != "t"}
        return xarray.Dataset(data, coords={"t": self.t})


def motion(m: Mechanism, times: Any) -> Motion:
    """Motion of a driven mechanism at the given times, from the branch that was drawn.

    The mechanism needs as many drives as it has freedoms. Raises an `AssemblyError` if it cannot
    be assembled at the first time, and a `DeadPointError`, which holds the motion so far, if the
    drives cannot move it further.
    """
    t = _times(times)
    system = kept_value(m, "driven loops", lambda: _driven(replace(m), float(t[0])))
    start, _ = assembled(system, np.zeros(0), float(t[0]))
    if not determined(system, start, float(t[0])):
        raise StructureError(
            f"mechanism {system.m.name!r} stands in a singular position at t = {t[0]:g} s; start "
            "from another time"
        )
    along = Along(system, on_time(system))
    if len(t) == 1:
        return moving(system, t, start[None])
    nodes = follow(along, start, float(t[0]), float(t[-1]))
    reached = t if nodes.complete else t[t <= nodes.s[-1]]
    done = moving(system, reached, filled(along, nodes, reached))
    if not nodes.complete:
        raise dead_point(system, nodes, done)
    return done


def moving(system: LoopSystem, t: Array, q: Array) -> Motion:
    """The motion through solved positions."""
    v, a, _, pivots = system.rates(q, *on_time(system)(t), check_finite=False)
    return Motion(system, t, q, v, a, pivots)


def on_time(system: LoopSystem) -> Any:
    """Inputs of the system on the way that the drives prescribe."""

    def inputs(t: Any) -> Inputs:
        t = np.asarray(t, dtype=float)
        still = np.zeros((*t.shape, system.wanted))
        return still, still, np.stack([t, np.ones_like(t)], axis=-1)

    return inputs


def _times(times: Any) -> Array:
    t = np.atleast_1d(np.asarray(times, dtype=float))
    if t.ndim != 1 or not len(t) or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
        raise StructureError(
            "times: expected increasing finite times, such as np.linspace(0, 1, 361)"
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
            f"{len(system.drives)} drives; add drives such as [[drive]] with a joint and its "
            "position in time, or ask assemble with values"
        )
    return replace(system, still=_idle(system, t, free)) if free else system


def _idle(system: LoopSystem, t: float, free: int) -> tuple[int, ...]:
    """Velocities that tell the idle motions apart best, one each."""
    from scipy.linalg import qr

    J = system.gaps(system.drawn, np.zeros(system.wanted), np.array([t, 0.0]))[1]
    null = np.linalg.svd(J / system.size[:, None] * system.units)[2][-free:]
    order = qr(null, pivoting=True, mode="r")[1]
    return tuple(int(k) for k in sorted(order[:free]))


def _place(name: str, names: tuple[str, ...], kind: str) -> int:
    if name not in names:
        raise StructureError(f"there is no {kind} {name!r}; there are {', '.join(names)}")
    return names.index(name)
