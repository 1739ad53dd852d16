"""Steps of one length, by the change that a scheme gives: an explicit one, or that of Gauss.

Gauss (order 4, two stages, implicit; symplectic in canonical coordinates):

    k_i = f(t + c_i h, y + h sum_j a_ij k_j),      y_new = y + h (k_1 + k_2) / 2              (1)

with the k_i found by fixed-point iteration from those of the step before until they stand still in
the last digits. Steps end at start + k h, without sums of rounding; the state is summed with
compensation, so that rounding does not drift over long runs. Between steps the state is Hermite's
cubic, of the same order. Source: Hairer, Lubich & Wanner (2006), Geometric Numerical Integration,
sections II.1, VIII.5 and VIII.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import both, choose, either, held, negated, repeat
from ..expr import minimum
from .events import concluded
from .runs import (
    DONE,
    GOING,
    NO_CONVERGENCE,
    NOT_FINITE,
    Inside,
    Integrator,
    Problem,
    Run,
    finite,
)

MOST_ITERATIONS = 100
_ROOT = 3**0.5 / 6
_STANDS = 2e-16  # change of an iteration that is rounding alone
_NEARLY = 1e-13  # below it an iteration that no longer gains is done
_TINY, _FAR = 1e-30, 1e300


class Step(NamedTuple):
    """What a scheme makes of a step."""

    change: Any
    """y_new - y, less what rounding will take."""
    k: list[Any]
    """Slopes kept for the next step."""
    evaluations: Any
    status: Any
    base: Any


def begun(p: Problem, s: Run) -> Run:
    """A run at its start."""
    nothing = [np.zeros(len(s.y)) for _ in s.memory]
    return s.fresh(p.task, p.task.step, nothing, 0.0)


def restarted(s: Run, slope: Any) -> Run:
    """After a change of the state."""
    del slope
    return s._replace(memory=[np.zeros(len(s.y)) for _ in s.memory])


def attempt(p: Problem, s: Run, scheme: Callable[[Problem, Run], Step]) -> Run:
    """One step; where it has no value the run ends before it, and its y is nobody's.

    Nothing waits for the test of y: the next step can begin while it is made.
    """
    task, steps = p.task, s.steps + 1
    last = steps >= task.steps
    t = choose(last, task.end, task.start + steps * task.step)
    if p.watching is not None:  # a step may end at an event, the next one at the grid again
        whole = t <= s.stop
        steps, t = choose(whole, steps, s.steps), minimum(t, s.stop)
        last = both(last, whole)
        s = s._replace(h=t - s.t)
    else:  # the last one may be shorter
        s = s._replace(h=choose(last, t - s.t, s.h))
    step = scheme(p, s)
    change = held(step.change + s.memory[0])
    y = held(s.y + change)
    lost = held(s.y - y) + change
    broken = choose(finite(y), float(GOING), float(NOT_FINITE))
    status = choose(step.status > GOING, step.status, broken)
    s = s._replace(base=step.base)
    end = s._replace(
        t=t,
        steps=steps,
        evaluations=s.evaluations + step.evaluations,
        status=choose(last, float(DONE), float(GOING)),
    )
    end = choose(status <= GOING, end, s._replace(status=status))
    end = end._replace(y=y, memory=[lost, *step.k])
    return concluded(p, s, end, lambda: hermite(p, s, end), lambda: p.slope(s, end.t, end.y))


def hermite(p: Problem, s: Run, end: Run) -> Inside:
    """Hermite's cubic through both ends of a step with their slopes."""
    h, f_0, f_1 = end.t - s.t, p.slope(s, s.t, s.y), p.slope(s, end.t, end.y)
    change = held(end.y - s.y)

    def curve(x: Any) -> Any:
        bend = (1 - 2 * x) * change + h * (x - 1) * f_0 + h * x * f_1
        return (1 - x) * s.y + x * end.y + x * (x - 1) * bend

    return Inside(curve, 2.0)


class Guess(NamedTuple):
    """Slopes of the two stages, their last change by element and in all, iterations made."""

    k: list[Any]
    each: Any
    change: Any
    before: Any
    made: Any


def gauss(p: Problem, s: Run) -> Step:
    """The implicit scheme.

    An iteration is the last where no element changes any more, or where the largest change,
    relative to the largest element, is small and no longer shrinks: elements that are zero but for
    rounding never stand still.
    """
    h = s.h

    def better(g: Guess) -> Guess:
        k1, k2 = g.k
        new1 = p.slope(s, s.t + (0.5 - _ROOT) * h, s.y + h * (0.25 * k1 + (0.25 - _ROOT) * k2))
        new2 = p.slope(s, s.t + (0.5 + _ROOT) * h, s.y + h * ((0.25 + _ROOT) * new1 + 0.25 * k2))
        moved = h * np.maximum(np.abs(new1 - k1), np.abs(new2 - k2))
        size = np.abs(s.y) + h * np.maximum(np.abs(new1), np.abs(new2)) + _TINY
        each, change = np.max(moved / size), np.max(moved) / np.max(size)
        return Guess([new1, new2], each, change, g.change, g.made + 1)

    def settled(g: Guess) -> Any:
        return either(g.each <= _STANDS, both(g.change < _NEARLY, g.change >= g.before))

    def going(g: Guess) -> Any:
        return both(both(negated(settled(g)), g.each <= _FAR), g.made < MOST_ITERATIONS)

    end = repeat(better, Guess(s.memory[1:], _FAR, _FAR, _FAR, 0.0), while_=going)

    def reason() -> Any:
        known = finite(p.slope(s, s.t, s.y))
        return choose(known, float(NO_CONVERGENCE), float(NOT_FINITE))

    status = choose(settled(end), lambda: float(GOING), reason)
    return Step(h * (0.5 * end.k[0] + 0.5 * end.k[1]), end.k, 2 * end.made, status, s.base)


GAUSS = Integrator("symplectic", 3, begun, lambda p, s: attempt(p, s, gauss), restart=restarted)
