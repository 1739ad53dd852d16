"""Steps of explicit Runge-Kutta methods, whatever their tableau (tableau.py).

With one row of errors E, and with two of orders 5 and 3, a step of n elements is measured by

    e = sum E_j k_j / s,   s = atol + rtol max(|y|, |y_new|),    err = h |e| / sqrt(n)          (1)
    err = h |e_5|^2 / sqrt(n (|e_5|^2 + 0.01 |e_3|^2))                                          (2)

and the next is chosen as adaptive.py says: the control of SciPy's methods, step for step. Inside a
step the state is Hermite's cubic, raised by what the tableau has for it (Hairer, Norsett & Wanner,
II.6). A step counts as stiff where it is limited by stability: with y_s the last stage,

    h |f(y_new) - f(y_s)| > stability |y_new - y_s|      (their section IV.2)                   (3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..codegen.routine import choose, held
from ..expr import maximum
from . import adaptive, fixed_step
from .adaptive import NOTHING, Trial, allowed, root
from .runs import GOING, Inside, Integrator, Problem, Run
from .tableau import Row, Tableau

NEAR = 1e-2
"""Error of a step, in radians and typical lengths, from which loops can be closed."""


def explicit(tableau: Tableau) -> Integrator:
    """The integrator of a tableau: steps by tolerance where it has an error, else of one length."""
    if tableau.error:
        begin, steps = partial(adaptive.begun, order=tableau.order), partial(attempt, tableau)
        return Integrator(tableau.name, 1, begin, steps, adaptive=True, restart=adaptive.restarted)
    steps = partial(fixed_step.attempt, scheme=partial(fixed, tableau))
    return Integrator(tableau.name, 1, fixed_step.begun, steps, restart=fixed_step.restarted)


class Step(NamedTuple):
    """A step over h to y_new, with its slopes k and the state of the last stage."""

    h: Any
    y_new: Any
    k: list[Any]
    y_last: Any


def weighted(row: Row, k: Sequence[Any]) -> Any:
    """sum_j row[j] k_j."""
    return sum(weight * k[j] for j, weight in row.items())


def stages(p: Problem, s: Run, tableau: Tableau, h: Any, first: Any) -> tuple[list[Any], Any, Run]:
    """The slopes k of the stages, the first of which is known, and the state of the last.

    The run has what a formulation carries from stage to stage.
    """
    k, y = [first], s.y
    for c, row in zip(tableau.c[1:], tableau.A[1:], strict=True):
        y = s.y + h * weighted(row, k)
        slope, s = p.sloped(s, s.t + c * h, y)
        k.append(slope)
    return k, y, s


def fixed(tableau: Tableau, p: Problem, s: Run) -> fixed_step.Step:
    """A step of the length that is asked for."""
    first, s = p.sloped(s, s.t, s.y)
    k, _, s = stages(p, s, tableau, s.h, first)
    return fixed_step.Step(s.h * weighted(tableau.b, k), [], float(len(k)), float(GOING), s.base)


def attempt(tableau: Tableau, p: Problem, s: Run) -> Run:
    """One step by tolerance, taken or refused."""

    def tried(h: Any) -> Trial:
        step = stepped(p, s, tableau, h)
        error, stiff = measured(p, s, tableau, step)
        if "tangent" in p.programs:  # what only opens loops is closed again
            closed = partial(measured_closed, p, s, tableau, step)
            error = choose(error < 1, lambda: error, closed)
        evaluations, inside = float(len(tableau.A)), partial(interpolant, p, s, tableau, step)
        return Trial(
            step.y_new, step.k[-1], error, root(error, tableau.order), evaluations, stiff, inside
        )

    return adaptive.attempt(p, s, tried)


def stepped(p: Problem, s: Run, tableau: Tableau, h: Any) -> Step:
    """A step of length h; its first slope is remembered from the end of the one before."""
    k, y, _ = stages(p, s, tableau, h, s.memory[0])
    y_new = s.y + h * weighted(tableau.b, k)
    return Step(h, y_new, [*k, p.slope(s, s.t + h, y_new)], y)


def measured(p: Problem, s: Run, tableau: Tableau, step: Step) -> tuple[Any, Any]:
    """The error (1) or (2), and 1 where (3) holds."""
    inverse = allowed(p, np.maximum(np.abs(s.y), np.abs(step.y_new)))
    error = _error(p, step.h, inverse, _errors(tableau, step))
    if not tableau.stability:
        return error, 0.0
    turn = _square(inverse, step.k[-1] - step.k[-2])
    moved = _square(inverse, step.y_new - step.y_last)
    return error, choose(step.h * step.h * turn > tableau.stability**2 * moved, 1.0, 0.0)


def measured_closed(p: Problem, s: Run, tableau: Tableau, step: Step) -> Any:
    """The error of what is left when loops are closed again.

    What opens them counts too, against a bound that keeps Newton's method on its branch: of a
    mechanism that drives move altogether nothing else is left.
    """
    t, errors = s.t + step.h, _errors(tableau, step)
    size = np.maximum(np.abs(s.y), np.abs(step.y_new))
    parts = p.lasting(s, t, step.y_new, errors)
    near = replace(p, task=p.task._replace(atol=NEAR, rtol=0.0))
    opened = _error(p, step.h, allowed(near, size), errors)
    return maximum(_error(p, step.h, allowed(p, size), parts), opened)


def _errors(tableau: Tableau, step: Step) -> list[Any]:
    return [weighted(row, step.k) for row in tableau.error]


def _error(p: Problem, h: Any, inverse: Any, errors: Sequence[Any]) -> Any:
    first, *second = (_square(inverse, x) for x in errors)
    if not second:
        return h * np.sqrt(first / float(max(1, p.controlled)) + NOTHING)
    return h * first / np.sqrt(p.controlled * (first + 0.01 * second[0]) + NOTHING)


def _square(inverse: Any, x: Any) -> Any:
    return (inverse * x) @ (inverse * x)


def interpolant(p: Problem, s: Run, tableau: Tableau, step: Step) -> Inside:
    """The state inside a step:  y + x (F_0 + (1 - x) (F_1 + x (F_2 + ...)))."""
    k, h = list(step.k), step.h
    end = len(k) - 1
    for c, row in tableau.added:
        k.append(p.slope(s, s.t + c * h, s.y + h * weighted(row, k)))
    change, first, last = step.y_new - s.y, h * k[0], h * k[end]
    F = [change, first - change, 2 * change - (first + last)]
    F += [h * weighted(row, k) for row in tableau.inside]
    F = [held(x) for x in F]  # once for all times that are asked for

    def curve(x: Any) -> Any:
        total: Any = 0.0
        for j in reversed(range(len(F))):
            total = (total + F[j]) * (x if j % 2 == 0 else 1 - x)
        return s.y + total

    return Inside(curve, float(len(tableau.added)))
