"""Queues of runs: of the lanes of a vector each takes its next run when it is done with one.

So none waits for another. One run is a queue of one. What is written down goes to tables: rows of
states, how each run ended, and events.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import both, choose, get_row, put, repeat
from ..expr import minimum
from . import events
from .runs import FRESH, GOING, PAUSED, RESUMED, Integrator, Problem, Run


def queue_form(integrator: Integrator, y: int, base: int, tau: int, events: int = 0) -> Queue:
    """Lengths of the parts of a queue of runs; None is a number."""
    numbers = Run(*[None] * len(Run._fields))
    run = numbers._replace(y=y, base=base, tau=tau, memory=[y] * integrator.memory)
    return Queue(None, run._replace(sides=events, rates=events), None, None)


def followed(integrator: Integrator, p: Problem, s: Run, left: Any) -> tuple[Run, Any]:
    """Attempts until the run ends, or none is left."""

    def on(turn: tuple[Run, Any]) -> tuple[Run, Any]:
        return integrator.attempt(p, turn[0]), turn[1] - 1

    return repeat(on, (s, left), while_=lambda turn: both(turn[0].status <= GOING, turn[1] > 0))


class Queue(NamedTuple):
    """The number of the run at hand, where it stands, attempts left, and whose queue it is."""

    k: Any
    run: Run
    left: Any
    lane: Any


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
    """Streams of many runs: what each begins with, its rows, how it ended, and its events."""

    starts: Any
    rows: Any
    ends: Any
    events: Any
    lanes: Any
    """How many lanes share the runs."""
    count: Any
    """How many runs there are."""
    room: Any
    """How many events each lane may write down."""


def many(integrator: Integrator, p: Problem, tables: Tables, q: Queue) -> Queue:
    """Runs k, k + lanes, ... below the count: a lane that is done with one takes its next.

    Steps of one length end together, so all lanes are followed to the end of their runs; adaptive
    ones are looked at after every attempt.
    """
    n, base, tau = len(q.run.y), len(q.run.base), len(q.run.tau)

    def fresh(k: Any, s: Run) -> Run:
        row = get_row(tables.starts, minimum(k, tables.count - 1), n + base + tau)
        new = s._replace(y=row[:n], base=_part(row, n, base), tau=_part(row, n + base, tau))
        return events.begun(p, integrator.begin(p, new))

    def on(s: Queue) -> Queue:
        run = choose(s.run.status < RESUMED, lambda: fresh(s.k, s.run), lambda: s.run)
        run = events.resumed(p, run)
        own = replace(
            p,
            write=lambda k, row: put(tables.rows, s.k * p.task.times + k, row),
            note=lambda j, row: put(tables.events, s.lane * tables.room + j, [s.k, *row]),
        )
        if integrator.adaptive:
            run, left = integrator.attempt(own, run), s.left - 1
        else:
            run, left = followed(integrator, own, run, s.left)
        done = run.status > PAUSED
        put(tables.ends, s.k, [getattr(run, name) for name in End._fields], when=done)
        following = choose(done, s.k + tables.lanes, s.k)
        left = choose(both(run.status > GOING, run.status <= PAUSED), 0.0, left)
        return Queue(
            following, run._replace(status=choose(done, float(FRESH), run.status)), left, s.lane
        )

    p = replace(p, restart=integrator.restart)
    return repeat(on, q, while_=lambda s: both(s.k < tables.count, s.left > 0))


def _part(row: Any, start: int, size: int) -> Any:
    return row[start : start + size] if size else np.zeros(0)
