"""Sizes of links: where a joint sits on a body, and what is seen when that changes.

The basic dimensions of a link place its half-pairs, points and axes, on it (section 1.2.3). Here a
size moves the half of one joint on one body, along or about one direction that is fixed in it:

    ("rod", "B", "C")              distance of two joints: C moves away from B
    ("rod", "B", "C", "twist")     angle of two axes: C turns about the line from B to C
    ("rod", "C", "offset")         C moves along its own axis
    ("rod", "C", "dx"), "dy", "dz" C moves along the axes of the body
    ("rod", "C", "rx"), "ry", "rz" C turns about them

The axes of a body are those of the drawing unless it has a frame of its own. With V the twists of
the bodies, a size that grows by d opens the rows of its joint, A V, by its opening o d.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import StructureError, refuse_unknown
from ..kinematics.rows import in_rows
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross, rotation_about, skew
from ..spatial.subspace import pseudo_inverse
from .placement import Placement

Size = tuple[str, str, str] | tuple[str, str, str, str]
"""A body, one of its joints, and another joint or a direction."""

Half = tuple[int, bool]
"""The half of a joint by its number, on its parent or on its child."""

COMPONENTS = ("rx", "ry", "rz", "dx", "dy", "dz")
"""Turns about the axes of a body and shifts along them, in the order of a 6-vector."""


@dataclass(frozen=True, eq=False)
class Shift:
    """How the half of a joint moves on its body as a size grows by one."""

    joint: int
    on_parent: bool
    motion: Array
    """Its twist about its own origin, in the axes of the body, angular first."""

    @property
    def half(self) -> Half:
        """The half that moves."""
        return self.joint, self.on_parent

    @property
    def kind(self) -> str:
        """Whether the size is an angle or a length."""
        return "angle" if np.any(self.motion[:3]) else "length"


def shift_of(place: Placement, size: Size) -> Shift:
    """How a size of the drawing moves its joint."""
    body, first, *rest = size
    refuse_unknown("body", body, place.graph.bodies, f"size {size}")
    _check_joint(place, size, first)
    if rest[0] in (*COMPONENTS, "offset") and rest[0] not in place.graph.joints:
        if len(rest) > 1:
            raise StructureError(f"size {size}: expected nothing after {rest[0]!r}")
        return _component(place, body, first, rest[0])
    _check_joint(place, size, rest[0])
    u = half(place, body, rest[0]).p - half(place, body, first).p
    if (length := float(np.linalg.norm(u))) < 1e-9 * place.scale:
        raise StructureError(
            f"size {size}: the two joints coincide, so their distance has no direction; give the "
            f"shift as {(body, rest[0], 'dx')} or along another axis"
        )
    motion = np.zeros(6)
    if rest[1:] not in ([], ["twist"]):
        raise StructureError(f"size {size}: expected 'twist' or nothing, got {rest[1]!r}")
    motion[slice(0, 3) if rest[1:] else slice(3, 6)] = u / length
    return _shift(place, body, rest[0], motion)


def _component(place: Placement, body: str, joint: str, word: str) -> Shift:
    motion = np.zeros(6)
    if word == "offset":
        motion[3:] = half(place, body, joint).R[:, 2]
    else:
        motion[COMPONENTS.index(word)] = 1.0
    return _shift(place, body, joint, motion)


def _shift(place: Placement, body: str, joint: str, motion: Array) -> Shift:
    j = place.graph.joints.index(joint)
    return Shift(j, place.m.joints[j].parent == body, motion)


def _check_joint(place: Placement, size: Size, name: str) -> None:
    if name not in place.graph.joints:
        known = ", ".join(map(repr, (*COMPONENTS, "offset")))
        raise StructureError(
            f"size {size}: there is no joint {name!r}; expected a joint of body {size[0]!r}, or a "
            f"direction: {known}"
        )
    if not place.m.joint(name).joins(size[0]):
        raise StructureError(f"size {size}: joint {name!r} is not on body {size[0]!r}")


def half(place: Placement, body: str, joint: str) -> Pose:
    """The half of a joint that a body carries, in the body's frame."""
    tie = place.ties[place.graph.joints.index(joint)]
    return tie.X_LF if tie.joint.parent == body else tie.X_LM


def joint_shifts(place: Placement, joint: int) -> list[Shift]:
    """The six motions of a joint's half on its child, about and along the joint's own axes."""
    R = np.asarray(place.ties[joint].X_LM.R)
    turns = [np.concatenate([R[:, i], np.zeros(3)]) for i in range(3)]
    slides = [np.concatenate([np.zeros(3), R[:, i]]) for i in range(3)]
    return [Shift(joint, False, motion) for motion in (*turns, *slides)]


def openings(place: Placement, shifts: Sequence[Shift], amounts: Array | None = None) -> Array:
    """Columns: what the rows of all constraints see when each size grows by one, from `amounts`."""
    starts = np.cumsum([0, *(W.shape[1] for W in place.blocked)])
    columns = np.zeros((place.matrix().shape[0], len(shifts)))
    for column, shift, seen in zip(columns.T, shifts, _seen(place, shifts, amounts), strict=True):
        j = shift.joint
        column[starts[j] : starts[j + 1]] = place.blocked[j].T @ seen
    return columns


def rate_openings(
    place: Placement, shifts: Sequence[Shift], amounts: Array, coordinate: str
) -> Array:
    """What a coordinate sees when each size grows by one, the bodies standing still."""
    ((key, rates),) = place.coordinate(coordinate)[1].items()
    row = (np.asarray(rates) @ pseudo_inverse(place.freedom[-1 - key]))[0]
    seen = _seen(place, shifts, amounts)
    return np.array(
        [row @ s if shift.joint == -1 - key else 0.0 for shift, s in zip(shifts, seen, strict=True)]
    )


def _seen(place: Placement, shifts: Sequence[Shift], amounts: Array | None) -> list[Array]:
    """Motion of child from parent that the rows of its joint see as each size grows by one.

    A turn w on top of a small turn a that is there adds  w + a x w / 2 + a x (a x w) / 6.
    """
    totals = _totals(shifts, np.zeros(len(shifts)) if amounts is None else amounts)
    motions = []
    for shift in shifts:
        there, w = skew(totals[shift.half][:3]), shift.motion[:3]
        motion = _motion_at(place, shift, w + there @ w / 2 + there @ there @ w / 6)
        sign = -1.0 if shift.on_parent else 1.0
        motions.append(sign * in_rows(place, place.X_WM[shift.joint].R, motion))
    return motions


def _motion_at(place: Placement, shift: Shift, turn: Array) -> Array:
    """The motion at the origin of M in world axes, lengths divided by the typical length."""
    tie = place.ties[shift.joint]
    body, X_LH = (tie.parent, tie.X_LF) if shift.on_parent else (tie.child, tie.X_LM)
    X_WB = place.X_WB[body]
    w, v = X_WB.R @ turn, X_WB.R @ shift.motion[3:]
    arm = place.X_WM[shift.joint].p - X_WB.point(X_LH.p)
    return np.concatenate([w, (v + cross(w, arm)) / place.scale])


def resized(place: Placement, shifts: Sequence[Shift], amounts: Iterable[float]) -> Placement:
    """The placement with the joints shifted on their bodies; the bodies stay where they are.

    Turns of one half add up to a rotation vector, so that their order does not matter.
    """
    ties = list(place.ties)
    for (j, on_parent), total in _totals(shifts, amounts).items():
        X = ties[j].X_LF if on_parent else ties[j].X_LM
        angle = float(np.linalg.norm(total[:3]))
        R = rotation_about(total[:3] / angle, angle) @ X.R if angle > 0 else X.R
        X = Pose(R, X.p + total[3:])
        ties[j] = replace(ties[j], X_LF=X) if on_parent else replace(ties[j], X_LM=X)
    return replace(place, ties=tuple(ties))


def _totals(shifts: Sequence[Shift], amounts: Iterable[float]) -> dict[Half, Array]:
    """The motion of every half of a joint that is shifted, all its sizes together."""
    totals: dict[Half, Array] = {}
    for shift, amount in zip(shifts, amounts, strict=True):
        totals[shift.half] = totals.get(shift.half, np.zeros(6)) + amount * shift.motion
    return totals
