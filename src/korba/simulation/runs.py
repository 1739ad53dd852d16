"""How a run goes on: attempts of a method until the end, rows written on the way.

A run is one value, `Run`; handed in again it goes on where it was. A method is two functions, its
beginning and one attempt at a step, for numbers and for symbols alike (codegen/routine). `many`
follows a queue of runs: of the lanes of a vector each takes its next run when it is done with one,
so that none waits for another. One run is a queue of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import both, call, choose, get, get_row, put, repeat
from ..expr import maximum, minimum

FRESH, GOING, DONE, TOO_SMALL, NOT_FINITE, NO_CONVERGENCE = range(-1, 5)
"""Status of a run. TOO_SMALL: its step fell to nothing; NO_CONVERGENCE: an implicit one failed."""
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
    """Vectors that a method keeps from step to step."""
    rows: Any
    """Rows written."""
    steps: Any
    rejected: Any
    evaluations: Any
    stiff: Any
    again: Any
    """1 where the last attempt was rejected."""
    status: Any


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
    """The stream of times."""
    lengths: tuple[int, ...] = ()
    """Elements of y that are lengths, or their rates."""
    write: Callable[[Any, Any], None] = lambda *_: None
    """Puts row k of the run at hand."""

    def slope(self, s: Run, t: Any, y: Any) -> Any:
        """dy/dt."""
        return call(self.programs["slope"], y, t, s.tau, s.base)

    def row(self, s: Run, k: Any, t: Any, y: Any) -> Any:
        """Write row k."""
        self.write(k, call(self.programs["row"], y, t, s.tau, s.base))
        return k + 1

    def settled(self, s: Run) -> Run:
        """What a run becomes after a step: the place of projections."""
        if not self.settles:
            return s
        found = call(self.programs["settle"], s.y, s.t, s.tau, s.base)
        y, base = found if isinstance(found, tuple) else (found, s.base)
        return s._replace(y=y, base=base)


@dataclass(frozen=True)
class Method:
    """`begin(problem, run)` makes a fresh run ready, `attempt(problem, run)` goes on."""

    name: str
    memory: int
    begin: Callable[[Problem, Run], Run]
    attempt: Callable[[Problem, Run], Run]
    adaptive: bool = False


def queue_form(method: Method, y: int, base: int, tau: int) -> Queue:
    """Lengths of the parts of a queue of runs; None is a number."""
    numbers = Run(*[None] * len(Run._fields))
    run = numbers._replace(y=y, base=base, tau=tau, memory=[y] * method.memory)
    return Queue(None, run, None)


TASK_FORM = Task(*[None] * len(Task._fields))


def finite(x: Any) -> Any:
    """Whether all elements are numbers, and none is beyond all bounds."""
    return np.sum(np.abs(x)) <= HUGE


def followed(method: Method, p: Problem, s: Run, left: Any) -> tuple[Run, Any]:
    """Attempts until the run ends, or none is left."""

    def on(turn: tuple[Run, Any]) -> tuple[Run, Any]:
        return method.attempt(p, turn[0]), turn[1] - 1

    return repeat(on, (s, left), while_=lambda turn: both(turn[0].status <= GOING, turn[1] > 0))


class Queue(NamedTuple):
    """The number of the run at hand, where it stands, and attempts left."""

    k: Any
    run: Run
    left: Any


class End(NamedTuple):
    """What is written down of a run that has ended."""

    status: Any
    t: Any
    h: Any
    rows: Any
    steps: Any
    rejected: Any
    evaluations: Any
    stiff: Any


class Tables(NamedTuple):
    """Streams of many runs: what each begins with, its rows, and how it ended."""

    starts: Any
    rows: Any
    ends: Any
    lanes: Any
    """How many lanes share the runs."""
    count: Any
    """How many runs there are."""


def many(method: Method, p: Problem, tables: Tables, q: Queue) -> Queue:
    """Runs k, k + lanes, ... below the count: a lane that is done with one takes its next.

    Steps of one length end together, so all lanes are followed to the end of their runs; adaptive
    ones are looked at after every attempt.
    """
    n, base, tau = len(q.run.y), len(q.run.base), len(q.run.tau)

    def fresh(k: Any, s: Run) -> Run:
        row = get_row(tables.starts, minimum(k, tables.count - 1), n + base + tau)
        new = s._replace(y=row[:n], base=_part(row, n, base), tau=_part(row, n + base, tau))
        return method.begin(p, new)

    def on(s: Queue) -> Queue:
        run = choose(s.run.status < GOING, lambda: fresh(s.k, s.run), lambda: s.run)
        own = replace(p, write=lambda k, row: put(tables.rows, s.k * p.task.times + k, row))
        if method.adaptive:
            run, left = method.attempt(own, run), s.left - 1
        else:
            run, left = followed(method, own, run, s.left)
        done = run.status > GOING
        put(tables.ends, s.k, [getattr(run, name) for name in End._fields], when=done)
        following = choose(done, s.k + tables.lanes, s.k)
        return Queue(following, run._replace(status=choose(done, float(FRESH), run.status)), left)

    return repeat(on, q, while_=lambda s: both(s.k < tables.count, s.left > 0))


def _part(row: Any, start: int, size: int) -> Any:
    return row[start : start + size] if size else np.zeros(0)


class Inside(NamedTuple):
    """The state inside a step, a function of x from 0 to 1, and what that took."""

    curve: Callable[[Any], Any]
    evaluations: float


def written(p: Problem, before: Run, s: Run, curve_of: Callable[[], Inside]) -> Run:
    """The run `s` after a step from `before`, with rows at the times that it has passed."""
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
