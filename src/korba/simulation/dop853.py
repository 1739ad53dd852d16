"""Dormand and Prince's Runge-Kutta pair of order 8 with adaptive steps, and its interpolant.

A step from (t, y) with the slopes k_j of tableau_dop853.py is measured by

    e_5 = sum E5_j k_j / s,   e_3 = sum E3_j k_j / s,   s = atol + rtol max(|y|, |y_new|)
    err = h |e_5|^2 / sqrt(n (|e_5|^2 + 0.01 |e_3|^2))                              (1)

and the next is chosen as adaptive.py says: the control of SciPy's DOP853, step for step. Inside a
step the state is the polynomial of order 7 of Hairer, Norsett & Wanner (II.6), for which three
slopes more are found where a time is asked for. A step counts as stiff where it is limited by
stability,

    h |k_12 - k_11| > 6.1 |y_new - y_11|      (their section IV.2)                  (2)
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import choose, held
from ..expr import maximum
from . import adaptive
from .adaptive import NOTHING, Trial, allowed, begun, restarted
from .runs import Inside, Method, Problem, Run
from .tableau_dop853 import E3, E5, A, B, C, D

NEAR = 1e-2
"""Error of a step, in radians and typical lengths, from which loops can be closed."""
_STIFF = 6.1**2


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
    """One step, taken or refused."""

    def tried(h: Any) -> Trial:
        step = stepped(p, s, h)
        error, stiff = measured(p, s, step)
        if "tangent" in p.programs:  # what only opens loops is closed again
            error = choose(error < 1, lambda: error, lambda: measured_closed(p, s, step))
        root = np.sqrt(np.sqrt(np.sqrt(error)))
        inside = partial(interpolant, p, s, step)
        return Trial(step.y_new, step.k[12], error, root, 12.0, stiff, inside)

    return adaptive.attempt(p, s, tried)


def stepped(p: Problem, s: Run, h: Any) -> Step:
    """A step of length h."""
    k, y = [s.memory[0]], s.y
    for c, row in zip(C[1:12], A[1:12], strict=True):
        y = s.y + h * weighted(row, k)
        k.append(p.slope(s, s.t + c * h, y))
    y_new = s.y + h * weighted(B, k)
    k.append(p.slope(s, s.t + h, y_new))
    return Step(h, y_new, k, y)


def measured(p: Problem, s: Run, step: Step) -> tuple[Any, Any]:
    """The error (1), and 1 where (2) holds."""
    inverse = allowed(p, np.maximum(np.abs(s.y), np.abs(step.y_new)))
    turn = _square(inverse, step.k[12] - step.k[11])
    moved = _square(inverse, step.y_new - step.y_11)
    error = _error(p, step.h, inverse, weighted(E5, step.k), weighted(E3, step.k))
    return error, choose(step.h * step.h * turn > _STIFF * moved, 1.0, 0.0)


def measured_closed(p: Problem, s: Run, step: Step) -> Any:
    """The error (1) of what is left when loops are closed again.

    What opens them counts too, against a bound that keeps Newton's method on its branch: of a
    mechanism that drives move altogether nothing else is left.
    """
    t, fifth, third = s.t + step.h, weighted(E5, step.k), weighted(E3, step.k)
    size = np.maximum(np.abs(s.y), np.abs(step.y_new))
    parts = p.lasting(s, t, step.y_new, (fifth, third))
    near = replace(p, task=p.task._replace(atol=NEAR, rtol=0.0))
    opened = _error(p, step.h, allowed(near, size), fifth, third)
    return maximum(_error(p, step.h, allowed(p, size), *parts), opened)


def _error(p: Problem, h: Any, inverse: Any, fifth: Any, third: Any) -> Any:
    e5, e3 = _square(inverse, fifth), _square(inverse, third)
    return h * e5 / np.sqrt(p.controlled * (e5 + 0.01 * e3) + NOTHING)


def _square(inverse: Any, x: Any) -> Any:
    return (inverse * x) @ (inverse * x)


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


DOP853 = Method("dop853", 1, begun, attempt, adaptive=True, restart=restarted)
