"""The joints of a URDF file: types, axes, limits, friction, and joints that mimic others."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from sys import float_info
from typing import Any

import numpy as np

from ..expr import variable
from ..model.coupling import Coupling
from ..model.joint import Friction, Joint
from ..model.joints.fixed import Fixed
from ..model.joints.free import Free
from ..model.joints.planar import Planar
from ..model.joints.prismatic import Prismatic
from ..model.joints.revolute import Revolute
from .urdf_parts import LARGEST, UNLIMITED, Findings, Where, nearest, numbers, origin_frame, vector
from .xml_tree import XmlElement

TYPES: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "fixed": Fixed,
    "floating": Free,
    "planar": Planar,
}

MISSING_LIMITS = "joints should have limits and give none; they move without"
CONTINUOUS_LIMITS = "limits of continuous joints are not carried over"
MANY_LIMITS = "limits of joints with several freedoms are not carried over"
FIXED_MIMIC = "fixed joints that mimic others have nothing to move"


@dataclass(frozen=True)
class Mimic:
    """`q = multiplier * q_leader + offset`."""

    joint: str
    leader: str
    multiplier: float
    offset: float
    line: int

    def coupling(self) -> Coupling:
        """The same as a coupling of the model."""
        law = variable(self.leader) * self.multiplier + self.offset
        return Coupling(self.joint, self.joint, law)


def read_joint(element: XmlElement, name: str, found: Findings) -> Joint:
    """The joint of a `<joint>` between the links it names; an unknown type is read as continuous.

    That is a fault, but others that would only follow from it are not told.
    """
    where = ("joint", name)
    kind = element.attributes.get("type", "")
    frame = origin_frame(element, where, found)
    parent, child = (_link(element, tag, where, found) for tag in ("parent", "child"))
    if kind not in TYPES:
        message = f"is missing; give one of {', '.join(TYPES)}" if not kind else None
        hint = nearest(f"there is no type {kind[:60]!r}", kind, TYPES)
        found.fault((*where, "type"), message or hint, element.line)
        kind = "continuous"
    cls = TYPES[kind]
    keys: dict[str, Any] = {"on_parent": frame}
    if cls not in (Fixed, Free):
        keys["axis"] = _axis(element, where, found)
    if cls is not Fixed:
        keys |= _limits(element, kind, where, found) | _dynamics(element, where, found)
    return cls(name, parent, child, **keys)


def _link(element: XmlElement, tag: str, where: Where, found: Findings) -> str:
    side = element.first(tag)
    name = side.attributes.get("link", "") if side is not None else ""
    if not name.strip():
        line = side.line if side is not None else element.line
        found.fault((*where, tag), f'is missing; give <{tag} link="..."/>', line)
    return name or "?"


def _axis(element: XmlElement, where: Where, found: Findings) -> tuple[float, ...]:
    axis = element.first("axis")
    if axis is None:
        return (1.0, 0.0, 0.0)
    count = len(found.faults)
    xyz = vector(axis, "xyz", where, found, None)
    if np.linalg.norm(xyz) < 1e-12:
        if len(found.faults) == count:
            message = f"has length 0; give a direction such as 0 0 1 (found {list(xyz)})"
            found.fault((*where, "axis"), message, axis.line)
        return (1.0, 0.0, 0.0)
    return xyz


def _limits(element: XmlElement, kind: str, where: Where, found: Findings) -> dict[str, Any]:
    limit = element.first("limit")
    given = {} if limit is None else limit.attributes
    ends = [key for key in ("lower", "upper") if key in given]
    if not ends and kind in ("revolute", "prismatic"):
        found.note(MISSING_LIMITS, where[1])
    if limit is None:
        return {}
    if kind in ("floating", "planar"):
        found.note(MANY_LIMITS, where[1])
        return {}
    if kind == "continuous" and ends:
        found.note(CONTINUOUS_LIMITS, where[1])
        ends = []
    names = {"effort": "max_effort", "velocity": "max_velocity"} | {end: end for end in ends}
    return {
        names[key]: value
        for key in names
        if (value := _limit(limit, key, where, found)) is not None
    }


def _limit(limit: XmlElement, key: str, where: Where, found: Findings) -> float | None:
    if key not in limit.attributes:
        return None
    (value,) = numbers(limit, key, where, found, largest=float_info.max)
    return value if abs(value) < UNLIMITED else None


def _dynamics(element: XmlElement, where: Where, found: Findings) -> dict[str, Any]:
    dynamics = element.first("dynamics")
    if dynamics is None:
        return {}
    (damping,) = numbers(dynamics, "damping", where, found, default=(0.0,))
    (friction,) = numbers(dynamics, "friction", where, found, default=(0.0,))
    return {"damping": damping, "friction": Friction(effort=friction) if friction else None}


def read_mimic(element: XmlElement, joint: Joint, found: Findings) -> Mimic | None:
    """What the joint mimics, or None."""
    mimic = element.first("mimic")
    if mimic is None:
        return None
    where = ("joint", joint.name)
    leader = mimic.attributes.get("joint", "")
    (multiplier,) = numbers(mimic, "multiplier", where, found, default=(1.0,))
    (offset,) = numbers(mimic, "offset", where, found, default=(0.0,))
    if not leader.strip():
        found.fault((*where, "mimic joint"), "is missing; name the joint", mimic.line)
        return None
    if joint.nq == 0:
        found.note(FIXED_MIMIC, joint.name)
        return None
    if joint.nq > 1:
        message = f"is for joints with one coordinate, not {joint.type}"
        found.fault((*where, "mimic"), message, mimic.line)
        return None
    return Mimic(joint.name, leader, multiplier, offset, mimic.line)


def check_mimics(
    mimics: dict[str, Mimic], joints: dict[str, Joint], found: Findings
) -> list[Mimic]:
    """The mimics that can be followed; leaders must exist, have one coordinate, and no circle."""
    good = [mimic for mimic in mimics.values() if _leader_is_good(mimic, joints, found)]
    value = dict.fromkeys(joints, 0.0)
    waiting = {mimic.joint: mimic for mimic in good}
    followers: dict[str, list[Mimic]] = {}
    for mimic in good:
        followers.setdefault(mimic.leader, []).append(mimic)
    queue = deque(m for m in good if m.leader not in waiting)
    while queue:
        mimic = queue.popleft()
        del waiting[mimic.joint]
        queue += followers.get(mimic.joint, [])
        value[mimic.joint] = mimic.multiplier * value[mimic.leader] + mimic.offset
        if not abs(value[mimic.joint]) < LARGEST:
            message = f"puts the joint at {value[mimic.joint]:g}; correct the numbers"
            found.fault(("joint", mimic.joint, "mimic"), message, mimic.line)
    if waiting:
        mimic = next(iter(waiting.values()))
        names = " -> ".join(list(waiting)[:8])
        message = f"joints mimic each other in a circle: {names}; leave one <mimic> out"
        found.fault(("joint", mimic.joint, "mimic"), message, mimic.line)
    return good


def _leader_is_good(mimic: Mimic, joints: dict[str, Joint], found: Findings) -> bool:
    where = ("joint", mimic.joint, "mimic")
    leader = joints.get(mimic.leader)
    if leader is None:
        note = "joints mimic a joint that does not exist; they move on their own"
        message = nearest(f"there is no joint {mimic.leader[:60]!r}", mimic.leader, joints)
        found.doubt(where, message, mimic.line, note)
    elif leader.nq != 1:
        message = f"{mimic.leader!r} is {leader.type} and has no single coordinate to follow"
        found.fault(where, message, mimic.line)
    return leader is not None and leader.nq == 1
