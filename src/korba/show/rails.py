"""Sliding pairs in pictures: which body is the block, which the rail, and how long it is.

The model says a direction and a place; a picture needs more. The block is the body that is pinned
to others at one place, the rail the one that reaches farther (ground always is the rail), and the
rail is as long as the block's way in the positions shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.body import GROUND
from ..model.drawing import Drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose
from ..spatial.rotation import Array

SLIDES = ("slide", "slot")
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
    """The joint, where its own frame is the centre of the block."""

    def marks(self, point: Callable[..., Any], mark: Callable[..., Any]) -> Iterator[Any]:
        """The way, and what moves along it."""
        ends = tuple(point(self.rail, p) for p in self.line)
        name = self.joint.name
        way = "slot way" if self.joint.role == "slot" else "rail"
        yield mark("ground rail" if self.rail == GROUND else way, ends, name)
        here = (
            point(self.block, self.centre, self.source),
            point(self.block, self.centre + self.along, self.source.replace("joint", "beside")),
        )
        yield mark("slot" if self.joint.role == "slot" else "block", here, name)


def rails_of(m: Mechanism, at: Drawing, poses: Array) -> Iterator[Rail]:
    """The rails of all sliding pairs of a mechanism at the poses shown."""
    bodies = [GROUND, *(body.name for body in m.bodies)]
    for joint in m.joints:
        if joint.role in SLIDES:
            yield _rail(m, at, poses, joint, bodies)


def _rail(m: Mechanism, at: Drawing, poses: Array, joint: Joint, bodies: list[str]) -> Rail:
    frames = {joint.parent: at.X_PF(joint), joint.child: at.X_BM(joint)}
    others = {body: _others(m, at, joint, body) for body in frames}
    rail, block = joint.parent, joint.child
    if joint.role == "slide" and _is_block(others, rail, block):
        rail, block = block, rail
    centre = np.asarray(frames[block].p, dtype=float)
    along = np.asarray(frames[block].R[:, 2], dtype=float)
    if joint.role == "slide" and others[block]:
        nearest = min(others[block], key=lambda p: _beside(p, centre, along))
        centre = centre + along * float((nearest - centre) @ along)
    way = _way(poses[:, bodies.index(rail)], poses[:, bodies.index(block)], frames[rail], centre)
    reach = BLOCK * at.scale * (2.2 if rail == GROUND else 2.0)
    start, along_rail = frames[rail].p, frames[rail].R[:, 2]
    ends = (start + along_rail * (min(way) - reach), start + along_rail * (max(way) + reach))
    own = bool(np.linalg.norm(centre - frames[block].p) < 1e-9 * at.scale)
    return Rail(joint, rail, block, ends, centre, along, f"joint {joint.name}" if own else "")


def _is_block(others: dict[str, list[Array]], one: str, two: str) -> bool:
    """Whether the first of two bodies is the block: it is held at fewer places."""
    if GROUND in (one, two):
        return two == GROUND
    return len(others[one]) < len(others[two])


def _others(m: Mechanism, at: Drawing, joint: Joint, body: str) -> list[Array]:
    """Places of the other joints of a body."""
    frames = [
        at.X_PF(other) if other.parent == body else at.X_BM(other)
        for other in m.joints
        if other is not joint and other.joins(body)
    ]
    return [np.asarray(X.p, dtype=float) for X in frames]


def _beside(p: Array, centre: Array, along: Array) -> float:
    return float(np.linalg.norm(np.cross(p - centre, along)))


def _way(rails: Array, blocks: Array, frame: Pose, centre: Array) -> list[float]:
    """Where the block is along the rail at every position."""
    way = []
    for X_rail, X_block in zip(rails, blocks, strict=True):
        world = X_block[:3, :3] @ centre + X_block[:3, 3]
        own = X_rail[:3, :3].T @ (world - X_rail[:3, 3])
        way.append(float((own - frame.p) @ frame.R[:, 2]))
    return way
