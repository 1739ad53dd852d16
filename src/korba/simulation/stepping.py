"""Calls of a compiled driver until the motion is made: rows are gathered, the user may interrupt.

A call makes steps for some hundredths of a second, so that a keyboard interrupt and the progress
bar get their turn; what was computed before an interrupt is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from .arguments import Times
from .driver import MORE
from .machine_code import MachineCode, address

FIRST_STEPS, FEWEST_STEPS = 128, 4
SECONDS = 0.05
"""Of one call."""
FIRST_ROWS, MOST_ROWS = 1024, 1 << 16
STOPPED = -1
"""Status of a run that the user interrupted."""


@dataclass(frozen=True, eq=False)
class Tolerance:
    """Of the adaptive method: errors of a step stay below atol + rtol |y|."""

    rtol: float
    atol: float
    longest: float


@dataclass(eq=False)
class Workspace:
    """The memory of one run."""

    code: MachineCode
    m: Array
    c: Array
    times: Times
    blocks: list[Array]
    rows: Array

    def vector(self, name: str, size: int | None = None) -> Array:
        """A vector of the driver, to read and write."""
        place = self.code.memory.places[name]
        return self.m[place : place + (self.code.sizes.state if size is None else size)]

    def put(self, **values: float) -> None:
        """Set scalars."""
        for name, value in values.items():
            self.m[self.code.memory.places[name]] = value

    def get(self, name: str) -> float:
        """A scalar."""
        return float(self.m[self.code.memory.places[name]])

    def count(self, name: str) -> int:
        """A counter."""
        return int(self.c[self.code.memory.counters[name]])

    def set_count(self, **values: int) -> None:
        """Set counters."""
        for name, value in values.items():
            self.c[self.code.memory.counters[name]] = value

    def slope(self, t: float, of: str, into: str) -> Array:
        """The slope at the state `of`, a copy."""
        places = self.code.memory.places
        self.put(stage_time=t)
        self.code.slope_at(address(self.m), places[of], places[into])
        return self.vector(into).copy()

    def gathered(self) -> Array:
        """All rows written so far."""
        if len(self.blocks) == 1:
            return self.blocks[0]
        return np.concatenate(self.blocks)


def workspace(
    code: MachineCode, y: Array, times: Times, *, tau: Array | None, base: Array
) -> Workspace:
    """Memory with the state at the start."""
    m = np.zeros(code.memory.total)
    c = np.zeros(len(code.memory.counters), dtype=np.int64)
    made = Workspace(code, m, c, times, [], np.empty((0, code.sizes.row)))
    made.vector("y")[:] = y
    if tau is not None:
        made.vector("tau", code.sizes.tau)[:] = tau
    made.vector("base", code.sizes.base)[:] = base
    made.put(t=times.start, start=times.start, end=times.end)
    made.put(shortest=2.0**-52 * 1e-3 * (times.end - times.start))
    made.set_count(each=times.asked is None, times=0 if times.asked is None else len(times.asked))
    return made


def prepare_adaptive(
    work: Workspace, controlled: int, tolerance: Tolerance, first: float | None
) -> None:
    """Tolerances, the slope at the start and the first step."""
    place, size = work.code.memory.places["atol"], work.code.memory.padded
    work.m[place : place + size] = np.inf  # padding and work are not controlled
    work.vector("atol")[:controlled] = tolerance.atol
    work.put(rtol=tolerance.rtol, longest=tolerance.longest, controlled=controlled)
    with np.errstate(all="ignore"):  # a slope that is not finite makes the run fail, in words
        step = _first_step(work, controlled, tolerance) if first is None else first
    work.slope(work.times.start, "y", "K")
    work.put(h=min(step, tolerance.longest, work.times.end - work.times.start))
    work.set_count(slopes=3 if first is None else 1)


def _first_step(work: Workspace, controlled: int, tolerance: Tolerance) -> float:
    """A careful guess from the size of y, y' and y'' (Hairer, Norsett & Wanner, II.4)."""
    start, span = work.times.start, work.times.end - work.times.start
    y = work.vector("y")[:controlled].copy()
    scale = tolerance.atol + np.abs(y) * tolerance.rtol

    def size(x: Array) -> float:
        return float(np.linalg.norm(x / scale)) / controlled**0.5

    f = work.slope(start, "y", "K")[:controlled]
    d0, d1 = size(y), size(f)
    h = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, span)
    work.vector("stage")[:] = work.vector("y")
    work.vector("stage")[:controlled] += h * f
    f_1 = work.slope(start + h, "stage", "y_new")[:controlled]
    d2 = size(f_1 - f) / h
    largest = max(d1, d2)
    bend = max(1e-6, h * 1e-3) if not largest > 1e-15 else (0.01 / largest) ** (1 / 8)
    return min(100 * h, bend)


def prepare_fixed(work: Workspace, step: float) -> None:
    """The number of steps, and their length: at most `step`, a whole part of the run."""
    span = work.times.end - work.times.start
    total = max(1, int(np.ceil(span / step * (1 - 1e-12))))
    work.put(h=span / total)
    work.set_count(total=total)


def run(work: Workspace, first_row: Array, report: Callable[[float, float], Any]) -> int:
    """Call the driver until it is done; its last status, or STOPPED."""
    asked = np.empty(0) if work.times.asked is None else work.times.asked
    begins = not asked.size or asked[0] <= work.times.start
    work.blocks.append(first_row[None, :][: int(begins)])
    work.set_count(next=int(begins) if asked.size else 0)
    try:
        return _calls(work, asked, report)
    except KeyboardInterrupt:
        _gather(work)
        return STOPPED


def _calls(work: Workspace, asked: Array, report: Callable[[float, float], Any]) -> int:
    steps, capacity = FIRST_STEPS, FIRST_ROWS
    if work.times.asked is not None:
        capacity = min(len(asked), MOST_ROWS)
    status = MORE
    while status == MORE:
        work.rows = np.empty((capacity, work.code.sizes.row))
        before = work.count("steps")
        work.set_count(rows=0, capacity=capacity, most=before + steps)
        begun = time.perf_counter()
        status = work.code.run(address(work.m), address(work.c), address(asked), address(work.rows))
        lasted = time.perf_counter() - begun
        _gather(work)
        t = work.get("t")
        report(t - work.times.start, t)
        made = work.count("steps") - before
        if made:
            steps = max(FEWEST_STEPS, int(made * min(8.0, SECONDS / max(lasted, 1e-6))))
        capacity = min(2 * capacity, MOST_ROWS)
    return status


def _gather(work: Workspace) -> None:
    """Keep the rows of the last call."""
    count = work.count("rows")
    if count:
        work.blocks.append(work.rows[:count])
        work.set_count(rows=0)
