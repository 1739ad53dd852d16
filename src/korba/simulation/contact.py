"""Contacts as the user asks for them: distances that never fall below zero.

    Contact("floor", "y - 0.2 m", restitution=0.5)                            an expression
    Contact("wall", body="rod", point=(1, 0), line=((2, 0), (-1, 0)))         a point before a line

A line is given by one of its points and its normal, which points to where the body may be; in space
it is a plane. Both are in the frame of the body `on`, the point in that of its own body.

    Ratchet("pawl", "A", pitch="30 deg")              what goes ahead, and back to a tooth at most
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

import numpy as np

from ..display import Displayed
from ..door import refuse_unfit
from ..errors import StructureError, refuse_unknown
from ..expr import Expr, derivative, variables
from ..expr.quantities import quantity
from ..expr.units import kind_dimension
from ..kinematics.couplings import all_coordinates, all_velocities, law_value
from ..kinematics.forward import world_poses
from ..model.body import GROUND
from ..model.mechanism import Mechanism
from ..model.points import body_and_point
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from ..system.system import body_to_link
from ..system.tree import Tree
from ..verbs.options import named_point
from ..wording import named
from .event import known_names, read

INSIDE = 1e-6
"""How far below zero a contact may begin, in m or rad, as printed figures are rounded."""


@dataclass(frozen=True, eq=False)
class Contact(Displayed):
    """A distance that a simulation keeps from falling below zero.

    `distance` is an expression of coordinates; or a point ("wheel.P", or a `point` of a `body`)
    stays on one side of a `line`, given by a point and a normal in the frame of the body `on`.
    Where it comes to zero there is an impact with `restitution`, and what does not bounce, or
    stands there from the start, rests against it until it would pull: events of the contact's
    name, and of that name with `left`, tell when.

    >>> import korba as kb
    >>> ball = kb.Body("ball", 1, inertia=1)
    >>> y = kb.Prismatic("y", "ground", "ball", at=(0, 0), axis=(0, 1))
    >>> m = kb.Mechanism("m", [ball], [y], plane="xy")
    >>> run = kb.simulate(m, 1.0, q={"y": 1.0}, events=[kb.Contact("floor", "y - 0.5 m")])
    >>> round(float(run.events["floor"].t[0]), 9)
    0.319275428
    """

    name: str
    distance: str | Expr | None = None
    restitution: float = 0.0
    body: str = ""
    point: Any = (0.0, 0.0, 0.0)
    line: Any = None
    on: str = GROUND

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Contact).items():
            refuse_unfit(f"Contact: {name}", hint, getattr(self, name))
        if (self.distance is None) == (not self.body):
            raise StructureError(
                f"contact {self.name!r}: give a distance such as 'y - 0.2 m', or a body with its "
                "point and a line, not both"
            )
        if not 0 <= self.restitution <= 1:
            raise StructureError(
                f"contact {self.name!r}: expected a restitution from 0 to 1, got "
                f"{self.restitution!r}"
            )


@dataclass(frozen=True, eq=False)
class Ratchet(Displayed):
    """What may go ahead in a simulation, and back to its last tooth at most.

    `ahead` is an expression of coordinates, such as "wheel - driver". With the `pitch` of its
    teeth it is caught, with `restitution`, where it comes back to the last tooth that it has
    passed; teeth are counted from zero. Without a pitch it is a one-way clutch: it locks as soon as
    it would go back. It pushes only: events of its name, and of that name with `left`, tell when it
    holds, with `clicks` when it passes a tooth.

    >>> import korba as kb
    >>> wheel = kb.Body("wheel", 1, inertia=0.5)
    >>> A = kb.Revolute("A", "ground", "wheel", at=(0, 0))
    >>> m = kb.Mechanism("m", [wheel], [A], plane="xy")
    >>> events = [kb.Ratchet("pawl", "A", pitch="30 deg")]
    >>> run = kb.simulate(m, 6.0, v={"A": 1.0}, tau={"A": -0.2}, events=events)
    >>> round(float(np.degrees(run["A"][-1])), 6), len(run.events["pawl clicks"].t)
    (60.0, 2)
    """

    name: str
    ahead: str | Expr
    pitch: str | float = 0.0
    restitution: float = 0.0

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Ratchet).items():
            refuse_unfit(f"Ratchet: {name}", hint, getattr(self, name))
        if not 0 <= self.restitution <= 1:
            raise StructureError(
                f"ratchet {self.name!r}: expected a restitution from 0 to 1, got "
                f"{self.restitution!r}"
            )


@dataclass(frozen=True)
class Touch:
    """A point before a line: numbers in the frames of two bodies."""

    body: str
    point: tuple[float, ...]
    on: str
    through: tuple[float, ...]
    normal: tuple[float, ...]


@dataclass(frozen=True)
class Reach:
    """How much a rope between two points is longer than their distance."""

    ends: tuple[tuple[str, tuple[float, ...]], ...]
    """Two bodies with their points."""
    length: Any


Distance = Expr | Touch | Reach
MEETING = 1e-30
"""Added under a root, in square metres, so that ends of a rope may meet."""


def distance_at(tree: Tree, distance: Distance, q_all: Array) -> Any:
    """A distance at coordinates of all joints."""
    if isinstance(distance, Expr):
        return law_value(distance, dict(zip(tree.coordinates, q_all, strict=True)))
    poses = world_poses(tree, q_all)

    def pose(body: str) -> Pose:
        numbers = {link.name: i for i, link in enumerate(tree.links)}
        if body == GROUND:
            return identity()
        return poses[numbers[body]] @ body_to_link(tree, numbers[body])

    if isinstance(distance, Reach):
        one, two = (pose(body).point(np.array(point)) for body, point in distance.ends)
        return distance.length - np.sqrt((two - one) @ (two - one) + MEETING)
    base = pose(distance.on)
    apart = pose(distance.body).point(np.array(distance.point)) - base.point(
        np.array(distance.through)
    )
    return (base.R @ np.array(distance.normal)) @ apart


def contacts_of(
    tree: Tree, contacts: Iterable[Contact | Ratchet], length: float
) -> Iterator[tuple[str, Distance, float, float, float | None]]:
    """Name, distance, restitution, unit and pitch of contacts and ratchets."""
    known = {name: own for name, own in known_names(tree).items() if name in tree.coordinates}
    for contact in contacts:
        e = float(contact.restitution)
        if isinstance(contact, Contact) and contact.body:
            touch = _touch(tree, f"contact {contact.name!r}", contact)
            yield contact.name, touch, e, length, None
            continue
        what = f"{type(contact).__name__.lower()} {contact.name!r}"
        given = contact.distance if isinstance(contact, Contact) else contact.ahead
        distance = read(what, given, known)
        if isinstance(distance.value.value, float):
            raise StructureError(
                f"{what}: {given!r:.60} names nothing that moves; name coordinates, "
                f"such as {', '.join(list(known)[:3])}"
            )
        wanted, own = kind_dimension("length"), distance.dimension
        of_length = own is not None and wanted is not None and own.fits(wanted)
        unit = length if of_length else 1.0
        pitch = _pitch(what, contact, "length" if of_length else "angle")
        yield contact.name, distance.value, e, unit, pitch


def ropes_of(m: Mechanism) -> Iterator[tuple[str, Reach, float]]:
    """Name, distance and restitution of the ropes of a mechanism."""
    for force in m.forces:
        if force.longest is not None and force.ends is not None:
            ends = tuple((body, tuple(at)) for body, at in force.ends)
            yield force.name, Reach(ends, force.longest), getattr(force, "restitution", 0.0)


def refuse_ropes(m: Mechanism, what: str) -> None:
    """An error for ropes where no events are looked for."""
    names = [repr(name) for name, *_ in ropes_of(m)]
    if names:
        raise StructureError(
            f"{what}: rope {', '.join(names)} becomes taut and slack by events, which are found by "
            f"{named('simulate')} only; leave it out, or take a joint 'rod' where it is taut"
        )


def refuse_longer(tree: Tree, starts: Array) -> None:
    """An error for ropes that are shorter than the distance of their ends in a start."""
    for name, distance, _ in ropes_of(tree.m):
        for k, q in enumerate(starts):
            value = float(distance_at(tree, distance, all_coordinates(tree, q)))
            if value < -INSIDE * max(1.0, float(distance.length)):
                which = f" {k}" if len(starts) > 1 else ""
                raise StructureError(
                    f"rope {name!r}: its ends are {distance.length - value:.6g} m apart at the "
                    f"start{which}, and it is {distance.length:.6g} m long; make it longer, or "
                    "start where they are nearer"
                )


def _pitch(what: str, contact: Contact | Ratchet, kind: str) -> float | None:
    """The pitch of a ratchet; contacts have none."""
    if isinstance(contact, Contact):
        return None
    pitch = quantity(f"{what}: pitch", contact.pitch, kind)
    if not 0 <= pitch < np.inf:
        raise StructureError(f"{what}: pitch: expected 0 (no teeth) or more, got {pitch:g}")
    return pitch


def refuse_inside(
    tree: Tree, contacts: Iterable[Contact | Ratchet], starts: Array, rates: Array
) -> None:
    """An error for contacts that are below zero in a start, where nothing would keep them."""
    for name, distance, _, _, pitch in contacts_of(tree, contacts, 1.0):
        if pitch is not None:
            _refuse_backwards(tree, name, distance, pitch, (starts, rates))
            continue
        for k, q in enumerate(starts):
            value = float(distance_at(tree, distance, all_coordinates(tree, q)))
            if value < -INSIDE:
                which = f" {k}" if len(starts) > 1 else ""
                raise StructureError(
                    f"contact {name!r}: it is {value:.6g} at the start{which}, and a contact stays "
                    "above zero; start where it is open, or turn its sign round if it is open there"
                )


def _refuse_backwards(
    tree: Tree, name: str, ahead: Distance, pitch: float, states: tuple[Array, Array]
) -> None:
    """An error for a one-way clutch that goes backwards in a start."""
    if pitch or not isinstance(ahead, Expr):
        return
    for k, (q, v) in enumerate(zip(*states, strict=True)):
        q_all = all_coordinates(tree, q)
        v_all = all_velocities(tree, q_all, v)
        values = dict(zip(tree.coordinates, q_all, strict=True))
        speed = sum(
            law_value(derivative(ahead, each), values) * v_all[tree.velocity_of(each)]
            for each in variables(ahead)
        )
        if speed < -INSIDE:
            which = f" {k}" if len(states[0]) > 1 else ""
            raise StructureError(
                f"ratchet {name!r}: it goes back at {-speed:.6g} a second at the start{which}, and "
                "without teeth it only goes ahead; start with other v, or turn its sign round"
            )


def _touch(tree: Tree, what: str, contact: Contact) -> Touch:
    bodies = [GROUND, *(link.name for link in tree.links)]
    body, point = body_and_point(tree.m, contact.body, contact.point)
    refuse_unknown("body", (body, contact.on), bodies, what)
    point = named_point(tree.m, body, point) if isinstance(point, str) else point
    try:
        through, normal = contact.line
    except (TypeError, ValueError):
        raise StructureError(
            f"{what}: expected a line by a point and its normal, such as ((0, 0), (0, 1)), got "
            f"{contact.line!r:.60}"
        ) from None
    point, through = (_vector(what, x) for x in (point, through))
    way = _vector(what, normal, "number")
    if not (size := float(np.linalg.norm(way))) > 0:
        raise StructureError(f"{what}: the normal of its line has no length; give a direction")
    return Touch(body, tuple(point), contact.on, tuple(through), tuple(way / size))


def _vector(what: str, given: Any, kind: str = "length") -> Array:
    """Three numbers; two are those of a plane."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise StructureError(f"{what}: expected two or three components, got {given!r:.60}")
    parts = [quantity(what, each, kind) for each in given]
    if len(parts) not in {2, 3}:
        raise StructureError(f"{what}: expected two or three components, got {given!r:.60}")
    return np.array([*parts, 0.0][:3])
