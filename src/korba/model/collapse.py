"""Links without a length: bodies whose joints have all fallen together.

A body that pins, balls and pins of slots hold at points is a link between these points. Where all
of them are one point, or lie on the axis of its pins, nothing is left of the link,

    l^2 = sum of |d_k - (d_k' z) z|^2 = 0,    d_k from the first point on, z the axis         (1)

and whatever it should move stands still. Two pins on one axis may be meant so; they are not where
the place of one, and not of all alike, was written in terms of a parameter: then it is a design
that has collapsed. Bodies that something else holds, a slide or a gear, have other sizes, and so
has the base.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Fault
from ..expr import Expr
from ..spatial.rotation import Array, cross, rotation_aligning
from .body import Body
from .drawing import joint_frames
from .joint import Joint
from .parameters import names_in

if TYPE_CHECKING:
    from .mechanism import Mechanism

NOTHING = 1e-9
"""Length beside the typical one that is none."""


class Link(NamedTuple):
    """A body between points."""

    body: Body
    joints: tuple[Joint, ...]
    square: Any
    """(1)."""


def links_between_points(m: Mechanism) -> list[Link]:
    """Bodies that are held at points alone, two or more, with (1) in numbers or symbols."""
    links, joined = [], dict[str, list[Joint]]()
    for joint in m.joints:
        joined.setdefault(joint.parent, []).append(joint)
        joined.setdefault(joint.child, []).append(joint)
    for body in m.bodies:
        joints = joined.get(body.name, [])
        ends = [_end(joint, body.name) for joint in joints]
        if len(joints) < 2 or None in ends or len({j.placed_by_frames for j in joints}) > 1:
            continue
        z = (0.0, 0.0, 1.0) if m.plane else _common_axis(joints, body.name)
        if z is not None:
            links.append(Link(body, tuple(joints), _square(ends, z)))
    return links


def _end(joint: Joint, body: str) -> Any:
    """Where a joint holds a body; None if not at a point."""
    if not (joint.pivots or (joint.slotted and joint.child == body)):
        return None
    if not joint.placed_by_frames:
        return joint.at
    frame = joint.on_parent if joint.parent == body else joint.on_child
    return (0.0, 0.0, 0.0) if frame is None else frame.origin


def _common_axis(joints: Sequence[Joint], body: str) -> Any:
    """The direction of all pins of a body, zeros if it has none; None if they differ."""
    axes = [_axis(joint, body) for joint in joints if not joint.turns_all_ways]
    parallel = all(_none(cross(axes[0], z)) for z in axes[1:])
    return (tuple(axes[0]) if axes else (0.0, 0.0, 0.0)) if parallel else None


def _axis(joint: Joint, body: str) -> Array:
    if not joint.placed_by_frames:
        return rotation_aligning(joint.axis or (0, 0, 1), joint.x_axis)[:, 2]
    return joint_frames(joint)[joint.parent != body].R[:, 2]


def _square(ends: Sequence[Any], z: Any) -> Any:
    """(1)."""
    total: Any = 0.0
    for end in ends[1:]:
        d = [x - y for x, y in zip(end, ends[0], strict=True)]
        along = sum(x * y for x, y in zip(d, z, strict=True))
        total = total + sum((x - along * y) ** 2 for x, y in zip(d, z, strict=True))
    return total


def least_square(m: Mechanism) -> float:
    """What (1) of a link with a length is above, for a mechanism in numbers."""
    return NOTHING**2 * max((float(link.square) for link in links_between_points(m)), default=0.0)


def _none(x: Array) -> bool:
    """Whether a vector of numbers, or of constants, is zero."""
    if any(isinstance(each, Expr) and each.op != "constant" for each in x):
        return False
    return max(abs(float(each)) for each in x) < NOTHING


def collapsed_faults(m: Mechanism) -> Iterator[Fault]:
    """Links whose length comes from parameters, and is none."""
    if not m.parameters:
        return
    links = links_between_points(m)
    least = NOTHING**2 * max((float(link.square) for link in links), default=0.0)
    for body, joints, square in links:
        if square > least:
            continue
        names = _sizes(m, body, joints)
        if names and not _together(m, joints):
            ends = " and ".join(repr(joint.name) for joint in joints[:2])
            values = ", ".join(f"{name} = {dict(m.parameters)[name]}" for name in names)
            yield body.fault(
                f"has no length between its joints {ends}, with {values}: the link has collapsed; "
                "give it a length above 0"
            )


def _together(m: Mechanism, joints: Sequence[Joint]) -> bool:
    """Whether joints were written at one place: then they are meant there, whatever its size."""
    raw = dict(m.formulas)
    first, *others = (raw.get(("joint", joint.name, "at")) for joint in joints)
    return first is not None and all(other == first for other in others)


def _sizes(m: Mechanism, body: Body, joints: tuple[Joint, ...]) -> list[str]:
    """Parameters that the places of joints on a body were written in."""
    places = {("body", body.name, "points")}
    places |= {("joint", j.name, key) for j in joints for key in ("at", "on_parent", "on_child")}
    used = set[str]().union(*(names_in(raw) for place, raw in m.formulas if place in places))
    return [name for name, _ in m.parameters if name in used]
