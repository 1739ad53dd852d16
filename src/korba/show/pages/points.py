"""Points of a scene as formulas of a mechanism's sizes: where they are on their bodies, and in the
world.

A point says what places it (`Attached.source`):

    joint B          the frame of a joint                 along B      one metre along its axis
    point P          a named point of the body            centre L     the centre of mass of a body
    outline B 0 17   a point of a curve of a joint        end S 1      where a load or drive holds
    foot B joint C   the foot of "joint C" on the axis of B
    beside ...       at a constant way from what follows, seen from a joint's frame if it is one

What says nothing stays where it was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...codegen import Program, trace
from ...kinematics.velocity import acceleration, body_pose, velocity
from ...model.drawing import Drawing, drawing
from ...model.drive import Drive
from ...model.force import Force
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.pose import Pose
from ...spatial.rotation import Array
from ...system.system import System
from ...trajectory.places import body_poses
from ...verbs.designs import DESIGN
from ..schemes.scene import Attached


class Places:
    """Points in the frames of their bodies, with sizes as the mechanism given has them."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self._frames: dict[tuple[str, str], Pose] = {}
        self._curves: dict[str, tuple[tuple[str, Array], ...]] = {}

    @cached_property
    def drawn(self) -> Drawing:
        """The drawing of the mechanism."""
        return drawing(self.m)

    def __call__(self, point: Attached) -> Array:
        """On its body, (3,)."""
        return self._placed(point.body, point.source, np.array(point.at))

    def _placed(self, body: str, source: str, at: Array) -> Array:
        kind, _, rest = source.partition(" ")
        rule = _RULES.get(kind)
        return at if rule is None else np.asarray(rule(self, body, rest))

    def frame(self, body: str, name: str) -> Pose:
        """The frame of a joint on one of its bodies."""
        if (body, name) not in self._frames:
            joint = self.joint(name)
            own = self.drawn.X_PF if joint.parent == body else self.drawn.X_BM
            self._frames[body, name] = own(joint)
        return self._frames[body, name]

    def joint(self, name: str) -> Joint:
        """A joint by its name."""
        return next(joint for joint in self.m.joints if joint.name == name)

    def outline(self, body: str, rest: str) -> Array:
        """A point of a curve that a joint shows."""
        name, curve, k = rest.rsplit(" ", 2)
        if name not in self._curves:
            self._curves[name] = self.joint(name).outlines()
        return self.frame(body, name).point(self._curves[name][int(curve)][1][int(k)])

    def end(self, _: str, rest: str) -> Array:
        """Where a load, or a drive of a length, takes hold."""
        name, i = rest.rsplit(" ", 1)
        tied: tuple[Force | Drive, ...] = (*self.m.forces, *self.m.drives)
        ends = next(each.ends for each in tied if each.name == name and each.ends)
        return np.array(ends[int(i)][1])

    def foot(self, body: str, rest: str) -> Array:
        """The foot of a point on the axis of a joint."""
        for joint in self.m.joints:
            name, _, source = rest.partition(f"{joint.name} ")
            if not name and source:
                X = self.frame(body, joint.name)
                p, along = self._placed(body, source, X.p), X.R[:, 2]
                return np.asarray(X.p + ((p - X.p) @ along) * along)
        raise KeyError(rest)

    def along(self, body: str, name: str) -> Array:
        """One metre along the axis of a joint."""
        X = self.frame(body, name)
        return np.asarray(X.p + X.R[:, 2])


_RULES: dict[str, Callable[[Places, str, str], Any]] = {
    "joint": lambda own, body, name: own.frame(body, name).p,
    "point": lambda own, body, name: dict(own.m.body(body).points)[name],
    "centre": lambda own, _, name: own.m.body(name).com,
    "outline": Places.outline,
    "end": Places.end,
    "foot": Places.foot,
    "along": Places.along,
}


class SizedPlaces:
    """Points by sizes that are symbols, and by those of the mechanism."""

    def __init__(self, m: Mechanism, system: System) -> None:
        self.system, self.sized, self.own = system, Places(system.m), Places(m)

    def __call__(self, point: Attached) -> Array:
        """On its body, (3,): formulas, or numbers."""
        kind, _, rest = point.source.partition(" ")
        if kind != "beside":
            return self.sized(point)
        inner = point._replace(source=rest)
        way = np.array(point.at) - self.own(inner)
        if rest.startswith("joint "):
            own, sized = (x.frame(point.body, rest[6:]).R for x in (self.own, self.sized))
            way = sized @ (own.T @ way) if sized.dtype == object else way
        return np.asarray(self.sized(inner) + way)

    def in_world(self, points: Sequence[Attached], axes: int) -> Program:
        """(q, p) -> the first `axes` coordinates of points in the world."""

        def places(q: Any, *_: Any) -> Array:
            X_WB = {body: body_pose(self.system.tree, q, body) for body in {p.body for p in points}}
            return np.array([X_WB[p.body].point(self(p))[:axes] for p in points])

        return trace(places, self._inputs("q"), "places")

    def on_bodies(self, points: Sequence[Attached], axes: int) -> Program:
        """(p) -> the first `axes` coordinates of points in the frames of their bodies."""
        return trace(
            lambda *_: np.array([self(p)[:axes] for p in points]), self._inputs(), "shapes"
        )

    def bodies(self) -> Program:
        """(q, p) -> rotation by rows and place of every body, in the order of the mechanism."""

        def poses(q: Any, *_: Any) -> Array:
            X = body_poses.formula(self.system, q)
            return np.concatenate([X[:, :3, :3].reshape(-1, 9), X[:, :3, 3]], axis=1)

        return trace(poses, self._inputs("q"), "bodies")

    def moving(self, points: Sequence[Attached], axes: int) -> Callable[..., list[Array]]:
        """Of a state: for each point its place, velocity and acceleration, (3, axes)."""
        tree = self.system.tree

        def moved(q: Any, v: Any, a: Any) -> list[Array]:
            rows = []
            for p in points:
                at = self(p)
                V, A = velocity(tree, q, v, p.body, at), acceleration(tree, (q, v, a), p.body, at)
                place = body_pose(tree, q, p.body).point(at)
                rows.append(np.array([place[:axes], V[3 : 3 + axes], A[3 : 3 + axes]]))
            return rows

        return moved

    def _inputs(self, *names: str) -> dict[str, int]:
        own = {"q": self.system.tree.nq}
        sizes = {DESIGN: len(self.system.parameters)} if self.system.parameters else {}
        return {name: own[name] for name in names} | sizes
