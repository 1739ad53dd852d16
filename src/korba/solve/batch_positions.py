"""Many configurations at once: held coordinates at many values, all loops closed.

From one closed position Newton's method goes to all values, side by side in the lanes of the
processor's vectors, so forward kinematics of a parallel robot costs a few steps a
pose. Sizes may differ from lane to lane as well (designs.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..door import real_array
from ..errors import AssemblyError, StructureError
from ..model.mechanism import Mechanism
from ..positions.loop_system import LoopSystem, loop_system, with_sizes
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..structure.reasons import counted
from ..system.store import kept
from ..system.tree import Tree
from ..trajectory.places import Placed
from ..verbs.designs import design_values
from ..wording import given
from .configuration import (
    Configuration,
    assembled,
    drawn_closed,
    freedoms,
    held_values,
    present,
    refuse_dependent,
    without_idle,
)
from .designs import Designs
from .dyad_motion import placed_by_dyads

OPEN = "its loops cannot be closed on this branch"


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
    asked: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """The values and sizes that were asked for, shape (...) each."""

    @cached_property
    def reasons(self) -> dict[int, str]:
        """Why configurations are missing, by their number."""
        rows = {
            name: np.broadcast_to(x, self.closed.shape).ravel() for name, x in self.asked.items()
        }
        return {
            int(k): f"with {', '.join(f'{name} = {x[k]:.12g}' for name, x in rows.items())} {OPEN}"
            for k in np.flatnonzero(~self.closed)
        }


def many_positions(
    m: Mechanism,
    values: Mapping[str, Any],
    *,
    near: Configuration | None = None,
    refuse: bool = True,
    parameters: Mapping[str, Any] | None = None,
) -> Positions:
    """What `kb.assemble` gives for arrays, a value of each named coordinate for each position."""
    if not values:
        raise StructureError(
            "assemble: many positions are those of values; name coordinates, such as "
            f"{{{next(iter(m.coordinates), 'A')!r}: [0.1, 0.2]}}"
        )
    system = held_system(m, tuple(values))
    given = {name: _numbers(system.tree, name, value) for name, value in values.items()}
    wanted = np.stack(np.broadcast_arrays(*given.values()), axis=-1)
    start = drawn_closed(system) if near is None else near.q
    here = present(system, start, 0.0)
    sizes: dict[str, Array] = {}
    if parameters:
        names = tuple(parameters)
        p = design_values(m, names, parameters)
        sizes = {name: p[..., i] for i, name in enumerate(names)}
        shape = np.broadcast_shapes(wanted.shape[:-1], p.shape[:-1])
        wanted = np.broadcast_to(wanted, (*shape, len(here)))
        p = np.broadcast_to(p, (*shape, len(names))).reshape(-1, len(names))
        designs = Designs(m, with_sizes(m, system, names), start, p)
        q, closed = designs.placed(here, wanted.reshape(-1, len(here)), 0.0)
    else:
        q, closed = _reached(system, start, wanted.reshape(-1, len(here)))
    shape = wanted.shape[:-1]
    q, closed = q.reshape(*shape, q.shape[-1]), closed.reshape(shape)
    found = Positions(system.names, q, closed, system.m, {**given, **sizes})
    if refuse and not closed.all():
        raise _blocked(found, None if near or parameters else system)
    return found


def _numbers(tree: Tree, name: str, value: Any) -> Array:
    """Values of a coordinate in SI: numbers, or a text with a unit for all."""
    return real_array(
        name, held_values(tree, {name: value})[name] if isinstance(value, str) else value
    )


def _reached(system: LoopSystem, start: Array, rows: Array) -> tuple[Array, Array]:
    """Coordinates at rows of values, and where the way to them was not blocked.

    In closed form where that goes; Newton's method leads to the others.
    """
    here = present(system, start, 0.0)
    placed = placed_by_dyads(system, start, float(here[0]), rows[:, 0]) if len(here) == 1 else None
    q, closed = placed or (np.empty((len(rows), len(start))), np.zeros(len(rows), dtype=bool))
    if not closed.all():
        others = np.flatnonzero(~closed)
        led, done = system.led(start, here, rows[others], check_finite=False)
        led[done != 1.0] = np.nan
        q[others], closed[others] = led, done == 1.0
    return q, closed


def _blocked(found: Positions, system: LoopSystem | None) -> AssemblyError:
    """What is missing, why the first is, and the positions with those that are there."""
    (k, first), *_ = found.reasons.items()
    rows = [np.broadcast_to(x, found.closed.shape).ravel()[k] for x in found.asked.values()]
    return AssemblyError(
        f"mechanism {found.m.name!r}: {len(found.reasons)} of {found.closed.size} configurations "
        f"cannot be reached on this branch, the first {first}; "
        f"{given('assemble', refuse=False)} gives nan there{_why(system, np.array(rows))}",
        positions=found,
    )


def _why(system: LoopSystem | None, held: Array) -> str:
    """Which loop stays open, where no other branch closes it; of positions from the drawing."""
    if system is not None:
        try:
            assembled(system, held, 0.0)
        except AssemblyError as error:
            return "\n".join([":", *str(error).splitlines()[1:]])
    return ""


def held_system(m: Mechanism, names: tuple[str, ...]) -> LoopSystem:
    """Loops with coordinates held that leave nothing free but idle freedoms; kept with m."""
    return kept(m, ("held alone", names), lambda: _held_system(m, names))


def _held_system(m: Mechanism, names: tuple[str, ...]) -> LoopSystem:
    system = loop_system(m, names, drives=False)
    refuse_dependent(system.tree, names)
    return settled_system(m, system, names)


def settled_system(m: Mechanism, system: LoopSystem, names: tuple[str, ...]) -> LoopSystem:
    """A system of m that holds what is named, idle freedoms kept still.

    Refuses freedoms too many or too few.
    """
    q = drawn_closed(system)
    free, whole = freedoms(system, q, 0.0), freedoms(LoopSystem(system.tree, (), ()), q, 0.0)
    idle = mobility(replace(m, drives=())).local if free or whole < len(names) else 0
    held = ", ".join(names) or "nothing"
    if free > idle:
        raise StructureError(
            f"mechanism {system.m.name!r} can still move {counted(free - idle, 'way')} in its "
            f"drawing with {held} held; hold other coordinates as well, or draw it in a position "
            "that is not singular"
        )
    if whole - idle < len(names):
        raise StructureError(
            f"mechanism {system.m.name!r} has {counted(whole - idle, 'freedom')}: too few for "
            f"{held} to have values of their own"
        )
    return without_idle(system, q, 0.0, free)
