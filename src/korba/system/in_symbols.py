"""The system of a structure: a mechanism's system with symbols in the place of its numbers.

What a formula may ask of a system (frames and moments of links, as chosen for this mechanism,
joints with what is theirs, ends of loops, points and masses of bodies, loads, drives, couplings,
gravity) is taken apart into what it is and the numbers in it (numbers.py). What it is, with zeros
and ones and with what is equal in a rotation or a tensor, is the key of the structure; the other
numbers are the input `p` of its programs, as named sizes are. What a formula has to decide by
numbers it asks of a decision (decisions.py).

Nothing is drawn: a formula which asks for the drawing fails, instead of using numbers of the
mechanism that came first, and so does a program of the place where one body or joint is drawn.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..expr import Expr, variable
from ..expr.quantities import size_symbol
from ..model.body import GROUND, Body
from ..model.drawing import UNDRAWN
from ..model.frame import Frame
from ..model.given import as_drawn
from ..model.joint import Joint
from ..model.mechanism import Mechanism, unchecked
from ..spatial.rotation import Array
from .decisions import Common
from .frames import AnyJoint, SeenJoint, tidied
from .numbers import apart, names_of, pattern, structure_key, together
from .store import kept
from .system import System, ends_on_links
from .tree import Link

PLACED = frozenset(("name", "parent", "child", "at", "axis", "x_axis", "on_parent", "on_child"))
WRITTEN_OUT = frozenset(("rotor", "elastic"))
"""Fields of joints that say where these are, or that the system has no more."""


class Apart(NamedTuple):
    """A structure, and the numbers of one mechanism of it."""

    key: str
    shown: tuple[float | int, ...]
    """For every number: itself where it is a zero or a one, else the place of its symbol, counted
    from 1 and negative where it is the symbol's negative, as a whole number."""
    values: Array
    """The numbers behind the symbols."""


def taken_apart(system: System) -> Apart | None:
    """The structure of a system and its numbers; None where something has no key."""
    key = ("apart", system.gravity.tobytes())
    return kept(system.tree.m, key, lambda: _taken_apart(system))


def in_symbols(system: System, found: Apart) -> System:
    """The system of the structure, with symbols for the numbers of this one."""
    places = iter(_symbol(x) for x in found.shown)
    whole = together(_parts(system), places)
    links, moments, joints, ends, bodies, points, forces, drives, couplings, *sizes = whole
    gravity, scale, heaviest = sizes
    tree, name = system.tree, system.tree.m.name
    made = {
        joint.name: _joint(joint, own) for joint, own in zip(tree.m.joints, joints, strict=True)
    }
    shadow = unchecked(
        Mechanism(name, plane=tree.m.plane),
        bodies=tuple(_body(body, own) for body, own in zip(tree.m.bodies, bodies, strict=True)),
        joints=tuple(made.values()),
        forces=forces,
        drives=drives,
        couplings=couplings[0],
        gravity=tuple(gravity),
        points=points,
    )
    shadow.__dict__[UNDRAWN] = True
    placed = tuple(_link(link, own, made) for link, own in zip(tree.links, links, strict=True))
    lifted = replace(
        tree,
        m=shadow,
        links=placed,
        couplings=couplings[1],
        closing=tuple(made[joint.name] for joint in tree.closing),
        ends=ends,
    )
    names = tuple(f"number {i}" for i in range(len(found.values)))
    common = Common(system, placed, moments, scale, heaviest)
    return System(lifted, gravity, parameters=names, common=common)


def _taken_apart(system: System) -> Apart | None:
    numbers = _Grouped()
    try:
        what = _named(system), apart(_parts(system), numbers)[0]
    except TypeError:
        return None
    shown, values = _shown(numbers)
    key = structure_key((what, repr(shown)), ())
    return Apart(key, shown, np.array(values)) if values else None


class _Grouped(list[float]):
    """Numbers, and which of them stand in one tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[int] = []

    def extend(self, values: Iterable[float]) -> None:
        """Numbers of an array; nine are those of a tensor."""
        first = len(self)
        super().extend(values)
        if len(self) - first == 9:
            self.tensors.append(first)


def _shown(numbers: _Grouped) -> tuple[tuple[float | int, ...], list[float]]:
    """What stands for every number, and the numbers behind the symbols."""
    shown: list[float | int] = []
    values: list[float] = []
    inside = {first + i: first for first in numbers.tensors for i in range(9)}
    known: dict[tuple[int, float], int] = {}
    for i, (x, own) in enumerate(zip(numbers, pattern(numbers), strict=True)):
        if own is not None:
            shown.append(own)
            continue
        tensor = inside.get(i)
        place = known.get((tensor, x)) if tensor is not None else None
        if place is None:
            values.append(x)
            place = len(values)
            if tensor is not None:
                known[tensor, x], known[tensor, -x] = place, -place
        shown.append(place)
    return tuple(shown), values


def _symbol(x: float | int) -> Any:
    """A number that is known, or the symbol of one that is not."""
    if isinstance(x, float):
        return x
    return size_symbol(x - 1) if x > 0 else -size_symbol(-x - 1)


def _named(system: System) -> Hashable:
    """Names and places, which are no numbers."""
    tree = system.tree
    joints = [(joint.name, joint.parent, joint.child) for joint in tree.m.joints]
    closing = [joint.name for joint in tree.closing]
    own = tree.coordinates, tree.velocities, tree.free_q, tree.free_v, sorted(tree.rates.items())
    return tree.m.plane, repr((joints, closing, own))


def _parts(system: System) -> tuple[Any, ...]:
    """All that formulas may ask of a system."""
    tree, scale = system.tree, system.scale
    number = {link.name: i for i, link in enumerate(tree.links)} | {GROUND: -1}
    ends = ends_on_links(tree, tree.m.joints, number)
    return (
        tuple(map(_of_link, tree.links)),
        tuple((link.mass, link.h, link.K) for link in system.lean.links),
        tuple(map(_of_joint, tree.m.joints)),
        {name: tuple(tidied(X, scale) for X in pair) for name, pair in ends.items()},
        tuple(map(_of_body, tree.m.bodies)),
        tree.m.points,
        tree.m.forces,
        tree.m.drives,
        (tree.m.couplings, tree.couplings),
        system.gravity,
        scale,
        system.heaviest,
    )


def _of_link(link: Link) -> tuple[Any, ...]:
    """A link; of its joint how it is seen."""
    place = (link.name, link.parent), _seen(link.joint), link.q, link.v
    return *place, link.X_PF, link.X_BL, link.mass, link.h, link.K, link.damping


def _seen(joint: AnyJoint) -> tuple[Any, ...]:
    """How a joint is seen, and its name."""
    if isinstance(joint, SeenJoint):
        return type(joint).__name__, getattr(joint, "offset", None), _seen(joint.joint)
    return (joint.name,)


def _of_joint(joint: Joint) -> tuple[str, dict[str, Any]]:
    own = {n for n in names_of(type(joint)) if n not in PLACED and n not in WRITTEN_OUT}
    kind = f"{type(joint).__name__} {joint.choices}"
    sized = joint.sized
    return kind, {name: getattr(sized, name) for name in sorted(own)}


def _of_body(body: Body) -> tuple[Any, ...]:
    return body.name, body.mass, body.com, body.inertia, body.points


def _link(link: Link, parts: Any, joints: dict[str, Any]) -> Link:
    (name, parent), seen, *rest = parts
    q, v, X_PF, X_BL, mass, h, K, damping = rest
    joint = _as_seen(link.joint, seen, joints)
    return Link(name, parent, joint, X_PF, X_BL, q, v, mass, h, K, damping)


def _as_seen(joint: Any, parts: Any, joints: dict[str, Any]) -> Any:
    if not isinstance(joint, SeenJoint):
        return joints[joint.name]
    offset = {} if parts[1] is None else {"offset": parts[1]}
    return replace(joint, joint=_as_seen(joint.joint, parts[2], joints), **offset)


def _joint(joint: Joint, parts: Any) -> Any:
    nowhere: dict[str, Any] = {
        "at": _nowhere(joint.name),
        "axis": None,
        "x_axis": None,
        "on_parent": None,
        "on_child": None,
    }
    return as_drawn(joint, **nowhere, rotor=None, elastic=None, **parts[1])


def _nowhere(name: str) -> tuple[Expr, Expr, Expr]:
    """Where something is drawn: a place that no program has as an input."""
    x, y, z = (variable(f"where {name} is drawn[{k}]") for k in range(3))
    return x, y, z


def _body(body: Body, parts: Any) -> Any:
    _, mass, com, inertia, points = parts
    frame = as_drawn(Frame(), origin=_nowhere(body.name))
    own = {"mass": mass, "com": com, "inertia": inertia, "points": points}
    return as_drawn(body, **own, frame=frame, shapes=(), solid=())
