"""The drawing of a mechanism closed: bodies by their sizes, joints by points, positions a sketch.

What is said of the position is kept as far as the loops allow: coordinates that are `drawn`, then
those that drives have at t = 0, are held, and the others move by steps of least size from the
sketch (`frame` of bodies, `at` of joints that join points), from where a mechanism of other sizes
was closed, or from 0. Where that does not close, random positions are tried, the same ones every
time; then nothing is held. Frames of joints on their bodies are those of the sketch.

In the plane two links with a pin between them, that hang by a pin or a slide each on what already
stands, close in two ways: the inner pin lies left or right of the line from the joint on its parent
to the one on its child (a slide is a pin far away, left of its axis). The other way is the mirror
image. `assembly` asks for one; where nobody says, it is the left one, or the other if a slide of
the two is negative there and only there; a note tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Any

import numpy as np

from .. import hooks
from ..errors import Fault, StructureError
from ..expr.display_units import DisplayUnits
from ..model.body import GROUND
from ..model.display_units import display_units
from ..model.drawing import MEETS, Drawing
from ..model.frame import Frame
from ..model.given import made
from ..model.joint import Joint, coordinate_names
from ..model.mechanism import Mechanism
from ..model.sketches import NOTE, Assembled, Starts
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from ..wording import named
from .dyad_closing import DoesNotReachError, DyadClosing
from .least_steps import JointPoints, length_changes
from .skeleton import CLOSED, Coordinates, Skeleton
from .sketch_dyads import Dyad, dyads, mirrored, side

RANDOM_STARTS = 8
MOST_WAYS = 64
"""Ways to close dyads that are tried."""
ENOUGH = 1e-10
"""Largest residual of a closed drawing, in typical lengths and radians."""


def closed_sketch(m: Mechanism, placed: Drawing, starts: Starts) -> Assembled:
    """The mechanism with its drawing closed: fills the hook of model/sketches.py."""
    sketch = _Sketch(m, placed, starts)
    q, gap = sketch.closed()
    if not gap <= ENOUGH:
        return Assembled(m.joints, m.bodies, faults=tuple(sketch.open_faults(q)))
    q, faults = sketch.on_the_sides(q)
    if faults:
        return Assembled(m.joints, m.bodies, faults=tuple(faults))
    if isinstance(m.assembly, int) and not starts:
        q, faults = sketch.by_number(m.assembly)
        if faults:
            return Assembled(m.joints, m.bodies, faults=tuple(faults))
    joints, bodies = sketch.elements(q)
    told = [note for note in map(str, m.notes) if note.startswith(NOTE)]
    notes = told if sketch.kept else [NOTE + note for note in sketch.notes(q)]
    return Assembled(joints, bodies, tuple(notes))


class _Sketch:
    """What is known of the position before the loops are closed."""

    def __init__(self, m: Mechanism, placed: Drawing, starts: Starts) -> None:
        self.m, self.placed, self.starts = m, placed, starts
        frames = {joint.name: (placed.X_PF(joint), placed.X_BM(joint)) for joint in m.joints}
        self.skeleton = Skeleton(m.joints, frames, m.couplings, m.plane is not None)
        self.drawn = {joint.name for joint in m.joints if joint.drawn is not None}
        self.driven = self._driven()
        self.fitted: set[str] = set()
        self.kept = False
        self.unreached: DoesNotReachError | None = None
        self.q = self.skeleton.vector(self._coordinates())

    def _driven(self) -> dict[str, float]:
        """Joints of one coordinate that a drive has somewhere at t = 0, and nobody has drawn.

        What was closed before stays where it is: another drive does not change the drawing.
        """
        single = {joint.name for joint in self.m.joints if joint.nq == 1}
        values: dict[str, float] = {}
        for drive in self.m.drives:
            name = drive.coordinate
            if name is not None and name in single - self.drawn:
                (value,) = self.starts.get(name) or drive.values(0.0).values()
                values |= {name: value} if np.isfinite(value) else {}
        return values

    def _coordinates(self) -> Coordinates:
        """Where the joints start."""
        q, poses = dict(self.placed.q), self.poses
        for joint in self.m.joints:
            name = joint.name
            if name in self.driven:
                q[name] = np.array([self.driven[name]])
            elif name in self.starts and len(self.starts[name]) == joint.nq:
                q[name] = np.array(self.starts[name])
            elif name in self.drawn or not joint.placed_by_frames:
                continue
            elif joint.parent in poses and joint.child in poses:
                X_PF, X_BM = self.skeleton.frames[name]
                X_FM = (poses[joint.parent] @ X_PF).inverse() @ poses[joint.child] @ X_BM
                q[name] = self.skeleton.fitted(joint, X_FM, q[name])
                self.fitted.add(name)
        return q

    @cached_property
    def poses(self) -> dict[str, Pose]:
        """Bodies that are sketched: by their frames, by joints of the drawing, by points."""
        X_WB = {GROUND: identity()} | {b.name: b.frame.pose() for b in self.m.bodies if b.frame}
        pairs: dict[str, list[tuple[Array, Array]]] = {}
        for joint in self.m.joints:
            if not joint.placed_by_frames:
                for body in (joint.parent, joint.child):
                    X_WB.setdefault(body, self.placed.X_WB[body])
            elif joint.at is not None:
                frames, bodies = self.skeleton.frames[joint.name], (joint.parent, joint.child)
                for body, X, at in zip(bodies, frames, joint.drawn_ends, strict=True):
                    if at is not None:
                        pairs.setdefault(body, []).append((X.p, np.array(at)))
        for body, known in pairs.items():
            X_WB.setdefault(body, _nearest_pose(known))
        return X_WB

    @property
    def said(self) -> set[str]:
        """Joints whose position somebody has said, or that were closed before."""
        before = {joint.name for joint in self.m.joints if not joint.placed_by_frames}
        return self.drawn | self.driven.keys() | self.fitted | before | self.starts.keys()

    def _held(self, names: set[str]) -> Array:
        held = np.zeros(len(self.skeleton.units), dtype=bool)
        for name in names:
            held[self.skeleton.places[1][name]] = True
        return held

    @cached_property
    def holds(self) -> list[set[str]]:
        """Joints that are held, the first time, the second time, ...; in the end none are."""
        ways: list[set[str]] = [self.drawn | self.driven.keys(), self.drawn, set()]
        return [way for k, way in enumerate(ways) if way not in ways[:k]]

    def closed(self) -> tuple[Array, float]:
        """Coordinates of the closed drawing, and the gap; the smallest one where none closes."""
        if self.starts and (gap := self.skeleton.gap(self.q)) <= ENOUGH:
            self.held, self.kept = self._held(self.holds[0]), True
            return self.q, gap
        for joint in (joint for joint in self.m.joints if joint.name in self.drawn):
            self.q[self.skeleton.places[0][joint.name]] = joint.drawn_coordinates
        if (placed := self._by_dyads()) is not None:
            return placed
        best = (self.q, np.inf)
        for names in self.holds:
            held = self._held(names)
            for start in self._starts(names):
                q, gap = self.skeleton.closed(start, held)
                if gap <= ENOUGH:
                    self.held = held
                    return q, gap
                best = min(best, (q, gap), key=lambda pair: pair[1])
        return self.skeleton.closed(best[0], self._held(set()), 0.0)

    def _by_dyads(self) -> tuple[Array, float] | None:
        """The drawing closed dyad by dyad, without a search, where that goes.

        A sketch is closed from where it is: it need not be on the side where it begins.
        """
        if not self.m.plane or isinstance(self.m.assembly, int):
            return None
        held = self.holds[0]
        if self.said - held and not self.starts:
            return None
        for sides in self._sides(held):
            try:
                own = DyadClosing(self.skeleton, self.skeleton.by_name(self.q)).placed(held, sides)
            except DoesNotReachError as error:
                self.unreached = self.unreached or error
                continue
            if own is None:
                return None
            self.held = self._held(held)
            q = self.skeleton.vector(own)
            gap = self.skeleton.gap(q)
            if gap > CLOSED:
                q, gap = self.skeleton.closed(q, self.held)
            return (q, gap) if gap <= ENOUGH else None
        return None

    def _sides(self, held: set[str]) -> Iterator[dict[str, str]]:
        """Sides of pins to try: those asked for; left first where nobody says and nothing stood."""
        asked = dict(self.m.sides)
        if self.starts:
            yield asked
            return
        inner = [dyad.inner.name for dyad in dyads(self.m.joints, held, ())]
        free = [name for name in inner if name not in asked]
        for ways in islice(product(("left", "right"), repeat=len(free)), MOST_WAYS):
            yield asked | dict(zip(free, ways, strict=True))

    def _starts(self, held: set[str]) -> Iterator[Array]:
        """The sketch, then random positions of what nobody has said, or of all that is not held."""
        yield self.q
        known = held | (self.said if held or len(self.said) < len(self.m.joints) else set())
        loose = [joint for joint in self.m.joints if joint.name not in known]
        rng = np.random.default_rng(0)
        for _ in range(RANDOM_STARTS if loose else 0):
            v = np.zeros(len(self.skeleton.units))
            for joint in loose:
                place = self.skeleton.places[1][joint.name]
                v[place] = rng.uniform(-2.0, 2.0, joint.nv)
            yield self.skeleton.moved(self.q, v)

    def on_the_sides(self, q: Array) -> tuple[Array, list[Fault]]:
        """The position with pins on the sides that are asked for; left where nobody has said."""
        self.taken: list[tuple[Dyad, str]] = []
        if not self.m.plane or isinstance(self.m.assembly, int):
            return q, []
        asked, faults = dict(self.m.sides), list[Fault]()
        inner = set[str]()
        for dyad in dyads(self.m.joints, self.drawn | self.driven.keys(), asked):
            name = dyad.inner.name
            inner.add(name)
            free = not {name, dyad.first.name, dyad.second.name} & self.said
            wanted = asked.get(name, "left" if free else None)
            if wanted is None:
                continue
            q = self._on_side(q, dyad, wanted)
            q = q if name in asked else self._forward(q, dyad)
            reached = side(self.skeleton, q, dyad)
            if name not in asked:
                self.taken.append((dyad, reached))
            elif reached != wanted:
                faults.append(self._no_side(dyad, wanted))
        for name in asked.keys() - inner:
            message = (
                f"{name!r} is no pin between two links that hang on others by a pin or a slide"
            )
            faults.append(self.m.fault(message, "assembly"))
        if faults and self.unreached is not None:
            message, changes = self.unreached.told(self._shown)
            pin, why = (
                self.unreached.inner.name,
                f"{message}{self._assumed}{changes}",
            )
            message = f"on the sides asked for, {pin!r} {why}; or ask for another side"
            faults = [self.m.fault(message, "assembly")]
        return q, faults

    def _on_side(self, q: Array, dyad: Dyad, wanted: str) -> Array:
        """The mirror image where a pin is on the other side, if that closes."""
        if side(self.skeleton, q, dyad) == wanted:
            return q
        new, gap = self.skeleton.closed(mirrored(self.skeleton, q, dyad), self.held)
        return new if gap <= ENOUGH else q

    def _forward(self, q: Array, dyad: Dyad) -> Array:
        """The other way, where slides of the dyad are negative in this one and not in that."""
        slides = [joint.name for joint, _ in dyad.outer() if joint.shifts_only]

        def least(q: Array) -> float:
            own = self.skeleton.by_name(q)
            return min((float(own[name][0]) for name in slides), default=0.0)

        if least(q) >= -MEETS * self.skeleton.scale:
            return q
        other = self._on_side(q, dyad, "right")
        return other if least(other) >= 0.0 else q

    def _no_side(self, dyad: Dyad, wanted: str) -> Fault:
        first, name, second = dyad.first.name, dyad.inner.name, dyad.second.name
        return self.m.fault(
            f"{name!r} cannot lie {wanted} of the line from {first!r} to {second!r}: the loops do "
            "not close there; ask for the other side, or change a size",
            "assembly",
        )

    def by_number(self, number: int) -> tuple[Array, list[Fault]]:
        """The way of that number in `kb.configurations`, with what is drawn held, or the drives.

        The room `solve`, which is below this one, is asked for it by a hook.
        """
        modes = hooks.asked("configurations")
        held = {
            name: float(value)
            for joint in self.m.joints
            if joint.name in self.drawn and joint.rates_are_velocities
            for name, value in zip(joint.coordinates(), joint.drawn_coordinates, strict=True)
            if name not in self.m.dependent
        }
        try:
            ways = modes(replace(self.m, assembly=None), held or None)
        except StructureError as error:
            message = (
                f"a number says something only where all that moves is drawn or driven: {error}"
            )
            return self.q, [self.m.fault(message, "assembly")]
        if number >= len(ways):
            message = (
                f"there is no way {number}; {named('configurations')} knows {len(ways)}, from 0"
            )
            return self.q, [self.m.fault(message, "assembly")]
        values = ways[number].values
        q = [
            values.get(name, 0.0)
            for joint in self.m.joints
            for name in coordinate_names(joint)[: joint.nq]
        ]
        return self.skeleton.closed(np.array(q), self.held)[0], []

    def elements(self, q: Array) -> tuple[tuple[Joint, ...], tuple[Any, ...]]:
        """Joints by frames and coordinates of the closed drawing; bodies where they then are."""
        q = self._wrapped(q)
        own, X_WB = self.skeleton.by_name(q), self.skeleton.poses(q)
        joints = []
        for joint in self.m.joints:
            changes: dict[str, Any] = {"at": None} if joint.at is not None else {}
            if not joint.placed_by_frames:
                X_PF, X_BM = map(Frame.of_pose, self.skeleton.frames[joint.name])
                changes |= {"axis": (0.0, 0.0, 1.0), "x_axis": None}
                changes |= {"on_parent": X_PF, "on_child": X_BM}
            if joint.nq and not np.array_equal(own[joint.name], joint.drawn_coordinates):
                changes["drawn"] = tuple(map(float, own[joint.name]))
            joints.append(made(joint, **changes) if changes else joint)
        bodies = [
            made(body, frame=Frame.of_pose(X_WB[body.name])) if body.frame else body
            for body in self.m.bodies
        ]
        return tuple(joints), tuple(bodies)

    def _wrapped(self, q: Array) -> Array:
        """Angles that may go round, and that nobody has said, within half a turn."""
        q = q.copy()
        for joint in self.m.joints:
            for i, name in enumerate(joint.coordinate_names if joint.name not in self.said else ()):
                if name in joint.periodic:
                    k = self.skeleton.places[0][joint.name].start + i
                    q[k] -= 2 * np.pi * np.round(q[k] / (2 * np.pi))
        return q

    def notes(self, q: Array) -> Iterator[str]:
        """How far the sketch moved, and which way was taken where several close."""
        yield from self._moves(q)
        ways = [
            f"{dyad.inner.name!r} {reached} of the line {dyad.line}" for dyad, reached in self.taken
        ]
        if ways:
            other = {"left": "right", "right": "left"}
            dyad, reached = self.taken[0]
            yield (
                f"assembled with {', '.join(ways)}; assembly = {{ {dyad.inner.name} = "
                f'"{other[reached]}" }} asks for the other way'
            )
        elif not self.starts and self.m.assembly is None and self._choice:
            every = f"{named('configurations')} gives all there are"
            yield f"assembled from a position of our choice; {every}"

    @property
    def _choice(self) -> bool:
        """Whether nobody has said where a joint is that closes a loop."""
        return any(joint.name not in self.said for joint in self.skeleton.closing)

    def _moves(self, q: Array) -> Iterator[str]:
        """The largest change of a coordinate that was drawn or sketched, and of a place."""
        own, start = self.skeleton.by_name(q), self.skeleton.by_name(self.q)
        moved: dict[str, tuple[float, str]] = {}
        for joint in self.m.joints:
            if joint.name in self.said - self.starts.keys():
                for i, kind in enumerate(joint.coordinate_kinds):
                    change = abs(float(own[joint.name][i] - start[joint.name][i]))
                    turn = kind != "length"
                    unit = self._shown.told(change, "rad" if turn else "m", 3)
                    size = change / (1.0 if turn else self.skeleton.scale)
                    if size > MEETS:
                        moved[joint.name] = max(moved.get(joint.name, (0.0, "")), (size, unit))
        if moved:
            name, (_, by) = max(moved.items(), key=lambda item: item[1])
            rest = f" (and {len(moved) - 1} more by less)" if len(moved) > 1 else ""
            yield f"the sketch did not close; joint {name!r} was moved by {by}{rest}"

    def open_faults(self, q: Array) -> Iterator[Fault]:
        """Joints that are open as they are drawn, and lengths that would have to change.

        Of dyads it is the first whose links do not reach.
        """
        why = self._why_open(q)
        if self.unreached is not None:
            message, changes = self.unreached.told(self._shown)
            why = why if "lengths" in why else changes
            more = "; or ask for another side" if self.m.sides else ""
            yield self.unreached.inner.fault(f"{message}{self._assumed}{why}{more}")
            return
        gaps = {joint.name: self.placed.gap(joint) for joint in self.m.joints}
        joints = [joint for joint in self.m.joints if gaps[joint.name] > MEETS]
        for joint in joints or self.skeleton.closing:
            shift, turn = self.placed.miss(joint)
            yield joint.fault(
                "does not meet in the drawing position: its two frames are "
                f"{self._shown.told(shift, 'm', 3)} and {self._shown.told(turn, 'rad', 3)} "
                f"apart{self._assumed}{why}"
            )

    @property
    def _shown(self) -> DisplayUnits:
        """Units that people read."""
        return display_units(self.m)

    @property
    def _assumed(self) -> str:
        """Where joints are that somebody has drawn, or a drive has at the start."""
        own = self.skeleton.by_name(self.q)
        values = [
            f"{name} at {self._shown.told(x, 'rad' if kind == 'angle' else 'm')}"
            for joint in self.m.joints
            if joint.name in self.drawn | self.driven.keys() and joint.rates_are_velocities
            for name, kind, x in zip(
                joint.coordinates(), joint.coordinate_kinds, own[joint.name], strict=True
            )
        ]
        return f", with {', '.join(values)}" if values else ""

    def _why_open(self, q: Array) -> str:
        """What stays open at the nearest position, and which links would have to change."""
        phi, _ = self.skeleton.rows(q)
        height = 3 if self.m.plane else 6
        rests = phi[: height * len(self.skeleton.closing)].reshape(-1, height)
        rest = max(rests, key=np.linalg.norm)
        r = (np.array([*rest[1:], 0.0]) if self.m.plane else rest[3:]) * self.skeleton.scale
        way_out = "correct the frames, or say with `drawn` at which coordinates it is drawn"
        if not np.linalg.norm(r) > ENOUGH * self.skeleton.scale:
            return f"; {way_out}"
        changed = sorted(length_changes(self._points(q), r, self._shown))
        changes = [text for _, text in changed[:4]]
        lengths = f"it would close if one of these lengths changed: {'; '.join(changes)}"
        left = self._shown.told(float(np.linalg.norm(r)), "m", 4)
        nearest = f", and at the nearest its loop stays open by {left}"
        return f"{nearest}; {lengths if changes else way_out}"

    def _points(self, q: Array) -> JointPoints:
        """Joints of every body and where they are."""
        X_WB, points = self.skeleton.poses(q), JointPoints()
        for joint in self.m.joints:
            frames = self.skeleton.frames[joint.name]
            for body, X in zip((joint.parent, joint.child), frames, strict=True):
                points.setdefault(body, []).append((joint.name, X_WB[body].point(X.p)))
        return points


def _nearest_pose(pairs: list[tuple[Array, Array]]) -> Pose:
    """The pose that brings points of a body nearest to places in the world (Kabsch).

    Of all rotations that serve equally it is one that leaves the z axis where it is.
    """
    own, world = (np.array(points) for points in zip(*pairs, strict=True))
    a, b = own - own.mean(axis=0), world - world.mean(axis=0)
    H = b.T @ a
    H[2, 2] += 1e-3 * np.linalg.norm(a) * np.linalg.norm(b) + 1e-300
    U, _, Vt = np.linalg.svd(H)
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    if len(pairs) == 1:
        R = np.eye(3)
    return Pose(R, world.mean(axis=0) - R @ own.mean(axis=0))
