"""Four-bars and slider-cranks in a mechanism, named after what turns fully in them.

A loop of four links with parallel pins, s the shortest link, l the longest, p and q the others:

    s + l < p + q     the shortest link turns fully against its neighbours (Grashof)      (1)
    s + l = p + q     change point: all links can come into one line                      (2)
    s + l > p + q     no two links turn fully against each other                          (3)

A loop of three pins and a slide, r and l its links between pins (r < l), e the distance of the
pins at their outer ends across the slide: r turns fully if  r + e < l                    (4)

Source: Norton (2012), Design of Machinery, sections 2.12 and 2.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from ..display import Displayed
from ..door import public
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..positions.loop_system import loop_system
from ..solve.configuration import drawn_closed
from ..solve.dead_point import Place, joint_places
from ..spatial.rotation import Array, cross

EQUAL = 1e-9
"""Part of the longest link up to which sums of lengths count as equal."""


@dataclass(frozen=True)
class FourBar(Displayed):
    """Four links and four parallel pins in a loop."""

    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    """Link k lies between joints k and k + 1; the fixed one comes last, where there is one."""
    lengths: tuple[float, ...]
    kind: str
    """`crank-rocker`, `double crank`, `double rocker`, `triple rocker`, `change point`,
    `parallelogram` or `kite`; `Grashof chain` and the like if no link is fixed."""
    shortest_and_longest: float
    """s + l."""
    others: float
    """p + q."""

    @property
    def turning(self) -> tuple[str, ...]:
        """Joints that turn fully: the two of the shortest link; at change points too."""
        k = self.lengths.index(min(self.lengths))
        ends = self.joints[k], self.joints[(k + 1) % 4]
        return ends if self.shortest_and_longest <= self.others else ()

    def __str__(self) -> str:
        sign = "=" if self.kind in CHANGE else "<" if self.turning else ">"
        sums = f"s + l = {self.shortest_and_longest:.6g} {sign} p + q = {self.others:.6g}"
        return f"four-bar {', '.join(self.joints)}: {self.kind}, {sums}"


@dataclass(frozen=True)
class SliderCrank(Displayed):
    """Three parallel pins and a slide in a loop."""

    joints: tuple[str, ...]
    """Outer pin of the crank, crank pin, outer pin of the rod, slide."""
    bodies: tuple[str, ...]
    """Crank, rod, body of the rod's outer pin, body of the crank's outer pin."""
    crank: float
    rod: float
    offset: float
    kind: str
    """`slider-crank`, `turning guide` (crank fixed), `swinging block` (rod fixed) or `fixed
    slide`, after the body that is fixed; `slider-crank chain` if none is."""
    turns: bool
    """Whether the crank turns fully: crank + offset <= rod."""

    @property
    def turning(self) -> tuple[str, ...]:
        """Joints that turn fully."""
        return self.joints[:2] if self.turns else ()

    def __str__(self) -> str:
        found = self.crank + self.offset
        does = "turns fully" if self.turns else "does not turn fully"
        sums = f"r + e = {found:.6g} {'<=' if self.turns else '>'} l = {self.rod:.6g}"
        return f"{self.kind} {', '.join(self.joints)}: the crank {does}, {sums}"


FIXED = ("turning guide", "swinging block", "fixed slide", "slider-crank")
"""What a slider-crank is called after its fixed body, in the order of `bodies`."""
CHANGE = ("change point", "parallelogram", "kite", "change-point chain")


@public
def grashof(m: Mechanism) -> tuple[FourBar | SliderCrank, ...]:
    """Every four-bar and slider-crank of a mechanism with its type, in the order of the joints."""
    system = loop_system(m, drives=False)
    placed = drawing(system.m)
    open_by = max((placed.gap(joint) for joint in system.m.joints), default=0.0)
    q = system.drawn if open_by < EQUAL else drawn_closed(system)
    places = joint_places(system.tree, q)
    scale = system.scale
    found: list[FourBar | SliderCrank] = []
    for bodies, loop in _loops_of_four(m, places):
        named = _four_bar(bodies, loop, scale) or _slider_crank(bodies, loop, scale)
        if named is not None:
            found.append(named)
    order = {joint.name: i for i, joint in enumerate(m.joints)}
    return tuple(sorted(found, key=lambda loop: sorted(order[name] for name in loop.joints)))


def _loops_of_four(
    m: Mechanism, places: dict[str, Place]
) -> Iterator[tuple[list[str], list[Place]]]:
    """Bodies and joints around every loop of four; joint k leads into body k."""
    between: dict[frozenset[str], list[Place]] = {}
    number = {name: k for k, name in enumerate([GROUND, *(body.name for body in m.bodies)])}
    beside: dict[str, set[str]] = {name: set() for name in number}
    for joint in m.joints:
        between.setdefault(frozenset((joint.parent, joint.child)), []).append(places[joint.name])
        beside[joint.parent].add(joint.child)
        beside[joint.child].add(joint.parent)

    def after(a: str, found: Iterable[str]) -> list[str]:
        return sorted((b for b in found if number[b] > number[a]), key=number.__getitem__)

    for a in number:
        for b, d in combinations(after(a, beside[a]), 2):
            for c in after(a, beside[b] & beside[d]):
                pairs = [frozenset(pair) for pair in ((d, a), (a, b), (b, c), (c, d))]
                for loop in product(*(between[pair] for pair in pairs)):
                    yield [a, b, c, d], list(loop)


def _four_bar(bodies: list[str], loop: list[Place], scale: float) -> FourBar | None:
    """The four-bar of a loop of parallel revolute joints; else None."""
    if not all(place.joint.turns_only for place in loop) or not _parallel(loop):
        return None
    first = (bodies.index(GROUND) + 1) % 4 if GROUND in bodies else 0  # the fixed link comes last
    bodies, loop = bodies[first:] + bodies[:first], loop[first:] + loop[:first]
    lengths = [_across(loop[k].p, loop[(k + 1) % 4].p, loop[0].axis) for k in range(4)]
    if min(lengths) < 1e-9 * scale:
        return None
    s, p, q, longest = sorted(lengths)
    kind = _kind(lengths, fixed=bodies[3] == GROUND)
    names = [place.joint.name for place in loop]
    return FourBar(tuple(names), tuple(bodies), tuple(lengths), kind, s + longest, p + q)


def _kind(lengths: list[float], *, fixed: bool) -> str:
    """(1) to (3), and which link is fixed: the last."""
    s, p, q, longest = sorted(lengths)
    excess = s + longest - p - q
    if abs(excess) <= EQUAL * longest:
        if not fixed:
            return "change-point chain"
        a, b, c, d = lengths
        near = EQUAL * longest
        if abs(a - c) <= near and abs(b - d) <= near:
            return "parallelogram"
        equal = (abs(a - b) <= near and abs(c - d) <= near) or (
            abs(b - c) <= near and abs(a - d) <= near
        )
        return "kite" if equal else "change point"
    if excess > 0:
        return "triple rocker" if fixed else "chain without Grashof's condition"
    if not fixed:
        return "Grashof chain"
    return {3: "double crank", 1: "double rocker"}.get(lengths.index(s), "crank-rocker")


def _slider_crank(bodies: list[str], loop: list[Place], scale: float) -> SliderCrank | None:
    """The slider-crank of a loop of three parallel pins and a slide across them; else None."""
    slides = [k for k, place in enumerate(loop) if place.joint.shifts_only]
    pins = [place for place in loop if place.joint.turns_only]
    if len(slides) != 1 or len(pins) != 3 or not _parallel(pins):
        return None
    first = (slides[0] + 1) % 4
    bodies, loop = bodies[first:] + bodies[:first], loop[first:] + loop[:first]
    one, two, three, slide = loop
    across = cross(one.axis, slide.axis)
    if np.linalg.norm(across) < 1 - 1e-9:
        return None
    names = [place.joint.name for place in loop]
    a, b = _across(one.p, two.p, one.axis), _across(two.p, three.p, one.axis)
    if b < a:
        a, b, names = b, a, [*names[2::-1], names[3]]
        bodies = [bodies[1], bodies[0], bodies[3], bodies[2]]
    offset = abs(float(across @ (three.p - one.p)))
    if a < 1e-9 * scale:
        return None
    by_body = zip(bodies, FIXED, strict=True)
    kind = dict(by_body).get(GROUND, "slider-crank chain")
    turns = a + offset <= b * (1 + EQUAL)
    return SliderCrank(tuple(names), tuple(bodies), a, b, offset, kind, turns)


def _parallel(loop: list[Place]) -> bool:
    return all(np.linalg.norm(cross(loop[0].axis, place.axis)) < 1e-9 for place in loop)


def _across(p: Array, q: Array, axis: Array) -> float:
    """Distance of two parallel axes."""
    return float(np.linalg.norm(cross(q - p, axis)))
