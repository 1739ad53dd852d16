"""What the friction of a joint needs to be told, and what is said where it was not.

Every law reads a few fields of `Friction`; without one of them there is no answer, and all that is
missing in a mechanism is said at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ..errors import StructureError
from ..kinematics.orthogonal import present
from ..model.joint import Friction, Joint
from ..model.mechanism import Mechanism
from ..wording import named
from .friction import LAWS
from .rough import rough_joints

RADII = {
    "pin": "a pin needs its radius",
    "slot": "a pin in a slot needs its radius",
    "cross": "a cross needs the radius of its pins",
    "ball": "a ball needs its radius",
    "cylinder": "a cylinder needs its radius",
    "screw": "a screw needs the mean radius of its thread",
    "plane": "a plane needs a radius, the mean distance of what touches from the middle",
    "ball-on-line": "a ball in a cylinder needs its radius (of a mere point: '1 nm')",
    "ball-on-plane": "a ball on a plane needs its radius (of a mere point: '1 nm')",
}
"""What a law means by the radius, for those that need it."""


def refuse_incomplete(m: Mechanism) -> None:
    """An error that names every joint whose friction lacks something that its law needs."""
    faults = [
        f"joint {joint.name!r}: {fault}"
        for joint, data, _ in rough_joints(m).values()
        for fault in _faults(joint, data, m.plane is not None)
    ]
    if faults:
        raise StructureError(f"mechanism {m.name!r}: " + "; ".join(faults))


def given_fields(data: Friction) -> list[str]:
    """The fields of friction that have another value than that of one that says nothing."""
    return [
        each.name
        for each in fields(data)
        if each.metadata and _differs(getattr(data, each.name), each.default)
    ]


def _differs(value: Any, default: Any) -> bool:
    return bool(value != default) if isinstance(value, str | float | None) else present(value)


def _faults(joint: Joint, data: Friction, in_plane: bool) -> Iterator[str]:
    role = joint.role
    if role not in LAWS:
        yield f"nothing rubs in a {joint.type} joint; take its friction away"
        return
    if role == "plane" and in_plane:
        yield (
            "in a plane nothing presses a planar joint on its plane, so it has no friction; take "
            "it away, or give damping"
        )
        return
    if role == "mesh":
        if data.efficiency is None:
            yield (
                "friction of teeth needs the efficiency of the mesh, such as 0.98 "
                f"({named('course.mesh_efficiency')} gives it from a coefficient and the numbers "
                "of teeth)"
            )
    elif present(data.coefficient) and data.radius is None and role in RADII:
        yield f"friction of {RADII[role]}"
    high = role == "slide" and data.half_height is not None and present(data.half_height)
    if high and joint.contact_distance is None:
        yield "half_height needs the joint's guide_length, too"
    yield from _unread(joint, data)
    if data.stribeck_velocity is not None and data.static is None:
        yield "stribeck_velocity needs the coefficient at rest, static"


def _unread(joint: Joint, data: Friction) -> Iterator[str]:
    """Fields that are given, and that the law of the joint does not read."""
    reads = LAWS[joint.role].reads
    unread = [key for key in given_fields(data) if key not in reads]
    if joint.role == "mesh" and data.efficiency is None:
        return
    if "effort" in unread and joint.role != "mesh":
        unread.remove("effort")
        yield f"a {joint.type} joint both turns and slides, so effort is no force or moment of it"
    if unread:
        yield (
            f"friction of a {joint.type} joint reads {', '.join(reads)}, and not "
            f"{' or '.join(unread)}; leave that out"
        )
