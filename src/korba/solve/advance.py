"""A step of path following as a routine: prediction, correction, the rates there, the way back.

From a position with its rate and bend, a step h along the path leads to

    q + h q' + h^2/2 q'',    three steps of Newton's method,    the new q' and q''

The measures tell how large the corrections were and how far the way back misses; whether that is
fair is decided in branch.py. Source: Gronowicz (2003), (2.147).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..codegen import trace
from ..codegen.routine import AnyProgram, Routine, call, packed, routine
from .loops import Loops


class Measures(NamedTuple):
    """What a step is judged by, in radians and typical lengths."""

    first: Any
    """The first correction."""
    last: Any
    gap: Any
    """The largest residual before the last correction."""
    back: Any
    """How far the way back misses."""
    move: Any
    """h q'."""
    bent: Any
    """h^2/2 q''."""
    speed: Any
    """The new q'."""
    low: Any
    """The smallest pivot of J."""
    high: Any
    """The largest pivot of J."""


def advance(loops: Loops, newton: AnyProgram, rates: AnyProgram) -> Routine:
    """(q, rate, bend, h, wanted, speed, clock) -> the new q, q', q'', and the measures."""
    tree, own, nq = loops.tree, loops.own, loops.tree.nq
    unit = trace(tree.normalised, {"q": nq})
    bent = trace(lambda a, secant: np.where(own >= 0, a[own], secant), {"a": tree.nv, "secant": nq})

    def function(q: Any, rate: Any, bend: Any, h: Any, *inputs: Any) -> tuple[Any, ...]:
        wanted, speed, clock = inputs
        first_part, second_part = h * rate, 0.5 * h * h * bend
        new, corrections = q + first_part + second_part, []
        new = call(unit, new) if tree.quaternions else new
        for _ in range(3):
            new, x, residual = call(newton, new, wanted, clock)
            corrections.append(np.max(np.abs(x) / loops.units))
        _, a, new_rate, pivots, _ = call(rates, new, wanted, speed, clock)
        new_bend = a if tree.nv == nq else call(bent, a, (new_rate - rate) / h)
        back = new - h * new_rate + 0.5 * h * h * new_bend - q
        changes = back, first_part, second_part, new_rate
        moves = [np.max(np.abs(change) / loops.q_units) for change in changes]
        gap = np.max(np.abs(residual) / loops.size)
        ends = (-np.max(-pivots), np.max(pivots)) if rates.sizes[3] else (1.0, 1.0)
        measures = Measures(corrections[0], corrections[-1], gap, *moves, *ends)
        return new, new_rate, new_bend, packed(measures)

    sizes: dict[str, int | None] = dict.fromkeys(("q", "rate", "bend"), nq)
    sizes |= {"h": None, "wanted": loops.wanted, "speed": loops.wanted, "clock": 2}
    return routine(function, sizes, loops.m.name or "the mechanism")
