"""Driven motion of mechanisms made of dyads: all times at once, and why that is one motion.

The closed form (dyad_program.py) takes the assembly mode of the start at all times. That this is
one motion shows in each step h from a time to the next: position and velocity there are what those
before predict (trapezoids, with the correction of Euler and Maclaurin for the position),

    q_1 - q_0 = h (v_0 + v_1)/2 + h^2 (a_0 - a_1)/12 + O(h^5)                                 (1)
    v_1 - v_0 = h (a_0 + a_1)/2 + O(h^3)                                                      (2)

up to a small part of the way that is gone. A gap between two dead points, or a change point with
its kink, breaks (2) by as much as the whole step however short it is; whole turns of an angle are
what (1) is off by. Where a step is not that fair, path following (follow.py) has to decide.
"""

from __future__ import annotations

from functools import cache
from math import pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..codegen import Compiled, compile_program, trace
from ..codegen.routine import both
from ..expr import maximum
from ..spatial.rotation import Array

if TYPE_CHECKING:
    from ..positions.dyad_program import Dyads
    from ..positions.loop_system import LoopSystem

State = tuple[Array, Array, Array]
"""q, v and a over time."""
FAIR = 0.1
"""What a step may be off by, as a part of the way gone in it."""
LONGEST = 1.0
"""Radians, or typical lengths, that may be gone in a step."""
STEPS = 64, 512, 4096
"""How many steps are tried where the drives turn evenly."""
EACH = 0.1
"""Radians, or typical lengths, of what is held in a step."""
MOST_PATHS = 64
"""Stretches of time for which steps are kept."""
STILL = 1e-9
"""The same where nothing moves."""


class Start(NamedTuple):
    """A position at a time, with its assembly mode if the mechanism is made of dyads."""

    q: Array
    sign: Array | None
    """None too where a dyad stands at its end."""


def start_at(system: LoopSystem, q: Array, p: Array | None = None) -> Start:
    """The start of a motion at a position, of a design if sizes are inputs."""
    sign = None if system.dyads is None else system.dyads.signs(q, p)
    return Start(q, sign if sign is not None and sign.all() else None)


def moved_by_dyads(system: LoopSystem, start: Start, t: Array, *p: Array) -> State | None:
    """q, v and a at all times; None if the mechanism is not of dyads or steps are not fair.

    Of a design `p` the start has the assembly mode and the turns, not the position.
    """
    dyads = system.dyads
    if dyads is None or start.sign is None:
        return None
    if dyads.steady:
        state = _between_nodes(dyads, start, t, p)
        if state is not None:
            return state
    return _proved(dyads, start, t, p)


def _proved(dyads: Dyads, start: Start, t: Array, p: tuple[Array, ...]) -> State | None:
    """The motion, if every step from a time to the next is fair."""
    q, v, a, _ = dyads.on_time(t, start.sign, start.q, *p)
    states = q[:-1], v[:-1], a[:-1], q[1:], v[1:], a[1:]
    turns, fair = step_program(len(start.q))(
        *states, (t[1:] - t[:-1])[:, None], dyads.scale, dyads.turning, check_finite=False
    )
    if not fair.all() or not (p or _meets(q[0], start.q)):
        return None
    if turns.any():
        q[1:] += 2 * pi * np.cumsum(turns, axis=0)
    return q, v, a


def _between_nodes(dyads: Dyads, start: Start, t: Array, p: tuple[Array, ...]) -> State | None:
    """The same where drives turn evenly: steps are proved between nodes, whatever the times are.

    A time lies within a step, so its angles are the nearest to those where the step begins.
    """
    first, last = float(t[0]), float(t[-1])
    nodes = dyads.paths.get((first, last)) if not p else None
    if nodes is None:
        nodes = _nodes(dyads, start, first, last, p)
        if len(dyads.paths) >= MOST_PATHS:
            dyads.paths.clear()
        if not p:
            dyads.paths[first, last] = nodes
    if not len(nodes):
        return None
    places = ((t - first) * (len(nodes) / (last - first))).astype(np.intp)
    places[-1] = len(nodes) - 1
    q, v, a, room = dyads.on_time(t, start.sign, nodes.take(places, axis=0), *p)
    return (q, v, a) if room.min(initial=0.0) >= 0 else None


def _nodes(dyads: Dyads, start: Start, first: float, last: float, p: tuple[Array, ...]) -> Array:
    """Positions where fair steps from one time to another begin; none if there are too many."""
    for count in STEPS:
        state = _proved(dyads, start, np.linspace(first, last, count + 1), p)
        if state is not None:
            return state[0][:-1]
    return np.empty((0, len(start.q)))


def _meets(q: Array, start: Array) -> bool:
    return bool(np.abs(q - start).max(initial=0.0) <= STILL * np.abs(start).max(initial=1.0))


def placed_by_dyads(
    system: LoopSystem, start: Array, here: float, values: Array
) -> tuple[Array, Array] | None:
    """q at values of the one coordinate that is held, and to which of them steps are fair.

    The steps go from the value `here` of the start to the least and to the largest value. None
    where more is held, or the mechanism is not made of dyads.
    """
    dyads = system.dyads
    sign = start_at(system, start).sign
    if dyads is None or sign is None or len(system.held) != 1 or not np.isfinite(values).all():
        return None
    each = EACH * float(system.q_units[system.names.index(system.held[0])])
    near, fair = np.empty((len(values), len(start))), np.zeros(len(values), dtype=bool)
    for end in (float(values.min(initial=here)), float(values.max(initial=here))):
        way = np.sign(end - here)
        own = (values - here) * way >= 0
        count = min(max(1, int(np.ceil(abs(end - here) / each))), STEPS[-1])
        nodes = _fair_nodes(dyads, sign, start, np.linspace(here, end, count + 1))
        part = (values[own] - here) / (end - here) if way else np.zeros(int(own.sum()))
        places = np.minimum((part * count).astype(int), count - 1)
        fair[own] = places < len(nodes)
        near[own] = nodes[np.minimum(places, len(nodes) - 1)] if len(nodes) else start
    q, _, _, room = dyads.solve(
        values[:, None], np.zeros(1), np.zeros(2), sign, near, check_finite=False
    )
    return q, fair & (room >= 0).all(axis=-1)


def _fair_nodes(dyads: Dyads, sign: Array, start: Array, values: Array) -> Array:
    """Positions where fair steps along values of what is held begin, up to the first unfair."""
    one = np.ones(1)
    q, v, a, _ = dyads.solve(values[:, None], one, np.zeros(2), sign, start, check_finite=False)
    states = q[:-1], v[:-1], a[:-1], q[1:], v[1:], a[1:]
    h = np.diff(values)[:, None]
    turns, fair = step_program(len(start))(
        *states, h, dyads.scale, dyads.turning, check_finite=False
    )
    good = len(fair) if fair.all() else int(np.argmin(fair))
    if not _meets(q[0], start) or not good:
        return q[:1] if _meets(q[0], start) and values[0] == values[-1] else q[:0]
    q[1:] += 2 * pi * np.cumsum(turns, axis=0)
    return q[:good]


@cache
def step_program(size: int) -> Compiled:
    """(q_0, v_0, a_0, q_1, v_1, a_1, h, 1/units, turning) -> whole turns, and whether it is fair.

    `turning` is 1 for angles that count no turns yet, and 0 for other coordinates.
    """
    names = ("q0", "v0", "a0", "q1", "v1", "a1")
    inputs = dict.fromkeys(names, size) | {"h": 1, "scale": size, "turning": size}
    return compile_program(trace(_step, inputs, "steps of a motion"))


def _step(*given: Any) -> tuple[Any, Any]:
    """(1) and (2)."""
    q_0, v_0, a_0, q_1, v_1, a_1, h, scale, turning = given
    h = h[0]
    rest = q_1 - q_0 - 0.5 * h * (v_0 + v_1) - (h * h / 12.0) * (a_0 - a_1)
    turns = turning * np.floor(0.5 - rest / (2 * pi))
    bent = h * (v_1 - v_0 - 0.5 * h * (a_0 + a_1))
    off = _largest([*(rest + 2 * pi * turns), *bent], [*scale, *scale])
    gone = _largest([*(h * v_0), *(h * v_1)], [*scale, *scale])
    return turns, both(off <= FAIR * gone + STILL, gone <= LONGEST)


def _largest(values: Any, scale: Any) -> Any:
    size: Any = 0.0
    for value, each in zip(values, scale, strict=True):
        size = maximum(size, abs(value) * each)
    return size
