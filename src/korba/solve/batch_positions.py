"""Many configurations at once: held coordinates at many values, all loops closed.

From one closed position Newton's method goes to all values, side by side in the lanes of the
processor's vectors, so forward kinematics of a parallel robot costs a few steps a pose. The first
step is the tangent; a position counts as on the same branch if the second step is small beside the
first and the steps shrink from there,

    |x_2| <= 1/4 |x_1|,    |x_k+1| <= 1/2 |x_k|                                              (1)

Where that fails the way is cut in halves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen import compile_program
from ..codegen.routine import Routine, both, call, choose, repeat, routine
from ..door import public, real_array
from ..errors import AssemblyError, StructureError
from ..expr import maximum, minimum
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..trajectory.places import Placed
from ..verbs.store import kept
from .assemble import (
    Configuration,
    drawn_closed,
    freedoms,
    present,
    refuse_unknown,
    without_idle,
)
from .branch import FAIR
from .loop_system import LoopSystem, loop_system

LONGEST = 1.5
"""Radians, or typical lengths, that a first step may take."""
SMALLEST = 1e-4
"""The part of the way below which it is given up."""
SMALL, MOST = 1e-9, 8
"""The size of a last step, and how many there are at most."""

Newton = Callable[[Any, Any], tuple[Any, Any]]
"""(q, wanted) -> the coordinates after one step, and the step."""


@dataclass(frozen=True, eq=False)
class Positions(Placed):
    """Many configurations of a mechanism. `positions["B"]` is a coordinate of all of them."""

    names: tuple[str, ...]
    q: Array
    """Coordinates, shape (..., nq); nan where the loops do not close."""
    closed: Array
    """Whether the loops are closed, shape (...)."""
    m: Mechanism
    """The mechanism, rotors and elastic joints written out."""


@public
def assemble_many(
    m: Mechanism,
    values: Mapping[str, Any],
    *,
    near: Configuration | None = None,
    refuse: bool = True,
) -> Positions:
    """Configurations in which the named coordinates have the values of arrays.

    The arrays broadcast against each other. All configurations are on the branch of the drawing,
    or of the configuration `near`, and the mechanism leaves nothing free. Where the way to the
    values is blocked an `AssemblyError` says so; with `refuse=False` coordinates there are nan.
    """
    given = {name: real_array(name, value) for name, value in values.items()}
    system = held_system(m, tuple(given))
    wanted = np.stack(np.broadcast_arrays(*given.values()), axis=-1)
    start = drawn_closed(system) if near is None else near.q
    rows = wanted.reshape(-1, wanted.shape[-1])
    lead = kept(m, ("leading", tuple(given)), lambda: compile_program(leading(system)))
    q, done = lead(start, present(system, start, 0.0), rows, check_finite=False)
    closed = done == 1.0
    if refuse and not closed.all():
        raise _blocked(system, rows, closed)
    q[~closed] = np.nan
    shape = wanted.shape[:-1]
    return Positions(system.names, q.reshape(*shape, -1), closed.reshape(shape), system.m)


def _blocked(system: LoopSystem, rows: Array, closed: Array) -> AssemblyError:
    k = int(np.flatnonzero(~closed)[0])
    values = ", ".join(f"{name} = {x:.6g}" for name, x in zip(system.held, rows[k], strict=True))
    return AssemblyError(
        f"mechanism {system.m.name!r}: {int(np.sum(~closed))} of {len(rows)} configurations cannot "
        f"be reached on this branch, the first with {values}; `assemble` says which loop stays "
        "open, `refuse=False` gives nan there"
    )


def held_system(m: Mechanism, names: tuple[str, ...]) -> LoopSystem:
    """Loops with coordinates held that leave nothing free but idle freedoms; kept with m."""
    return kept(m, ("held alone", names), lambda: _held_system(m, names))


def _held_system(m: Mechanism, names: tuple[str, ...]) -> LoopSystem:
    """Idle freedoms are kept still; refuses freedoms too many or too few."""
    system = loop_system(m, names, drives=False)
    refuse_unknown(system.tree, names)
    q = drawn_closed(system)
    free, whole = freedoms(system, q, 0.0), freedoms(LoopSystem(system.tree, (), ()), q, 0.0)
    idle = mobility(replace(m, drives=())).local if free or whole < len(names) else 0
    held = ", ".join(names) or "nothing"
    if free > idle:
        raise StructureError(
            f"mechanism {system.m.name!r} can still move {free - idle} ways in its drawing with "
            f"{held} held; hold other coordinates as well, or draw it in a position that is not "
            "singular"
        )
    if whole - idle < len(names):
        raise StructureError(
            f"mechanism {system.m.name!r} has {whole - idle} freedoms: too few for {held} to have "
            "values of their own"
        )
    return without_idle(system, q, 0.0, free)


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
    """From `start`, where the wanted values are `here`, to where they are `target`."""

    def onward(s: Way) -> Way:
        end = minimum(1.0, s.done + s.part)
        q, good = contracted(newton, s.q, here + end * (target - here), units)
        return choose(good > 0, Way(q, end, 1.5 * s.part), Way(s.q, s.done, 0.5 * s.part))

    going = Way(start, 0.0, 1.0)
    return repeat(onward, going, while_=lambda s: both(s.done < 1, s.part > SMALLEST))


def leading(system: LoopSystem) -> Routine:
    """(start, here, target) -> the coordinates there, and the part of the way that was gone."""
    program = system.newton.program

    def newton(q: Any, wanted: Any) -> tuple[Any, Any]:
        return call(program, q, wanted, np.zeros(2))[:2]

    def function(start: Any, here: Any, target: Any) -> tuple[Any, Any]:
        way = led(newton, start, here, target, system.units)
        return way.q, way.done

    sizes = {"start": system.tree.nq, "here": system.wanted, "target": system.wanted}
    return routine(function, sizes, system.m.name or "the mechanism")
