"""A mechanism as MuJoCo sees it: a tree of its joints, and joints that are constraints.

A joint of several freedoms becomes several of MuJoCo's, one after the other. A tree is taken so
that loops close in joints that MuJoCo has as constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..expr import variables
from ..model.body import GROUND
from ..model.drawing import Drawing, drawing, joints_by_body, outward
from ..model.forces.joint_force import JointForce
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose, rotation, translation
from ..spatial.rotation import Array, rotation_about, rotation_of_quaternion

CLOSABLE = ("spherical", "revolute", "fixed")
"""Joints that MuJoCo has as constraints."""
SEVERAL = {
    "cylindrical": (("hinge", 2), ("slide", 2)),
    "universal": (("hinge", 2), ("hinge", 0)),
    "screw": (("hinge", 2), ("slide", 2)),
    "free": (("slide", 0), ("slide", 1), ("slide", 2), ("ball", 0)),
}
"""Steps of joints that are no shifts and then a turn: kind, and axis of the frame before it."""


class Step(NamedTuple):
    """One of MuJoCo's joints: kind, name, axis before it, and its drawn coordinate."""

    kind: str
    name: str
    axis: Array
    q: Array

    @property
    def motion(self) -> Pose:
        """At the drawn coordinate."""
        if self.kind == "ball":
            return rotation(rotation_of_quaternion(self.q))
        if self.kind == "hinge":
            return rotation(rotation_about(self.axis, self.q[0]))
        return translation(*(self.axis * self.q[0]))


@dataclass(frozen=True, eq=False)
class Opened:
    """A mechanism as a tree with constraints."""

    m: Mechanism
    placed: Drawing
    joints: dict[str, tuple[Joint, str]]
    """For every body the joint that it hangs on, and the body it hangs on."""
    closing: list[Joint]

    def children(self) -> dict[str, list[str]]:
        """Bodies by the one they hang on."""
        below: dict[str, list[str]] = {}
        for body, (_, inner) in self.joints.items():
            below.setdefault(inner, []).append(body)
        return below


def opened(m: Mechanism) -> Opened:
    """The tree in which loops close at joints that MuJoCo has as constraints, where there are any.

    Joints whose coordinates are used elsewhere stay in the tree before others, and of two that
    lead to one body the first, so that bodies hang as the joints say.
    """
    used = {c.coordinate for c in m.couplings} | {x for c in m.couplings for x in variables(c.law)}
    used |= {force.joint for force in m.forces if isinstance(force, JointForce)}

    def order(joint: Joint) -> tuple[bool, ...]:
        own = {joint.name, *joint.coordinates()} & used
        more = joint.damping, joint.armature, joint.friction, joint.lower, joint.upper
        return joint.type == "free", joint.type in CLOSABLE, not (own or any(more))

    part = {name: name for name in (GROUND, *(body.name for body in m.bodies))}

    def top(name: str) -> str:
        while part[name] != name:
            part[name] = part[part[name]]
            name = part[name]
        return name

    taken: list[Joint] = []
    ranked = sorted(m.joints, key=order)
    leading = {joint.child: joint for joint in reversed(ranked)}
    for joint in sorted(
        ranked, key=lambda joint: (*order(joint), leading[joint.child] is not joint)
    ):
        one, other = top(joint.parent), top(joint.child)
        if one != other:
            part[one] = other
            taken.append(joint)
    names = {joint.name for joint in taken}
    inner = [joint for joint in m.joints if joint.name in names]
    hung = _hung(inner)
    closing = [joint for joint in m.joints if joint.name not in names and joint.type != "free"]
    return Opened(m, drawing(m), hung, closing)


def _hung(joints: list[Joint]) -> dict[str, tuple[Joint, str]]:
    """For every body the joint and the body nearer to the ground."""
    hung: dict[str, tuple[Joint, str]] = {}
    reached = {GROUND}
    for joint, inner, outer in outward(joints_by_body(joints), [GROUND], reached):
        hung[outer] = (joint, inner)
        reached.add(outer)
    return hung


def steps(joint: Joint, drawn: Array, *, reverse: bool = False) -> list[Step]:
    """A joint as joints of MuJoCo, from the inner body to the outer one."""
    q, kinds = np.asarray(drawn, dtype=float), SEVERAL.get(joint.type)
    if kinds is None:
        shifts, about = getattr(joint, "shifts", ()), getattr(joint, "about", "")
        turn = (
            (("ball", 0),) if len(about) == 3 else tuple(("hinge", "xyz".index(x)) for x in about)
        )
        kinds = (*(("slide", k) for k in shifts), *turn)
    names = list(joint.coordinates())
    made, place = [], 0
    for k, (kind, axis) in enumerate(kinds):
        if joint.type == "screw" and k:
            advance = float(joint.pose(np.ones(1)).p[2])
            made.append(Step(kind, f"{joint.name}.advance", np.eye(3)[axis], advance * q[:1]))
            continue
        count = 4 if kind == "ball" else 1
        name = joint.name if kind == "ball" else names[place]
        made.append(Step(kind, name, np.eye(3)[axis], q[place : place + count]))
        place += count
    return [_back(step) for step in reversed(made)] if reverse else made


def _back(step: Step) -> Step:
    """A step seen from the other side: its coordinate counts the same motion."""
    if step.kind == "ball":
        return step._replace(q=step.q * (1, -1, -1, -1))
    return step._replace(axis=-step.axis)
