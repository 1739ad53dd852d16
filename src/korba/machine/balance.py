"""Balancing: masses that keep a mechanism from shaking its frame.

Counterweights on links remove or lessen the whole force (counterweights.py); shafts that turn with
and against the drive, at whole multiples of its speed, remove single orders (shafts.py). The
balanced mechanism comes back, so that every other verb can prove it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..display import Displayed, as_data, columns, described
from ..door import public
from ..errors import StructureError
from ..forces.mass_properties import MassProperties, mass_properties
from ..model.body import GROUND, Body
from ..model.display_units import display_units
from ..model.frame import as_tuples
from ..model.given import as_given
from ..model.mechanism import Mechanism
from ..model.solid_kinds import Lump
from ..solve.cycle import cycle_time
from ..solve.motion import motion as driven_motion
from ..spatial.rotation import Array
from ..trajectory.trajectory import FINISHED, Trajectory
from ..verbs.forces.inertia import ShakingForces, shaking_forces
from ..verbs.options import place_on_body
from . import counterweights
from .counterweights import Place
from .places import Sizes, carriers, chosen_places, shaft_place, shaft_radius, typical_length
from .shafts import Shaft, shafts_for, with_shafts

ROWS = 181
"""Positions of a turn that is looked at."""
NOTHING = 1e-9
"""Part of the force that counts as none."""
MOST_TRIED = 12
"""Bodies up to which a full balance is looked for where there is none."""
WEIGHTS = {"force": (1.0, 0.0), "moment": (0.0, 1.0), "both": (1.0, 1.0)}


class Counterweight(NamedTuple):
    """A mass at a point of a body; `product` is the mass times the way from the pivot there."""

    body: str
    mass: float
    point: Array
    """In the body's frame, (3,)."""
    product: Array
    """kg m, in the body's frame, (3,)."""
    pivot: Array
    """In the body's frame, (3,)."""

    def to_dict(self) -> dict[str, Any]:
        """Its fields as plain data, ready for JSON."""
        return as_data(self)

    def __repr__(self) -> str:
        return described(self)


@dataclass(frozen=True, eq=False)
class Balance(Displayed):
    """Counterweights and shafts, the mechanism that has them, and how it shakes the frame."""

    mechanism: Mechanism
    """The balanced one."""
    counterweights: dict[str, Counterweight]
    """By the name of their body."""
    shafts: tuple[Shaft, ...]
    before: ShakingForces
    after: ShakingForces
    notes: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """Whether no force is left, to rounding."""
        return self.after.rms[0] <= NOTHING * self.before.rms[0]

    def __str__(self) -> str:
        """What to add, and what it brings."""
        shown = display_units(self.mechanism)
        rows = [("counterweight on", "mass x radius", "mass", "at (of the body)")]
        for weight in self.counterweights.values():
            size = float(np.linalg.norm(weight.product))
            tidy = np.where(np.abs(weight.point) > 1e-12, weight.point, 0.0)
            at = f"({', '.join(shown.number(x, 'm') for x in tidy)}) {shown.unit('m')}"
            rows.append((weight.body, shown.told(size, "kg m"), shown.told(weight.mass, "kg"), at))
        lines = columns(rows) if self.counterweights else []
        if self.shafts:
            turns = [("shaft", "speed", "mass x radius", "phase")]
            for shaft in self.shafts:
                phase = f"{np.rad2deg(shaft.phase):.2f} deg"
                speed = f"{shaft.order:+d} x {shaft.coordinate}"
                turns.append((shaft.name, speed, shown.told(shaft.product, "kg m"), phase))
            lines += columns(turns)
        for what, unit, k in (("force", "N", 0), ("moment", "N m", 1)):
            before, after = self.before.rms[k], self.after.rms[k]
            after = after if after > NOTHING * before else 0.0
            told = [shown.told(float(x), unit, 4) for x in (before, after)]
            lines.append(f"  shaking {what}, rms: {' -> '.join(told)}")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join([f"Balance of {self.mechanism.name or 'the mechanism'}", *lines])


@public
def balance(
    m: Mechanism,
    bodies: str | Sequence[str] | None = None,
    *,
    shaking: str = "force",
    radius: Sizes | None = None,
    mass: Sizes | None = None,
    orders: Sequence[int] = (),
    about: Any = (0.0, 0.0, 0.0),
    motion: Trajectory | None = None,
) -> Balance:
    """Counterweights on bodies, and shafts, that leave the least shaking of the frame.

    Counterweights go on the `bodies` named, without names on all that turn on pins of the frame. A
    pin on the frame, else the first joint of the body, is the pivot; `radius` is the distance of
    the mass from it (of all, or by body; without it that of the body's farthest joint), or `mass`
    gives masses (of all, or by body), and the distance is found. They make the rms of the `shaking`
    "force", "moment" about a point, or "both" over the motion least: zero, where that can be.

    `orders` are harmonics that pairs of shafts remove, which turn with and against the first drive
    at so many times its speed (Lanchester); without `bodies` there are then no counterweights. The
    motion is one turn of the first drive unless it is given.

    >>> m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    >>> kb.balance(m).full
    True
    """
    if shaking not in WEIGHTS:
        raise StructureError(
            f"balance: shaking: expected one of {', '.join(WEIGHTS)}, got {shaking!r:.60}"
        )
    if any(order < 1 for order in orders) or len({*orders}) != len(orders):
        raise StructureError(f"balance: orders: expected whole numbers from 1, got {[*orders]}")
    if motion is not None and orders:
        raise StructureError(
            "balance: orders are those of one turn at constant speed; leave the motion out"
        )
    if not any(body.mass for body in m.bodies):
        raise StructureError(f"balance: no body of mechanism {m.name!r} has a mass; give mass=")
    point = np.array(place_on_body(m, GROUND, about))
    turn = _turn(m) if motion is None else _finished(m, motion)
    rows = turn[:-1] if motion is None else turn  # of a turn the last row is the first
    search = Search(m, rows, point, _shaking(m, rows, point), shaking)
    places = chosen_places(m, carriers(m, bodies, orders), radius, mass)
    weights = {
        place.body: _counterweight(place, u)
        for place, u in zip(places, search.products(places), strict=True)
    }
    balanced = _with_weights(m, weights)
    shafts: tuple[Shaft, ...] = ()
    before = _shaking(m, turn, point)
    if orders:
        at = shaft_place(m)
        shafts = shafts_for(m, turn, _shaking(balanced, turn, point), orders)
        balanced = with_shafts(balanced, shafts, shaft_radius(m, radius), at)
        turn = _turn(balanced)
    result = Balance(balanced, weights, shafts, before, _shaking(balanced, turn, point))
    if result.full or bodies is not None or orders or shaking != "force":
        return result
    return replace(result, notes=search.hint(places))


@dataclass(frozen=True, eq=False)
class Search:
    """What products are searched for with: a motion, and how it shakes the frame."""

    m: Mechanism
    turn: Trajectory
    about: Array
    shaking: ShakingForces
    goal: str
    adds: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    """What counterweights on bodies add, as far as it was asked for."""

    def problem(self, places: Sequence[Place]) -> counterweights.Problem:
        """The rows to be made small by counterweights at some places."""
        for place in places:
            if place.body not in self.adds:
                self.adds[place.body] = counterweights.columns(self.turn, place, self.about)
        force, moment = WEIGHTS[self.goal]
        shaking = self.shaking.force, self.shaking.moment
        weights = force, moment / typical_length(self.m)
        size = 2 if self.m.plane else 3
        return counterweights.problem(shaking, self.adds, places, weights, size)

    def products(self, places: Sequence[Place]) -> list[Array]:
        """The product of each place that leaves least; one that is rounding is none."""
        least = 1e-13 * sum(body.mass for body in self.m.bodies) * typical_length(self.m)
        parts = np.split(self.problem(places).solved(), len(places)) if places else []
        return [u if np.linalg.norm(u) > least else 0.0 * u for u in parts]

    def removes_all(self, places: Sequence[Place]) -> bool:
        """Whether counterweights at these places leave nothing."""
        problem = self.problem(places)
        left = problem.left(problem.solved())[0] if places else problem.rest
        return float(np.linalg.norm(left)) <= NOTHING * float(np.linalg.norm(problem.rest))

    def hint(self, places: Sequence[Place]) -> tuple[str, ...]:
        """Which further bodies would have to carry counterweights for a full balance."""
        if len(self.m.bodies) > MOST_TRIED:
            return ()
        known = {place.body for place in places}
        others = [body.name for body in self.m.bodies if body.name not in known]
        every = [*places, *chosen_places(self.m, others, None, {})]
        if not self.removes_all(every):
            return ("counterweights on bodies cannot take all of the force away",)
        for place in reversed(every):
            fewer = [other for other in every if other is not place]
            every = fewer if self.removes_all(fewer) else every
        names = ", ".join(repr(place.body) for place in every)
        return (f"counterweights on {names} would take all of the force away: bodies=[{names}]",)


def _shaking(m: Mechanism, motion: Trajectory, about: Array) -> ShakingForces:
    """What a mechanism does to its frame in a motion."""
    return shaking_forces(m, motion.q, motion.v, motion.a, about=about)


def _turn(m: Mechanism) -> Trajectory:
    """One turn of the first drive."""
    way_out = "give the motion: kb.balance(m, motion=kb.motion(m, times))"
    return driven_motion(m, np.linspace(0.0, cycle_time(m, way_out), ROWS))


def _finished(m: Mechanism, motion: Trajectory) -> Trajectory:
    """A motion that is one, came to its end, and is of this mechanism."""
    if motion.shape or motion.ended != FINISHED:
        what = "a batch" if motion.shape else f"{motion.ended}: {motion.message}"
        raise StructureError(f"balance: motion: expected one that came to its end; it is {what}")
    if motion.mechanism.coordinates != m.coordinates:
        raise StructureError(
            f"balance: motion: it is of mechanism {motion.mechanism.name!r}, not of {m.name!r}; "
            "give kb.motion(m, times)"
        )
    return motion


def _counterweight(place: Place, u: Array) -> Counterweight:
    """The mass that a product asks for."""
    mass, point = place.at(u)
    return Counterweight(place.body, mass, point, mass * (point - place.pivot), place.pivot)


def _with_weights(m: Mechanism, weights: Mapping[str, Counterweight]) -> Mechanism:
    """The mechanism with counterweights on its bodies."""
    bodies = tuple(
        _weighted(body, weights[body.name]) if body.name in weights else body for body in m.bodies
    )
    return replace(m, bodies=bodies) if weights else m


def _weighted(body: Body, weight: Counterweight) -> Body:
    """A body with a mass at a point of it; where it is made of a solid, one more part of that."""
    if not weight.mass > 0:
        return body
    x, y, z = map(float, weight.point)
    given = as_given(body)
    if body.solid and not given.mass and not any(given.com) and not any(map(any, given.inertia)):
        return replace(body, solid=(*body.solid, Lump(mass=weight.mass, at=(x, y, z))))
    both = mass_properties(body) + MassProperties(weight.mass, weight.point, np.zeros((3, 3)))
    return replace(body, mass=both.mass, com=tuple(both.com), inertia=as_tuples(both.inertia))
