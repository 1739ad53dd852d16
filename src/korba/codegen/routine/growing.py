"""A solution that grows with s from 0 to 1, in lanes: on its own branch, or not at all.

F(x, s) = 0 has x = 0 at s = 0. Where it goes is known by its tangent x'(s), and a step of s counts
if Newton's first step and the solution are near to what the tangent foretells,

    |x_1 - x - h x'| <= 1/2 |h x'|,      |x_n - x - h x'| <= 1/2 |h x'|                      (1)

so that no pole of the linear equations lies between: behind one the first step goes the other way.
Equations of friction have bends, at which the tangent changes at once; there a step counts if the
solution moves little. Where neither holds the step is halved. So a solution on another branch,
behind a pole, is never taken for the one that grows; where the way ends, s tells how far it went.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from korba.codegen.routine.constructs import both, choose, either, repeat
from korba.expr import maximum, minimum

HALF = 0.5
"""In (1)."""
LITTLE = 0.05
"""Part of its size that a solution may move at a bend."""
SMALLEST = 1e-5
"""The step of s below which the way is given up."""
SMALL, MOST = 1e-10, 12
"""The size of a last step of Newton's method, and how many there are at most."""
AHEAD = 1e-3
"""Part of a step by which the tangent looks ahead."""

Newton = Callable[[Any, Any], tuple[Any, Any]]
"""(x, s) -> x after one step, and the step."""


class Grown(NamedTuple):
    """The solution, its tangent, the s that it belongs to, and the step to be tried next."""

    x: Any
    tangent: Any
    done: Any
    part: Any


class Guess(NamedTuple):
    """A solution of one s, the size of the last step, steps made."""

    x: Any
    size: Any
    steps: Any


def grown(newton: Newton, tangent: Any, units: Any) -> Grown:
    """The solution at s = 1, or as far as it goes; `tangent` is x'(0)."""

    def size(x: Any) -> Any:
        return np.max(np.abs(x) / units)

    def onward(now: Grown) -> Grown:
        s = minimum(1.0, now.done + now.part)
        foretold = (s - now.done) * now.tangent
        x, step = newton(now.x, s)

        def improved(g: Guess) -> Guess:
            x, step = newton(g.x, s)
            return Guess(x, size(step), g.steps + 1)

        def going(g: Guess) -> Any:
            return both(g.size > SMALL, g.steps < MOST)

        end = repeat(improved, Guess(x, size(step), 0.0), while_=going)
        bent = maximum(size(step - foretold), size(end.x - now.x - foretold))
        little = size(end.x - now.x) <= LITTLE * (1.0 + size(now.x))
        good = both(end.size <= SMALL, either(bent <= HALF * size(foretold), little))

        def accepted() -> Any:
            h = AHEAD * now.part
            slope = choose(s < 1, lambda: newton(end.x, s + h)[1] / h, lambda: now.tangent)
            return Grown(end.x, slope, s, 1.5 * now.part)

        def refused() -> Any:
            return Grown(now.x, now.tangent, now.done, 0.5 * now.part)

        return choose(good > 0, accepted, refused)

    start = Grown(0.0 * units, tangent, 0.0, 1.0)
    return repeat(onward, start, while_=lambda g: both(g.done < 1, g.part > SMALLEST))
