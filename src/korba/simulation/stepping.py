"""Calls of a compiled method until the motion is made: rows are gathered, the user may interrupt.

A call makes steps for some hundredths of a second, so that a keyboard interrupt and the progress
bar get their turn; what was computed before an interrupt is kept. Many runs go in the lanes of
vectors: they wait in a table of starts, lane j of L takes runs j, j + L, j + 2 L, ... one after the
other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen import TILE
from ..codegen.routine import packed_size
from ..errors import KorbaError
from ..spatial.rotation import Array
from .arguments import Times
from .runs import FRESH, GOING, End, Task, queue_form
from .schemes import Scheme

FIRST_TURNS, FEWEST_TURNS = 128, 4
"""Attempts of one call."""
SECONDS = 0.05
"""Of one call."""
STOPPED = -2
"""Status of a run that the user interrupted."""
MOST_STEPS = 1e10
"""Steps of one length that a run may have."""


def fixed_task(span: Times, step: float) -> Task:
    """Steps of one length: at most `step`, a whole part of the run."""
    whole = span.end - span.start
    refuse_many("step", span, step)
    total = max(1, int(np.ceil(whole / step * (1 - 1e-12))))
    return task_of(span, whole / total, steps=total)


def refuse_many(what: str, span: Times, step: float) -> None:
    """An error where steps of this length would be too many for any machine."""
    whole = span.end - span.start
    if whole > MOST_STEPS * step:
        raise KorbaError(
            f"{what}: {step:g} s would make {whole / step:.3g} steps of {whole:g} s; make it "
            f"longer, at most {MOST_STEPS:.0e} steps are taken"
        )


def task_of(span: Times, step: float = 0.0, **how: float) -> Task:
    """Steps by `rtol`, `atol` and the `longest`, the first given or guessed; or so many `steps`."""
    asked = np.zeros(0) if span.asked is None else span.asked
    shortest = 2.0**-52 * 1e-3 * (span.end - span.start)
    written = bool(asked.size and asked[0] <= span.start)
    return Task(span.start, span.end, shortest, len(asked), written, step, **how)


@dataclass(eq=False)
class OneRun:
    """A run on its way: the vector of where it stands, and what it has written."""

    scheme: Scheme
    task: Task
    times: Array
    state: Array
    blocks: list[Array] = field(default_factory=list)
    rows: Array | None = None

    def number(self, name: str) -> float:
        """One number of it."""
        return float(self.state[getattr(self.scheme.places, name)])

    @property
    def end(self) -> End:
        """How it ended, or where it stands."""
        return End(*map(self.number, End._fields))

    @property
    def written(self) -> Array:
        """All rows so far."""
        if self.rows is not None:
            return self.rows[: int(self.number("rows"))]
        return self.blocks[0] if len(self.blocks) == 1 else np.concatenate(self.blocks)

    @property
    def going(self) -> bool:
        """Whether it has not ended."""
        return self.number("status") <= GOING

    @property
    def reached(self) -> float:
        """The time up to which the motion is made."""
        return self.number("t")

    def on(self, turns: int) -> None:
        """So many attempts more."""
        rows = self.rows
        if rows is None:
            rows = np.empty((turns, self.blocks[0].shape[1]))
            self.state[self.scheme.places.rows] = 0.0
        task = np.array(self.task._replace(turns=turns), dtype=float)
        streams = (self.times, rows)
        self.state = self.scheme.advance(self.state, task, streams=streams, check_finite=False)
        if self.rows is None:
            self.blocks.append(rows[: int(self.number("rows"))])

    def stop(self) -> None:
        """Go no further."""
        self.state[self.scheme.places.status] = STOPPED


def one_run(scheme: Scheme, task: Task, asked: Array | None, start: Array, row: Array) -> OneRun:
    """A run before its first step, with y, base and tau in `start`; `row` is its first."""
    places, state = scheme.places, np.zeros(packed_size(scheme.form))
    first = places.y[0]  # base and tau follow y
    state[first : first + len(start)], state[places.status] = start, FRESH
    if asked is None:
        return OneRun(scheme, task, np.zeros(1), state, [row[None, :]])
    rows = np.empty((len(asked), len(row)))
    rows[: int(task.written)] = row
    return OneRun(scheme, task, asked, state, rows=rows)


@dataclass(eq=False)
class Lanes:
    """Runs on their way: what they begin with, their rows, and how they ended."""

    scheme: Scheme
    task: Task
    times: Array
    starts: Array
    """Rows of y, base and tau."""
    rows: Array
    """Shape (runs, times, row)."""
    ends: Array
    """Rows of `End`; their status is GOING where a run has not ended."""
    states: Array
    """Of the queues, one for each lane."""
    threads: int

    def on(self, turns: int) -> None:
        """So many attempts more in each lane."""
        self.states[:, self.scheme.queue_places.left] = turns
        self.states = self.scheme.advance_many()(
            self.states,
            np.array(self.task, dtype=float),
            np.array([len(self.states), len(self.starts)], dtype=float),
            streams=(self.times, self.starts, self.rows, self.ends),
            threads=self.threads,
            check_finite=False,
        )

    @property
    def end(self) -> End:
        """How all runs ended."""
        return End(*self.ends.T)

    @property
    def going(self) -> bool:
        """Whether any run has not ended."""
        return bool(np.any(self.end.status <= GOING))

    @property
    def reached(self) -> float:
        """The time up to which the motions are made, on the average."""
        places, span = self.scheme.queue_places, self.task.end - self.task.start
        t, status = self.states[:, places.run.t], self.states[:, places.run.status]
        under_way = float(np.sum(np.where(status >= GOING, t - self.task.start, 0.0)))
        ended = float(np.sum(self.end.status > GOING)) * span
        return self.task.start + (ended + under_way) / len(self.starts)

    def stop(self) -> None:
        """Go no further with those that have not ended."""
        self.end.status[self.end.status <= GOING] = STOPPED


def many_runs(
    scheme: Scheme, task: Task, times: Array, starts: Array, *, rows: Array, threads: int
) -> Lanes:
    """All runs before their first steps; `rows` has the first ones if they are asked for."""
    nothing = End(GOING, task.start, task.step, task.written, 0, 0, 0, 0)
    ends = np.tile(np.array(nothing, dtype=float), (len(starts), 1))
    lanes = min(len(starts), TILE * threads)
    states = np.zeros((lanes, packed_size(queue_form(scheme.form))))
    states[:, scheme.queue_places.k] = np.arange(lanes)
    states[:, scheme.queue_places.run.status] = FRESH
    return Lanes(scheme, task, times, starts, rows, ends, states, threads)


def followed(made: OneRun | Lanes, report: Callable[[float, float], Any]) -> None:
    """Calls until all that is to be run has ended, or the user interrupts."""
    turns = FIRST_TURNS
    try:
        while made.going:
            begun = time.perf_counter()
            made.on(turns)
            lasted = time.perf_counter() - begun
            report(made.reached - made.task.start, made.reached)
            turns = max(FEWEST_TURNS, int(turns * min(8.0, SECONDS / max(lasted, 1e-6))))
    except KeyboardInterrupt:
        made.stop()
