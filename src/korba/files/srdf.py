"""Group states of an SRDF file, which stands beside a URDF file, as named poses.

    <robot name="arm">
      <group_state name="home" group="arm"> <joint name="elbow" value="0.5"/> </group_state>
    </robot>

States of several groups with one name are one pose. A floating joint has x y z and the quaternion
x y z w, as MoveIt writes it. A floating virtual joint, or `root_joint`, as the files of Pinocchio
call it without saying so, is the free joint on which the robot hangs (`floating=True`). Groups, end
effectors and pairs that may collide are not read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..disk import refuse
from ..errors import FileError, unknown
from ..model.body import GROUND
from ..model.joints.free import Free
from ..model.mechanism import Mechanism
from ..model.named_pose import NamedPose, Value, coordinate_kinds
from .urdf_parts import Findings, Part
from .xml_tree import read_xml

FLOATING = (0, 1, 2, 6, 3, 4, 5)
"""Where x, y, z, w, x, y, z stand in the values of a floating joint."""
FLYER = "root_joint"
"""What Pinocchio calls the free joint of a robot's base."""
DEPENDENT = "values of joints that follow others are left out of poses"
VIRTUAL = "values of virtual and fixed joints are left out of poses"

States = dict[str, dict[str, Value]]


def group_states(path: str | os.PathLike[str], m: Mechanism) -> tuple[tuple[NamedPose, ...], str]:
    """Poses of a mechanism, and what was left out, in a sentence or none.

    A `FileError` lists every fault of the file with its line.
    """
    source, root, found = str(path), read_xml(path), Findings()
    if root.tag != "robot":
        refuse(source, f"expected <robot> of an SRDF file, got <{root.tag[:60]}>", root.line)
    if not root.first("group_state"):
        refuse(source, "there is no <group_state>, so it gives no poses; leave it out", root.line)
    virtual = {joint.name: "fixed" for joint in m.joints if not joint.nq} | {FLYER: "floating"}
    for element in root.all("virtual_joint"):
        virtual[element.attributes.get("name", "")] = element.attributes.get("type", "")
    states: States = {}
    for element in root.all("group_state"):
        name = element.attributes.get("name", "")
        part = Part(element, ("group_state", name), found)
        if not name.strip():
            part.fault("has no name; give one")
        pose = states.setdefault(name, {})
        for joint, value in _values(part, m, virtual):
            if pose.setdefault(joint, value) != value:
                part.fault(f"joint {joint!r} has another value in a state of the same name")
    if found.faults:
        raise FileError.of_faults(source, found.faults)
    poses = tuple(NamedPose(name, tuple(pose.items())) for name, pose in states.items())
    return poses, "; ".join(found.sentences())


def _values(state: Part, m: Mechanism, virtual: dict[str, str]) -> Iterator[tuple[str, Value]]:
    """Joints of one state and their values; `virtual` has the types of those the URDF has not."""
    kinds = coordinate_kinds(m)
    floating = {joint.name: joint.parent for joint in m.joints if isinstance(joint, Free)}
    base = next((name for name, parent in floating.items() if parent == GROUND), None)
    for part in state.all("joint"):
        name = part.text("name")
        if base and name not in kinds and virtual.get(name) == "floating":
            name = base
        if name in m.dependent or (name in virtual and name not in kinds):
            state.found.note(DEPENDENT if name in m.dependent else VIRTUAL, name)
        elif name not in kinds:
            part.fault(unknown("joint", name, kinds), "joint")
        else:
            values = part.numbers("value", len(kinds[name]))
            if name in floating:
                values = tuple(values[k] for k in FLOATING)
            yield name, values if len(values) > 1 else values[0]
