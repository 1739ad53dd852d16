"""From one closed position to others in lanes: Newton's method along straight ways of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen import Compiled, compile_program
from ..codegen.routine import Routine, call, routine
from ..codegen.routine.following import led
from ..model.mechanism import Mechanism
from ..positions.loop_system import LoopSystem
from ..system.store import kept


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
        return way.x, way.done

    total = count + 2 + sizes if sizes else count
    inputs = {"start": system.tree.nq, "here": total, "target": total}
    return routine(function, inputs, system.m.name or "the mechanism")


def lead_of(m: Mechanism, system: LoopSystem) -> Compiled:
    """The same in machine code; kept with m."""
    key = ("leading", system.held, bool(system.drives), system.parameters)
    return kept(m, key, lambda: compile_program(leading(system)))
