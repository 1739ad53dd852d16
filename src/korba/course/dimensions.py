"""Basic dimensions of links, and the polygon that they make: all that kinematics needs of a shape.

They place the half-pairs of a link against each other, and are not those of the half-pairs. A
half-pair is a point, an axis or a plane, which the motions S of its own pair leave as it is: turns
about the axis of R, also shifts along that of C. Half-pairs 1 ... n of a link, in general places,
have so many basic dimensions, with m freedoms in the plane (3) or in space (6),

    sum (m - dim S_i) - (m - dim of what all S_i share)                                      (1)

For a link with two of them these are

    point and point     distance
    point and axis      distance; offset of the foot where the pair does not slide on its axis
    axis and axis       distance and angle, as skew lines; offset of the foot on each likewise
    plane and others    distance of a point or a parallel plane, angle of an axis or plane

and for an axis along which a pair slides without turning (T) the roll of its guide besides. An
offset begins where the joint is drawn. At any position the feet of the distances are corners of a
closed polygon in space, whose sides along axes add up the offsets of two links; linkages with one
polygon move alike (Fig. 1.15). Source: Gronowicz (2003), section 1.2.3; (1) is not in the book.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..display import Displayed, columns
from ..door import public
from ..errors import StructureError, unknown
from ..model.body import GROUND
from ..model.drawing import Drawing, drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..positions.rank import rank_of
from ..solve.configuration import Configuration
from ..spatial.pose import Pose, identity, twist_matrix
from ..spatial.rotation import Array, cross, rotation_about
from ..spatial.subspace import complement
from ..topology.graph import graph_of, independent_loops

PARALLEL = 1e-9
"""Sine of the angle of two directions below which they are one."""
PLANE = [2, 3, 4]
SPACE = list(range(6))


@dataclass(frozen=True, eq=False)
class HalfPair(Displayed):
    """What a pair is on one of its links: a point, an axis or a plane, in the world."""

    joint: str
    element: str
    """`point`, `axis` or `plane`."""
    at: Array
    """Where the joint is drawn on it."""
    direction: Array
    """Of the axis, or of the plane's normal."""
    slides: bool
    """Whether the pair shifts along the axis, so that no place on it matters."""
    across: Array | None = None
    """Of a guide that does not let the link turn: a direction fixed in it, across the axis."""


@dataclass(frozen=True)
class BasicDimension(Displayed):
    """One dimension of a link, in m or rad."""

    kind: str
    """`distance`, `angle`, `offset` or `roll`."""
    half_pairs: tuple[str, str]
    """The joints; an offset or a roll is on the first, towards the second."""
    value: float


@dataclass(frozen=True, eq=False)
class LinkDimensions(Displayed):
    """The basic dimensions of a link."""

    body: str
    half_pairs: tuple[HalfPair, ...]
    count: int
    """How many are independent, (1)."""
    dimensions: tuple[BasicDimension, ...]
    """Those of every two half-pairs; of three or more some follow from the others."""

    def value(self, kind: str, *joints: str) -> float:
        """A dimension by its kind and joints."""
        for each in self.dimensions:
            one, two = each.half_pairs
            swapped = (two, one) == joints and each.kind in ("distance", "angle")
            if each.kind == kind and (each.half_pairs == joints or swapped):
                return each.value
        known = ", ".join(f"{d.kind} {' '.join(d.half_pairs)}" for d in self.dimensions)
        raise StructureError(
            f"link {self.body!r} has no {kind} of {', '.join(joints)}; it has {known or 'none'}"
        )

    def __str__(self) -> str:
        """Half-pairs, how many dimensions, and their values."""
        halves = ", ".join(f"{half.element} {half.joint}" for half in self.half_pairs)
        many = f"{self.count} basic dimension{'s' * (self.count != 1)}"
        lines = [f"{self.body}: {many} of {halves}"]
        for each in self.dimensions:
            angular = each.kind in ("angle", "roll")
            value = f"{np.degrees(each.value):.6g} deg" if angular else f"{each.value:.6g} m"
            lines.append(f"  {each.kind:<8} {' '.join(each.half_pairs):<8} {value}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class BasicDimensions(Displayed):
    """The basic dimensions of all links; `dimensions["rod"]` is one of them."""

    mechanism: str
    links: tuple[LinkDimensions, ...]

    def __getitem__(self, body: str) -> LinkDimensions:
        """A link by name."""
        for link in self.links:
            if link.body == body:
                return link
        raise StructureError(unknown("link", body, (link.body for link in self.links)))

    @property
    def count(self) -> int:
        """Independent dimensions of all links."""
        return sum(link.count for link in self.links)

    def __str__(self) -> str:
        """All links."""
        title = f"Basic dimensions of {self.mechanism or 'the mechanism'!r}: {self.count}"
        return "\n".join([title, *("\n" + str(link) for link in self.links)])


@dataclass(frozen=True, eq=False)
class PolygonSide(Displayed):
    """A side of the polygon: across a link, or along the axis of a pair."""

    owner: str
    """The link, or the joint."""
    start: Array
    end: Array
    varies: bool
    """Whether it is along an axis on which the pair slides."""

    @property
    def length(self) -> float:
        """Its length."""
        return float(np.linalg.norm(self.end - self.start))


@dataclass(frozen=True, eq=False)
class DimensionPolygon(Displayed):
    """The closed polygon of a loop in a position."""

    mechanism: str
    sides: tuple[PolygonSide, ...]

    @property
    def corners(self) -> Array:
        """The corners, a row each."""
        return np.array([side.start for side in self.sides])

    def __str__(self) -> str:
        """The sides in order, with what they belong to."""
        rows = [("side", "of", "length [m]", "")]
        rows += [
            (f"{i}", side.owner, f"{side.length:.6g}", "varies" if side.varies else "")
            for i, side in enumerate(self.sides, start=1)
        ]
        title = f"Polygon of {self.mechanism or 'the mechanism'!r}: {len(self.sides)} corners"
        return "\n".join([title, *columns(rows)])


@public
def basic_dimensions(m: Mechanism) -> BasicDimensions:
    """The basic dimensions of all links, those that place their half-pairs (Fig. 1.14).

    >>> kb.course.basic_dimensions(m)["crank"].value("distance", "A", "B")
    0.04
    """
    at = drawing(m)
    bodies = (GROUND, *(body.name for body in m.bodies))
    return BasicDimensions(m.name, tuple(_link(m, at, body) for body in bodies))


@public
def dimension_polygon(source: Mechanism | Configuration, loop: int = 0) -> DimensionPolygon:
    """The polygon of the basic dimensions of a loop (Fig. 1.15), in the drawing or a position.

    `loop` is its number in `kb.course.loops(m)`, which has the loops in the same order.
    """
    m = source.m if isinstance(source, Configuration) else source
    at, graph = drawing(m), graph_of(m)
    found = independent_loops(graph)
    if not 0 <= loop < len(found):
        raise StructureError(
            f"loop: mechanism {m.name!r} has {len(found)} independent loops, numbered from 0; got "
            f"{loop}"
        )
    walk = found[loop]
    joints = [m.joints[j] for j in walk.joints]
    sides: list[PolygonSide] = []
    feet: list[tuple[Array, Array, HalfPair]] = []
    for i, number in enumerate(walk.bodies):
        body = graph.bodies[number]
        X_WB = _pose(source, at, body)
        one, two = (_half(m, at, joint, body, X_WB) for joint in (joints[i - 1], joints[i]))
        feet.append((*nearest_points(one, two), two))
    for i, (start, end, half) in enumerate(feet):
        sides.append(PolygonSide(graph.bodies[walk.bodies[i]], start, end, False))
        following = feet[(i + 1) % len(feet)][0]
        sides.append(PolygonSide(half.joint, end, following, half.slides))
    small = PARALLEL * max(side.length for side in sides)
    return DimensionPolygon(m.name, tuple(side for side in sides if side.length > small))


def _pose(source: Mechanism | Configuration, at: Drawing, body: str) -> Pose:
    if body == GROUND:
        return identity()
    if isinstance(source, Configuration):
        X = source.pose(body)
        return Pose(np.asarray(X[:3, :3]), np.asarray(X[:3, 3]))
    return at.X_WB[body]


def _half(m: Mechanism, at: Drawing, joint: Joint, body: str, X_WB: Pose) -> HalfPair:
    """The half of a pair on a link, from the motions that its pair allows."""
    X = X_WB @ (at.X_PF(joint) if joint.parent == body else at.X_BM(joint))
    S = _own(joint)
    turns, shifts = S[:3, np.any(S[:3], axis=0)], S[3:, ~np.any(S[:3], axis=0)]
    turning, shifting = turns.shape[1], shifts.shape[1]
    flat = bool(m.plane)
    if turning == 3 or (flat and turning == 1 and not shifting):
        return HalfPair(joint.name, "point", X.p, X.R[:, 2], False)
    if shifting == 2:
        return HalfPair(joint.name, "plane", X.p, X.R @ turns[:, 0], True)
    u = X.R @ (turns if turning else shifts)[:, 0]
    across = None if turning or flat else X.R[:, 0]
    return HalfPair(joint.name, "axis", X.p, u / np.linalg.norm(u), bool(shifting), across)


def _own(joint: Joint) -> Array:
    """S of a pair that is one point, axis or plane on both links."""
    q = np.array(joint.rest)
    S = np.asarray(joint.motion_subspace(q), dtype=float) if joint.nv else np.zeros((6, 0))
    turning = np.count_nonzero(np.any(S[:3], axis=0))
    if not joint.lower_pair or joint.nv in (0, 6) or turning == 2:
        raise StructureError(
            f"joint {joint.name!r}: a pair {joint.symbol} is no point, axis or plane of its links; "
            "basic dimensions are told of lower pairs (a universal joint is two pairs R)"
        )
    return S


def _link(m: Mechanism, at: Drawing, body: str) -> LinkDimensions:
    own = [joint for joint in m.joints if joint.joins(body)]
    X_WB = identity() if body == GROUND else at.X_WB[body]
    halves = tuple(_half(m, at, joint, body, X_WB) for joint in own)
    pairs = [(a, b) for i, a in enumerate(halves) for b in halves[i + 1 :]]
    found = tuple(d for a, b in pairs for d in (_flat if m.plane else _between)(a, b))
    return LinkDimensions(body, halves, _count(own, bool(m.plane)), found)


def _count(joints: list[Joint], flat: bool) -> int:
    """(1), at half-pairs in general places."""
    random = np.random.default_rng(1)
    keep, blocked = PLANE if flat else SPACE, [np.zeros((0, 3 if flat else 6))]
    for joint in joints:
        turn = random.standard_normal(3)
        S = _own(joint)
        if flat:  # a slide lies in the plane, a pin stands across it
            turn[:2] = 0.0
            S = S if np.any(S[:3]) else np.eye(6)[:, [3]]
        X = Pose(rotation_about(turn / np.linalg.norm(turn), turn[2]), random.standard_normal(3))
        blocked.append(complement((twist_matrix(X) @ S)[keep]).T)
    rows = np.concatenate(blocked)
    return int(len(rows) - rank_of(rows).rank)


def _flat(one: HalfPair, two: HalfPair) -> Iterator[BasicDimension]:
    """Dimensions in the plane: distances, and the angle of two guides."""
    if one.element == two.element == "axis":
        yield BasicDimension(
            "angle", (one.joint, two.joint), angle_of_lines(one.direction, two.direction)
        )
    elif "plane" not in (one.element, two.element):
        yield _distance(one, two)


def _between(one: HalfPair, two: HalfPair) -> Iterator[BasicDimension]:
    """Dimensions in space."""
    elements = {one.element, two.element}
    names = one.joint, two.joint
    angle = angle_of_lines(one.direction, two.direction)
    if elements <= {"point", "axis"}:
        yield _distance(one, two)
    if elements == {"axis"}:
        yield BasicDimension("angle", names, angle)
    if "plane" in elements:
        normal, other = (one, two) if one.element == "plane" else (two, one)
        parallel = np.sin(angle) < PARALLEL
        if other.element == "axis" or (other.element == "plane" and not parallel):
            sloped = np.pi / 2 - angle if other.element == "axis" else angle
            yield BasicDimension("angle", names, float(sloped))
        if other.element == "point" or (other.element == "plane" and parallel):
            yield _height(names, normal, other)
        if other.element == "axis" and not other.slides:
            yield _height(names, normal, other)
    feet = nearest_points(one, two)
    alone = elements == {"axis"} and np.sin(angle) < PARALLEL
    for half, away, foot, end in ((one, two, *feet), (two, one, *feet[::-1])):
        if half.element != "axis":
            continue
        if not half.slides and "plane" not in elements and not (alone and half is one):
            along = float((foot - half.at) @ half.direction)
            yield BasicDimension("offset", (half.joint, away.joint), along)
        if half.across is not None:
            side = cross(half.direction, half.across)
            to = end - foot if "plane" not in elements else away.direction
            roll = float(np.arctan2(to @ side, to @ half.across))
            yield BasicDimension("roll", (half.joint, away.joint), roll)


def _distance(one: HalfPair, two: HalfPair) -> BasicDimension:
    apart = float(np.linalg.norm(np.subtract(*nearest_points(one, two))))
    return BasicDimension("distance", (one.joint, two.joint), apart)


def _height(names: tuple[str, str], plane: HalfPair, other: HalfPair) -> BasicDimension:
    return BasicDimension("distance", names, abs(float((other.at - plane.at) @ plane.direction)))


def angle_of_lines(u: Array, w: Array) -> float:
    """Angle of two lines, 0 to 90 deg."""
    return float(np.arctan2(np.linalg.norm(cross(u, w)), abs(u @ w)))


def nearest_points(one: HalfPair, two: HalfPair) -> tuple[Array, Array]:
    """The points of two half-pairs that are nearest to each other.

    Of parallel axes the foot on the first is where its joint is drawn; of planes likewise.
    """
    if one.element == two.element == "axis":
        across = cross(one.direction, two.direction)
        size = float(np.linalg.norm(across))
        if size > PARALLEL:
            apart = two.at - one.at
            s = cross(apart, two.direction) @ across / size**2
            t = cross(apart, one.direction) @ across / size**2
            return one.at + s * one.direction, two.at + t * two.direction
    return _nearest(one, two), _nearest(two, _at(_nearest(one, two)))


def _nearest(half: HalfPair, other: HalfPair) -> Array:
    """The point nearest to where the other one is drawn; of an axis its own beside another."""
    apart = other.at - half.at
    if half.element == "point" or (half.element == other.element == "axis"):
        return half.at
    along = (apart @ half.direction) * half.direction
    return np.asarray(half.at + (along if half.element == "axis" else apart - along))


def _at(p: Array) -> HalfPair:
    return HalfPair("", "point", p, np.array([0.0, 0.0, 1.0]), False)
