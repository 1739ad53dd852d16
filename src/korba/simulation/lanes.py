"""Many runs in the lanes of vectors: calls of a compiled queue until all runs have ended.

As with one run (stepping.py) a call makes attempts for some hundredths of a second. Runs wait in a
table of starts; lane j of L takes runs j, j + L, j + 2 L, ... one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen import TILE
from ..codegen.routine import packed_size
from ..spatial.rotation import Array
from . import stepping
from .runs import FRESH, GOING, End, Task, queue_form
from .schemes import Scheme


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
        self.states = self.scheme.advance_many(
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
    def part(self) -> float:
        """How much of all motion is made."""
        places = self.scheme.queue_places
        t, status = self.states[:, places.run.t], self.states[:, places.run.status]
        passed = np.where(status >= GOING, t - self.task.start, 0.0)
        under_way = float(np.sum(passed)) / (self.task.end - self.task.start)
        return (float(np.sum(self.end.status > GOING)) + under_way) / len(self.starts)


def begun(
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


def followed(lanes: Lanes, report: Callable[[float, float], Any]) -> None:
    """Calls until all runs have ended, or the user interrupts."""
    turns, span = stepping.FIRST_TURNS, lanes.task.end - lanes.task.start
    try:
        while np.any(lanes.end.status <= GOING):
            begun = time.perf_counter()
            lanes.on(turns)
            lasted = time.perf_counter() - begun
            passed = lanes.part * span
            report(passed, lanes.task.start + passed)
            share = stepping.SECONDS / max(lasted, 1e-6)
            turns = max(stepping.FEWEST_TURNS, int(turns * min(8.0, share)))
    except KeyboardInterrupt:
        lanes.end.status[lanes.end.status <= GOING] = stepping.STOPPED
