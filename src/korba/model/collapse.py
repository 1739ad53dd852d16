"""Links without a length: bodies whose joints have all fallen together.

A body that pins, balls and pins of slots hold at points is a link between these points. Where all
of them are one point, or lie on the axis of its pins, nothing is left of the link,

    l^2 = sum of |d_k - (d_k' z) z|^2 = 0,    d_k from the first point on, z the axis         (1)

and whatever it should move stands still. Two pins on one axis may be meant so; they are not where
the place of one was written in terms of a parameter: then it is a design that has collapsed. Bodies
that something else holds, a slide or a gear, have other sizes, and so has the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import Fault
from ..expr import Expr
from ..spatial.pose import Pose
from ..spatial.rotation import Array, rotation_aligning
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
    links = []
    for body in m.bodies:
        joints = tuple(joint for joint in m.joints if joint.joins(body.name))
        ends = [end for joint in joints if (end := _end(joint, body.name))]
        drawn = {joint.placed_by_frames for joint in joints}
        if len(joints) < 2 or len(ends) < len(joints) or len(drawn) > 1:
            continue
        p, axes = ends[0][0], [z for _, z in ends if z is not None]
        if all(_none(np.cross(axes[0], z)) for z in axes[1:]):
            z = axes[0] if axes else np.zeros(3)
            away = [other - p for other, _ in ends[1:]]
            links.append(Link(body, joints, sum(np.sum((d - (d @ z) * z) ** 2) for d in away)))
    return links


def least_square(m: Mechanism) -> float:
    """What (1) of a link with a length is above, for a mechanism in numbers."""
    return NOTHING**2 * max((float(link.square) for link in links_between_points(m)), default=0.0)


def _end(joint: Joint, body: str) -> tuple[Array, Array | None] | None:
    """Where a joint holds a body, and about which axis; None if not at a point."""
    pin = joint.role == "pin" or (joint.role == "slot" and joint.child == body)
    if not pin and joint.role != "ball":
        return None
    if joint.placed_by_frames:
        X_PF, X_BM = joint_frames(joint)
        X = X_PF if joint.parent == body else X_BM
    else:
        X = Pose(rotation_aligning(joint.axis or (0, 0, 1), joint.x_axis), np.array(joint.at))
    return X.p, X.R[:, 2] if pin else None


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
        if names:
            ends = " and ".join(repr(joint.name) for joint in joints[:2])
            values = ", ".join(f"{name} = {dict(m.parameters)[name]}" for name in names)
            yield body.fault(
                f"has no length between its joints {ends}, with {values}: the link has collapsed; "
                "give it a length above 0"
            )


def _sizes(m: Mechanism, body: Body, joints: tuple[Joint, ...]) -> list[str]:
    """Parameters that the places of joints on a body were written in."""
    places = {("body", body.name, "points")}
    places |= {("joint", j.name, key) for j in joints for key in ("at", "on_parent", "on_child")}
    used = set[str]().union(*(names_in(raw) for place, raw in m.formulas if place in places))
    return [name for name, _ in m.parameters if name in used]
