"""Which mechanisms are made of dyads, and what each dyad's chain is.

From the base on, a link stands as soon as a pair with known coordinates ties it to one that stands,
or as a part of a dyad: one link or two with a pair between, on revolute, sliding and slot pairs to
what stands, whose three unknown coordinates follow in closed form (dyads.py). Every pair is needed
for that exactly once, or the mechanism has other groups or constraints to spare. Two sliding pairs
that are drawn parallel may stay so and determine nothing: they are not solved here.

Of a pair, X_F(q) = exp(xi_1 q_1) exp(xi_2 q_2) X_F(0) in its frame on the body before; against the
way that is walked, the factors come in the other order with the other sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from ..errors import ExpressionError
from ..expr import variables
from ..model.drawing import drawing
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, cross
from ..system.decisions import NumbersDecideError
from ..system.frames import ReversedJoint
from ..system.system import ties
from ..system.tree import Link, Tree
from .dyads import KINDS, Chain, Vector
from .loops import Loops

PARALLEL = 1e-9
"""Sine of the angle between directions that count as parallel."""


class Pair(NamedTuple):
    """A joint between two links: X_first @ pose(q) @ inverse of X_second lies between them."""

    joint: Any
    first: int
    X_first: Pose
    second: int
    X_second: Pose
    q: slice

    def others(self, link: int) -> tuple[int, Pose, Pose]:
        """The link across from one, and the frames of the pair on the one and on that."""
        if link == self.first:
            return self.second, self.X_first, self.X_second
        return self.first, self.X_second, self.X_first

    def step(self, link: int, q: Any) -> Pose:
        """The link across in the frame of this one, at coordinates of the pair."""
        X = self.X_first @ self.joint.pose(q) @ self.X_second.inverse()
        return X if link == self.first else X.inverse()


class Element(NamedTuple):
    """One freedom of a pair on the way, in the frame of the pair on the link before."""

    place: int
    """Which coordinate of all joints."""
    turns: bool
    axis: Array
    """Direction about which it turns or along which it slides."""
    pivot: Any


@dataclass(frozen=True, eq=False)
class DyadChain:
    """A dyad to be solved from one known link to another."""

    bodies: tuple[str, ...]
    chain: Chain
    first: int
    X_first: Pose
    """The frame of its first pair on the known link it starts from."""
    last: int
    X_last: Pose
    """That of its last pair on the known link where it ends."""
    end: Pose
    """The last frame in the first where all coordinates are zero."""
    axes: tuple[Array, Array]
    """Two directions of the first frame that span the plane."""
    coordinates: tuple[int, ...]
    """Which coordinates of all joints its pairs have."""
    signs: tuple[float, ...]
    """Whether they count along the turns of the plane or against them."""


def dyad_chains(loops: Loops, given: Sequence[str]) -> list[DyadChain] | None:
    """The dyads in the order of solution; None if the mechanism has other groups."""
    if loops.still or not loops.m.plane or not set(given) <= set(loops.names):
        return None
    try:
        return _Standing(loops.formed, given).chains()
    except ExpressionError as error:  # turns that are sizes
        if loops.structure:
            raise NumbersDecideError(str(error)) from error
        return None


class _Standing:
    """Links that stand, coordinates that are known, and pairs that are not used yet."""

    def __init__(self, tree: Tree, given: Sequence[str]) -> None:
        self.tree, self.known, self.links = tree, set(given), {-1}
        self.pairs = list(pairs_of(tree).values())
        self.law = {c.coordinate: variables(c.law) for c in tree.couplings}
        self.drawn = np.concatenate([np.zeros(0), *drawing(tree.m).q.values()])

    def chains(self) -> list[DyadChain] | None:
        """All dyads; None where some link does not come to stand, or a pair is left over."""
        found: list[DyadChain] = []
        while self.pairs:
            if self._carried():
                continue
            chain = self._dyad()
            if chain is None:
                return None
            found.append(chain)
        every = self.known | set(self.law) == set(self.tree.coordinates)
        return found if every and len(self.links) == len(self.tree.links) + 1 else None

    def _unknown(self, pair: Pair) -> list[str]:
        """Coordinates of a pair that nothing known gives."""
        names = [self.tree.coordinates[i] for i in _places(pair)]
        return [n for n in names if n not in self.known and not self.law.get(n, {""}) <= self.known]

    def _ends(self, pair: Pair) -> set[int]:
        """Links of a pair that do not stand."""
        return {pair.first, pair.second} - self.links

    def _use(self, pairs: Iterable[Pair]) -> None:
        """These pairs have placed their links."""
        for pair in pairs:
            self.pairs.remove(pair)
            self.links |= {pair.first, pair.second}
            self.known |= {self.tree.coordinates[i] for i in _places(pair)}

    def _carried(self) -> bool:
        """Whether a link stands now by a pair whose coordinates are known."""
        for pair in self.pairs:
            if len(self._ends(pair)) == 1 and not self._unknown(pair):
                self._use([pair])
                return True
        return False

    def _dyad(self) -> DyadChain | None:
        """The next dyad on what stands."""
        on_standing: dict[int, list[Pair]] = {}
        for pair in self.pairs:
            ends = [*self._ends(pair)]
            if len(ends) == 1:
                on_standing.setdefault(ends[0], []).append(pair)
        for own in sorted(on_standing.items()):
            for pairs in self._candidates(*own, on_standing):
                names = [name for pair in pairs for name in self._unknown(pair)]
                if len(names) != 3 or set(names) & set(self.law):
                    continue
                chain = _chain(self.tree, pairs, {i for pair in pairs for i in self._ends(pair)})
                if chain is None or _parallel(chain, self.drawn):
                    continue
                if {self.tree.coordinates[i] for i in chain.coordinates} == set(names):
                    self._use(pairs)
                    return chain
        return None

    def _candidates(
        self, link: int, outer: list[Pair], on_standing: dict[int, list[Pair]]
    ) -> Iterator[list[Pair]]:
        """Pairs of a link alone, on what stands in two places; of it and of another link."""
        yield from ([one, two] for one, two in combinations(outer, 2))
        for inner in self.pairs:
            others = self._ends(inner) - {link}
            if link in (inner.first, inner.second) and len(others) == 1:
                (other,) = others
                for one, two in product(outer, on_standing.get(other, ())):
                    yield [inner, one, two]


def pairs_of(tree: Tree) -> dict[str, Pair]:
    """All joints by name, of the tree and of loops."""
    own = {link.joint.name: _on_tree(i, link) for i, link in enumerate(tree.links)}
    closing = {
        tie.joint.name: Pair(tie.joint, tie.parent, tie.X_LF, tie.child, tie.X_LM, tie.q)
        for tie in ties(tree)
    }
    return own | closing


def _on_tree(i: int, link: Link) -> Pair:
    """The pair that a link hangs on; one that the tree walks against its own sense as it was."""
    if isinstance(link.joint, ReversedJoint):
        return Pair(link.joint.joint, i, identity(), link.parent, link.X_PF, link.q)
    return Pair(link.joint, link.parent, link.X_PF, i, identity(), link.q)


def _places(pair: Pair) -> range:
    return range(pair.q.start, pair.q.stop)


def _chain(tree: Tree, pairs: list[Pair], inside: set[int]) -> DyadChain | None:
    """The pairs in a row, from the end at which a closed form begins, at best the base."""
    bodies = tuple(tree.links[i].name for i in sorted(inside))
    ends = [pair for pair in pairs if (pair.first in inside) != (pair.second in inside)]
    if len(ends) != 2 or not all(_plain(pair) for pair in pairs):
        return None
    ends.sort(key=lambda pair: min(pair.first, pair.second))
    ways = [_walked(pairs, start, inside, bodies) for start in ends]
    return next((way for way in ways if way is not None and way.chain.kind in KINDS), None)


def _plain(pair: Pair) -> bool:
    """Whether a pair first shifts, then turns about an axis of its frame."""
    return pair.joint.shifts_then_turns and len(_places(pair)) in (1, 2)


def _walked(
    pairs: list[Pair], start: Pair, inside: set[int], bodies: tuple[str, ...]
) -> DyadChain | None:
    """The chain from a pair on a known link, pair by pair, to the other known link."""
    first = start.second if start.first in inside else start.first
    link, rest, at = first, list(pairs), identity()
    elements: list[tuple[Element, Pose]] = []
    X_first = pair_frame = start.others(first)[1]
    pair = start
    while True:
        rest.remove(pair)
        after, _, X_after = pair.others(link)
        X_0 = pair.joint.pose(np.zeros(len(_places(pair))))
        forward = link == pair.first
        elements += [(e, at) for e in _elements(pair, X_0, forward)]
        at = at @ (X_0 if forward else X_0.inverse())
        link, pair_frame = after, X_after
        if link not in inside:
            break
        follower = next((p for p in rest if link in (p.first, p.second)), None)
        if follower is None:
            return None
        pair = follower
        at = at @ pair_frame.inverse() @ pair.others(link)[1]
    if rest or len(elements) != 3:
        return None
    return _projected(elements, at, (first, X_first), (link, pair_frame), bodies)


def _elements(pair: Pair, X_0: Pose, forward: bool) -> list[Element]:
    """The freedoms of a pair as they come on the way."""
    S = np.asarray(pair.joint.motion_subspace(np.zeros(len(_places(pair)))), dtype=float)
    R_0 = np.asarray(X_0.R) if forward else -np.eye(3)
    pivot = X_0.p if forward else np.zeros(3)
    elements = []
    for place, column in zip(_places(pair), S.T, strict=True):
        turns = bool(np.abs(column[:3]).max() > 0)
        axis = R_0 @ (column[:3] if turns else column[3:])
        elements.append(Element(place, turns, axis, pivot))
    return elements if forward else elements[::-1]


def _projected(
    elements: list[tuple[Element, Pose]],
    end: Pose,
    first: tuple[int, Pose],
    last: tuple[int, Pose],
    bodies: tuple[str, ...],
) -> DyadChain | None:
    """The chain in the plane that its revolute pairs turn in."""
    directions = [np.array(at.R @ e.axis) for e, at in elements]
    parts = zip(directions, elements, strict=True)
    turning = [w.astype(float) for w, (e, _) in parts if e.turns]
    if not turning:
        return None
    axes = plane_axes(turning[0])
    normal = cross(*axes)
    places: list[Vector] = []
    signs: list[float] = []
    for w, (e, at) in zip(directions, elements, strict=True):
        places.append(flat(at.p + at.R @ e.pivot, axes) if e.turns else flat(w, axes))
        signs.append(float(np.round(float(w @ normal))) if e.turns else 1.0)
    kind = "".join("R" if e.turns else "T" for e, _ in elements)
    chain = Chain(kind, (places[0], places[1], places[2]), flat(end.p, axes))
    coordinates = tuple(e.place for e, _ in elements)
    return DyadChain(bodies, chain, *first, *last, end, axes, coordinates, tuple(signs))


def _parallel(dyad: DyadChain, drawn: Array) -> bool:
    """Whether two sliding pairs of a dyad are parallel as they are drawn, or may be."""
    if dyad.chain.kind.count("T") < 2:
        return False
    turn, slides = 0.0, list[complex]()
    parts = zip(dyad.chain.kind, dyad.chain.places, dyad.coordinates, dyad.signs, strict=True)
    for kind, place, coordinate, sign in parts:
        if kind == "R":
            turn = turn + sign * float(drawn[coordinate])
        else:
            slides.append(complex(float(place[0]), float(place[1])) * np.exp(1j * turn))
    return abs((slides[0].conjugate() * slides[1]).imag) < PARALLEL


def plane_axes(normal: Array) -> tuple[Array, Array]:
    """Two directions across a normal; axes of the frame where it is one of them."""
    other = np.roll(np.eye(3)[int(np.argmax(np.abs(normal)))], 1)
    x = other - (other @ normal) * normal
    x = x / np.linalg.norm(x)
    return x, cross(normal, x)


def flat(p: Any, axes: tuple[Array, Array]) -> Vector:
    """A vector by its components along two axes."""
    return sum(p[k] * axes[0][k] for k in range(3)), sum(p[k] * axes[1][k] for k in range(3))
