"""A planar `Mechanism` written in absolute coordinates: its joints as pairs, its drives as drivers.

A joint's frames F on the parent and M on the child, in the plane, are the local points and
directions of the pair. Angles of joints count from the drawing: Theta_k - Theta_j = c + sign angle,
the sign being that of the joint's axis beside the normal of the plane.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import StructureError
from ...expr import variables
from ...model.body import GROUND
from ...model.drawing import Drawing, drawing
from ...model.drive import Drive
from ...model.drives.body_drive import BodyDrive
from ...model.drives.joint_drive import JointDrive
from ...model.drives.length_drive import LengthDrive
from ...model.drives.point_drive import PointDrive
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.pose import Pose
from ...spatial.rotation import Array
from ...system.expand import expanded
from ..laws import law
from .cams import CamFlatPair, CamRollerPair, Profile
from .drivers import (
    CoupledQuantities,
    Driver,
    LinkQuantity,
    PointQuantity,
    ProfileQuantity,
    Quantity,
    StrokeQuantity,
)
from .drivers import LengthDriver as LengthRow
from .gears import FreeGearPair, GearPair
from .pairs import Constraint, PrismaticPair, RevolutePair, WeldPair, YokePair
from .system import AbsoluteSystem


@dataclass(frozen=True, eq=False)
class _Model:
    """A mechanism with its drawing and the numbers of its links and profile parameters."""

    m: Mechanism
    placed: Drawing
    number: dict[str, int]
    beta: dict[str, int]
    """Place of the profile parameter of every cam pair among the unknowns."""

    def ends(self, joint: Joint) -> tuple[int, Pose, int, Pose]:
        """Links of a joint and its frames on them."""
        X_PF, X_BM = self.placed.X_PF(joint), self.placed.X_BM(joint)
        return self.number[joint.parent], X_PF, self.number[joint.child], X_BM

    def angle(self, body: str) -> float:
        """Theta of a body in the drawing."""
        return _angle(self.placed.X_WB[body].R)


def absolute_system(m: Mechanism) -> AbsoluteSystem:
    """The equations of a planar mechanism in absolute coordinates of its bodies' frames."""
    if m.plane is None:
        raise StructureError(
            f"mechanism {m.name!r} is spatial; absolute coordinates (x, y, Theta) are for a "
            "mechanism with plane='xy'"
        )
    m = expanded(m)
    names = tuple(body.name for body in m.bodies)
    cams = [joint.name for joint in m.joints if joint.type in ("cam-roller", "cam-flat")]
    numbers = {GROUND: 0} | {name: i for i, name in enumerate(names, start=1)}
    betas = {name: 3 * len(names) + i for i, name in enumerate(cams)}
    model = _Model(m, drawing(m), numbers, betas)
    pairs = [pair for joint in m.joints if (pair := _pair(model, joint)) is not None]
    pairs += [_coupling(model, each) for each in m.couplings]
    drivers = [row for drive in m.drives for row in DRIVES[type(drive)](model, drive)]
    return AbsoluteSystem(names, tuple(pairs), tuple(drivers), _start(model, names, cams))


def _start(model: _Model, names: tuple[str, ...], cams: list[str]) -> Array:
    """The drawing in absolute coordinates."""
    found: list[float] = []
    for name in names:
        X = model.placed.X_WB[name]
        found += [float(X.p[0]), float(X.p[1]), _angle(X.R)]
    return np.array([*found, *(float(model.placed.q[name][0]) for name in cams)])


def _pair(model: _Model, joint: Joint) -> Constraint | None:
    if joint.type == "planar":
        return None
    if joint.type not in PAIRS:
        raise StructureError(f"joint {joint.name!r}: {joint.type} is no pair of the plane")
    return PAIRS[joint.type](model, joint)


def _revolute(model: _Model, joint: Joint) -> Constraint:
    j, X_PF, k, X_BM = model.ends(joint)
    return RevolutePair(j, X_PF.p[:2], k, X_BM.p[:2])


def _prismatic(model: _Model, joint: Joint) -> Constraint:
    j, X_PF, k, X_BM = model.ends(joint)
    return PrismaticPair(j, X_PF.p[:2], X_PF.R[:2, 2], k, X_BM.p[:2], _parallel(model, joint))


def _yoke(model: _Model, joint: Joint) -> Constraint:
    j, X_PF, k, X_BM = model.ends(joint)
    return YokePair(j, X_PF.p[:2], X_PF.R[:2, 2], k, X_BM.p[:2])


def _weld(model: _Model, joint: Joint) -> Constraint:
    j, X_PF, k, X_BM = model.ends(joint)
    return WeldPair(j, X_PF.p[:2], k, X_BM.p[:2], _parallel(model, joint))


def _parallel(model: _Model, joint: Joint) -> float:
    """c of Theta_j - Theta_k = c, counted as in the drawing."""
    return -_offset(model, joint, 0.0)


def _profile(model: _Model, joint: Any) -> Profile:
    X_PF = model.placed.X_PF(joint)
    return Profile(law(joint.profile, "beta"), X_PF.p[:2], X_PF.R[:2, :2])


def _cam_roller(model: _Model, joint: Any) -> Constraint:
    j, _, k, X_BM = model.ends(joint)
    place = model.beta[joint.name]
    return CamRollerPair(j, _profile(model, joint), k, X_BM.p[:2], joint.radius, place)


def _cam_flat(model: _Model, joint: Any) -> Constraint:
    j, _, k, X_BM = model.ends(joint)
    place = model.beta[joint.name]
    return CamFlatPair(j, _profile(model, joint), k, X_BM.p[:2], X_BM.R[:2, 1], place)


def _gear(model: _Model, joint: Any) -> Constraint:
    """(2.92) on the link that carries both wheels, else by the line of centres.

    In the drawing the line of centres stands at phi = Theta_j + a_j + sign alpha.
    """
    j, X_PF, k, X_BM = model.ends(joint)
    sign = float(np.sign(X_PF.R[2, 2]))
    alpha = float(model.placed.q[joint.name][0])
    a_j = float(np.arctan2(X_PF.R[1, 0], X_PF.R[0, 0]))
    phi = model.angle(joint.parent) + a_j + sign * alpha
    turn = _angle_x(joint.pose(model.placed.q[joint.name]).R)
    turned = model.angle(joint.parent) + a_j + sign * _near(turn, (1 + joint.ratio) * alpha)
    a_k = _near(float(np.arctan2(X_BM.R[1, 0], X_BM.R[0, 0])), turned - model.angle(joint.child))
    radii = float(joint.parent_radius), float(joint.child_radius)
    carrier = _carrier(model, joint)
    if carrier is None:
        lean = sign * float(np.tan(joint.pressure_angle))
        ends = (j, X_PF.p[:2], radii[0], k, X_BM.p[:2], radii[1])
        return FreeGearPair(*ends, (a_j, a_k), lean)
    apart = float(model.placed.q[joint.name][1]) - sum(radii)
    rest = sign * np.tan(joint.pressure_angle) * apart / radii[1]
    drawn = (-a_j, -a_k + rest, model.angle(carrier) - phi)
    return GearPair(j, radii[0], k, radii[1], model.number[carrier], drawn)


def _carrier(model: _Model, mesh: Joint) -> str | None:
    """The body on which both wheels turn about their centres."""
    held: dict[str, set[str]] = {mesh.parent: {mesh.parent}, mesh.child: {mesh.child}}
    centres = {
        mesh.parent: model.placed.X_WF[mesh.name].p[:2],
        mesh.child: model.placed.X_WM[mesh.name].p[:2],
    }
    size = 1e-12 * (1 + max(float(np.abs(p).max()) for p in centres.values()))
    for joint in model.m.joints:
        if joint.type == "revolute":
            for wheel, other in ((joint.parent, joint.child), (joint.child, joint.parent)):
                at = model.placed.X_WF[joint.name].p[:2]
                if wheel in centres and np.abs(at - centres[wheel]).max() <= size:
                    held[wheel].add(other)
    both = held[mesh.parent] & held[mesh.child]
    return min(both) if both else None


PAIRS: dict[str, Callable[[_Model, Any], Constraint]] = {
    "revolute": _revolute,
    "prismatic": _prismatic,
    "pin-in-slot": _yoke,
    "fixed": _weld,
    "cam-roller": _cam_roller,
    "cam-flat": _cam_flat,
    "gear-mesh": _gear,
}


def _quantity(model: _Model, coordinate: str) -> Quantity:
    """A joint's coordinate as a quantity of the absolute coordinates."""
    for joint in model.m.joints:
        if coordinate in joint.coordinates():
            place = joint.coordinates().index(coordinate)
            key = joint.type, joint.coordinate_names[place]
            if key not in QUANTITIES:
                break
            return QUANTITIES[key](model, joint, place)
    raise StructureError(
        f"coordinate {coordinate!r} is not one that absolute coordinates can drive; angles and "
        "strokes of revolute, prismatic and yoke pairs are, and beta of cams"
    )


def _turn(model: _Model, joint: Joint, place: int) -> Quantity:
    j, X_PF, k, _ = model.ends(joint)
    axis = 0 if joint.axis_in_plane else 2
    sign = float(np.sign(X_PF.R[2, axis]))
    drawn = float(model.placed.q[joint.name][place])
    return LinkQuantity(k, "theta", j, _offset(model, joint, sign * drawn), sign)


def _stroke(model: _Model, joint: Joint, place: int) -> Quantity:
    j, X_PF, k, X_BM = model.ends(joint)
    return StrokeQuantity(j, X_PF.p[:2], X_PF.R[:2, 2], k, X_BM.p[:2])


def _parameter(model: _Model, joint: Joint, place: int) -> Quantity:
    return ProfileQuantity(model.beta[joint.name])


QUANTITIES: dict[tuple[str, str], Callable[[_Model, Joint, int], Quantity]] = {
    ("revolute", "angle"): _turn,
    ("prismatic", "stroke"): _stroke,
    ("pin-in-slot", "stroke"): _stroke,
    ("pin-in-slot", "angle"): _turn,
    ("cam-roller", "angle"): _turn,
    ("cam-roller", "beta"): _parameter,
    ("cam-flat", "beta"): _parameter,
}


def _offset(model: _Model, joint: Joint, turned: float) -> float:
    """Theta_k - Theta_j at the angle 0, counted so that the drawing has turned as drawn."""
    _, X_PF, _, X_BM = model.ends(joint)
    zero = _angle(X_PF.R @ joint.pose(np.zeros(joint.nq)).R @ X_BM.R.T)
    drawn = model.angle(joint.child) - model.angle(joint.parent)
    return _near(zero, drawn - turned)


def _coupling(model: _Model, coupling: Any) -> Constraint:
    by = {name: _quantity(model, name) for name in sorted(variables(coupling.law) - {"t"})}
    return CoupledQuantities(_quantity(model, coupling.coordinate), coupling.law, by)


def _joint_drive(model: _Model, drive: JointDrive) -> list[Constraint]:
    return [Driver(_quantity(model, drive.joint), law(drive.position))]


def _body_drive(model: _Model, drive: BodyDrive) -> list[Constraint]:
    k, j = model.number[drive.body], model.number[drive.relative_to]
    found: list[Constraint] = [
        Driver(LinkQuantity(k, key, j), law(getattr(drive, key)))
        for key in ("x", "y")
        if getattr(drive, key) is not None
    ]
    if drive.angle is not None:
        f = law(drive.angle)
        drawn = model.angle(drive.body) - model.angle(drive.relative_to)
        turns = _near(drawn, f(0.0)) - drawn
        found.append(Driver(LinkQuantity(k, "theta", j, -turns), f))
    return found


def _length_drive(model: _Model, drive: LengthDrive) -> list[Constraint]:
    a, b = model.number[drive.body_a], model.number[drive.body_b]
    at_a, at_b = np.array(drive.at_a)[:2], np.array(drive.at_b)[:2]
    return [LengthRow(a, at_a, b, at_b, law(drive.length))]


def _point_drive(model: _Model, drive: PointDrive) -> list[Constraint]:
    k, at = model.number[drive.body], np.array(drive.at)[:2]
    keys = [key for key in ("x", "y") if getattr(drive, key) is not None]
    return [Driver(PointQuantity(k, at, key), law(getattr(drive, key))) for key in keys]


DRIVES: dict[type[Drive], Callable[[_Model, Any], list[Constraint]]] = {
    JointDrive: _joint_drive,
    BodyDrive: _body_drive,
    LengthDrive: _length_drive,
    PointDrive: _point_drive,
}


def _angle(R: Any) -> float:
    """Angle of a rotation in the plane."""
    return float(np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]))


def _angle_x(R: Any) -> float:
    """Angle of the x axis of a frame."""
    return float(np.arctan2(R[1, 0], R[0, 0]))


def _near(angle: float, wanted: float) -> float:
    """The angle with the whole turns that bring it nearest to another."""
    return float(angle + 2 * np.pi * np.round((wanted - angle) / (2 * np.pi)))
