"""Events inside a run: found in the interpolant of a step, located, and what they change.

An event is a number g of the state that crosses zero. Its side, the sign that it had last, is
remembered, so that g may be zero right after an event. A step is looked into where g has changed
its side at the end, or where it dips towards zero in between,

    side g < 0,      or  side g' < 0 at the beginning and > 0 at the end                      (1)

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
from ..expr import maximum
from .runs import AT_EVENT, CROWDED, GOING, PAUSED, RESUMED, Inside, Problem, Run, written

LEAST_TIME = 1e-13
"""Seconds to which an event is located; at late times a few units of the last place."""
LOOKS, HALVES = 8, 60
"""Places of a step that are looked at, and how often a bracket is halved at most."""
NEAR, NOTHING = 1e-12, 1e-14
"""g counts as zero at the start where it is that many seconds from it, or less than this."""
SOON, CROWD = 1e-10, 100
"""Part of the run between two events that is no time at all, and how many may follow so."""
STILL = 1e-12
"""How far g goes, beside the state, between two bounces that are none."""
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
        lambda: _restarted(p, s._replace(status=float(GOING)), 0.0 * s.sides),
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

    doubtful = both(h > 0, np.max(crossed * 1.0 + dips * 1.0) > 0)
    x, evaluations = choose(doubtful, looked, lambda: (NONE, 0.0))
    s = s._replace(evaluations=s.evaluations + evaluations)

    def again() -> Run:
        stop = before.t + x * h + 0.5 * tolerance
        return before._replace(stop=stop, evaluations=s.evaluations)

    def taken() -> Run:
        end = p.settled(written(p, before, s, curve_of))
        end = end._replace(rates=rate, stop=p.task.end)
        sides = before.sides + (1.0 - np.abs(before.sides)) * np.sign(g)
        return choose(x <= 1, lambda: _happened(p, end, g), lambda: end._replace(sides=sides))

    return choose(both(x <= 1, (1 - x) * h > tolerance), again, taken)


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

    def passed(x: Any) -> Any:
        g = values(p, before, before.t + x * h, curve(x))
        return np.max((before.sides * g < returns * start) * counts)

    def look(s: tuple[Any, Any]) -> tuple[Any, Any]:
        return s[0] + 1, passed((s[0] + 1) / LOOKS)

    looks, seen = repeat(look, (0.0, 0.0), while_=lambda s: both(s[1] < 1, s[0] < LOOKS))

    def half(s: Bracket) -> Bracket:
        middle = 0.5 * (s.low + s.high)
        after = passed(middle) > 0
        low, high = choose(after, s.low, middle), choose(after, middle, s.high)
        return Bracket(low, high, s.halved + 1)

    def wide(s: Bracket) -> Any:
        return both((s.high - s.low) * h > 0.25 * tolerance, s.halved < HALVES)

    def found() -> Any:
        return repeat(half, Bracket((looks - 1) / LOOKS, looks / LOOKS, 0.0), while_=wide).high

    return choose(seen > 0, found, lambda: NONE)


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
    return _restarted(p, new._replace(y=new.y + (0.0 * new.y + last) * gained), fired)


def _energy(p: Problem, s: Run) -> Any:
    return call(p.programs["energy"], s.y, s.t, s.tau, s.base)


def _restarted(p: Problem, s: Run, fired: Any) -> Run:
    """The run after a jump; what has just happened leaves zero to the side where it goes."""
    slope = p.slope(s, s.t, s.y)
    rate = rates(p, s, slope)
    leaves = np.sign(rate) + (1.0 - np.abs(np.sign(rate))) * s.sides
    own: Any = p.watching
    just = fired * (1.0 - own.above)
    sides = just * leaves + (1.0 - just) * _sides(p, values(p, s, s.t, s.y), rate)
    return p.restart(s._replace(sides=sides, rates=rate), slope)
