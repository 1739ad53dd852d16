"""A mechanism as plain data for pictures: marks whose points are fixed to bodies.

A mark has a kind (`bar`, `pin`, `block`, ...) and points, each of a body in its own frame: a bar
has two points of one body, a spring one of each of two. Where the bodies are in the world is kept
apart, one set of poses for each position shown. So every picture, still or moving, plane or
spatial, is this one scene; printers of marks know no mechanics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...display import Displayed
from ...errors import StructureError
from ...model.body import GROUND, Shape
from ...model.drawing import Drawing, drawing
from ...model.drive import Drive
from ...model.force import Force
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.pose import Pose
from ...spatial.rotation import Array
from .contacts import calmest_place
from .legs import Leg, leg_of
from .rails import others_on, rails_of

NEAR = 1e-6
"""Distance, in typical lengths, of points that are one."""


RIM = 49
"""Points of the rim of a wheel."""


class Attached(NamedTuple):
    """A point of a body, in its frame."""

    body: str
    at: tuple[float, float, float]
    source: str = ""
    """What places it, so that it moves when sizes change: a joint, "joint B", a named point of the
    body, "point C", ... (points.py)."""


@dataclass(frozen=True)
class Mark(Displayed):
    """Something to draw: its kind, its points on bodies, and the element that it shows."""

    kind: str
    points: tuple[Attached, ...]
    name: str = ""
    """Of the joint, body or load."""
    text: str = ""
    """What is written beside it."""
    round: bool = False
    """Whether it is a circle about the frame of its joint."""

    @property
    def body(self) -> str:
        """The body of its first point."""
        return self.points[0].body


class Note(NamedTuple):
    """A line below the picture: what a kind of mark shows, with a sample of it."""

    text: str
    kind: str = ""
    """Of the marks that it explains."""
    length: float = 0.0
    """Of the sample, in the world: the scale of vectors."""


@dataclass(frozen=True, eq=False)
class Scene(Displayed):
    """Marks of a mechanism, and poses of its bodies at the positions shown."""

    name: str
    plane: bool
    bodies: tuple[str, ...]
    marks: tuple[Mark, ...]
    poses: Array
    """(positions, bodies, 4, 4), in the order of `bodies`."""
    scale: float
    """A typical length."""
    labels: tuple[tuple[str, Attached], ...] = ()
    """Names and where they belong."""
    paths: tuple[tuple[str, Array], ...] = field(default=(), repr=False)
    """Curves in the world, (n, 3), by name."""
    shapes: tuple[tuple[str, Shape], ...] = field(default=(), repr=False)
    """Bodies and what they look like, in space."""
    folder: str = ""
    """Where files of meshes are looked for."""
    holds: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    """Bodies of every joint."""
    over: tuple[Mark, ...] = ()
    """What lies over the mechanism at its first position: vectors, dimensions, centres."""
    notes: tuple[Note, ...] = ()
    """What is told below the picture."""
    looks: tuple[tuple[str, Any], ...] = ()
    """Kinds of marks over it that an overlay brought along, and their looks (over_symbols.py)."""
    contacts: tuple[tuple[str, Attached], ...] = ()
    """Names of pairs that touch along curves, and where they do at the first position."""

    @property
    def named(self) -> tuple[tuple[str, Attached], ...]:
        """All joints that have a name in the picture."""
        return (*self.labels, *self.contacts)

    def place(self, point: Attached, k: int = 0) -> Array:
        """A point in the world at position k."""
        X = self.poses[k, self.bodies.index(point.body)]
        return np.asarray(X[:3, :3] @ point.at + X[:3, 3])

    def places(self, mark: Mark, k: int = 0) -> Array:
        """The points of a mark in the world at position k, (points, 3)."""
        return np.array([self.place(point, k) for point in mark.points])


def scene_of(m: Mechanism, poses: Array, paths: Sequence[tuple[str, Array]] = ()) -> Scene:
    """The scene of a mechanism at poses (positions, bodies, 4, 4) of ground and all bodies."""
    if not m.bodies or not m.joints:
        raise StructureError(f"mechanism {m.name!r} has no joints between bodies to be shown")
    maker = _Maker(m, drawing(m), poses)
    marks = tuple(maker.marks())
    labels = tuple((mark.name, mark.points[0]) for mark in marks if mark.kind in NAMED)
    return Scene(
        m.name,
        bool(m.plane),
        maker.bodies,
        marks,
        poses,
        maker.at.scale,
        labels,
        tuple(paths),
        () if m.plane else tuple((body.name, s) for body in m.bodies for s in body.shapes),
        m.folder,
        {joint.name: (joint.parent, joint.child) for joint in m.joints},
        contacts=tuple(maker.contacts(marks)),
    )


NAMED = frozenset(
    (
        *("pin", "block", "guide", "slot", "ball"),
        *("cross", "cylinder", "screw", "plane", "collar", "round", "rod"),
    )
)
"""Marks that have a label."""


@dataclass
class _Maker:
    m: Mechanism
    at: Drawing
    poses: Array

    def __post_init__(self) -> None:
        self.tied: tuple[Force | Drive, ...] = (*self.m.forces, *self.m.drives)
        self.bodies = (GROUND, *(body.name for body in self.m.bodies))
        self.rails = {rail.joint.name: rail for rail in rails_of(self.m, self.at, self.poses)}
        self.legs = {} if self.m.plane else dict(self._legs())
        self.in_legs = {body for leg in self.legs.values() for body in leg.bodies}

    def _legs(self) -> Iterator[tuple[str, Leg]]:
        """Sliding pairs in space that are cylinders; each of their links belongs to one alone."""
        slid = [body for rail in self.rails.values() for body in (rail.rail, rail.block)]
        for name, rail in self.rails.items():
            if not rail.joint.shifts_only or any(
                body == GROUND or slid.count(body) > 1 for body in (rail.rail, rail.block)
            ):
                continue
            held, moved = (
                [np.array(p.at) for p in self._anchors(body)] for body in (rail.rail, rail.block)
            )
            if leg := leg_of(rail, held, moved, self.at.scale):
                yield name, leg

    def marks(self) -> Iterator[Mark]:
        """Links first, then what stands on them."""
        for body in self.bodies:
            yield from self._link(body)
        for joint in self.m.joints:
            yield from self._joint(joint)
        for load in self.tied:
            if load.ends:
                ends = tuple(
                    self._point(*end, f"end {load.name} {i}") for i, end in enumerate(load.ends)
                )
                for end in ends:
                    yield Mark("base" if end.body == GROUND else "end", (end,), load.name)
                yield Mark(load.picture, ends, load.name)
        for own in self.m.bodies:
            if own.mass:
                centre = self._point(own.name, own.com, f"centre {own.name}")
                yield Mark("mass centre", (centre,), own.name)

    def _joint(self, joint: Joint) -> Iterator[Mark]:
        F, M = self.at.X_PF(joint), self.at.X_BM(joint)
        for i, (side, curve) in enumerate(joint.outlines()):
            body, X = (joint.parent, F) if side == "parent" else (joint.child, M)
            kind = "wheel" if joint.wheels and not joint.shaped and len(curve) > 2 else "curve"
            kind = "tread" if joint.on_floor else kind
            points = (
                self._point(body, X.point(p), f"outline {joint.name} {i} {k}")
                for k, p in enumerate(curve)
            )
            radii = np.linalg.norm(np.asarray(curve, dtype=float), axis=1)
            round_ = len(curve) > 2 and np.ptp(radii) < 1e-9 * radii.max()
            yield Mark(kind, tuple(points), joint.name, round=bool(round_))
        if leg := self.legs.get(joint.name):
            yield from self._leg(leg)
        elif rail := self.rails.get(joint.name):
            yield from rail.marks(self._point, Mark)
        elif joint.between_points:
            ends = ((joint.child, M), (joint.parent, F))
            places = tuple(self._point(b, X.p, f"joint {joint.name}") for b, X in ends)
            yield from (
                Mark("base" if p.body == GROUND else "end", (p,), joint.name) for p in places
            )
            yield Mark(joint.picture, places, joint.name)
        elif joint.on_floor and (joint.ball_radius or joint.outlines()):
            yield from self._on_floor(joint, F, M)
        elif joint.picture:
            source = f"joint {joint.name}"
            if GROUND in (joint.parent, joint.child):
                X = F if joint.parent == GROUND else M
                yield Mark("base", (self._point(GROUND, X.p, source),), joint.name)
            if joint.ball_on_child:
                yield Mark("end", (self._point(joint.child, M.p, source),), joint.name)
            yield Mark(joint.picture, tuple(self._axes(joint, F, M)), joint.name)
        elif joint.nq == 0 and joint.parent == GROUND and not self.m.plane:
            yield Mark("base", (self._point(GROUND, F.p),), joint.name)

    def _on_floor(self, joint: Joint, F: Pose, M: Pose) -> Iterator[Mark]:
        """A ball, or the hub of a wheel, and as much of the plane below it as it goes over."""
        source, r = f"joint {joint.name}", joint.ball_radius
        if r:
            ways = [(0.0, 0.0, 0.0), *(side * r * e for e in np.eye(3) for side in (1, -1))]
            around = (M.point(np.array(way)) for way in ways)
            kinds = [source, *[f"beside {source}"] * 6]
            points = [self._point(joint.child, *each) for each in zip(around, kinds, strict=True)]
            yield Mark("round", tuple(points), joint.name)
        else:
            ends = (M.p, source), (M.p + self.at.scale * M.R[:, 2], f"beside {source}")
            yield Mark("pin", tuple(self._point(joint.child, *end) for end in ends), joint.name)
            r = max(float(np.linalg.norm(curve, axis=1).max()) for _, curve in joint.outlines())
        X_WP, X_WB = (
            self.poses[:, self.bodies.index(body)] for body in (joint.parent, joint.child)
        )
        centres = X_WB[:, :3, :3] @ M.p + X_WB[:, :3, 3] - X_WP[:, :3, 3]
        ways = np.einsum("kji,kj->ki", X_WP[:, :3, :3], centres) - F.p
        flat = ways @ F.R[:, :2]
        (x, y), (u, w) = flat.min(axis=0) - 1.4 * r, flat.max(axis=0) + 1.4 * r
        corners = ((a, b, 0.0) for a, b in ((x, y), (u, y), (u, w), (x, w)))
        floor = (self._point(joint.parent, F.point(np.array(p))) for p in corners)
        yield Mark("floor", tuple(floor), joint.name)

    def _leg(self, leg: Leg) -> Iterator[Mark]:
        """A barrel, a piston with its rod, and the collar between them, which has the name."""
        rail, sources = leg.rail, [f"joint {leg.rail.joint.name}", leg.rail.source]
        for kind, body, ends, source in zip(
            ("barrel", "piston"), leg.bodies, (leg.barrel, leg.rod), sources, strict=True
        ):
            places = (self._point(body, p, f"beside {source}") for p in ends)
            yield Mark(kind, tuple(places), body)
        ahead = (leg.mouth, leg.mouth + rail.ahead * self.at.scale)
        around = (self._point(rail.rail, p, f"beside {sources[0]}") for p in ahead)
        yield Mark("collar", tuple(around), rail.joint.name)

    def contacts(self, marks: Sequence[Mark]) -> Iterator[tuple[str, Attached]]:
        """Names of the pairs that touch along curves; of an edge its place is on the cam."""
        for joint in self.m.joints:
            if joint.outlines() and not joint.on_floor:
                curves = [
                    (self.bodies.index(mark.body), np.array([p.at for p in mark.points]))
                    for mark in marks
                    if mark.name == joint.name and mark.kind in ("wheel", "curve")
                ]
                edge = self.bodies.index(joint.child), self.at.X_BM(joint).p[None]
                one, two = (*curves, edge)[:2]
                number, place = calmest_place(one, two, self.poses)
                body = self.bodies[number]
                others = others_on(self.m, self.at, joint, body)
                near = min(others, key=lambda other: _apart(other[1], place), default=None)
                source = f"beside joint {near[0]}" if near else ""
                yield joint.name, self._point(body, place, source)

    def _axes(self, joint: Joint, F: Pose, M: Pose) -> Iterator[Attached]:
        """Place and axis of a joint; of a universal one both axes and its place on the parent.

        The line or plane that a ball is on belongs to the parent.
        """
        source, far = f"joint {joint.name}", self.at.scale
        if joint.ball_on_child:
            yield self._point(joint.parent, F.p, source)
            yield self._point(joint.parent, F.p + far * F.R[:, 2], f"beside {source}")
            return
        yield self._point(joint.child, M.p, source)
        if joint.centred and joint.nv == 2:
            yield self._point(joint.parent, F.p + far * F.R[:, 2], f"beside {source}")
            yield self._point(joint.child, M.p + far * M.R[:, 0], f"beside {source}")
            yield self._point(joint.parent, F.p, source)
        else:
            yield self._point(joint.child, M.p + far * M.R[:, 2], f"beside {source}")

    def _link(self, body: str) -> Iterator[Mark]:
        """The shape of a link between its joints: a bar or a plate.

        With one joint it is a bar to its mass centre; a wheel where that is on the joint.
        """
        if body == GROUND or body in self.in_legs:
            return
        anchors = self._anchors(body)
        ways = [rail for rail in self.rails.values() if rail.rail == body]
        for way in ways:
            for near in sorted(anchors, key=lambda p: _apart(p.at, _foot(p.at, way.line)))[:1]:
                source = f"foot {way.joint.name} {near.source}" if near.source else ""
                yield Mark("bar", (near, self._point(body, _foot(near.at, way.line), source)), body)
        if len(anchors) == 1 and not ways and not self._wheels(body):
            centre = self._point(body, self.m.body(body).com, f"centre {body}")
            if self.m.body(body).mass and _apart(centre.at, anchors[0].at) > NEAR * self.at.scale:
                anchors.append(centre)
            elif self.m.plane:
                yield from self._disc(body, anchors[0])
        if len(anchors) > 1:
            yield Mark("bar" if len(anchors) == 2 else "plate", tuple(anchors), body)

    def _disc(self, body: str, hub: Attached) -> Iterator[Mark]:
        """A wheel on a pin, with a spoke: the homogeneous disc of the body's inertia, I = m r^2/2.

        It is no larger or smaller than can be seen well beside the others.
        """
        name, own, scale = hub.source.removeprefix("joint "), self.m.body(body), self.at.scale
        if [joint.turns_only for joint in self.m.joints if joint.joins(body)] != [True]:
            return
        r = np.sqrt(2 * own.inertia[2][2] / own.mass) if own.mass else 0.0
        turn = np.linspace(0.0, 2 * np.pi, RIM)
        rim = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
        rim = hub.at + np.clip(r, 0.08 * scale, 0.5 * scale) * rim
        points = tuple(self._point(body, p, f"beside {hub.source}") for p in rim)
        yield Mark("curve", points, name)
        yield Mark("curve", (hub, points[RIM // 4]), name)

    def _anchors(self, body: str) -> list[Attached]:
        """Points of a body that its joints need, each once; of a wheel those off its face."""
        points: list[Attached] = []
        wheels = self._wheels(body)
        for joint in sorted(self.m.joints, key=lambda joint: joint.name in wheels):
            rail = self.rails.get(joint.name)
            if not joint.joins(body) or (rail and rail.rail == body):
                continue
            X = self.at.X_PF(joint) if joint.parent == body else self.at.X_BM(joint)
            p = rail.centre if rail else np.asarray(X.p, dtype=float)
            radius = wheels.get(joint.name, 0.0)
            if not any(_apart(p, q.at) < radius for q in points):
                source = rail.source if rail else f"joint {joint.name}"
                self._add(points, self._point(body, p, source))
        for name, place in self.m.body(body).points:
            self._add(points, self._point(body, place, f"point {name}"))
        for load in self.tied:
            for i, (own, place) in enumerate(load.ends or ()):
                if own == body:
                    self._add(points, self._point(body, place, f"end {load.name} {i}"))
        return points

    def _add(self, points: list[Attached], p: Attached) -> None:
        if all(_apart(p.at, q.at) > NEAR * self.at.scale for q in points):
            points.append(p)

    def _wheels(self, body: str) -> dict[str, float]:
        """Largest radii of the closed curves that joints give a body."""
        return {
            joint.name: float(np.linalg.norm(curve, axis=1).max())
            for joint in self.m.joints
            for side, curve in joint.outlines()
            if len(curve) > 2 and getattr(joint, side) == body
        }

    def _point(self, body: str, p: Any, source: str = "") -> Attached:
        return Attached(body, attached(p), source)


def attached(p: Any) -> tuple[float, float, float]:
    """A place as numbers."""
    x, y, z = map(float, p)
    return x, y, z


def _apart(p: Any, q: Any) -> float:
    return float(np.linalg.norm(np.subtract(p, q)))


def _foot(p: Any, way: tuple[Array, Array]) -> Array:
    """The point of a straight way next to p."""
    a, b = way
    s = float((p - a) @ (b - a)) / float((b - a) @ (b - a))
    return np.asarray(a + min(max(s, 0.0), 1.0) * (b - a))
