"""The joints of a URDF file: types, axes, limits, friction, and joints that mimic others."""

from __future__ import annotations

from dataclasses import dataclass
from sys import float_info
from typing import Any

import numpy as np

from ..errors import Fault, unknown
from ..expr import variable
from ..model.coupling import Coupling
from ..model.joint import Joint
from ..model.joint_parts import Friction
from ..model.joints.fixed import Fixed
from ..model.joints.free import Free
from ..model.joints.planar import Planar
from ..model.joints.prismatic import Prismatic
from ..model.joints.revolute import Revolute
from ..model.parameters import circles, in_order
from .urdf_parts import LARGEST, UNLIMITED, Part

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
NOBODY = "joints mimic a joint that does not exist; they move on their own"


@dataclass(frozen=True)
class Mimic:
    """`q = multiplier * q_leader + offset`, and where the file says so."""

    leader: str
    multiplier: float
    offset: float
    part: Part


def read_joint(part: Part) -> Joint:
    """The joint of a `<joint>` between the links it names; an unknown type is read as continuous.

    That is a fault, but others that would only follow from it are not told.
    """
    kind, keys = part.text("type"), dict[str, Any](on_parent=part.frame())
    parent, child = (_link(part, tag) for tag in ("parent", "child"))
    if kind not in TYPES:
        hint = unknown("type", kind, TYPES, cutoff=0.5)
        part.fault(hint if kind else f"is missing; give one of {', '.join(TYPES)}", "type")
        kind = "continuous"
    cls = TYPES[kind]
    if cls not in (Fixed, Free):
        keys["axis"] = _axis(part)
    if cls is not Fixed:
        keys |= _limits(part, kind) | _dynamics(part)
    return cls(part.where[1], parent, child, **keys)


def _link(part: Part, tag: str) -> str:
    side = part.first(tag)
    name = side.text("link") if side else ""
    if not name.strip():
        (side or part).fault(f'is missing; give <{tag} link="..."/>', tag)
    return name or "?"


def _axis(part: Part) -> tuple[float, ...]:
    axis, count = part.first("axis"), len(part.found.faults)
    xyz = axis.vector("xyz") if axis else (1.0, 0.0, 0.0)
    if axis is None or np.linalg.norm(xyz) >= 1e-12:
        return xyz
    if len(part.found.faults) == count:
        message = f"has length 0; give a direction such as 0 0 1 (found {list(xyz)})"
        axis.fault(message, "axis")
    return (1.0, 0.0, 0.0)


def _limits(part: Part, kind: str) -> dict[str, Any]:
    limit, name = part.first("limit"), part.where[1]
    given = limit.element.attributes if limit else {}
    ends = [key for key in ("lower", "upper") if key in given]
    if not ends and kind in ("revolute", "prismatic"):
        part.found.note(MISSING_LIMITS, name)
    if limit is None:
        return {}
    if kind in ("floating", "planar"):
        part.found.note(MANY_LIMITS, name)
        return {}
    if kind == "continuous" and ends:
        part.found.note(CONTINUOUS_LIMITS, name)
        ends = []
    keys = {"effort": "max_effort", "velocity": "max_velocity"} | {end: end for end in ends}
    values = {key: limit.numbers(key, largest=float_info.max)[0] for key in keys if key in given}
    return {keys[key]: value for key, value in values.items() if abs(value) < UNLIMITED}


def _dynamics(part: Part) -> dict[str, Any]:
    dynamics = part.first("dynamics")
    if dynamics is None:
        return {}
    damping, friction = (dynamics.number(key, 0.0) for key in ("damping", "friction"))
    return {"damping": damping, "friction": Friction(effort=friction) if friction else None}


def read_mimic(part: Part, joint: Joint) -> Mimic | None:
    """What the joint mimics, or None."""
    mimic = part.first("mimic")
    if mimic is None:
        return None
    leader, multiplier, offset = (
        mimic.text("joint"),
        mimic.number("multiplier", 1.0),
        mimic.number("offset", 0.0),
    )
    if not leader.strip():
        mimic.fault("is missing; name the joint", "mimic joint")
    elif joint.nq == 0:
        part.found.note(FIXED_MIMIC, joint.name)
    elif joint.nq > 1:
        mimic.fault(f"is for joints with one coordinate, not {joint.type}", "mimic")
    else:
        return Mimic(leader, multiplier, offset, mimic)
    return None


def couplings_of(mimics: dict[str, Mimic], joints: dict[str, Joint]) -> list[Coupling]:
    """Those that can be followed; leaders must exist, have one coordinate, and make no circle."""
    good = {name: mimic for name, mimic in mimics.items() if _leader_is_good(mimic, joints)}
    leaders, value = {name: {mimic.leader} for name, mimic in good.items()}, dict[str, float]()
    for name in in_order(leaders):
        if (mimic := good.get(name)) is None:
            value[name] = 0.0
            continue
        value[name] = mimic.multiplier * value[mimic.leader] + mimic.offset
        if not abs(value[name]) < LARGEST:
            mimic.part.fault(f"puts the joint at {value[name]:g}; correct the numbers", "mimic")
    for circle in circles(leaders):
        names = " -> ".join([*circle, circle[0]][:8])
        message = f"joints mimic each other in a circle: {names}; leave one <mimic> out"
        good[circle[0]].part.fault(message, "mimic")
    return [
        Coupling(name, name, variable(mimic.leader) * mimic.multiplier + mimic.offset)
        for name, mimic in good.items()
    ]


def _leader_is_good(mimic: Mimic, joints: dict[str, Joint]) -> bool:
    part, leader = mimic.part, joints.get(mimic.leader)
    if leader is None:
        message = unknown("joint", mimic.leader, joints, cutoff=0.5)
        fault = Fault((*part.where, "mimic"), message, part.element.line)
        part.found.doubts.append((fault, NOBODY))
    elif leader.nq != 1:
        message = f"{mimic.leader!r} is {leader.type} and has no single coordinate to follow"
        part.fault(message, "mimic")
    return leader is not None and leader.nq == 1
