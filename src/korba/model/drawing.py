"""The drawing position: where every body and every joint's frames are, in the world.

A joint given by `at` and `axis` is placed in the world, so its frames on the bodies follow from
the bodies' poses; a joint given by frames places the bodies:  X_WB = X_WP X_PF X_FM X_BM^-1.

Numbers of a file have some digits only, so a loop of such joints closes but for these. A joint that
is open by no more than `MEETS` is meant to meet, and is closed here, to rounding, by moving its
frame M on the child by just that: all that is computed stands on a closed drawing. Axes in loops
that are parallel, square or meet in a point but for such digits are put right (alignment.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ExpressionError
from ..expr import Expr, evaluate, substitute, variables
from ..expr.quantities import names_size
from ..spatial.pose import Pose, identity, rotation
from ..spatial.rotation import Array, rotation_aligning
from .alignment import Axis, aligned, motion_between
from .body import GROUND
from .joint import Joint, coordinate_names

if TYPE_CHECKING:
    from .mechanism import Mechanism


BESIDE = 10.0
"""How much wider than in the drawing loops that close but for digits may be open elsewhere."""
UNDRAWN = "_undrawn"
"""The entry of a mechanism's `__dict__` that has no drawing (system/in_symbols.py)."""
MEETS = 1e-6
"""Largest gap of frames that are meant to meet, in typical lengths and radians."""
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Drawing:
    """Poses in the drawing position: bodies `X_WB`, and joint frames `X_WF`, `X_WM`."""

    X_WB: dict[str, Pose]
    X_WF: dict[str, Pose]
    X_WM: dict[str, Pose]
    q: dict[str, Array]
    """Coordinates of every joint."""
    on_bodies: dict[str, tuple[Pose, Pose]]
    """X_PF and X_BM of joints whose frames are given on the bodies, as they are."""
    opening: float = 0.0
    """Largest gap that was closed, in typical lengths and radians."""
    misses: dict[str, tuple[float, float]] = field(default_factory=dict, init=False, repr=False)
    """What `miss` has told."""

    def X_PF(self, joint: Joint) -> Pose:
        """Frame of the joint on its parent."""
        if joint.name in self.on_bodies:
            return self.on_bodies[joint.name][0]
        return self.X_WB[joint.parent].inverse() @ self.X_WF[joint.name]

    def X_BM(self, joint: Joint) -> Pose:
        """Frame of the joint on its child."""
        if joint.name in self.on_bodies:
            return self.on_bodies[joint.name][1]
        return self.X_WB[joint.child].inverse() @ self.X_WM[joint.name]

    @cached_property
    def scale(self) -> float:
        """A typical length: the median distance of neighbours in the list of joints; or 1."""
        frames = [X.p for pair in self.on_bodies.values() for X in pair]
        numbers = np.abs(frames) if frames and np.asarray(frames).dtype != object else np.zeros(1)
        return typical_length(self.points, 1e-13 * float(numbers.max()))

    @property
    def digits(self) -> float:
        """How wide loops are open for the digits of their file, typical lengths and radians."""
        return BESIDE * self.opening

    @property
    def points(self) -> Array:
        """Origins of the joints' frames M, (joints, 3)."""
        return np.array([X.p for X in self.X_WM.values()]).reshape(-1, 3)

    def where_it_meets(self, joint: Joint) -> Pose:
        """X_WM where the joint's drawn coordinates put it."""
        return self.X_WF[joint.name] @ joint.pose(self.q[joint.name])

    def miss(self, joint: Joint) -> tuple[float, float]:
        """How far M is from there, in metres and in radians."""
        if joint.name not in self.misses:
            X = self.where_it_meets(joint).inverse() @ self.X_WM[joint.name]
            turn = np.linalg.norm(X.R - np.eye(3)) / np.sqrt(2)  # 2 sin(angle / 2)
            self.misses[joint.name] = float(np.abs(X.p).max()), float(turn)
        return self.misses[joint.name]

    def gap(self, joint: Joint) -> float:
        """How far M is from there, in typical lengths and radians."""
        shift, turn = self.miss(joint)
        return max(shift / self.scale, turn)


def drawing(m: Mechanism) -> Drawing:
    """Poses of the drawing position.

    A body stands where its `frame` says; else where a joint with frames puts it, starting from a
    body that already stands; else its frame is the world's.
    """
    if m.__dict__.get(UNDRAWN):
        raise ExpressionError(f"mechanism {m.name!r} stands for many, and is not drawn")
    q = drawn_coordinates(m)
    X_WB = {GROUND: identity()} | {b.name: b.frame.pose() for b in m.bodies if b.frame}
    on_bodies = {joint.name: joint_frames(joint) for joint in m.joints if joint.placed_by_frames}
    hinges = joints_by_body(joint for joint in m.joints if joint.placed_by_frames)
    for start in ([*X_WB], *([body] for body in _drawn_first(m))):
        X_WB.setdefault(start[0], identity())
        for joint, body, other in outward(hinges, start, X_WB):
            X_PF, X_BM = on_bodies[joint.name]
            X_PB = X_PF @ joint.pose(q[joint.name]) @ X_BM.inverse()
            X_WB[other] = X_WB[body] @ (X_PB if other == joint.child else X_PB.inverse())
    frames = {
        joint.name: (X_WB[joint.parent] @ on[0], X_WB[joint.child] @ on[1])
        if (on := on_bodies.get(joint.name))
        else _in_the_world(joint, q[joint.name])
        for joint in m.joints
    }
    X_WF, X_WM = ({name: pair[i] for name, pair in frames.items()} for i in (0, 1))
    placed = Drawing(X_WB, X_WF, X_WM, q, on_bodies)
    ends = (*X_WF.values(), *X_WM.values())
    numbers = all(X.p.dtype != object for X in ends)  # sizes that are symbols meet
    framed = [joint for joint in m.joints if joint.placed_by_frames and numbers]
    nearly = [joint for joint in framed if ROUNDING < placed.gap(joint) <= MEETS]
    meeting = {joint.name: placed.where_it_meets(joint) for joint in nearly}
    for joint in nearly:
        X_BM = X_WB[joint.child].inverse() @ meeting[joint.name]
        on_bodies[joint.name] = (on_bodies[joint.name][0], X_BM)
    opening = max((placed.gap(joint) for joint in nearly), default=0.0)
    closed = replace(placed, X_WM=X_WM | meeting, opening=opening) if nearly else placed
    return _aligned(m, closed) if numbers and len(m.joints) > len(m.bodies) else closed


def _aligned(m: Mechanism, placed: Drawing) -> Drawing:
    """The drawing with the axes of joints in loops put right; the bodies stand where they stood."""
    if m.plane:
        return placed
    axes = dict(_loop_axes(m, placed))
    right = aligned(list(axes.values()), placed.scale, MEETS)
    X_WF, X_WM, on_bodies = dict(placed.X_WF), dict(placed.X_WM), dict(placed.on_bodies)
    for (names, old), new in zip(axes.items(), right, strict=True):
        for name in names if new is not old else ():
            X = motion_between(old, new)
            X_WF[name], X_WM[name] = X @ X_WF[name], X @ X_WM[name]
            on_bodies.pop(name, None)
    return replace(placed, X_WF=X_WF, X_WM=X_WM, on_bodies=on_bodies)


def _loop_axes(m: Mechanism, placed: Drawing) -> Iterator[tuple[tuple[str, ...], Axis]]:
    """Axes of the joints that turn about z or slide along z and stand in a loop.

    Two balls between the same bodies are a pin, whose axis is the line through both.
    """
    inner = _in_loops(m)
    balls: dict[frozenset[str], list[str]] = {}
    for joint in m.joints:
        if joint.name not in inner or not joint.nv:
            continue
        S = np.asarray(joint.motion_subspace(placed.q[joint.name]), dtype=float)
        if not S[[0, 1, 3, 4]].any():
            X = placed.X_WM[joint.name]
            yield (joint.name,), Axis(X.p, X.R[:, 2], slides=not S[2].any())
        elif joint.nv == 3 and not S[3:].any():
            balls.setdefault(frozenset((joint.parent, joint.child)), []).append(joint.name)
    for pair in (tuple(names) for names in balls.values() if len(names) == 2):
        p, beside = (placed.X_WM[name].p for name in pair)
        if length := float(np.linalg.norm(beside - p)):
            yield pair, Axis(p, (beside - p) / length, slides=False)


def _in_loops(m: Mechanism) -> set[str]:
    """Joints left when links with one joint are taken away, again and again."""
    joints = {joint.name: joint for joint in m.joints}
    of_body = {
        name: {joint.name for joint in own} for name, own in joints_by_body(m.joints).items()
    }
    ends = [name for name, own in of_body.items() if len(own) == 1]
    while ends:
        for lonely in of_body[ends.pop()]:
            joint = joints.pop(lonely)
            for body in (joint.parent, joint.child):
                of_body[body] = of_body[body] - {lonely}
                if len(of_body[body]) == 1:
                    ends.append(body)
    return set(joints)


def joints_by_body(joints: Iterable[Joint]) -> dict[str, list[Joint]]:
    """The joints of every body that has some."""
    of_body: dict[str, list[Joint]] = {}
    for joint in joints:
        of_body.setdefault(joint.parent, []).append(joint)
        of_body.setdefault(joint.child, []).append(joint)
    return of_body


def outward(
    joints: Mapping[str, list[Joint]], start: Iterable[str], reached: Container[str]
) -> Iterator[tuple[Joint, str, str]]:
    """Joints from a body to one not yet reached, breadth first, with the two bodies.

    Whoever asks adds the new body to `reached`.
    """
    queue = deque(start)
    while queue:
        body = queue.popleft()
        for joint in joints.get(body, ()):
            if (other := joint.other(body)) not in reached:
                yield joint, body, other
                queue.append(other)


def drawn_coordinates(m: Mechanism) -> dict[str, Array]:
    """Coordinates of every joint in the drawing position; couplings give the dependent ones."""
    q = {joint.name: joint.drawn_coordinates for joint in m.joints}
    if not m.couplings:
        return q
    place = {name: (joint, i) for joint in m.joints for i, name in enumerate(joint.coordinates())}
    values = coordinate_values(m, q)
    laws = {coupling.coordinate: coupling.law for coupling in m.couplings}
    order = TopologicalSorter({name: variables(law) for name, law in laws.items()}).static_order()
    for name in order:
        joint, i = place.get(name, (None, 0))
        if name in laws and joint is not None and joint.drawn is None:
            law = laws[name]
            needed = {leader: values[leader] for leader in variables(law) if leader in values}
            values[name] = _value(law, needed)
            if isinstance(values[name], Expr):
                q[joint.name] = q[joint.name].astype(object)
            q[joint.name][i] = values[name]
    return q


def _value(law: Expr, needed: Mapping[str, Any]) -> Any:
    """A law at numbers; at symbols, or where sizes in it are symbols, an expression."""
    symbolic = any(isinstance(value, Expr) for value in needed.values())
    if symbolic or any(map(names_size, variables(law))):
        return substitute(law, needed)
    return float(evaluate([law], needed)[0])


def coordinate_values(m: Mechanism, q: Mapping[str, Array]) -> dict[str, Any]:
    """Value of every coordinate by name, at t = 0; the springs of elastic joints are at rest."""
    values = {
        name: value if isinstance(value, Expr) else float(value)
        for joint in m.joints
        for name, value in zip(joint.coordinates(), q[joint.name], strict=True)
    } | {"t": 0.0}
    for joint in m.joints:
        if joint.elastic is not None:
            values |= zip(coordinate_names(joint), (values[joint.name], 0.0), strict=True)
    return values


def _drawn_first(m: Mechanism) -> list[str]:
    """Bodies, those with a joint placed in the drawing first: their frame is the world's."""
    drawn = {name for j in m.joints if not j.placed_by_frames for name in (j.parent, j.child)}
    return sorted((body.name for body in m.bodies), key=lambda name: name not in drawn)


def joint_frames(joint: Joint) -> tuple[Pose, Pose]:
    """X_PF and X_BM of a joint placed by frames, turned so that z is its axis."""
    turn = _turned(joint)
    X_PF = joint.on_parent.pose() if joint.on_parent else identity()
    X_BM = joint.on_child.pose() if joint.on_child else identity()
    return X_PF @ turn, X_BM @ turn


def _turned(joint: Joint) -> Pose:
    """The turn that makes the axis of a joint z."""
    axis, x_axis = joint.drawn_axes
    plain = x_axis is None and axis in (None, (0.0, 0.0, 1.0))
    return identity() if plain else rotation(rotation_aligning(axis or (0, 0, 1), x_axis))


def _in_the_world(joint: Joint, q: Array) -> tuple[Pose, Pose]:
    """X_WF and X_WM of a joint that is placed in the drawing."""
    axis, x_axis = joint.drawn_axes
    R_WJ = rotation_aligning(axis or (0, 0, 1), x_axis)
    X_WF = Pose(R_WJ, np.array(joint.at or (0.0, 0.0, 0.0))) @ joint.parent_anchor()
    return X_WF, X_WF @ joint.pose(q)


def typical_length(points: Array, rounding: float = 0.0) -> float:
    """The median distance of neighbours in a list of points, where it is no rounding; or 1."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    steps = steps[steps > max(1e-9 * steps.max(initial=0.0), rounding, 1e-150)]
    steps.sort()  # np.median would load masked arrays, which takes long
    middle = steps[(len(steps) - 1) // 2 : len(steps) // 2 + 1]
    return float(middle.mean()) if len(middle) else 1.0
