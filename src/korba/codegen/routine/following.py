"""A solution followed in lanes along a straight way of what is asked for, by Newton's method.

The first step is the tangent; a solution counts as on the same branch if the second step is small
beside the first and the steps shrink from there,

    |x_2| <= 1/4 |x_1|,    |x_k+1| <= 1/2 |x_k|                                              (1)

Where that fails the way is cut in halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from korba.codegen.routine.constructs import both, choose, repeat
from korba.expr import maximum, minimum

FAIR = 0.25
"""The largest second step beside the first."""
LONGEST = 1.5
"""Units that a first step may take."""
SMALLEST = 1e-4
"""The part of the way below which it is given up."""
SMALL, MOST = 1e-9, 8
"""The size of a last step, and how many there are at most."""

Newton = Callable[[Any, Any], tuple[Any, Any]]
"""(x, asked) -> x after one step, and the step."""


class Guess(NamedTuple):
    """The solution, how long the last step was and how long the next may be, steps made."""

    x: Any
    size: Any
    limit: Any
    good: Any
    steps: Any


class Way(NamedTuple):
    """The solution, the part of the way that is done, the part to be tried next."""

    x: Any
    done: Any
    part: Any


def contracted(newton: Newton, x: Any, asked: Any, units: Any) -> tuple[Any, Any]:
    """The solution, and whether (1) held for every step."""

    def step(s: Guess) -> Guess:
        x, change = newton(s.x, asked)
        size = np.max(np.abs(change) / units)
        fair = choose(s.steps > 0, 0.5, FAIR)
        return Guess(x, size, maximum(fair * size, SMALL), size <= s.limit, s.steps + 1)

    def going(s: Guess) -> Any:
        return both(both(s.size > SMALL, s.good > 0), s.steps < MOST)

    end = repeat(step, Guess(x, 1.0, LONGEST, 1.0, 0.0), while_=going)
    return end.x, both(end.good > 0, end.size <= SMALL)


def led(newton: Newton, start: Any, here: Any, target: Any, units: Any) -> Way:
    """From `start`, where what is asked for is `here`, to where it is `target`."""

    def onward(s: Way) -> Way:
        end = minimum(1.0, s.done + s.part)
        x, good = contracted(newton, s.x, here + end * (target - here), units)
        return choose(good > 0, Way(x, end, 1.5 * s.part), Way(s.x, s.done, 0.5 * s.part))

    going = Way(start, 0.0, 1.0)
    return repeat(onward, going, while_=lambda s: both(s.done < 1, s.part > SMALLEST))
