"""What is said of freedoms that no drive moves, in forces of a given motion.

In a tree what the motion takes there is part of the joints' wrenches, and a note says how much. In
loops nothing could give it: the motion must be one that the loads give, and is refused else. An
idle freedom accelerates as forces tell, from the speed that the motion gives it; where its mass is
off its line that changes other forces, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.freedoms import Freedoms, freedoms, off_line, scale_of
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.undriven import undriven
from ...system.store import kept
from ...system.system import any_system
from ...wording import named
from .results import Reactions

SMALL = 1e-6
"""What may be left over beside the largest force of a position, or NOW of the whole motion."""
NOW = 1e-3
ROUNDING = 1e-9
"""The same of what is not worth a note."""


STUCK = "; where friction holds it at rest it is open with what forces: leave such positions out"


class Undriven(NamedTuple):
    """The freedoms of a mechanism that no drive moves, by name and in units of force."""

    free: Freedoms
    names: tuple[str, ...]
    """Velocities that would have to be driven."""
    held: Array
    """Of every effort that is held: 1, or a typical length where it is a moment."""
    rows: Array
    """The same of every row that may disagree."""
    scale: float
    closed: bool
    idle: tuple[tuple[str, float], ...]
    """Of every idle freedom its link, and the force off its line in a unit of acceleration."""


def undriven_of(m: Mechanism, sizes: Sequence[str] = ()) -> Undriven:
    """Those of a mechanism; kept with it."""
    return kept(m, ("freedoms without drives", tuple(sizes)), lambda: _undriven_of(m, sizes))


def _undriven_of(m: Mechanism, sizes: Sequence[str]) -> Undriven:
    system = any_system(m, tuple(sizes))
    free, scale, tree = freedoms(system), scale_of(system), system.tree
    kinds = [kind for joint in system.m.joints for kind in joint.velocity_kinds]
    units = np.array([1.0 if kind == "length" else scale for kind in kinds])
    links = [scale if row < 3 else 1.0 for row in system.space] * len(tree.links)
    heavy = off_line(system, free)
    moved = [tree.links[int(np.argmax(np.abs(xi).max(axis=1)))].name for xi in free.idle]
    return Undriven(
        free,
        tuple(tree.velocities[place] for place in free.undriven),
        units[list(free.held)],
        np.concatenate([links, units]),
        scale,
        bool(system.ties),
        tuple(zip(moved, heavy, strict=True)),
    )


class Besides(NamedTuple):
    """What the equations tell of freedoms without drives (dynamics/kinetostatics.py)."""

    idle: Array
    held: Array
    left: Array


def besides_of(own: Undriven, row: Array) -> Besides:
    """The parts of a row."""
    idle = len(own.free.idle)
    return Besides(*np.split(row, [idle, idle + len(own.free.held)], axis=-1))


def notes_of(verb: str, m: Mechanism, own: Undriven, told: Reactions) -> Iterator[str]:
    """What is to be said of them; an error where a motion is not one that the loads give."""
    rest, size = besides_of(own, np.nan_to_num(told.undriven)), _size(told, own.scale)
    if own.closed and own.names:
        parts = rest.left / own.rows if own.free.loose else rest.held / own.held
        left = np.max(np.abs(parts), axis=-1, initial=0.0)
        if np.any(over := left > SMALL * size):
            hint = STUCK if told.frictionless is not None else ""
            _refuse(verb, m, _worst(left, size, over), hint)
    elif own.names and (efforts := list(_held(own, rest.held, size))):
        yield (
            f"no drive moves {', '.join(efforts)}: what this motion takes there, at most, is "
            "part of the forces in the joints"
        )
    heavy = np.array([force for _, force in own.idle]) * np.abs(rest.idle)
    yield from idle_notes(own, [np.any(x > SMALL * size) for x in np.moveaxis(heavy, -1, 0)])


def idle_notes(own: Undriven, felt: Sequence[Any] | None = None) -> Iterator[str]:
    """What is said of idle freedoms that other forces feel, or may feel."""
    which = [force > 0.0 for _, force in own.idle] if felt is None else felt
    for name in (name for (name, _), each in zip(own.idle, which, strict=True) if each):
        yield (
            f"body {name!r} moves idly and its mass is off the line of this freedom: its "
            "acceleration was taken from the forces at each position, with the speed that the "
            f"motion gives it; {named('simulate')} moves it as they tell"
        )


def _held(own: Undriven, held: Array, size: Array) -> Iterator[str]:
    """Velocities and the largest efforts that they take, where these are more than rounding."""
    for name, unit, effort in zip(own.names, own.held, np.moveaxis(held, -1, 0), strict=True):
        most = np.max(np.abs(effort), initial=0.0)
        if np.any(np.abs(effort / unit) > ROUNDING * size):
            yield f"{name} ({most:.4g} {'N' if unit == 1.0 else 'N m'})"


def _size(told: Reactions, scale: float) -> Array:
    """The largest force of every position, moments over a typical length."""
    parts = np.concatenate([told.force, told.moment / scale], axis=-2)
    own = np.nanmax(np.abs(parts), axis=(-2, -1), initial=0.0)
    return np.asarray(np.maximum(own, NOW * np.max(own, initial=0.0)))


def _worst(left: Array, size: Array, over: Array) -> str:
    """What is left over where most is."""
    worst = np.unravel_index(int(np.argmax(np.where(over, left, 0.0))), left.shape)
    where = f" at position {', '.join(map(str, worst))}" if worst else ""
    return f"{left[worst]:.3g} N are left over{where}, beside forces of {size[worst]:.3g} N"


def _refuse(verb: str, m: Mechanism, worst: str, hint: str) -> None:
    """The sentence: what is left over, and which drive is missing."""
    missing = undriven(any_system(m).in_numbers)
    raise StructureError(
        f"{verb}: mechanism {m.name!r} has {missing.count} freedom{'s' * (missing.count > 1)} that "
        f"no drive moves, and its loads do not give this motion: {worst}; {missing} "
        f"({named('JointDrive')}), or give a motion of {named('simulate')} or {named('run_up')} "
        f"(with a flywheel: kb.{verb}(motion.mechanism, motion)){hint}"
    )
