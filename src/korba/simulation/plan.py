"""What is to be run, checked and compiled, and the `Trajectory` that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..forces.loads import own_units
from ..model.summary import friction_not_used
from ..spatial.rotation import Array
from ..trajectory.audit import Effort
from ..trajectory.columns import Column, columns_of
from ..trajectory.events import Events
from ..trajectory.impacts import Impacts
from ..trajectory.trajectory import FAILED, FINISHED, Trajectory
from ..verbs.designs import sizes_of
from ..verbs.dynamics import Energy, energy
from . import arguments, sundials
from .callers import Caller
from .endings import ending, message_of, status_of, stiff_remarks
from .energies import audit_of, energy_columns, largest_of, least_energy
from .impacts import impacts
from .pace import marks
from .phases import Carried
from .projection import residuals
from .queues import End
from .right_hand_side import Plant, typical_length
from .runs import AT_EVENT, Task
from .schemes import SUNDIALS, Scheme, accelerations, pulls
from .singular import Passage, passages, told
from .stepping import Runs, followed, runs_of

AGAIN = 1e5
"""Steps of a run that is made again to look for singular positions."""
Report = Callable[..., Any]
"""Called with the part that is done, the time reached, and what there is to say."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be run."""

    plant: Plant
    scheme: Scheme
    formulation: str | None
    task: Task
    asked: Array | None
    starts: arguments.Starts
    begun: float
    many: bool = False
    """Whether it is a batch."""
    calls: tuple[Callable[..., Any] | None, ...] = ()
    """Functions of the user, one for each event."""
    friction: bool = False
    remarks: tuple[str, ...] = ()
    """What is to be said whatever comes of it."""
    currents: tuple[float, ...] = ()
    """Of motors at the start."""

    def phase(self, report: Report) -> tuple[Trajectory, Carried]:
        """The motion from one start, and what goes over to a run that follows it."""
        made = self._followed(report)
        run, plant, shape = self._told(made), self.plant, self.scheme.equations.shape
        places = self.scheme.places.run
        y, tau = made.states[places.y], made.states[places.tau.astype(int)]
        q, v, currents = shape.parts(y)
        values = dict(zip(plant.own_states, currents, strict=True))
        values |= dict(zip(plant.switches, plant.switched(tau), strict=True))
        energy = float(sum(self._energy(q, v, self.starts.p[0])))
        work = float(y[-1]) if shape.works else 0.0
        return run, Carried(float(made.states[places.t]), q, v, values, energy, work)

    def followed(self, threads: int, report: Report) -> Trajectory:
        """The motion, or the motions."""
        return self._many(threads, report) if self.many else self._one(report)

    def _one(self, report: Report) -> Trajectory:
        """The motion from one start."""
        return self._told(self._followed(report))

    def _told(self, made: Runs) -> Trajectory:
        """The motion of one run."""
        end, rows = End(*made.ends[0]), made.written
        if not np.isfinite(rows).all():
            rows = rows[np.isfinite(rows).all(axis=1)]
        happened = self._events(made)
        last = rows[-1, 1 : 1 + self.plant.tree.nq] if len(rows) else self.starts.q[0]
        status, message = ending(end, self.task.end, happened, self.plant, last)
        remarks = (*self.remarks, *stiff_remarks(int(end.steps), int(end.stiff)))
        told: dict[str, Any] = {"remarks": remarks, "events": happened}
        return self._trajectory(rows[:, 0], rows, end, status, message, **told)

    def _many(self, threads: int, report: Report) -> Trajectory:
        """The motions from many starts, in lanes; a sentence on every run that did not finish."""
        made, shape = self._followed(report, threads), self.starts.shape
        happened = self._events(made)
        words = np.array([status_of(code) for code in made.end.status], dtype=str)
        words[list(self.starts.lost)] = FAILED
        stopped = {
            int(k): ending(End(*made.ends[k]), self.task.end, happened.of_run(int(k)), self.plant)[
                1
            ]
            for k in np.flatnonzero((words != FINISHED) | (made.end.status == AT_EVENT))
        } | dict(self.starts.lost)
        end = End(*(x.reshape(shape) for x in made.end))
        status = words.reshape(shape)
        message = message_of(status, stopped, self.task.end)
        rows = np.asarray(made.rows)
        rows = rows.reshape(*shape, *rows.shape[1:])
        told: dict[str, Any] = {"endings": stopped, "events": happened}
        return self._trajectory(made.times, rows, end, status, message, **told)

    def _followed(self, report: Report, threads: int = 0) -> Runs:
        """All runs, made; currents and work are zero at the start."""
        starts, shape = self.starts, self.scheme.equations.shape
        q, v = (starts.q[0], starts.v[0]) if not starts.shape else (starts.q, starts.v)
        sizes = starts.p if starts.shape else starts.p[0]
        y, base = self.scheme.equations.start(q, v, sizes)
        nothing = np.zeros((len(starts.q), shape.currents + shape.works))
        nothing[:, : shape.currents] = self.currents
        y, base = (x if x.ndim == 2 else x[None] for x in (y, base))
        table = np.concatenate([y, nothing, base, starts.constants], axis=1)
        first = np.concatenate([starts.q, starts.v, nothing, starts.switches], axis=1)
        task = self.task._replace(length=typical_length(self.plant.m))
        ends = self._marks(table, starts.constants)
        task = task._replace(marks=len(ends))
        made = runs_of(self.scheme, task, self.asked, table, first=first, threads=threads)
        made.marks = ends
        if any(self.calls):
            made.asked = Caller(self.plant, self.calls, self._energy)
        if self.scheme.method is SUNDIALS:
            sundials.run(self.plant, self.formulation, made, report)
        else:
            followed(made, report)
        return made

    def _marks(self, table: Array, constants: Array) -> Array:
        """Ends of the panels of time that bound adaptive steps."""
        if not self.scheme.method.adaptive:
            return np.zeros(0)
        return marks(self.plant, table, constants, self.task.start, self.task.end)

    def _events(self, made: Runs) -> Events:
        """What happened when, of each run in order."""
        names, tree = self.plant.events, self.plant.tree
        if not names or not made.events:
            return Events(names, q=np.zeros((0, tree.nq)), v=np.zeros((0, tree.nv)))
        rows = np.concatenate(made.events)
        place, which = np.nonzero(rows[:, -len(names) :])
        rows = rows[place]
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        rows, which = rows[order], which[order]
        q, v = np.split(rows[:, 2:], [tree.nq, tree.nq + tree.nv], axis=1)[:2]
        changing = self.plant.holds or any(w.changes or w.calls for w in self.plant.watches)
        jumps = partial(self._impacts, rows, made.answers) if changing else None
        return Events(names, which, rows[:, 1], q, v, rows[:, 0].astype(int), jumps)

    def _impacts(self, rows: Array, answers: Mapping[tuple[float, float], Array]) -> Impacts:
        """What changes at the rows (run, t, y, switches, flags) of events."""
        plant, shape = self.plant, self.scheme.equations.shape
        widths = np.cumsum([1, 1, shape.size, len(plant.switches)])
        runs, t, y, thrown, fired = np.split(rows, widths, axis=1)
        given = self.starts.constants[runs[:, 0].astype(int)]
        tau = np.hstack([given[:, : given.shape[1] - len(plant.switches)], thrown])
        after = np.full((len(rows), plant.tree.nv), np.nan)
        for k, row in enumerate(rows):
            if (left := answers.get((row[0], row[1]))) is not None:
                after[k] = shape.parts(left)[1]
        return impacts(plant, self.formulation, (y, t, tau, fired), after)

    def _trajectory(
        self,
        t: Array,
        rows: Array,
        end: End,
        status: Any,
        message: str,
        *,
        events: Events,
        remarks: tuple[str, ...] = (),
        endings: Mapping[int, str] | None = None,
    ) -> Trajectory:
        """The motion in rows (..., times, columns)."""
        plant, starts = self.plant, self.starts
        m, tree, own = plant.m, plant.tree, plant.own_states
        first = [x.reshape(*starts.shape, x.shape[-1]) for x in (starts.q, starts.v, starts.p)]
        constants = starts.constants.reshape(*starts.shape, 1, plant.constants)
        works = int(self.scheme.equations.shape.works)
        ends = [0, *accumulate((1, tree.nq, tree.nv, len(own), works)), rows.shape[-1]]
        _, q, v, currents, done, thrown = (rows[..., a:b] for a, b in pairwise(ends))
        work = done[..., 0] if works else np.zeros(rows.shape[:-1])
        p = np.broadcast_to(first[2][..., None, :], (*q.shape[:-1], len(plant.sizes)))
        columns = energy_columns(self._energy, (q, v, p), first, work)
        pulled = pulls(plant, self.formulation, constants, rows)
        counted = ("steps", "rejected", "evaluations", "stiff")
        counts = {name: np.asarray(getattr(end, name)).astype(int)[()] for name in counted}
        seconds = time.perf_counter() - self.begun
        return Trajectory(
            m,
            t,
            q,
            v,
            lambda: accelerations(plant, self.formulation, constants, rows),
            extra=columns_of(own, currents, own_units(tree))
            | columns
            | columns_of(plant.switches, thrown, ["1"] * len(plant.switches))
            | {f"pull_{name}": Column(x, "N") for name, x in pulled.items()},
            ended=status,
            message=message,
            method=self.scheme.method.name,
            remarks=(
                *remarks,
                *(() if self.friction else friction_not_used(m)),
                *self._singular(rows, int(np.sum(counts["steps"]))),
            ),
            audit=audit_of(
                columns,
                partial(least_energy, m, plant.gravity, len(t)),
                self._residuals(rows),
            ),
            effort=Effort(**counts, seconds=seconds),
            endings=endings or {},
            events=events,
            parameters=self._designs(first[2]),
        )

    def _residuals(self, rows: Array) -> Callable[[], Any] | None:
        """The largest residual of loops and drives of each run; None where there are none."""
        if not self.plant.constrained:
            return None
        constants = self.starts.constants.reshape(*self.starts.shape, 1, self.plant.constants)
        y, t = rows[..., 1 : 1 + self.scheme.equations.shape.size], rows[..., :1]
        return lambda: largest_of(residuals(self.plant, np.ascontiguousarray(y), t, constants))[()]

    def _singular(self, rows: Array, steps: int) -> tuple[Callable[[], Any], ...]:
        """What finds the singular positions of runs when their notes are asked for.

        Between times that are asked for they cannot be seen, so the runs are then made again.
        """
        if not self.plant.constrained:
            return ()
        if self.asked is not None and (any(self.calls) or steps > AGAIN):
            return ()

        def passed() -> list[Passage]:
            size = self.scheme.equations.shape.size
            runs = {}
            for k, constants in enumerate(self.starts.constants):
                if k not in self.starts.lost:
                    every = rows if self.asked is None else self._every_step(k)
                    runs[k] = every[:, 0], every[:, 1 : 1 + size], constants
            return passages(self.plant, runs)

        return (partial(told, passed, self.plant.m.coordinates, many=self.many),)

    def _every_step(self, k: int) -> Array:
        """The rows of all steps of one run."""
        task = self.task._replace(times=0, written=False)
        alone = replace(self, asked=None, task=task, starts=self.starts.alone(k), many=False)
        rows = alone._followed(lambda *_: None).written
        return np.asarray(rows[np.isfinite(rows).all(axis=1)])

    def _designs(self, p: Array) -> dict[str, Array]:
        """Sizes in which the designs differ from the mechanism, shape (..., 1) each."""
        names = self.plant.sizes
        if not names or np.all(p == sizes_of(self.plant.m, names)):
            return {}
        return {name: p[..., None, i] for i, name in enumerate(names)}

    def _energy(self, q: Array, v: Array, p: Array) -> Energy:
        """The energies of states of designs."""
        design = {name: p[..., i] for i, name in enumerate(self.plant.sizes)}
        return energy(self.plant.m, q, v, gravity=self.plant.gravity, parameters=design or None)
