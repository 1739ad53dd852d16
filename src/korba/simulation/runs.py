"""How a run goes on: attempts of a method until the end, rows written on the way.

A run is one value, `Run`; handed in again it goes on where it was. An integrator is two functions,
its beginning and one attempt at a step, for numbers and for symbols alike (codegen/routine).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Program
from ..codegen.routine import AnyProgram, both, call, choose, get, repeat
from ..expr import maximum, minimum

FRESH, GOING, DONE, TOO_SMALL, NOT_FINITE, NO_CONVERGENCE, AT_EVENT, CROWDED = range(-1, 7)
NOT_CLOSED, NO_VALUE = 7, 8
"""Status of a run. TOO_SMALL: its step fell to nothing; NO_CONVERGENCE: an implicit one failed;
AT_EVENT: it ended at an event; CROWDED: events follow each other without end; NOT_CLOSED: loops
stay open after a step; NO_VALUE: an expression of an event is no number.
"""
RESUMED, PAUSED = -0.5, 0.5
"""Status of a run that waits for a function of the user, and that goes on after it."""
FAR = 1e30
"""Seconds before the start when the last event was, where there was none."""
HUGE = 1.7976931348623157e308


class Run(NamedTuple):
    """Where a run stands."""

    t: Any
    h: Any
    """The length of the next step."""
    y: Any
    base: Any
    """Of local coordinates: what they count from."""
    tau: Any
    """Given forces."""
    memory: Any
    """Vectors that an integrator keeps from step to step."""
    rows: Any
    """Rows written."""
    steps: Any
    rejected: Any
    evaluations: Any
    stiff: Any
    again: Any
    """1 where the last attempt was rejected."""
    status: Any
    sides: Any
    """Of each event: the sign that its expression had last."""
    rates: Any
    """Of each event: how fast its expression changes."""
    stop: Any
    """When the next step must end: at the end of all, or at an event."""
    happened: Any
    """Events written down in this call."""
    last: Any
    """When the last event was."""
    crowd: Any
    """Events that followed each other in no time."""
    mark: Any
    """Of the panel of time (pace.py) at hand, its number."""

    def fresh(self, task: Task, h: Any, memory: Any, evaluations: Any) -> Run:
        """The run at its start, before any step."""
        counts = [task.written, 0.0, 0.0, evaluations, 0.0, 0.0, 0.0]
        watched = [self.sides, self.rates, task.end, self.happened, task.start - FAR, 0.0, 0.0]
        return Run(task.start, h, self.y, self.base, self.tau, memory, *counts, *watched)


class Task(NamedTuple):
    """What is asked of all runs."""

    start: Any
    end: Any
    shortest: Any
    times: Any
    """How many are asked for; 0 where every step is written."""
    written: Any
    """Rows written before a run begins: 1 where the start is asked for."""
    step: Any = 0.0
    """The first, or that of all; 0 where it is to be guessed."""
    steps: Any = 0
    """How many, where their length is given."""
    rtol: Any = 0.0
    atol: Any = 0.0
    """Errors of an adaptive step stay below atol + rtol |y|."""
    longest: Any = np.inf
    length: Any = 1.0
    """A typical length: atol is in radians, and in these."""
    marks: Any = 0
    """How many ends of panels of time follow the times that are asked for."""


class Watching(NamedTuple):
    """Of each event, 1 where it is so."""

    directions: Any
    """1 where only rising counts, -1 where only falling, else 0."""
    terminal: Any
    changes: Any
    calls: Any
    above: Any
    """1 where the expression is above zero by its meaning, whatever its last digits say."""
    forces: Any
    """1 where the expression is a force that holds, and 1 while there is none."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is integrated, under which task, and where rows go.

    `programs` holds `slope`, `settle` and `row` of (y, t, tau, base): dy/dt, what becomes of the
    state (and base) after a step, and what is written down of it.
    """

    programs: Mapping[str, Any]
    controlled: int
    """Elements of y under error control."""
    settles: bool
    task: Task
    times: Any
    """The stream of times, then of ends of panels; None where only the end of a run counts."""
    lengths: tuple[int, ...] = ()
    """Elements of y that are lengths, or their rates."""
    energy: float = 0.0
    """A typical one, where the work, the last of y, is under error control as well."""
    write: Callable[[Any, Any], None] = lambda *_: None
    """Puts row k of the run at hand."""
    watching: Watching | None = None
    """What events there are."""
    note: Callable[[Any, Any], None] = lambda *_: None
    """Puts down an event: how many there are already, and a row about it."""
    restart: Callable[[Run, Any], Run] = lambda s, _: s
    """What an integrator remembers, made anew after a change; with the slope there."""
    paced: bool = False
    """Whether what acts depends on the time, so that panels bound the steps."""
    carries: bool = False
    """Whether the slope tells the base as well, which goes on from stage to stage."""

    def slope(self, s: Run, t: Any, y: Any) -> Any:
        """dy/dt."""
        return self.sloped(s, t, y)[0]

    def sloped(self, s: Run, t: Any, y: Any) -> tuple[Any, Run]:
        """dy/dt, and the run with what a formulation has found on the way."""
        found = call(self.programs["slope"], y, t, s.tau, s.base)
        return (found[0], s._replace(base=found[1])) if self.carries else (found, s)

    def row(self, s: Run, k: Any, t: Any, y: Any) -> Any:
        """Write row k."""
        self.write(k, call(self.programs["row"], y, t, s.tau, s.base))
        return k + 1

    def bound(self, s: Run) -> tuple[Any, Any]:
        """The number of the panel of time at hand, and the end of the one after it."""
        task = self.task
        if not self.paced or self.times is None:
            return s.mark, task.end
        first, last = maximum(task.times, 1.0), task.marks - 1

        def end(k: Any) -> Any:
            return get(self.times, first + maximum(minimum(k, last), 0.0))

        passed = repeat(lambda k: k + 1, s.mark, while_=lambda k: both(k < last, end(k) <= s.t))
        return passed, choose(task.marks > 0, lambda: end(passed + 1), lambda: task.end)

    def lasting(self, s: Run, t: Any, y: Any, errors: Sequence[Any]) -> list[Any]:
        """What of errors at the state y is left when loops are closed again."""
        y = call(self.programs["settle"], y, t, s.tau, s.base)
        return [call(self.programs["tangent"], y, t, s.tau, error) for error in errors]

    def settled(self, s: Run) -> Run:
        """What a run becomes after a step: the place of projections."""
        if not self.settles:
            return s
        found = call(self.programs["settle"], s.y, s.t, s.tau, s.base)
        y, base = found if isinstance(found, tuple) else (found, s.base)
        if "tangent" not in self.programs:
            return s._replace(y=y, base=base)
        status = choose(finite(y), s.status, float(NOT_CLOSED))  # loops that stay open
        return s._replace(y=y, base=base, status=status)


@dataclass(frozen=True)
class Integrator:
    """`begin(problem, run)` makes a fresh run ready, `attempt(problem, run)` goes on."""

    name: str
    memory: int
    begin: Callable[[Problem, Run], Run]
    attempt: Callable[[Problem, Run], Run]
    adaptive: bool = False
    restart: Callable[[Run, Any], Run] = lambda s, _: s
    """What it remembers after a change of the state, at which the slope is known."""
    programs: Callable[[Callable[[], Program]], Mapping[str, AnyProgram]] = lambda _: {}
    """What it needs besides the slope, made of a program of that."""


TASK_FORM = Task(*[None] * len(Task._fields))


def finite(x: Any) -> Any:
    """Whether all elements are numbers, and none is beyond all bounds."""
    return np.sum(np.abs(x)) <= HUGE


class Inside(NamedTuple):
    """The state inside a step, a function of x from 0 to 1, and what that took."""

    curve: Callable[[Any], Any]
    evaluations: float


def written(p: Problem, before: Run, s: Run, curve_of: Callable[[], Inside]) -> Run:
    """The run `s` after a step from `before`, with rows at the times that it has passed."""
    if p.times is None:
        return s
    task = p.task

    def due(k: Any) -> Any:
        last = maximum(task.times - 1, 0.0)
        return both(k < task.times, get(p.times, minimum(k, last)) <= s.t)

    def at_times() -> Any:
        inside = curve_of()

        def row(k: Any) -> Any:
            t = get(p.times, k)
            return p.row(before, k, t, inside.curve((t - before.t) / (s.t - before.t)))

        return repeat(row, s.rows, while_=due), s.evaluations + inside.evaluations

    rows, evaluations = choose(due(s.rows), at_times, lambda: (s.rows, s.evaluations))
    each = both(task.times < 1, s.steps > before.steps)
    rows = choose(each, lambda: p.row(before, rows, s.t, s.y), lambda: rows)
    return s._replace(rows=rows, evaluations=evaluations)
