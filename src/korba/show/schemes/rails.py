"""Sliding pairs in pictures: which body is the block, which the rail, and how long it is.

The model says a direction and a place; a picture needs more. The block is the body that is pinned
to others at one place, the rail the one that reaches farther (ground always is the rail), and the
rail is as long as the block's way in the positions shown. The block stands where the joint is if
other joints of its body are on both sides of that, as those of a rack, and else beside one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.body import GROUND
from ...model.drawing import Drawing
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.pose import Pose
from ...spatial.rotation import Array, cross

BLOCK = 0.18
"""Half the length of a rail beyond its block, in typical lengths."""


@dataclass(frozen=True, eq=False)
class Rail:
    """A straight way on one body for a block, or for a pin, of another."""

    joint: Joint
    rail: str
    block: str
    line: tuple[Array, Array]
    """Both ends on the rail's body."""
    centre: Array
    """Of the block, on its body."""
    along: Array
    """Direction of the way on the block's body."""
    source: str
    """What places the centre of the block: the joint, or the foot of another on its axis."""
    reach: float
    """Of the rail beyond the block's way."""
    start: Array
    """The joint's frame on the rail's body."""
    ahead: Array
    """Its direction there."""
    way: tuple[float, ...] = ()
    """Where the centre of the block is along it at every position shown."""
    rod: float = 0.0
    """Of a follower on the base: how far along the way its guide stands from it."""

    @property
    def track(self) -> tuple[tuple[str, Array, str], ...]:
        """Body, place and source of the frame on the rail, a point along it, and the block."""
        ahead = self.start + self.ahead
        return (
            (self.rail, self.start, f"joint {self.joint.name}"),
            (self.rail, ahead, f"along {self.joint.name}"),
            (self.block, self.centre, self.source),
        )

    def marks(self, point: Callable[..., Any], mark: Callable[..., Any]) -> Iterator[Any]:
        """The way, and what moves along it."""
        ends = tuple(point(self.rail, p) for p in self.line)
        name = self.joint.name
        if self.rod:
            yield from self._follower(point, mark)
            return
        way = "slot way" if self.joint.slotted else "rail"
        yield mark("ground rail" if self.rail == GROUND else way, ends, name)
        here = (
            point(self.block, self.centre, self.source),
            point(self.block, self.centre + self.along, f"beside {self.source}"),
        )
        yield mark("slot" if self.joint.slotted else "block", here, name)

    def _follower(self, point: Callable[..., Any], mark: Callable[..., Any]) -> Iterator[Any]:
        """A rod that goes from a cam through a guide of the base."""
        low, high = ((end - self.start) @ self.ahead for end in self.line)
        half = (high - low) / 2 - self.reach
        top = self.centre + self.along * (self.rod + np.sign(self.rod) * (half + 1.2 * self.reach))
        foot = point(self.block, self.centre, self.source)
        yield mark("bar", (foot, point(self.block, top, f"beside {self.source}")), self.block)
        middle = self.start + self.ahead * ((low + high) / 2 + self.rod)
        beside = f"beside joint {self.joint.name}"
        ends = (point(self.rail, p, beside) for p in (middle, middle + self.ahead))
        yield mark("guide", tuple(ends), self.joint.name)


def rails_of(m: Mechanism, at: Drawing, poses: Array) -> Iterator[Rail]:
    """The rails of all sliding pairs of a mechanism at the poses shown."""
    bodies = [GROUND, *(body.name for body in m.bodies)]
    for joint in m.joints:
        if joint.shifts_only or joint.slotted:
            yield _rail(m, at, poses, joint, bodies)


def _rail(m: Mechanism, at: Drawing, poses: Array, joint: Joint, bodies: list[str]) -> Rail:
    frames = {joint.parent: at.X_PF(joint), joint.child: at.X_BM(joint)}
    others = {body: others_on(m, at, joint, body) for body in frames}
    rail, block = joint.parent, joint.child
    if joint.shifts_only and _is_block(others, rail, block):
        rail, block = block, rail
    centre = np.asarray(frames[block].p, dtype=float)
    along = np.asarray(frames[block].R[:, 2], dtype=float)
    source = f"joint {joint.name}"
    if joint.shifts_only and others[block]:
        near, place = min(others[block], key=lambda other: _beside(other[1], centre, along))
        ways = np.array([(other - centre) @ along for _, other in others[block]])
        if np.abs(ways).min() > 1e-9 * at.scale and not np.ptp(np.sign(ways)):
            centre = centre + along * float((place - centre) @ along)
            source = f"foot {joint.name} joint {near}"
    way = _way(poses[:, bodies.index(rail)], poses[:, bodies.index(block)], frames[rail], centre)
    reach = BLOCK * at.scale * (2.2 if rail == GROUND else 2.0)
    start, along_rail = frames[rail].p, frames[rail].R[:, 2]
    ends = (start + along_rail * (min(way) - reach), start + along_rail * (max(way) + reach))
    rod = _rod(m, at, block, centre, along) if m.plane and rail == GROUND else 0.0
    rod = rod if joint.shifts_only else 0.0
    return Rail(
        joint, rail, block, ends, centre, along, source, reach, start, along_rail, tuple(way), rod
    )


def _rod(m: Mechanism, at: Drawing, block: str, centre: Array, along: Array) -> float:
    """How far from a follower its guide stands, away from its cam; 0 of what touches no curve."""
    X = at.X_WB[block]
    pins = [j for j in m.joints if j.turns_only and j.joins(block)]
    rollers = {body for j in pins for body in (j.parent, j.child)} - {GROUND}
    for joint in m.joints:
        mine = next((b for b in (block, *rollers) if joint.joins(b)), None)
        curves = [curve for _, curve in joint.outlines() if len(curve) > 2]
        if joint.wheels or mine is None or not curves:
            continue
        other = joint.parent if joint.child == mine else joint.child
        place = at.X_WF[joint.name].p if other == joint.parent else at.X_WM[joint.name].p
        away = float((X.point(centre) - place) @ (X.R @ along))
        largest = max(float(np.linalg.norm(curve, axis=1).max()) for curve in curves)
        return float(np.copysign(max(0.75 * largest, 0.6 * at.scale), away))
    return 0.0


def _is_block(others: dict[str, list[tuple[str, Array]]], one: str, two: str) -> bool:
    """Whether the first of two bodies is the block: it is held at fewer places."""
    if GROUND in (one, two):
        return two == GROUND
    return len(others[one]) < len(others[two])


def others_on(m: Mechanism, at: Drawing, joint: Joint, body: str) -> list[tuple[str, Array]]:
    """Names and places of the other joints of a body."""
    frames = [
        (other.name, at.X_PF(other) if other.parent == body else at.X_BM(other))
        for other in m.joints
        if other is not joint and other.joins(body)
    ]
    return [(name, np.asarray(X.p, dtype=float)) for name, X in frames]


def _beside(p: Array, centre: Array, along: Array) -> float:
    return float(np.linalg.norm(cross(p - centre, along)))


def _way(rails: Array, blocks: Array, frame: Pose, centre: Array) -> list[float]:
    """Where the block is along the rail at every position."""
    way = []
    for X_rail, X_block in zip(rails, blocks, strict=True):
        world = X_block[:3, :3] @ centre + X_block[:3, 3]
        own = X_rail[:3, :3].T @ (world - X_rail[:3, 3])
        way.append(float((own - frame.p) @ frame.R[:, 2]))
    return way
