"""Loops closed by one routine, for generated code and for the GPU.

    motion:    (q, t, p)         -> q, v, a at the time t, closed         from a position near there
    assemble:  (q, values, p)    -> q with these values, closed           from a closed position

Newton's method as `kb.motion` and `kb.assemble` take it (codegen/routine/following.py); p is there
where sizes are inputs. `closed` is 1 where the loops are closed on the same branch. An assembly is
led there, along a straight way from the values and sizes that q has, cut in halves where it is too
long; a motion is one stride, so q is that of a time shortly before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..codegen.routine import Routine, call, packed, routine
from ..codegen.routine.following import contracted
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..positions.loop_system import LoopSystem, with_sizes
from ..verbs.designs import DESIGN, sizes_of
from ..verbs.options import names_of
from .batch_positions import held_system
from .motion import driven_loops

CLOSED = "1 where the loops are closed, else 0"


def motion_routine(
    m: Mechanism, parameters: Any = None, **others: Any
) -> tuple[Routine, Mapping[str, str]]:
    """Positions, velocities and accelerations of a driven mechanism at a time."""
    _refuse("motion", others, ("parameters",))
    names = names_of("parameters", parameters)
    system = _sized(m, driven_loops(m), names)
    newton, rates = system.newton.program, system.rates.program
    nothing = np.zeros(system.wanted)

    def function(q: Any, t: Any, *p: Any) -> tuple[Any, ...]:
        clock = packed([t, 1.0])

        def step(x: Any, asked: Any) -> tuple[Any, Any]:
            return call(newton, x, nothing, asked, *p)[:2]

        closed, good = contracted(step, q, clock, system.units)
        v, a = call(rates, closed, nothing, nothing, clock, *p)[:2]
        return closed, v, a, good

    sizes: dict[str, int | None] = {"q": system.tree.nq, "t": None}
    about = {"q": "a position at a time near t", "t": "the time, s"}
    about |= {"out0": "q", "out1": "v", "out2": "a", "out3": CLOSED}
    return routine(function, sizes | _design(names), m.name or "the mechanism"), about


def assemble_routine(
    m: Mechanism, values: Any = (), parameters: Any = None, **others: Any
) -> tuple[Routine, Mapping[str, str]]:
    """Coordinates at which those that `values` names have values of their own."""
    _refuse("assemble", others, ("values", "parameters"))
    held, names = names_of("values", values), names_of("parameters", parameters)
    system = _sized(m, held_system(m, held), names)
    residuals, lead = system.residuals.program, system.led.program
    nothing, still, count = np.zeros(system.wanted), np.zeros(2), len(held)
    rest, rows = np.zeros(system.wanted - count), residuals.sizes[0]
    clock, sized = ([still], [sizes_of(m, names)]) if names else ([], [])

    def function(q: Any, wanted: Any, *p: Any) -> Any:
        here = call(residuals, q, nothing, still, *sized)[rows - system.wanted : rows]
        return call(lead, q, packed([here, *clock, *sized]), packed([wanted, rest, *clock, *p]))

    sizes: dict[str, int | None] = {"q": system.tree.nq, "values": count}
    about = {"q": "a closed position, by the mechanism's own sizes", "values": ", ".join(held)}
    about |= {"out0": "q", "out1": "1 where the loops are closed, else less"}
    return routine(function, sizes | _design(names), m.name or "the mechanism"), about


def _sized(m: Mechanism, system: LoopSystem, names: tuple[str, ...]) -> LoopSystem:
    return with_sizes(m, system, names) if names else system


def _design(names: tuple[str, ...]) -> dict[str, int | None]:
    return {DESIGN: len(names)} if names else {}


def _refuse(verb: str, others: Mapping[str, Any], known: tuple[str, ...]) -> None:
    if others:
        raise StructureError(
            f"{verb}: {next(iter(others))!r} is not written into code; its options are "
            f"{', '.join(known)}"
        )
