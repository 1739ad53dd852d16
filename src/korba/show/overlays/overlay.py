"""What overlays are made of: the mechanism at the position shown, vectors, arcs, and names.

An overlay is a function from a `View` and what was chosen to marks in the world, notes below the
picture, and vectors. Vectors of one unit share one scale, which a note tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...display import tidy
from ...errors import StructureError, refuse_unknown
from ...expr.display_units import DisplayUnits
from ...kinematics import velocity as velocities
from ...model.body import GROUND
from ...model.display_units import display_units
from ...model.drawing import drawing
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array, cross, rotation_aligning
from ...system.system import kept_system
from ...system.tree import Tree
from ...trajectory.trajectory import Trajectory
from ..schemes.paper import away, link_of, reach
from ..schemes.scene import Attached, Mark, Note, Scene, attached

LONGEST = 0.24
"""Length of the longest vector, in sizes of the picture."""
NOTHING = 1e-9
"""Beside the longest vector: what is not drawn."""
IN_PLANE = np.eye(3)
"""The frame of arcs in the plane."""


class Vector(NamedTuple):
    """A vector at a place of the world, drawn to the scale of all vectors of its SI unit."""

    kind: str
    at: Array
    value: Array
    unit: str
    text: str = ""


Part = Mark | Note | Vector
Parts = Iterator[Part]


@dataclass(frozen=True, eq=False)
class View:
    """A mechanism at the position shown, and how it moves there."""

    scene: Scene
    m: Mechanism
    motion: Trajectory | None = None
    k: int = 0
    first: View | None = None
    """Of a motion that one whose size all its pictures take."""

    @cached_property
    def shown(self) -> DisplayUnits:
        """In which units people read values."""
        return display_units(self.m)

    @cached_property
    def size(self) -> float:
        """Extent of the picture in the world."""
        if self.first:
            return self.first.size
        places = np.concatenate([reach(self.scene, mark) for mark in self.scene.marks])
        return float(np.ptp(places, axis=0).max()) or self.scene.scale

    @property
    def tree(self) -> Tree:
        """The tree of the mechanism."""
        return kept_system(self.m).tree

    def moving(self, overlay: str) -> Trajectory:
        """The motion, which this overlay needs."""
        if self.motion is None:
            raise StructureError(
                f"draw: {overlay} are those of a motion; draw one, such as "
                f"kb.draw(kb.motion(m, times), 0, {overlay}=True)"
            )
        return self.motion

    def in_plane(self, what: str, instead: str) -> None:
        """An error that names the way out, unless the mechanism is one of the plane."""
        if not self.scene.plane:
            raise StructureError(
                f"draw: {what} are drawn in a plane, and mechanism {self.m.name!r} is spatial; "
                f"{instead}"
            )

    def twist(self, overlay: str, point: Attached) -> Array:
        """Angular velocity and velocity at a point of a body, (6,), in the world."""
        motion = self.moving(overlay)
        q, v = motion.q[self.k], self._beside_the_largest(motion.v)
        return np.asarray(velocities.velocity(self.tree, q, v, point.body, point.at), dtype=float)

    def acceleration(self, overlay: str, point: Attached) -> Array:
        """Angular acceleration and acceleration at a point of a body, (6,), in the world."""
        motion = self.moving(overlay)
        v, a = map(self._beside_the_largest, (motion.v, motion.a))
        state = motion.q[self.k], v, a
        A = velocities.acceleration(self.tree, state, point.body, point.at)
        return np.asarray(A, dtype=float)

    def _beside_the_largest(self, rates: Array) -> Array:
        """Those at this position, 0 where they are rounding beside those of the whole motion."""
        top = np.fmax.reduce(np.abs(rates), axis=None, initial=0.0)
        return np.asarray(tidy(rates[self.k], top))

    def joints(self, overlay: str, chosen: Any) -> list[str]:
        """Names of the joints that were chosen, True for all of them."""
        return names_of(overlay, chosen, [joint.name for joint in self.m.joints])

    def bodies(self, overlay: str, chosen: Any) -> list[str]:
        """Names of the bodies that were chosen, True for all of them."""
        return names_of(overlay, chosen, [body.name for body in self.m.bodies])

    def points(self, overlay: str, chosen: Any) -> list[tuple[str, Attached]]:
        """Joints, and points of bodies "coupler.P", that were chosen; True for all joints."""
        joints = dict(self.scene.labels)
        named = {
            f"{body.name}.{name}": Attached(body.name, place)
            for body in self.m.bodies
            for name, place in (*body.points, ("com", body.com))
        }
        known = joints | named | {b.name: Attached(b.name, (0.0, 0.0, 0.0)) for b in self.m.bodies}
        wanted = [*joints] if chosen is True else names_of(overlay, chosen, known)
        return [(name.rpartition(".")[2], known[name]) for name in wanted]

    def axis(self, joint: Joint) -> Array:
        """Direction in the world of a joint's axis."""
        X = self.scene.poses[0, self.scene.bodies.index(joint.child)]
        return np.asarray(X[:3, :3] @ drawing(self.m).X_BM(joint).R[:, 2])

    def beside(self, u: Array) -> Array:
        """A direction across another one, as it is seen."""
        n = cross(away(self.scene), u)
        return n / max(float(np.linalg.norm(n)), 1e-12)

    def middle(self, body: str) -> Array:
        """Where a body is told about: the middle of its link, or its origin."""
        if link := link_of(self.scene, body):
            return np.asarray(reach(self.scene, link).mean(axis=0))
        return self.scene.place(Attached(body, (0.0, 0.0, 0.0)))


def names_of(overlay: str, chosen: Any, known: Iterable[str]) -> list[str]:
    """What was chosen among known names: True for all, a name or several."""
    if chosen is True:
        return list(known)
    if not isinstance(chosen, str | list | tuple | set):
        raise StructureError(f"draw: {overlay} is True or names, got {chosen!r:.60}")
    names = [chosen] if isinstance(chosen, str) else [*chosen]
    refuse_unknown("", names, known, f"draw: {overlay}")
    return names


def world(p: Any) -> Attached:
    """A point of the world."""
    return Attached(GROUND, attached((*p, 0.0)[:3]))


def arc(
    centre: Array, radius: float, start: float, sweep: float, R: Array = IN_PLANE
) -> tuple[Attached, ...]:
    """Points of an arc about z of a frame, from an angle from its x on, anticlockwise."""
    angles = start + np.linspace(0.0, sweep, 2 + int(abs(sweep) / 0.15))
    ways = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1) @ R.T
    return tuple(world(centre + radius * way) for way in ways)


def turning(
    view: View, kind: str, centre: Array, value: float, text: str, *, axis: Array | None = None
) -> Mark:
    """An arrow round a place, about z or an axis, in the sense of a number."""
    start, sweep = (np.pi / 5, 1.3 * np.pi) if value >= 0 else (0.8 * np.pi, -1.3 * np.pi)
    R = IN_PLANE if axis is None else rotation_aligning(axis)
    radius = (0.045 if view.scene.plane else 0.065) * view.size
    return Mark(kind, arc(centre, radius, start - 0.25 * sweep, sweep, R), text=text)


def shows(part: Part) -> bool:
    """Whether anything is seen of it: of a vector, unless it is zero or has no value."""
    return not isinstance(part, Vector) or 0.0 < float(np.linalg.norm(part.value)) < np.inf


def longest_of(parts: Iterable[Part]) -> dict[str, float]:
    """Sizes of the longest vectors, by their unit."""
    longest: dict[str, float] = {}
    for part in parts:
        if isinstance(part, Vector):
            size = float(np.linalg.norm(part.value))
            longest[part.unit] = max(size, longest.get(part.unit, 0.0))
    return longest


def laid(view: View, parts: Iterable[Part], longest: Mapping[str, float] | None = None) -> Scene:
    """The scene with overlays, their vectors to scale: that of the longest, here or of all."""
    given = list(parts)
    most = longest_of(given) if longest is None else longest
    vectors = sorted((each for each in given if isinstance(each, Vector)), key=lambda v: v.unit)
    marks = [each for each in given if isinstance(each, Mark)]
    notes = [each for each in given if isinstance(each, Note)]
    for unit, alike in groupby(vectors, key=lambda v: v.unit):
        scale = LONGEST * view.size / most[unit]
        shown = [v for v in alike if np.linalg.norm(v.value) > NOTHING * most[unit]]
        marks += [
            Mark(v.kind, (world(v.at), world(v.at + scale * v.value)), text=v.text) for v in shown
        ]
        worth = float(view.shown.values(1.0, unit))
        sample = round_value(0.8 * most[unit] * worth) / worth
        told = view.shown.told(sample, unit).replace("^2", "²")
        kinds = dict.fromkeys(v.kind for v in shown)
        notes += [Note(f"{kind} {told}", kind, scale * sample) for kind in kinds]
    return replace(
        view.scene,
        over=(*view.scene.over, *marks),
        notes=(*view.scene.notes, *dict.fromkeys(notes)),
    )


def round_value(most: float) -> float:
    """The largest of 1, 2 or 5 times a power of ten that is not more."""
    power = 10.0 ** np.floor(np.log10(most))
    return float(max(f * power for f in (1.0, 2.0, 5.0) if f * power <= most * (1 + 1e-9)))
