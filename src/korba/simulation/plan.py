"""What is to be run, and the trajectory that comes of it: of one run, or of many."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from ..trajectory.audit import Effort
from ..trajectory.columns import columns_of
from ..trajectory.notes import friction_not_used
from ..trajectory.trajectory import FINISHED, Trajectory
from ..verbs.dynamics import energy
from . import endings, lanes, stepping
from .arguments import Forces, Starts, Times
from .energies import audit_of, energy_columns
from .prepared import Prepared
from .right_hand_side import Plant
from .runs import End, Task
from .schemes import Scheme

Report = Callable[[float, float], Any]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be run."""

    own: Prepared
    forces: Forces
    plant: Plant
    scheme: Scheme
    formulation: str | None
    task: Task
    span: Times
    begun: float

    def trajectory(
        self, t: Array, rows: Array, start: tuple[Array, Array], tau: Array, **how: Any
    ) -> Trajectory:
        """The motion in rows (..., times, columns); `how` it ended, and what it took."""
        tree, own, m = self.plant.tree, self.plant.own_states, self.own.m
        parts = np.cumsum([tree.nq, tree.nv, len(own)])
        q, v, currents, done = np.split(rows[..., 1:], parts, axis=-1)
        work = done[..., 0] if done.shape[-1] else np.zeros(rows.shape[:-1])
        of = partial(energy, m, gravity=self.own.gravity)
        columns = energy_columns(of, (q, v), start, work)
        return Trajectory(
            m,
            t,
            q,
            v,
            lambda: self.own.accelerations(self.plant, tau, rows, self.formulation),
            extra=columns_of(own, currents, ["A"] * len(own)) | columns,
            method=self.scheme.method.name,
            audit=audit_of(columns),
            **how,
        )

    def effort(self, end: End) -> Effort:
        """What was counted until now."""
        counted = (end.steps, end.rejected, end.evaluations, end.stiff)
        steps, rejected, evaluations, stiff = (np.asarray(x).astype(int)[()] for x in counted)
        return Effort(steps, rejected, evaluations, stiff, time.perf_counter() - self.begun)

    def nothing(self, *shape: int) -> Array:
        """Currents and work at the start: zero."""
        extra = len(self.plant.own_states) + int(self.scheme.equations.shape.works)
        return np.zeros((*shape, extra))


def one_run(plan: Plan, state: tuple[Array, Array], report: Report) -> Trajectory:
    """The motion from one start; currents and work begin at zero."""
    scheme, currents = plan.scheme, np.zeros(len(plan.plant.own_states))
    tau = np.zeros(0) if plan.forces.numbers is None else plan.forces.numbers
    start = stepping.start_of(scheme, *scheme.equations.start(*state, currents), tau)
    row = np.concatenate([[plan.span.start], *state, plan.nothing()])
    made = stepping.begun(scheme, plan.task, plan.span.asked, start, row)
    stepping.followed(made, report)
    status, message = endings.ending(made.end, plan.task.end)
    remarks = endings.remarks(plan.own.m, int(made.end.steps), int(made.end.stiff))
    return plan.trajectory(
        made.written[:, 0],
        made.written,
        state,
        tau,
        status=status,
        message=message,
        remarks=remarks,
        effort=plan.effort(made.end),
    )


def many_runs(plan: Plan, starts: Starts, threads: int, report: Report) -> Trajectory:
    """The motions from many starts, in lanes."""
    count, times = len(starts.q), np.asarray(plan.span.asked)
    y, base = plan.scheme.equations.starts(starts.q, starts.v)
    nothing = plan.nothing(count)
    table = np.ascontiguousarray(np.hstack([y, nothing, base, starts.tau]))
    width = 1 + starts.q.shape[1] + starts.v.shape[1] + nothing.shape[1]
    rows = np.full((count, len(times), width), np.nan)
    rows[:, :, 0] = times
    rows[:, : int(plan.task.written), 1:] = np.hstack([starts.q, starts.v, nothing])[:, None]
    made = lanes.begun(plan.scheme, plan.task, times, table, rows=rows, threads=threads)
    if count:
        lanes.followed(made, report)
    return _runs(plan, starts, rows, made.end)


def _runs(plan: Plan, starts: Starts, rows: Array, end: End) -> Trajectory:
    """The trajectory of a batch, with a sentence on every run that did not finish."""
    words = [endings.status(x) for x in end.status]
    stopped = [k for k, word in enumerate(words) if word != FINISHED]
    own = {k: endings.ending(End(*(x[k] for x in end)), plan.task.end)[1] for k in stopped}

    def shaped(x: Array) -> Array:
        return x.reshape(*starts.shape, *x.shape[1:])

    status = shaped(np.array(words, dtype=str))
    return plan.trajectory(
        np.asarray(plan.span.asked),
        shaped(rows),
        (shaped(starts.q), shaped(starts.v)),
        shaped(starts.tau)[..., None, :],
        status=status,
        message=endings.message_of(status, own, plan.task.end),
        remarks=friction_not_used(plan.own.m),
        effort=plan.effort(End(*map(shaped, end))),
        endings=own,
    )
