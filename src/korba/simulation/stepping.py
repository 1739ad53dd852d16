"""Calls of a compiled method until the motion is made: rows are gathered, the user may interrupt.

A call makes steps for some hundredths of a second, so that a keyboard interrupt and the progress
bar get their turn; what was computed before an interrupt is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen.routine import packed_size
from ..errors import KorbaError
from ..spatial.rotation import Array
from .arguments import Times
from .runs import FRESH, GOING, End, Task
from .schemes import Scheme

FIRST_TURNS, FEWEST_TURNS = 128, 4
"""Attempts of one call."""
SECONDS = 0.05
"""Of one call."""
STOPPED = -2
"""Status of a run that the user interrupted."""


@dataclass(frozen=True, eq=False)
class Tolerance:
    """Of the adaptive method: errors of a step stay below atol + rtol |y|."""

    rtol: float
    atol: float
    longest: float


def adaptive_task(span: Times, tolerance: Tolerance, first: float | None) -> Task:
    """Steps by tolerance, the first of them given or guessed."""
    return _task(span, 0.0 if first is None else first, 0, tolerance)


MOST_STEPS = 1e10
"""Steps of one length that a run may have."""


def fixed_task(span: Times, step: float) -> Task:
    """Steps of one length: at most `step`, a whole part of the run."""
    whole = span.end - span.start
    if whole > MOST_STEPS * step:
        raise KorbaError(
            f"step: {step:g} s would make {whole / step:.3g} steps of {whole:g} s; make it longer, "
            f"at most {MOST_STEPS:.0e} steps are taken"
        )
    total = max(1, int(np.ceil(whole / step * (1 - 1e-12))))
    return _task(span, whole / total, total, Tolerance(0.0, 0.0, np.inf))


def _task(span: Times, step: float, steps: int, tolerance: Tolerance) -> Task:
    asked = np.zeros(0) if span.asked is None else span.asked
    return Task(
        start=span.start,
        end=span.end,
        step=step,
        steps=steps,
        rtol=tolerance.rtol,
        atol=tolerance.atol,
        longest=tolerance.longest,
        shortest=2.0**-52 * 1e-3 * (span.end - span.start),
        times=len(asked),
        written=bool(asked.size and asked[0] <= span.start),
        turns=0,
    )


@dataclass(eq=False)
class Progress:
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


def begun(scheme: Scheme, task: Task, asked: Array | None, state: Array, row: Array) -> Progress:
    """A run before its first step; its first row is there if it is asked for."""
    if asked is None:
        return Progress(scheme, task, np.zeros(1), state, [row[None, :]])
    rows = np.empty((len(asked), len(row)))
    rows[: int(task.written)] = row
    return Progress(scheme, task, asked, state, rows=rows)


def start_of(scheme: Scheme, y: Array, base: Array, tau: Array) -> Array:
    """The vector of a run that is to begin."""
    places, state = scheme.places, np.zeros(packed_size(scheme.form))
    state[places.y], state[places.status] = y, FRESH
    if len(base):
        state[places.base] = base
    if len(tau):
        state[places.tau] = tau
    return state


def followed(made: Progress, report: Callable[[float, float], Any]) -> None:
    """Calls until the run has ended, or the user interrupts."""
    turns = FIRST_TURNS
    try:
        while made.number("status") <= GOING:
            begun = time.perf_counter()
            made.on(turns)
            lasted = time.perf_counter() - begun
            t = made.number("t")
            report(t - made.task.start, t)
            turns = max(FEWEST_TURNS, int(turns * min(8.0, SECONDS / max(lasted, 1e-6))))
    except KeyboardInterrupt:
        made.state[made.scheme.places.status] = STOPPED
