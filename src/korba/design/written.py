"""The sizes of a best design as a file has them: digits of which something is known.

An optimiser ends somewhere near a best design, and most of the sixteen digits that it ends with say
nothing: `b = "0.1483486223150976 m"`. The sizes are written in the units of the mechanism with as
few digits as the design allows. It still has to close and to keep its bounds and constraints, and
its value may be worse by SLACK of itself only, since known optima are met to ten digits (distances
of a path by NEAR of its extent too).
"""

from __future__ import annotations

import numpy as np

from ..spatial.rotation import Array
from ..verbs.designs import size_values, size_written
from .path_goal import PathGoal
from .problem import KEPT, Problem

DIGITS = (4, 5, 6, 7, 8, 9, 10, 12, 14, 17)
"""How many are tried; seventeen give every number back."""
EXACT = 15
"""Those of a size that is at an end of its range: the end is somebody's number."""
SLACK = 1e-10
"""By how much of itself a value may be worse."""
NEAR = 1e-9
"""The same of distances that vanish, as a part of the path's extent."""


def written(problem: Problem, x: Array, value: float) -> tuple[dict[str, float | str], Array]:
    """Sizes of a design as texts, and in SI: with the fewest digits that do it no harm."""
    p, m = problem.sizes(x), problem.m
    span = problem.high - problem.low
    at_end = np.abs(x - 0.5) >= 0.5 - KEPT
    worst = value + _slack(problem, value)
    for digits in DIGITS:
        pairs = zip(problem.names, p.tolist(), at_end, strict=True)
        texts = {n: size_written(m, n, size, EXACT if end else digits) for n, size, end in pairs}
        own = np.array([float(size_values(m, name, text)) for name, text in texts.items()])
        place = (own - problem.low) / span
        if np.all(np.abs(place - 0.5) <= 0.5 + KEPT) and _fair(problem, place, worst):
            return texts, own
    return dict(zip(problem.names, p.tolist(), strict=True)), p


def _fair(problem: Problem, place: Array, worst: float) -> bool:
    """Whether a design has such a value and keeps its constraints."""
    one = place[None]
    kept = not any(problem.constraints) or bool(np.all(problem.rests(one) >= -KEPT))
    return kept and bool(problem.judged(one)[0] <= worst)


def _slack(problem: Problem, value: float) -> float:
    """By how much more a design may cost."""
    if not isinstance(problem.goal, PathGoal):
        return SLACK * abs(value)
    points = problem.goal.targets
    near = NEAR * float(np.ptp(points, axis=0).max()) * np.sqrt(len(points))
    return float((np.sqrt(value) * (1 + SLACK) + near) ** 2 - value)
