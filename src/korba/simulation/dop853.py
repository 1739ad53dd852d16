"""Dormand and Prince's Runge-Kutta pair of order 8 with adaptive steps, and its interpolant.

A step from (t, y) with the slopes k_j of tableau_dop853.py is measured by

    e_5 = sum E5_j k_j / s,   e_3 = sum E3_j k_j / s,   s = atol + rtol max(|y|, |y_new|)
    err = h |e_5|^2 / sqrt(n (|e_5|^2 + 0.01 |e_3|^2))                              (1)

with atol in radians, or in typical lengths of the mechanism where y is a length; and accepted
where err < 1; the next step is 0.9 err^(-1/8) times as long, within 0.2 ... 10, and
not longer than the last after a rejection: the control of SciPy's DOP853, step for step. Inside a
step the state is the polynomial of order 7 of Hairer, Norsett & Wanner (II.6), for which three
slopes more are found where a time is asked for. A step counts as stiff where it is limited by
stability,

    h |k_12 - k_11| > 6.1 |y_new - y_11|      (their section IV.2)                  (2)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import both, choose, held
from ..expr import maximum, minimum
from .events import concluded
from .runs import DONE, GOING, NOT_FINITE, TOO_SMALL, Inside, Method, Problem, Run, finite
from .tableau_dop853 import E3, E5, A, B, C, D

_SMALLEST = 10 * 2.0**-52
_SAFETY, _LEAST, _MOST, _STIFF = 0.9, 0.2, 10.0, 6.1**2
_NOTHING = 1e-300  # keeps 0/0 away where there is no error at all


class Step(NamedTuple):
    """A step over h to y_new, with its slopes k and the state of the last but one."""

    h: Any
    y_new: Any
    k: list[Any]
    y_11: Any


def weighted(row: dict[int, float], k: list[Any]) -> Any:
    """sum_j row[j] k_j."""
    return sum(weight * k[j] for j, weight in row.items())


def attempt(p: Problem, s: Run) -> Run:
    """A step is taken where its error is small, else the next attempt is shorter."""
    task = p.task
    shortest = maximum(task.shortest, _SMALLEST * abs(s.t))
    t = minimum(s.t + minimum(maximum(s.h, shortest), task.longest), s.stop)
    step = stepped(p, s, t - s.t)
    error, stiff = measured(p, s, step)
    factor = _SAFETY / np.sqrt(np.sqrt(np.sqrt(error)))
    evaluations = s.evaluations + 12

    def taken() -> Run:
        end = s._replace(
            t=t,
            h=natural(p, s, step.h * minimum(choose(s.again > 0, 1.0, _MOST), factor)),
            y=step.y_new,
            memory=[step.k[12]],
            steps=s.steps + 1,
            evaluations=evaluations,
            stiff=s.stiff + stiff,
            again=0.0,
            status=choose(t >= task.end, float(DONE), float(GOING)),
        )
        return concluded(p, s, end, lambda: interpolant(p, s, step), lambda: step.k[12])

    def rejected() -> Run:
        shorter = step.h * choose(factor > _LEAST, factor, _LEAST)
        fate = choose(shorter >= shortest, lambda: float(GOING), lambda: _reason(s))
        return s._replace(
            h=shorter, rejected=s.rejected + 1, evaluations=evaluations, again=1.0, status=fate
        )

    return choose(error < 1, taken, rejected)


def natural(p: Problem, s: Run, h: Any) -> Any:
    """The next step: one that was cut short at an event says little of it."""
    return h if p.watching is None else choose(s.stop < p.task.end, maximum(h, s.h), h)


def _reason(s: Run) -> Any:
    """Why steps fell to nothing."""
    return choose(finite(s.memory[0]), float(TOO_SMALL), float(NOT_FINITE))


def stepped(p: Problem, s: Run, h: Any) -> Step:
    """A step of length h."""
    k, y = [s.memory[0]], s.y
    for c, row in zip(C[1:12], A[1:12], strict=True):
        y = s.y + h * weighted(row, k)
        k.append(p.slope(s, s.t + c * h, y))
    y_new = s.y + h * weighted(B, k)
    k.append(p.slope(s, s.t + h, y_new))
    return Step(h, y_new, k, y)


def _inverse(p: Problem, size: Any) -> Any:
    """1 / (atol + rtol size) of the elements under control, 0 of the others.

    With lengths in the typical length L:  (1/L) / (atol + rtol size/L).
    """
    shares = np.ones(len(size))
    shares[p.controlled :] = 0.0
    if not p.lengths:
        return shares / (p.task.atol + p.task.rtol * size)
    lengths = np.zeros(len(size))
    lengths[list(p.lengths)] = 1.0
    shorter = 1.0 / p.task.length
    size = size * (1.0 - lengths) + size * lengths * shorter
    inverse = shares / (p.task.atol + p.task.rtol * size)
    return inverse * (1.0 - lengths) + inverse * lengths * shorter


def measured(p: Problem, s: Run, step: Step) -> tuple[Any, Any]:
    """The error (1), and 1 where (2) holds."""
    inverse = _inverse(p, np.maximum(np.abs(s.y), np.abs(step.y_new)))

    def square(x: Any) -> Any:
        return (inverse * x) @ (inverse * x)

    e5, e3 = square(weighted(E5, step.k)), square(weighted(E3, step.k))
    turn, moved = square(step.k[12] - step.k[11]), square(step.y_new - step.y_11)
    error = step.h * e5 / np.sqrt(p.controlled * (e5 + 0.01 * e3) + _NOTHING)
    return error, choose(step.h * step.h * turn > _STIFF * moved, 1.0, 0.0)


def interpolant(p: Problem, s: Run, step: Step) -> Inside:
    """The state inside a step:  y + x (F_0 + (1 - x) (F_1 + x (F_2 + ...)))."""
    k, h = list(step.k), step.h
    for c, row in zip(C[13:16], A[13:16], strict=True):
        k.append(p.slope(s, s.t + c * h, s.y + h * weighted(row, k)))
    change, first, last = step.y_new - s.y, h * k[0], h * k[12]
    F = [change, first - change, 2 * change - (first + last), *(h * weighted(row, k) for row in D)]
    F = [held(x) for x in F]  # once for all times that are asked for

    def curve(x: Any) -> Any:
        total: Any = 0.0
        for j in reversed(range(7)):
            total = (total + F[j]) * (x if j % 2 == 0 else 1 - x)
        return s.y + total

    return Inside(curve, 3.0)


def begun(p: Problem, s: Run) -> Run:
    """A run at its start; without a first step it is guessed from y, y' and y'' (II.4)."""
    task, n = p.task, float(max(1, p.controlled))
    inverse, span = _inverse(p, np.abs(s.y)), task.end - task.start

    def size(x: Any) -> Any:
        return np.sqrt((inverse * x) @ (inverse * x) / n)

    slope = p.slope(s, task.start, s.y)

    def guessed() -> Any:
        d0, d1 = size(s.y), size(slope)
        h = choose(both(d0 >= 1e-5, d1 >= 1e-5), 0.01 * d0 / maximum(d1, _NOTHING), 1e-6)
        h = minimum(h, span)
        d2 = size(p.slope(s, task.start + h, s.y + h * slope) - slope) / h
        largest = maximum(d1, d2)
        root = np.sqrt(np.sqrt(np.sqrt(0.01 / maximum(largest, _NOTHING))))
        bend = choose(largest > 1e-15, root, maximum(1e-6, 1e-3 * h))
        return minimum(100 * h, bend), 3.0

    h, evaluations = choose(task.step > 0, lambda: (task.step, 1.0), guessed)
    h = minimum(minimum(h, task.longest), span)
    return s.fresh(task, h, [slope], evaluations)


def restarted(s: Run, slope: Any) -> Run:
    """After a change of the state."""
    return s._replace(memory=[slope])


DOP853 = Method("dop853", 1, begun, attempt, adaptive=True, restart=restarted)
