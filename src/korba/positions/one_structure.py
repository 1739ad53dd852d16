"""The equations of a structure: loops, drives and held coordinates with all numbers as inputs.

Mechanisms that differ in numbers only share their programs. What the equations stand on (the frames
of links and of the joints that close loops, laws of couplings and drives, the typical length) is
taken apart into what it is and the numbers in it (system/numbers.py). What it is, with zeros and
ones, is the key of the structure; the other numbers are the last input `p` of its programs, as
named sizes are. Masses, loads and limits are no part of it: positions do not feel them.

A system of a structure is made of nothing else than what the key stands for: bodies have no
frames, joints no place. A formula that asks for more than that fails, instead of using
the numbers of the mechanism that came first.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ..expr import constant
from ..expr.quantities import size_symbol
from ..model.body import GROUND
from ..model.given import as_drawn
from ..model.joint import Joint
from ..model.mechanism import Mechanism, unchecked
from ..spatial.rotation import Array
from ..system.frames import AnyJoint, SeenJoint, tidied
from ..system.numbers import COMMON, apart, names_of, pattern, structure_key, together
from ..system.system import System, ends_on_links
from ..system.tree import Link
from .loops import Loops


class Apart(NamedTuple):
    """A structure, and the numbers of one mechanism of it."""

    key: str
    shown: tuple[float | None, ...]
    """Zeros and ones where they stand."""
    values: Array
    """The other numbers."""
    constants: bool
    """Whether constants of joints are among them: pitches, radii, profiles."""


def taken_apart(loops: Loops, *, constants: bool = True) -> Apart | None:
    """The structure of equations and their numbers; None where something has no key.

    Without `constants` those of joints are what they are: a curve that rolls is not written else.
    """
    tree = loops.tree
    try:
        what, numbers = apart(_parts(loops, constants))
    except TypeError:
        return None
    joints = [(joint.name, joint.parent, joint.child) for joint in tree.m.joints]
    named = joints, tree.free_q, tree.free_v, tree.m.plane, loops.held
    shown = pattern(numbers)
    values = np.array([x for x, known in zip(numbers, shown, strict=True) if known is None])
    key = structure_key((what, named), shown)
    return Apart(key, shown, values, constants) if len(values) else None


def in_symbols(loops: Loops, found: Apart) -> tuple[Any, ...]:
    """The fields of the `Loops` of a structure, with symbols for numbers."""
    tree, places = loops.tree, map(size_symbol, count())
    given = [next(places) if x is None else constant(x) for x in found.shown]
    parts = together(_parts(loops, found.constants), iter(given))
    links, closing, ends, couplings, drives, still, length = parts
    made = tuple(map(_link, tree.links, links))
    tied = tuple(map(_joint, tree.closing, closing))
    bare = {joint.name: joint for joint in (*(link.joint.described for link in made), *tied)}
    lifted = replace(
        tree,
        m=unchecked(
            Mechanism(plane=tree.m.plane),
            joints=tuple(bare[joint.name] for joint in tree.m.joints),
            drives=drives,
        ),
        links=made,
        couplings=couplings,
        closing=tied,
        ends=ends,
    )
    names = tuple(f"number {i}" for i in range(len(found.values)))
    sized = System(lifted, np.zeros(3), parameters=names)
    return lifted, loops.held, drives, still, sized, length, found.key


def _parts(loops: Loops, constants: bool) -> tuple[Any, ...]:
    """All that the equations stand on."""
    tree, scale = loops.tree, float(loops.scale)
    number = {link.name: i for i, link in enumerate(tree.links)} | {GROUND: -1}
    ends = ends_on_links(tree, tree.closing, number)
    bodies = any(drive.coordinate is None for drive in loops.drives)
    return (
        tuple(
            (
                (link.name, link.parent),
                _of_joint(link.joint, constants),
                link.X_PF,
                tidied(link.X_BL, scale) if bodies else None,
                (link.q, link.v),
            )
            for link in tree.links
        ),
        tuple(_of_joint(joint, constants) for joint in tree.closing),
        {name: tuple(tidied(X, scale) for X in pair) for name, pair in ends.items()},
        tree.couplings,
        loops.drives,
        loops.still,
        scale,
    )


def _of_joint(joint: AnyJoint, constants: bool) -> tuple[Any, ...]:
    """What a joint is: how it is seen, its kind, and the constants of its own."""
    kind = type(joint).__name__
    if isinstance(joint, SeenJoint):
        return kind, getattr(joint, "offset", None), _of_joint(joint.joint, constants)
    kind = f"{kind} {joint.choices}"
    if not constants:
        return kind, apart(joint)[0]
    sized = joint.sized
    own = {name: getattr(sized, name) for name in names_of(type(joint)) if name not in COMMON}
    return kind, own


def _joint(joint: AnyJoint, parts: tuple[Any, ...]) -> Any:
    """A joint made of its parts: its kind and constants, standing nowhere."""
    if isinstance(joint, SeenJoint):
        offset = {} if parts[1] is None else {"offset": parts[1]}
        return replace(joint, joint=_joint(joint.joint, parts[2]), **offset)
    own = parts[1] if isinstance(parts[1], dict) else {}
    plain = {item.name: item.default for item in fields(Joint) if item.default is not MISSING}
    return as_drawn(joint, **{key: x for key, x in plain.items() if key != "written"}, **own)


def _link(link: Link, parts: Any) -> Link:
    """A link made of its parts, of which positions are asked only."""
    (name, parent), joint, X_PF, X_BL, (q, v) = parts
    nothing = 0.0, np.zeros(3), np.zeros((3, 3)), 0.0
    return Link(name, parent, _joint(link.joint, joint), X_PF, X_BL, q, v, *nothing)
