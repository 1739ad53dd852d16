"""The verb `equivalent_linkage`: a mechanism of links and lower pairs that moves as another does.

An extra link joins the centres of curvature of the two profiles by revolute pairs; where a profile
is straight, a prismatic pair along it takes the place of the revolute one (Gronowicz 3.2.2). The
links of the mechanism keep their velocities and accelerations at this instant. The linkage is
drawn in the position it stands for; its sizes change from position to position unless both
curvatures are constant. A roller that only spins idly has no place in it.

An actuator that is given by its length alone becomes a cylinder and a rod, pinned at its two ends
and sliding in each other; its drive moves the stroke, which is the length, and the motion is the
same at all times (Gronowicz, Example 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...door import public
from ...errors import StructureError
from ...expr import variables
from ...model.body import Body
from ...model.drive import Drive
from ...model.drives.joint_drive import JointDrive
from ...model.frame import Frame
from ...model.given import as_drawn
from ...model.joint import Joint
from ...model.joints.prismatic import Prismatic
from ...model.joints.revolute import Revolute
from ...model.mechanism import Mechanism
from ...model.profiles import Profiles, Side
from ...solve.configuration import Configuration
from ...spatial.pose import Pose
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from .instant import Instant, instant, placed

NEAR = 1e-9
"""Part of a typical length below which two points are one."""


@public
def equivalent_linkage(source: Mechanism | Trajectory | Configuration, at: Any = None) -> Mechanism:
    """The kinematically equivalent linkage at a position, drawn there; `notes` say what is special.

    A mechanism is taken at its drawing, at coordinates `at` or at a configuration; a motion at the
    index `at` of its times. Drives and couplings stay, forces do not; the drive of an actuator's
    length moves the stroke between its cylinder and its rod.

        >>> jack = kb.LengthDrive("jack", "ground", (1, 0), "arm", (0, 1), "1.5 m + 0.2 m/s * t")
        >>> pin = kb.Revolute("A", "ground", "arm", at=(0, 0))
        >>> m = kb.Mechanism("arm", [kb.Body("arm")], [pin], drives=[jack], plane="xy")
        >>> [joint.type for joint in kb.course.equivalent_linkage(m).joints]
        ['revolute', 'revolute', 'prismatic', 'revolute']
    """
    if isinstance(source, Trajectory):
        return linkage(placed(source, 0 if at is None else at), at_time=True)
    return linkage(instant(source, at))


def linkage(now: Instant, *, at_time: bool = False) -> Mechanism:
    """The equivalent linkage at an instant."""
    higher = [joint for joint in now.m.joints if not joint.lower_pair]
    contacts = {joint.name: contact(now, joint) for joint in higher}
    rolling = [joint for joint in higher if contacts[joint.name].rolls]
    rollers = {joint.child: pin for joint in rolling if (pin := _roller_pin(now, joint))}
    bodies = [
        as_drawn(body, frame=Frame.of_pose(_flat(now.X_WB[body.name])))
        for body in now.m.bodies
        if body.name not in rollers
    ]
    bodies += [Body(f"{joint.name} link") for joint in higher]
    actuators = [_actuator(now, drive) for drive in now.m.drives if drive.ends]
    bodies += [Body(name) for actuator in actuators for name in actuator.bodies]
    joints: list[Joint] = []
    notes: list[str] = []
    for joint in now.m.joints:
        if not joint.lower_pair:
            pin = rollers.get(joint.child)
            child = joint.child if pin is None else pin.other(joint.child)
            joints += _pairs(now, replace(joint, child=child), contacts[joint.name])
            notes += _notes(now, joint, contacts[joint.name], pin)
        elif joint not in rollers.values():
            joints.append(_redrawn(now, joint))
    joints += [joint for actuator in actuators for joint in actuator.joints]
    drives = {actuator.drive.name: actuator.drive for actuator in actuators}
    _refuse_lost(now.m, {joint.name for joint in joints} - {joint.name for joint in higher})
    where = f" at t = {now.t:g} s" if at_time else ""
    return replace(
        now.m,
        name=f"{now.m.name or 'mechanism'}, equivalent linkage{where}",
        bodies=tuple(bodies),
        poses=(),
        joints=tuple(joints),
        drives=tuple(drives.get(drive.name, drive) for drive in now.m.drives),
        forces=(),
        assembly=None,
        formulas=(),
        text="",
        notes=tuple(notes),
    )


def has_linkage(m: Mechanism) -> bool:
    """Whether the equivalent linkage of a mechanism is another one."""
    return not all(joint.lower_pair for joint in m.joints) or any(d.ends for d in m.drives)


@dataclass(frozen=True, eq=False)
class _Actuator:
    """Cylinder and rod, the pairs that hold them, and the drive of the stroke."""

    bodies: tuple[str, str]
    joints: tuple[Joint, ...]
    drive: Drive


def _actuator(now: Instant, drive: Drive) -> _Actuator:
    """What takes the place of a drive of the distance of two points."""
    (one, p), (other, q) = drive.ends  # type: ignore[misc]
    P, Q = now.X_WB[one].point(np.asarray(p)), now.X_WB[other].point(np.asarray(q))
    length = float(np.linalg.norm(Q - P))
    if length < NEAR * now.scale:
        raise StructureError(
            f"drive {drive.name!r}: both ends of the actuator are at one point at this position, "
            "so its cylinder has no direction; choose another position"
        )
    cylinder, rod, stroke = (f"{drive.name} {part}" for part in ("cylinder", "rod", "stroke"))
    at, axis = (float(P[0]), float(P[1]), 0.0), tuple((Q - P) / length)
    joints = (
        Revolute(f"{drive.name} on {one}", one, cylinder, at=at),
        Prismatic(stroke, cylinder, rod, at=at, axis=axis, drawn=(length,)),
        Revolute(f"{drive.name} on {other}", rod, other, at=(float(Q[0]), float(Q[1]), 0.0)),
    )
    return _Actuator((cylinder, rod), joints, JointDrive(drive.name, stroke, drive.laws[0]))


def contact(now: Instant, joint: Joint) -> Profiles:
    """The profiles of a higher pair, in the plane of the drawing."""
    profiles = joint.profiles(now.q[joint.name], now.scale)
    if profiles is None:
        raise StructureError(
            f"joint {joint.name!r}: no lower pairs are known to replace a {joint.type} pair"
        )
    parent, child = (_in_plane(now.X_WF[joint.name], x) for x in (profiles.parent, profiles.child))
    return replace(profiles, parent=parent, child=child)


def _in_plane(X_WF: Pose, side: Side) -> Side:
    at = np.asarray(X_WF.point(side.at)[:2], dtype=float)
    direction = side.direction
    return Side(at, None if direction is None else np.asarray((X_WF.R @ direction)[:2], float))


def _flat(X: Pose) -> Pose:
    """A pose of the plane without rounding out of it."""
    c, s = X.R[0, 0], X.R[1, 0]
    length = np.hypot(c, s)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, length]]) / length
    return Pose(R, np.array([X.p[0], X.p[1], 0.0]))


def _redrawn(now: Instant, joint: Joint) -> Joint:
    """A joint placed in the world where it is, with the coordinates it has."""
    X_WF = now.X_WF[joint.name] @ joint.parent_anchor().inverse()
    q = tuple(float(x) for x in now.q[joint.name]) or None
    if joint.needs_place:
        z, x = (tuple(np.where(np.abs(X_WF.R[:, k]) < 1e-15, 0.0, X_WF.R[:, k])) for k in (2, 0))
        frames: dict[str, Any] = {"at": (*X_WF.p[:2], 0.0), "axis": z, "x_axis": x}
        return replace(as_drawn(joint), on_parent=None, on_child=None, drawn=q, **frames)
    X_PF = now.X_WB[joint.parent].inverse() @ X_WF
    X_BM = now.X_WB[joint.child].inverse() @ now.X_WM[joint.name]
    frames = {"on_parent": Frame.of_pose(X_PF), "on_child": Frame.of_pose(X_BM)}
    return replace(as_drawn(joint), at=None, axis=None, x_axis=None, drawn=q, **frames)


def _pairs(now: Instant, joint: Joint, sides: Profiles) -> list[Joint]:
    """The two lower pairs of the extra link."""
    length = float(np.linalg.norm(sides.parent.at - sides.child.at))
    turning = sides.parent.direction is None and sides.child.direction is None
    if turning and length < NEAR * now.scale:
        raise StructureError(
            f"joint {joint.name!r}: both profiles have the same centre of curvature at this "
            "position, so there is no equivalent linkage; choose another position"
        )
    link = f"{joint.name} link"
    pin = _pin_name(now, joint, sides.child.at) if joint.slotted else ""
    return [
        _pair(f"{joint.name} on {joint.parent}", (joint.parent, link), sides.parent),
        _pair(pin or f"{joint.name} on {joint.child}", (link, joint.child), sides.child),
    ]


def _pin_name(now: Instant, joint: Joint, place: Array) -> str:
    """That of the point of the child that the pin of a slot is, B of the book; else the slot's."""
    X_WB = now.X_WB[joint.child]
    names = [
        name
        for name, p in now.m.body(joint.child).points
        if np.linalg.norm(X_WB.point(p)[:2] - place) < NEAR * now.scale
    ]
    taken = {other.name for other in now.m.joints}
    return next((name for name in names if name not in taken), joint.name)


def _pair(name: str, ends: tuple[str, str], side: Side) -> Joint:
    if side.direction is None:
        return Revolute(name, *ends, at=tuple(side.at))
    return Prismatic(name, *ends, at=tuple(side.at), axis=tuple(side.direction))


def _roller_pin(now: Instant, joint: Joint) -> Joint | None:
    """The pin of a round child that nothing but this pair and the pin holds."""
    if any(joint.child == getattr(drive, key) for drive in now.m.drives for key in drive.bodies):
        return None
    others = [j for j in now.m.joints if j.joins(joint.child) and j is not joint]
    if len(others) != 1 or not others[0].turns_only:
        return None
    driven = {drive.coordinate for drive in now.m.drives}
    apart = np.linalg.norm(now.place(others[0]) - now.place(joint))
    return others[0] if apart < NEAR * now.scale and others[0].name not in driven else None


def _notes(now: Instant, joint: Joint, sides: Profiles, pin: Joint | None) -> list[str]:
    """A roller that vanished, and cranks of length zero."""
    notes = list(sides.notes)
    if pin is not None:
        notes.append(
            f"roller {joint.child!r} is not in the linkage: its spin cannot be obtained from it"
        )
    for body, side in ((joint.parent, sides.parent), (joint.child, sides.child)):
        for other in now.m.joints:
            if other in (joint, pin) or not other.turns_only or side.direction is not None:
                continue
            apart = float(np.linalg.norm(now.place(other) - side.at))
            if other.joins(body) and apart < NEAR * now.scale:
                notes.append(
                    f"crank of length zero on {body!r}: the centre of curvature of {joint.name} "
                    f"is at joint {other.name}, so turning {body!r} about it moves nothing (dwell)"
                )
    return notes


def _refuse_lost(m: Mechanism, kept: set[str]) -> None:
    """Drives and couplings of coordinates that are no more."""
    lost = {name for j in m.joints if j.name not in kept for name in (j.name, *j.coordinates())}
    for drive in m.drives:
        if drive.coordinate in lost:
            raise StructureError(
                f"drive {drive.name!r} moves a coordinate of a pair that the equivalent linkage "
                "replaces; drive another joint"
            )
    for coupling in m.couplings:
        if lost & {coupling.coordinate, *variables(coupling.law)}:
            raise StructureError(
                f"coupling {coupling.coordinate!r} names a coordinate of a pair that the "
                "equivalent linkage replaces"
            )
