"""What is to be run, and what comes of it: one run as a `Solution`, many as `Runs`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from . import endings, lanes, stepping
from .arguments import Forces, Starts, Times
from .many_runs import Runs
from .prepared import Prepared
from .right_hand_side import Plant
from .runs import End, Task
from .schemes import Scheme
from .solution import Effort, Solution

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

    def split(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """q, v, currents and work of rows."""
        tree = self.plant.tree
        parts = np.cumsum([tree.nq, tree.nv, len(self.plant.own_states)])
        q, v, currents, done = np.split(rows[..., 1:], parts, axis=-1)
        return q, v, currents, done[..., 0] if done.shape[-1] else np.zeros(rows.shape[:-1])

    def solution(self, rows: Array, end: End, state: tuple[Array, Array], tau: Array) -> Solution:
        """The motion of one run in its rows; `state` is its start."""
        q, v, currents, work = self.split(rows)
        status, message = endings.ending(end, self.task.end)
        steps, stiff = int(end.steps), int(end.stiff)
        return Solution(
            mechanism=self.own.m,
            method=self.scheme.method.name,
            t=rows[:, 0],
            q=q,
            v=v,
            currents=currents,
            work=work,
            status=status,
            message=message,
            effort=Effort(
                steps,
                int(end.rejected),
                int(end.evaluations),
                stiff,
                time.perf_counter() - self.begun,
            ),
            notes=endings.notes(self.plant.tree, rows, steps, stiff),
            gravity=self.own.gravity,
            own_states=self.plant.own_states,
            rates=lambda: self.own.accelerations(self.plant, tau, rows, self.formulation),
            start=state,
        )

    def nothing(self, *shape: int) -> Array:
        """Currents and work at the start: zero."""
        extra = len(self.plant.own_states) + int(self.scheme.equations.shape.works)
        return np.zeros((*shape, extra))


def one_run(plan: Plan, state: tuple[Array, Array], report: Report) -> Solution:
    """The motion from one start; currents and work begin at zero."""
    scheme, currents = plan.scheme, np.zeros(len(plan.plant.own_states))
    tau = np.zeros(0) if plan.forces.numbers is None else plan.forces.numbers
    start = stepping.start_of(scheme, *scheme.equations.start(*state, currents), tau)
    row = np.concatenate([[plan.span.start], *state, plan.nothing()])
    made = stepping.begun(scheme, plan.task, plan.span.asked, start, row)
    stepping.followed(made, report)
    return plan.solution(made.written, made.end, state, tau)


def many_runs(plan: Plan, starts: Starts, threads: int, report: Report) -> Runs:
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


def _runs(plan: Plan, starts: Starts, rows: Array, end: End) -> Runs:
    def one(k: int) -> Solution:
        own = End(*(column[k] for column in end))
        state = (starts.q[k], starts.v[k])
        return plan.solution(rows[k, : int(own.rows)], own, state, starts.tau[k])

    def shaped(x: Array) -> Array:
        return x.reshape(*starts.shape, *x.shape[1:])

    q, v, currents, work = map(shaped, plan.split(rows))
    words = np.array([endings.status(x) for x in end.status], dtype=object)
    counts = [shaped(x.astype(int)) for x in (end.steps, end.rejected, end.evaluations, end.stiff)]
    return Runs(
        mechanism=plan.own.m,
        method=plan.scheme.method.name,
        t=np.asarray(plan.span.asked),
        q=q,
        v=v,
        currents=currents,
        work=work,
        status=shaped(words),
        effort=Effort._make([*counts, time.perf_counter() - plan.begun]),
        gravity=plan.own.gravity,
        one=one,
        rates=lambda: shaped(
            plan.own.accelerations(plan.plant, starts.tau[:, None], rows, plan.formulation)
        ),
        starts=(shaped(starts.q), shaped(starts.v)),
    )
