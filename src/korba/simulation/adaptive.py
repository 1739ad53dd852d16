"""Steps by tolerance: an attempt is taken where its error is small, else made again, shorter.

With the error err of a step, relative to what is allowed, the next step is

    h_new = 0.9 err^(-1/order) h,   within 0.2 ... 10,

and not longer than the last after a rejection: the control of SciPy's methods, step for step. What
is allowed is atol + rtol |y|, with atol in radians, or in typical lengths of the mechanism where y
is a length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import both, choose
from ..expr import maximum, minimum
from .events import concluded
from .runs import DONE, GOING, NOT_FINITE, TOO_SMALL, Inside, Problem, Run, finite

NOTHING = 1e-300
"""Keeps 0/0 away where there is no error at all."""
_SMALLEST = 10 * 2.0**-52
_SAFETY, _LEAST, _MOST = 0.9, 0.2, 10.0


class Trial(NamedTuple):
    """A step as a method made it."""

    y_new: Any
    slope: Any
    """There."""
    error: Any
    root: Any
    """error^(1/order)"""
    evaluations: float
    stiff: Any
    """1 where stability limits the step."""
    inside: Callable[[], Inside]


def attempt(p: Problem, s: Run, tried: Callable[[Any], Trial]) -> Run:
    """A step is taken where its error is small, else the next attempt is shorter."""
    task = p.task
    shortest = maximum(task.shortest, _SMALLEST * abs(s.t))
    mark, bound = p.bound(s)
    s = s._replace(mark=mark)
    t = minimum(s.t + minimum(maximum(s.h, shortest), task.longest), minimum(s.stop, bound))
    h = t - s.t
    trial = tried(h)
    factor = _SAFETY / trial.root
    evaluations = s.evaluations + trial.evaluations

    def taken() -> Run:
        end = s._replace(
            t=t,
            h=_natural(p, s, h * minimum(choose(s.again > 0, 1.0, _MOST), factor)),
            y=trial.y_new,
            memory=[trial.slope],
            steps=s.steps + 1,
            evaluations=evaluations,
            stiff=s.stiff + trial.stiff,
            again=0.0,
            status=choose(t >= task.end, float(DONE), float(GOING)),
        )
        return concluded(p, s, end, trial.inside, lambda: trial.slope)

    def rejected() -> Run:
        shorter = h * choose(factor > _LEAST, factor, _LEAST)
        fate = choose(shorter >= shortest, lambda: float(GOING), lambda: _reason(s))
        return s._replace(
            h=shorter, rejected=s.rejected + 1, evaluations=evaluations, again=1.0, status=fate
        )

    return choose(trial.error < 1, taken, rejected)


def _natural(p: Problem, s: Run, h: Any) -> Any:
    """The next step: one that was cut short at an event says little of it."""
    return h if p.watching is None else choose(s.stop < p.task.end, maximum(h, s.h), h)


def _reason(s: Run) -> Any:
    """Why steps fell to nothing."""
    return choose(finite(s.memory[0]), float(TOO_SMALL), float(NOT_FINITE))


def allowed(p: Problem, size: Any) -> Any:
    """1 / (atol + rtol size) of the elements under control, 0 of the others.

    With lengths in the typical length L:  (1/L) / (atol + rtol size/L), and so the work of drives
    in a typical energy.
    """
    shares = np.ones(len(size))
    shares[p.controlled :] = 0.0
    if p.energy:
        work = np.zeros(len(size))
        work[-1] = 1.0 / p.energy
        shares, size = shares + work, size * (1.0 - np.sign(work)) + size * work
    if not p.lengths:
        return shares / (p.task.atol + p.task.rtol * size)
    lengths = np.zeros(len(size))
    lengths[list(p.lengths)] = 1.0
    shorter = 1.0 / p.task.length
    size = size * (1.0 - lengths) + size * lengths * shorter
    inverse = shares / (p.task.atol + p.task.rtol * size)
    return inverse * (1.0 - lengths) + inverse * lengths * shorter


def root(error: Any, order: int) -> Any:
    """error^(1/order), by square roots as far as they go."""
    while order % 2 == 0:
        error, order = np.sqrt(error), order // 2
    return error if order == 1 else error ** (1.0 / order)


def begun(p: Problem, s: Run, order: int = 8) -> Run:
    """A run at its start; without a first step it is guessed from y, y' and y'' (II.4)."""
    task, n = p.task, float(max(1, p.controlled))
    inverse, span = allowed(p, np.abs(s.y)), task.end - task.start

    def size(x: Any) -> Any:
        return np.sqrt((inverse * x) @ (inverse * x) / n)

    slope = p.slope(s, task.start, s.y)

    def guessed() -> Any:
        d0, d1 = size(s.y), size(slope)
        h = choose(both(d0 >= 1e-5, d1 >= 1e-5), 0.01 * d0 / maximum(d1, NOTHING), 1e-6)
        h = minimum(h, span)
        d2 = size(p.slope(s, task.start + h, s.y + h * slope) - slope) / h
        largest = maximum(d1, d2)
        longest = root(0.01 / maximum(largest, NOTHING), order)
        bend = choose(largest > 1e-15, longest, maximum(1e-6, 1e-3 * h))
        return minimum(100 * h, bend), 3.0

    h, evaluations = choose(task.step > 0, lambda: (task.step, 1.0), guessed)
    h = minimum(minimum(h, task.longest), span)
    return s.fresh(task, h, [slope], evaluations)


def restarted(s: Run, slope: Any) -> Run:
    """After a change of the state."""
    return s._replace(memory=[slope])
