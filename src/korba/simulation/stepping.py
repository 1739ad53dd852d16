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
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import TILE
from ..errors import KorbaError
from ..spatial.rotation import Array
from .arguments import Times
from .queues import End
from .runs import DONE, FRESH, GOING, PAUSED, RESUMED, Task
from .schemes import Scheme

FIRST_TURNS, FEWEST_TURNS, MOST_TURNS = 512, 4, 1 << 17
"""Attempts of one call."""
SECONDS = 0.05
"""Of one call."""
STOPPED, FULL, CRAWLS = -2, -3, 9
"""Status of a run that the user interrupted, of too many rows, and of one that would take ages."""
SURE = 1e5
"""Steps by which a run is judged: how many the whole of it would take at that rate."""
FEW, MILLIONS = 2e3, 1e6
"""Steps after which a run is told to be stiff, and steps of the whole run that are so many."""
MOST_BYTES = 2 << 30
"""Memory of the rows of one run."""
MOST_STEPS, MOST_JUMPS = 1e10, 1e8
"""Steps that a run may have, and those where most of them are rejected."""


def outlook(steps: float, stiff: float, way: float) -> str:
    """What is said of a run that stability makes long, `way` of which is done; else nothing."""
    if not (steps > FEW and stiff > 0.2 * steps and 0 < way < 1 and steps > MILLIONS * way):
        return ""
    return f"stiff: {steps / way:.1e} steps in all, method 'stiff' takes few"


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
class Runs:
    """Runs on their way: what they begin with, their rows, and how they ended."""

    scheme: Scheme
    task: Task
    times: Array
    starts: Array
    """Rows of y, base and tau."""
    rows: Array | None
    """Shape (runs, times, row); None where every step of one run is written."""
    blocks: list[Array]
    """Rows of that run so far."""
    ends: Array
    """Rows of `End`; their status is GOING where a run has not ended."""
    states: Array
    """Of the queue, or of the queues of many lanes."""
    threads: int
    events: list[Array]
    """Rows of events so far: number of the run, its row, and 1 for each that happened."""
    asked: Callable[[float, Array, Array, Array], int] | None = None
    """Changes (t, y, tau) where some events have happened, and returns a status to go on with."""
    marks: Array = field(default_factory=lambda: np.zeros(0))
    """Ends of panels of time (pace.py)."""
    answers: dict[tuple[float, float], Array] = field(default_factory=dict)
    """States that functions of the user have left, by the run and the time."""
    seen: Array | None = None
    """Of each lane its run, steps and time when these were looked at last."""

    def on(self, turns: int) -> None:
        """So many attempts more in each lane."""
        places, rows = self.scheme.places, self.rows
        self.states[..., places.left] = turns
        self.states[..., places.run.happened] = 0.0
        lanes = len(np.atleast_2d(self.states))
        events = np.empty(
            (lanes, turns if self.scheme.event_row else 1, self.scheme.event_row or 1)
        )
        if rows is None:
            rows = np.empty((turns, self.blocks[0].shape[1]))
            self.states[places.run.rows] = 0.0
        self.states = self.scheme.advance(
            self.states,
            np.array(self.task, dtype=float),
            np.array([lanes, len(self.starts), turns], dtype=float),
            streams=(self.stream, self.starts, rows, self.ends, events),
            threads=self.threads,
            check_finite=False,
        )
        if self.rows is None:
            self.blocks.append(rows[: int(self.states[places.run.rows])])
        for state, own in zip(np.atleast_2d(self.states), events, strict=True):
            if count := int(state[places.run.happened]):
                self.events.append(own[:count].copy())
            if state[places.run.status] == PAUSED:
                self._ask(state, own[count - 1])

    def _ask(self, state: Array, row: Array) -> None:
        """Let a function of the user see a run at an event, and go on as it says."""
        run = self.scheme.places.run
        y, tau = state[run.y], state[run.tau.astype(int)]
        fired = row[len(row) - len(run.sides) :]
        status = GOING if self.asked is None else self.asked(float(state[run.t]), y, tau, fired)
        self.answers[row[0], row[1]] = y
        if status == GOING and state[run.t] < self.task.end:
            state[run.y], state[run.tau.astype(int)], state[run.status] = y, tau, RESUMED
            return
        self._end(state, status if status > GOING else DONE)

    def _end(self, state: Array, status: int) -> None:
        """Let a lane take its next run."""
        places, run = self.scheme.places, self.scheme.places.run
        state[run.status] = status
        numbers = [state[getattr(run, name)] for name in End._fields]
        self.ends[int(state[places.k])] = numbers
        state[places.k] += len(np.atleast_2d(self.states))
        state[run.status] = FRESH

    @cached_property
    def stream(self) -> Array:
        """Times that are asked for, and ends of panels."""
        return np.concatenate([self.times, self.marks])

    @property
    def end(self) -> End:
        """How all runs ended."""
        return End(*self.ends.T)

    @property
    def written(self) -> Array:
        """All rows of one run."""
        if self.rows is not None:
            return np.asarray(self.rows[0, : int(self.end.rows[0])])
        return self.blocks[0] if len(self.blocks) == 1 else np.concatenate(self.blocks)

    @property
    def going(self) -> bool:
        """Whether any run has not ended."""
        if len(self.ends) == 1:
            return bool(self.ends[0, 0] <= GOING)
        return bool((self.ends[:, 0] <= GOING).any())

    @property
    def reached(self) -> float:
        """The time up to which the motions are made, on the average."""
        run, span = self.scheme.places.run, self.task.end - self.task.start
        if len(self.starts) == 1:
            return float(self.states.flat[run.t])
        t, status = self.states[..., run.t], self.states[..., run.status]
        under_way = float(np.sum(np.where(status >= GOING, t - self.task.start, 0.0)))
        ended = float(np.sum(self.end.status > GOING)) * span
        return self.task.start + (ended + under_way) / len(self.starts)

    @property
    def outlook(self) -> str:
        """What is said of one run that stability makes long."""
        run, state = self.scheme.places.run, self.states
        if len(self.starts) > 1 or state.flat[run.steps] <= FEW:
            return ""
        state = np.ravel(state)
        way = (state[run.t] - self.task.start) / (self.task.end - self.task.start)
        return outlook(float(state[run.steps]), float(state[run.stiff]), float(way))

    @property
    def full(self) -> bool:
        """Whether the rows of one run fill its memory."""
        return sum(block.nbytes for block in self.blocks) > MOST_BYTES

    def end_crawling(self) -> None:
        """End runs whose last steps came so far only that the whole would take ages.

        Where more are rejected than taken, as where a force jumps to and fro, ages begin earlier.
        """
        run, states = self.scheme.places.run, np.atleast_2d(self.states)
        now = states[:, [self.scheme.places.k, run.steps, run.rejected, run.t]]
        if self.seen is None:
            self.seen = now
        new = self.seen[:, 0] != now[:, 0]
        self.seen[new] = now[new]
        _, steps, rejected, way = (now - self.seen).T
        attempts, most = steps + rejected, np.where(rejected > steps, MOST_JUMPS, MOST_STEPS)
        looked = (attempts > SURE) & (states[:, run.status] == GOING)
        crawls = looked & (way * most < attempts * (self.task.end - self.task.start))
        self.seen[looked] = now[looked]
        if self.scheme.method.adaptive:
            for j in np.flatnonzero(crawls):
                self._end(states[j], CRAWLS)

    def stop(self, status: int = STOPPED) -> None:
        """Go no further with those that have not ended, and say how far they have come."""
        places = self.scheme.places
        for state in np.atleast_2d(self.states):
            if state[places.run.status] >= GOING:
                numbers = [state[getattr(places.run, name)] for name in End._fields]
                self.ends[int(state[places.k])] = numbers
        self.end.status[self.end.status <= GOING] = status


def runs_of(
    scheme: Scheme,
    task: Task,
    asked: Array | None,
    starts: Array,
    *,
    first: Array,
    threads: int = 0,
) -> Runs:
    """All runs before their first steps: y, base and tau of each, and its first row but the time.

    Without threads it is one run, in a queue of its own.
    """
    nothing = End(GOING, task.start, task.step, task.written, 0, 0, 0, 0)
    ends = np.empty((len(starts), len(nothing)))
    ends[:] = nothing
    lanes = min(len(starts), TILE * threads) if threads else 1
    states = np.zeros((lanes, scheme.size))
    states[:, scheme.places.k] = states[:, scheme.places.lane] = np.arange(lanes)
    states[:, scheme.places.run.status] = FRESH
    if not threads:
        states = states[0]
    begun = np.concatenate([np.full((len(first), 1), task.start), first], axis=1)[:, None]
    if asked is None:
        return Runs(scheme, task, np.zeros(1), starts, None, [begun[0]], ends, states, 1, [])
    rows = np.empty((len(first), len(asked), begun.shape[2]))
    if threads:  # a run that fails has no rows beyond
        rows[:, :, 0], rows[:, :, 1:] = asked, np.nan
    rows[:, : int(task.written)] = begun
    return Runs(scheme, task, asked, starts, rows, [], ends, states, threads or 1, [])


def followed(made: Runs, report: Callable[..., Any]) -> None:
    """Calls until all that is to be run has ended, or the user interrupts."""
    turns = FIRST_TURNS
    try:
        while made.going:
            begun = time.perf_counter()
            made.on(turns)
            lasted = time.perf_counter() - begun
            report((reached := made.reached) - made.task.start, reached, made.outlook)
            made.end_crawling()
            if made.going and made.full:
                made.stop(FULL)
                return
            turns = max(FEWEST_TURNS, int(turns * min(8.0, SECONDS / max(lasted, 1e-6))))
            turns = min(turns, MOST_TURNS)
    except KeyboardInterrupt:
        made.stop()
