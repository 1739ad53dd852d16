"""What the friction of a joint needs to be told, and what is said where it was not.

Every law reads a few fields of `Friction`; without one of them there is no answer, and all that is
missing in a mechanism is said at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ..errors import StructureError
from ..expr import variables
from ..expr.node import present
from ..model.joint import Joint
from ..model.joint_parts import Friction
from ..model.mechanism import Mechanism
from ..model.rubbing import CYLINDER, Law, follows_load
from ..wording import named
from .rough import rough_joints


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
    law = joint.rubs
    if law is None:
        yield f"nothing rubs in a {joint.type} joint; take its friction away"
        return
    if in_plane and not law.in_plane:
        yield (
            f"in a plane nothing presses a {joint.type} joint on its plane, so it has no friction; "
            "take it away, or give damping"
        )
        return
    if "efficiency" in law.reads and data.efficiency is None:
        yield (
            "friction of teeth needs the efficiency of the mesh, such as 0.98 "
            f"({named('course.mesh_efficiency')} gives it from a coefficient and the numbers "
            "of teeth)"
        )
    elif follows_load(data) and data.radius is None and law.radius:
        yield f"friction of {law.radius}"
    half = data.half_height if "half_height" in law.reads else None
    if half is not None and present(half) and joint.contact_distance is None:
        yield "half_height needs the joint's guide_length, too"
    tilts = law is CYLINDER or (half is not None and present(half))
    if tilts and data.law is not None and "N" in variables(data.law):
        yield "law may not use N where friction tilts the guide; give it in u alone"
    yield from _unread(joint, law, data)
    if data.stribeck_velocity is not None and data.static is None:
        yield "stribeck_velocity needs the coefficient at rest, static"


def _unread(joint: Joint, law: Law, data: Friction) -> Iterator[str]:
    """Fields that are given, and that the law of the joint does not read."""
    unread = [key for key in given_fields(data) if key not in law.reads]
    if "efficiency" in law.reads and data.efficiency is None:
        return
    for key in ("effort", "effort_law") if "efficiency" not in law.reads else ():
        if key in unread:
            unread.remove(key)
            what = "no force or moment of it"
            yield f"a {joint.type} joint both turns and slides, so {key} is {what}"
    if unread:
        yield (
            f"friction of a {joint.type} joint reads {', '.join(law.reads)}, and not "
            f"{' or '.join(unread)}; leave that out"
        )
