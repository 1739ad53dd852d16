"""From one closed position to others in lanes: Newton's method along straight ways.

The first step is the tangent; a position counts as on the same branch if the second step is small
beside the first and the steps shrink from there,

    |x_2| <= 1/4 |x_1|,    |x_k+1| <= 1/2 |x_k|                                              (1)

Where that fails the way is cut in halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Compiled, compile_program
from ..codegen.routine import Routine, both, call, choose, repeat, routine
from ..expr import maximum, minimum
from ..model.mechanism import Mechanism
from ..verbs.store import kept
from .branch import FAIR
from .loop_system import LoopSystem

LONGEST = 1.5
"""Radians, or typical lengths, that a first step may take."""
SMALLEST = 1e-4
"""The part of the way below which it is given up."""
SMALL, MOST = 1e-9, 8
"""The size of a last step, and how many there are at most."""

Newton = Callable[[Any, Any], tuple[Any, Any]]
"""(q, wanted) -> the coordinates after one step, and the step."""


class Guess(NamedTuple):
    """Coordinates, how long the last step was and how long the next may be, steps made."""

    q: Any
    size: Any
    limit: Any
    good: Any
    steps: Any


class Way(NamedTuple):
    """Coordinates, the part of the way that is done, the part to be tried next."""

    q: Any
    done: Any
    part: Any


def contracted(newton: Newton, q: Any, wanted: Any, units: Any) -> tuple[Any, Any]:
    """Closed coordinates, and whether (1) held for every step."""

    def step(s: Guess) -> Guess:
        q, x = newton(s.q, wanted)
        size = np.max(np.abs(x) / units)
        fair = choose(s.steps > 0, 0.5, FAIR)
        return Guess(q, size, maximum(fair * size, SMALL), size <= s.limit, s.steps + 1)

    def going(s: Guess) -> Any:
        return both(both(s.size > SMALL, s.good > 0), s.steps < MOST)

    end = repeat(step, Guess(q, 1.0, LONGEST, 1.0, 0.0), while_=going)
    return end.q, both(end.good > 0, end.size <= SMALL)


def led(newton: Newton, start: Any, here: Any, target: Any, units: Any) -> Way:
    """From `start`, where what is asked for is `here`, to where it is `target`."""

    def onward(s: Way) -> Way:
        end = minimum(1.0, s.done + s.part)
        q, good = contracted(newton, s.q, here + end * (target - here), units)
        return choose(good > 0, Way(q, end, 1.5 * s.part), Way(s.q, s.done, 0.5 * s.part))

    going = Way(start, 0.0, 1.0)
    return repeat(onward, going, while_=lambda s: both(s.done < 1, s.part > SMALLEST))


def leading(system: LoopSystem) -> Routine:
    """(start, here, target) -> the coordinates there, and the part of the way that was gone.

    What is asked for are values of what is held, or where sizes are inputs (wanted, clock, p).
    """
    program, count, sizes = system.newton.program, system.wanted, len(system.parameters)

    def newton(q: Any, asked: Any) -> tuple[Any, Any]:
        if not sizes:
            return call(program, q, asked, np.zeros(2))[:2]
        parts = asked[:count], asked[count : count + 2], asked[count + 2 :]
        return call(program, q, *parts)[:2]

    def function(start: Any, here: Any, target: Any) -> tuple[Any, Any]:
        way = led(newton, start, here, target, system.units)
        return way.q, way.done

    total = count + 2 + sizes if sizes else count
    inputs = {"start": system.tree.nq, "here": total, "target": total}
    return routine(function, inputs, system.m.name or "the mechanism")


def lead_of(m: Mechanism, system: LoopSystem) -> Compiled:
    """The same in machine code; kept with m."""
    key = ("leading", system.held, bool(system.drives), system.parameters)
    return kept(m, key, lambda: compile_program(leading(system)))
