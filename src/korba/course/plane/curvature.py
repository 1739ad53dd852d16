"""What a higher pair looks like to second order: a circle or a straight line on each of its sides.

Two profiles in contact move, to second order, as if each were its circle of curvature: the centres
of the two circles keep their distance. A straight profile has no centre but a direction.

    profile of a cam    centre P - rho n,  rho = |t| / turning          (2.85-2.87)
    teeth of wheels     their involutes have the feet of the perpendiculars from the centres of the
                        wheels to the line of action as centres of curvature
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import StructureError
from ...model.joint import Joint
from ...model.joints.cam import CamContact, CamFlat, CamRoller
from ...model.joints.gear_mesh import GearMesh
from ...model.joints.pin_in_slot import PinInSlot
from ...spatial.rotation import Array
from .instant import Instant, turned

FLAT = 1e-9
"""Curvature times typical length below which a profile is straight."""
USUAL = np.radians(20.0)
"""Pressure angle taken for wheels whose mesh has none."""


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a contact: the centre of its circle, or a point and the direction of its line."""

    at: Array
    direction: Array | None = None


@dataclass(frozen=True, eq=False)
class Contact:
    """Both sides of a higher pair, in the plane of the drawing, and what is to say about it."""

    parent: Side
    child: Side
    notes: tuple[str, ...] = ()


def contact(now: Instant, joint: Joint) -> Contact:
    """The sides of a higher pair."""
    if type(joint) not in SIDES:
        raise StructureError(
            f"joint {joint.name!r}: no lower pairs are known to replace a {joint.type} pair"
        )
    return SIDES[type(joint)](now, joint)


def _in_plane(now: Instant, joint: Joint, p: Any) -> Array:
    """A point of F in the plane of the drawing."""
    return np.asarray(now.X_WF[joint.name].point([*p, 0.0])[:2], dtype=float)


def _cam(now: Instant, joint: CamContact) -> Side:
    """Circle of curvature of a cam's profile at the contact."""
    beta = float(now.q[joint.name][0])
    point = np.asarray(joint.contact(beta)[0], dtype=float)
    tangent, speed, turning, _ = joint.tangent(beta)
    tangent = np.asarray(tangent, dtype=float)
    if abs(turning / speed) * now.scale < FLAT:
        along = _in_plane(now, joint, tangent) - _in_plane(now, joint, np.zeros(2))
        return Side(_in_plane(now, joint, point), along)
    inward = turned(tangent)
    return Side(_in_plane(now, joint, point + inward * float(speed / turning)))


def _roller(now: Instant, joint: CamRoller) -> Contact:
    return Contact(_cam(now, joint), Side(now.place(joint)))


def _flat(now: Instant, joint: CamFlat) -> Contact:
    x = np.asarray(now.X_WM[joint.name].R[:2, 0], dtype=float)
    side = _cam(now, joint)
    if side.direction is not None:
        raise StructureError(
            f"joint {joint.name!r}: cam and follower are both straight at the contact, so they "
            "touch along a line and there is no equivalent linkage at this position"
        )
    return Contact(side, Side(side.at, x))


def _yoke(now: Instant, joint: PinInSlot) -> Contact:
    z = np.asarray(now.X_WF[joint.name].R[:2, 2], dtype=float)
    pin = now.place(joint)
    return Contact(Side(pin, z), Side(pin))


def _wheels(now: Instant, joint: GearMesh) -> Contact:
    """Feet of the perpendiculars to the line of action."""
    centre = np.asarray(now.X_WF[joint.name].p[:2], dtype=float), now.place(joint)
    rolling, parting = now.freedoms(joint).T
    pitch = np.array([-rolling[2], rolling[1]]) / rolling[0]
    notes = [f"wheels of {joint.name}: the linkage holds while their distance does not change"]
    if joint.pressure_angle:
        other = np.array([-parting[2], parting[1]]) / parting[0]
        along = (other - pitch) / np.linalg.norm(other - pitch)
    else:
        line = (centre[1] - centre[0]) / np.linalg.norm(centre[1] - centre[0])
        along = np.cos(USUAL) * turned(line) + np.sin(USUAL) * line
        notes.append(f"wheels of {joint.name}: drawn with a pressure angle of 20 deg")
    feet = [Side(pitch + along * float((c - pitch) @ along)) for c in centre]
    return Contact(feet[0], feet[1], tuple(notes))


SIDES: dict[type[Joint], Callable[[Instant, Any], Contact]] = {
    CamRoller: _roller,
    CamFlat: _flat,
    PinInSlot: _yoke,
    GearMesh: _wheels,
}
"""The higher pairs of the plane."""
