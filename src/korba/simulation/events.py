"""Events inside a run: found in the interpolant of a step, located, and what they change.

An event is a number g of the state that crosses zero. Its side, the sign that it had last, is
remembered, so that g may be zero right after an event. A step is looked into where g has changed
its side at the end, or where it dips towards zero in between,

    side g < 0,      or  side g' < 0 at the beginning and > 0 at the end                      (1)

or where g is a force that holds something: its rate is not known, and it may fall below zero and
come back while nothing moves. Between the places that are looked at, the least value is looked for
where a parabola through three of them has it.
The first crossing is bracketed in the interpolant and halved down to the tolerance of time; then
the step is made again to end there, by the method itself, as often as the crossing lies earlier by
more than that tolerance. So the state at an event is as good as that after any other step.
Source: Hairer, Norsett & Wanner (1993), Solving Ordinary Differential Equations I, section II.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import both, call, choose, repeat
from ..expr import maximum, minimum
from .runs import (
    AT_EVENT,
    CROWDED,
    FAR,
    GOING,
    NO_VALUE,
    PAUSED,
    RESUMED,
    Inside,
    Problem,
    Run,
    finite,
    written,
)

LEAST_TIME = 1e-13
"""Seconds to which an event is located; at late times a few units of the last place."""
LOOKS, HALVES = 8, 60
"""Places of a step that are looked at, and how often a bracket is halved at most."""
NEAR, NOTHING = 1e-12, 1e-14
"""g counts as zero at the start where it is that many seconds from it, or less than this."""
BESIDE = 1e-8
"""Seconds from zero to which closing loops, not a jump, may put g after an event."""
SOON, CROWD = 1e-10, 100
"""Part of the run between two events that is no time at all, and how many may follow so."""
STILL = 1e-12
"""How far g goes, beside the state, between two bounces that are none."""
MARGIN = 0.1
"""A least value, beside the bend of its parabola, that is near enough to zero to be looked at."""
NONE = 2.0
"""Where in a step, from 0 to 1, an event is that is not there."""


def values(p: Problem, s: Run, t: Any, y: Any) -> Any:
    """g of all events."""
    return call(p.programs["guards"], y, t, s.tau, s.base)


def rates(p: Problem, s: Run, slope: Any) -> Any:
    """g' of all events."""
    return call(p.programs["guard_rates"], s.y, s.t, s.tau, s.base, slope)


def begun(p: Problem, s: Run) -> Run:
    """A fresh run with the sides of its events."""
    if p.watching is None:
        return s
    slope = p.slope(s, s.t, s.y)
    rate = rates(p, s, slope)
    return s._replace(sides=_sides(p, values(p, s, s.t, s.y), rate), rates=rate)


def resumed(p: Problem, s: Run) -> Run:
    """A run that goes on after a function of the user changed its state."""
    if p.watching is None or not np.any(p.watching.calls):
        return s
    return choose(
        both(s.status >= RESUMED, s.status < GOING),
        lambda: _restarted(p, s._replace(status=float(GOING)), 0.0 * s.sides, 0.0 * s.sides),
        lambda: s,
    )


def _sides(p: Problem, g: Any, rate: Any) -> Any:
    """The sign of g; where g is about zero, the sign that it will have."""
    own: Any = p.watching
    near = np.abs(g) <= NEAR * np.abs(rate) + NOTHING
    return own.above + (1.0 - own.above) * np.sign(near * rate + (1.0 - near) * g)


def concluded(
    p: Problem, before: Run, s: Run, curve_of: Callable[[], Inside], slope_of: Callable[[], Any]
) -> Run:
    """What a run becomes by a step from `before` to `s`, or to an event inside of it."""
    if p.watching is None:
        return p.settled(written(p, before, s, curve_of))
    g, rate = values(p, before, s.t, s.y), rates(p, s, slope_of())
    h, tolerance = s.t - before.t, maximum(LEAST_TIME, 8 * 2.0**-52 * abs(s.t))
    crossed = before.sides * g < 0
    dips = (before.sides * before.rates < 0) * np.less(0.0, before.sides * rate)  # (1)

    def looked() -> tuple[Any, Any]:
        inside = curve_of()
        return _first(
            p, before, h, inside.curve, rate=rate, tolerance=tolerance
        ), inside.evaluations

    holds = p.watching.forces * np.less(0.0, np.abs(g - 1.0))
    doubtful = both(h > 0, np.max(crossed * 1.0 + dips * 1.0 + holds) > 0)
    x, evaluations = choose(doubtful, looked, lambda: (NONE, 0.0))
    known = _known(p, g)
    x = choose(known, x, minimum(x, 0.5))  # before it has no value it may cross zero
    s = s._replace(evaluations=s.evaluations + evaluations)

    def again() -> Run:
        stop = before.t + x * h + 0.5 * tolerance
        return before._replace(stop=stop, evaluations=s.evaluations)

    def taken() -> Run:
        end = p.settled(written(p, before, s, curve_of))
        end = end._replace(rates=rate, stop=p.task.end)
        end = end._replace(status=choose(known, end.status, float(NO_VALUE)))
        sides = before.sides + (1.0 - np.abs(before.sides)) * np.sign(g)
        return choose(x <= 1, lambda: _happened(p, end, g), lambda: end._replace(sides=sides))

    return choose(both(x <= 1, (1 - x) * h > tolerance), again, taken)


def _known(p: Problem, g: Any) -> Any:
    """Whether expressions of events that were asked for have values."""
    own: Any = p.watching
    asked = int(np.sum(1.0 - own.above))
    return finite(g[:asked]) if asked else 1.0


class Bracket(NamedTuple):
    """Between `low`, where no event has happened, and `high`, where one has."""

    low: Any
    high: Any
    halved: Any


def _first(
    p: Problem, before: Run, h: Any, curve: Callable[[Any], Any], *, rate: Any, tolerance: Any
) -> Any:
    """Where in a step the first event is, from 0 to 1; NONE if there is none.

    After a change g may begin beyond zero by rounding, on its way back. It has passed zero again
    where it turns round and is further beyond: else steps would be no longer than the tolerance
    until it is back. `rate` is g' at the end.
    """
    start = before.sides * values(p, before, before.t, before.y)
    returns = (start < 0) * np.less(0.0, before.sides * before.rates)
    counts = 1.0 - returns * np.less(0.0, before.sides * rate)

    def above(x: Any) -> Any:
        return before.sides * values(p, before, before.t + x * h, curve(x))

    def beyond(g: Any) -> Any:
        return np.max((g < returns * start) * counts)

    def passed(x: Any) -> Any:
        return beyond(above(x))

    def look(s: Look) -> Look:
        x, g = s.high + 1 / LOOKS, above(s.high + 1 / LOOKS)
        least = _least(s.before, s.g, g)
        between = choose(least < NONE, lambda: passed(s.high + least / LOOKS), lambda: 0.0)
        low = choose(least < 0, s.high - 1 / LOOKS, s.high)
        return choose(
            between > 0,
            lambda: Look(low, s.high + least / LOOKS, 1.0, s.g, g),
            lambda: Look(s.high, x, beyond(g), s.g, g),
        )

    first = Look(0.0, 0.0, 0.0, 0.0 * start - FAR, start)  # no parabola through the first two
    seen = repeat(look, first, while_=lambda s: both(s.seen < 1, s.high < 1 - 0.5 / LOOKS))

    def half(s: Bracket) -> Bracket:
        middle = 0.5 * (s.low + s.high)
        after = passed(middle) > 0
        low, high = choose(after, s.low, middle), choose(after, middle, s.high)
        return Bracket(low, high, s.halved + 1)

    def wide(s: Bracket) -> Any:
        return both((s.high - s.low) * h > 0.25 * tolerance, s.halved < HALVES)

    def found() -> Any:
        return repeat(half, Bracket(seen.low, seen.high, 0.0), while_=wide).high

    return choose(seen.seen > 0, found, lambda: NONE)


class Look(NamedTuple):
    """A look into a step: where it was, and the one before; if an event was seen; g at both."""

    low: Any
    high: Any
    seen: Any
    before: Any
    g: Any


def _least(a: Any, b: Any, c: Any) -> Any:
    """Where a parabola through values at -1, 0 and 1 has its least value, below zero; else NONE.

    Of many the one that is furthest below, beside how it is bent.
    """
    bend = a - 2 * b + c
    dips = np.less(0.5 * np.abs(a - c), bend) * np.less(0.0, b) * 1.0
    bend = dips * bend + (1.0 - dips)
    x = dips * 0.5 * (a - c) / bend
    depth = dips * (1.0 - (b - 0.25 * (a - c) * x) / bend)
    deepest = np.max(depth)
    first = np.max(np.less_equal(deepest, depth) * (x + 2.0)) - 2.0
    return choose(deepest > 1.0 - MARGIN, first, NONE)


def _size(s: Run) -> Any:
    """What rounding of a state is beside, 1 at least."""
    return 1.0 + np.max(np.abs(s.y))


def _happened(p: Problem, s: Run, g: Any) -> Run:
    """A run right after events: they are written down, and do what they do."""
    own: Any = p.watching
    crossed = (s.sides * g < 0) * (s.sides * s.rates <= 0) * 1.0  # not one that is on its way back
    one_way = np.abs(own.directions)
    fired = crossed * (1.0 - one_way + one_way * (s.sides * own.directions < 0))
    s = s._replace(sides=s.sides * (1.0 - 2.0 * crossed))

    def noted() -> Run:
        p.note(s.happened, [call(p.programs["row"], s.y, s.t, s.tau, s.base), fired])
        since = s.t - s.last
        soon = (since <= SOON * (p.task.end - p.task.start)) * 1.0
        still = (np.max(fired * np.abs(s.rates)) * since <= STILL * _size(s)) * 1.0
        crowd = choose(soon + still > 0, s.crowd + 1, 0.0)
        status = choose(crowd > CROWD, float(CROWDED), s.status)
        if np.any(own.calls):
            waits = both(np.max(fired * own.calls) > 0, status <= GOING)
            status = choose(waits, PAUSED, status)
        status = choose(np.max(fired * own.terminal) > 0, float(AT_EVENT), status)
        end = s._replace(happened=s.happened + 1, last=s.t, crowd=crowd, status=status)
        if not np.any(own.changes):
            return end
        return choose(np.max(fired * own.changes) > 0, lambda: _changed(p, end, fired), lambda: end)

    def lost() -> Run:
        """Rounding alone tells g from zero."""
        crowd = s.crowd + np.max((s.sides * g < 0) * 1.0)
        return s._replace(crowd=crowd, status=choose(crowd > CROWD, float(CROWDED), s.status))

    return choose(np.max(fired) > 0, noted, lost)


def _changed(p: Problem, s: Run, fired: Any) -> Run:
    """The state after what events change; the energy that it takes is work, the last of y."""
    y, tau = call(p.programs["change"], s.y, s.t, s.tau, s.base, fired)
    new = p.settled(s._replace(y=y, tau=tau))
    gained = _energy(p, new) - _energy(p, s)
    last = np.zeros(len(s.y))
    last[-1] = 1.0
    new = new._replace(y=new.y + (0.0 * new.y + last) * gained)
    return _restarted(p, new, fired, values(p, s, s.t, s.y))


def _energy(p: Problem, s: Run) -> Any:
    return call(p.programs["energy"], s.y, s.t, s.tau, s.base)


def _restarted(p: Problem, s: Run, fired: Any, before: Any) -> Run:
    """The run after a jump, with g `before` it.

    What has just happened and is still about zero leaves it to the side where it goes; what the
    jump itself has put elsewhere is there.
    """
    slope = p.slope(s, s.t, s.y)
    rate, g = rates(p, s, slope), values(p, s, s.t, s.y)
    leaves = np.sign(rate) + (1.0 - np.abs(np.sign(rate))) * s.sides
    own: Any = p.watching
    there = np.abs(before) + BESIDE * (np.abs(rate) + np.abs(s.rates)) + NOTHING
    just = fired * (1.0 - own.above) * np.less_equal(np.abs(g - before), there)
    sides = just * leaves + (1.0 - just) * _sides(p, g, rate)
    return p.restart(s._replace(sides=sides, rates=rate), slope)
