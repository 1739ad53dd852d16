"""URDF files as mechanisms.

A link becomes a body whose frame is the link's frame; a joint stands in its `<origin>` on the
parent. The root link hangs on the ground by a joint of its own; a massless root called `world` is
the ground itself. Numbers are kept as the file gives them, also inertias no real body can have.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..door import public
from ..errors import Fault, FileError, KorbaError, ModelError, way_out
from ..model.body import GROUND, Body
from ..model.drawing import joint_frames, joints_by_body, outward
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joints.fixed import Fixed
from ..model.joints.free import Free
from ..model.mechanism import Mechanism
from ..model.parameters import circles
from ..spatial.inertia import moved_tensor, physical_fault
from ..spatial.pose import Pose, identity
from .disk import refuse
from .srdf import group_states
from .urdf_joints import Mimic, couplings_of, read_joint, read_mimic
from .urdf_parts import Findings, Part, material_colors, note_extras, read_body
from .xml_tree import XmlElement, read_xml

E = TypeVar("E", Body, Joint)
BASES = ("world", GROUND)
"""Names of a massless root link that is the base itself."""

ROOT = "root"
"""Name of the joint between the ground and the root link."""


@dataclass(frozen=True)
class Robot:
    """The file's links and joints by name, and the lines they stand on."""

    name: str
    bodies: dict[str, Body]
    joints: dict[str, Joint]
    mimics: dict[str, Mimic]
    lines: dict[tuple[str, str], int]


@public
def read_urdf(
    path: str | os.PathLike[str],
    *,
    srdf: str | os.PathLike[str] | None = None,
    merge_fixed: bool = False,
    floating: bool = False,
) -> Mechanism:
    """The mechanism of a URDF file.

    `srdf` is the SRDF file beside it: its group states become named poses, `m.pose("home")`.
    `floating` hangs the root link on the ground by a free joint instead of a fixed one.
    `merge_fixed` makes one body of bodies that fixed joints tie together; the origin of each link
    that is lost in this way stays as a named point. `notes` of the mechanism says what was not
    carried over. A `FileError` lists every fault of the file with its line.
    """
    source = str(path)
    root = read_xml(path)
    _refuse_other_files(root, source)
    found = Findings()
    robot = _robot(root, Path(source).stem, found)
    tops = _check_tree(robot, found)
    couplings = couplings_of(robot.mimics, robot.joints)
    for element in (*robot.bodies.values(), *robot.joints.values()):
        found.faults += element.faults()
    if found.faults:
        faults = [*found.faults, *(doubt for doubt, _ in found.doubts)]
        raise _file_error(robot, faults, source)
    for doubt, note in found.doubts:
        found.note(note, doubt.where[1])
    bodies, joints = _on_ground(robot, tops, floating, found)
    try:
        m = Mechanism(
            robot.name, tuple(bodies), tuple(joints), tuple(couplings), notes=found.sentences()
        )
    except ModelError as error:
        raise _file_error(robot, error.faults, source) from None
    if srdf is not None:
        poses, note = group_states(srdf, m)
        m = replace(m, poses=poses, notes=(*m.notes, *([note] if note else [])))
    return without_fixed_joints(m) if merge_fixed else m


def _file_error(robot: Robot, faults: Iterable[Fault], source: str) -> KorbaError:
    """All faults, in the words and the order of the file."""
    told = []
    for fault in dict.fromkeys(faults):
        where = ("link", *fault.where[1:]) if fault.where[:1] == ("body",) else fault.where
        name = where[1] if len(where) > 1 else ""
        line = fault.line or robot.lines.get((where[0], name), 1)  # 1: what the reader has added
        told.append(replace(fault, where=where, line=line))
    return FileError.of_faults(source, sorted(told, key=lambda fault: fault.line or 0))


def _refuse_other_files(root: XmlElement, source: str) -> None:
    """Files for xacro and for other programs get an error that says what to do."""
    for element in _all(root):
        if element.prefix == "xacro" or any("${" in text for text in element.attributes.values()):
            command = f"xacro {Path(source).name} > robot.urdf"
            message = (
                f"this is a xacro file; make a URDF file of it first, by the command: {command}"
            )
            refuse(source, message, element.line)
    if root.tag != "robot":
        others = {"mujoco": "an MJCF file; read_mjcf reads it", "sdf": "an SDF file"}
        hint = f": {others[root.tag]}" if root.tag in others else ""
        refuse(source, f"expected <robot>, got <{root.tag[:60]}>{hint}", root.line)


def _all(root: XmlElement) -> Iterator[XmlElement]:
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        stack += reversed(element.children)


def _robot(root: XmlElement, stem: str, found: Findings) -> Robot:
    """Every link and joint taken alone."""
    name = root.attributes.get("name", "")
    if not name.strip():
        found.note("the robot has no name; it is called after the file", stem)
        name = stem
    inline = [m for link in root.all("link") for v in link.all("visual") for m in v.all("material")]
    colors = material_colors(inline, Findings()) | material_colors(root.all("material"), found)
    note_extras(root, name, found)
    links, joints = _named(root, "link", found), _named(root, "joint", found)
    if not links:
        found.note("the robot has no links", name)
    read = {key: read_joint(part) for key, part in joints.items()}
    mimics = {key: read_mimic(joints[key], joint) for key, joint in read.items()}
    bodies = {key: read_body(part, colors) for key, part in links.items()}
    lines = {("link", str(body.name)): links[key].element.line for key, body in bodies.items()}
    lines |= {("joint", str(joint.name)): joints[key].element.line for key, joint in read.items()}
    return Robot(name, bodies, read, {key: m for key, m in mimics.items() if m}, lines)


def _named(root: XmlElement, tag: str, found: Findings) -> dict[str, Part]:
    """Elements by name; a missing name and a name used twice are faults."""
    named: dict[str, Part] = {}
    for element in root.all(tag):
        name = element.attributes.get("name", "")
        if not name.strip():
            Part(element, (tag,), found).fault("has no name; give one")
        part = Part(element, (tag, name), found)
        first = named.setdefault(name, part)
        if first is not part:
            line = first.element.line
            part.fault(f"the name is used on line {line} already; rename one of them")
    return named


def _check_tree(robot: Robot, found: Findings) -> list[str]:
    """The root links; everything that keeps the file from being one tree is a fault."""
    child_of: dict[str, Joint] = {}
    for joint in list(robot.joints.values()):
        if not _ends_exist(robot, joint, found):
            continue
        if joint.child in child_of:
            message = (
                f"link {joint.child!r} hangs on joint {child_of[joint.child].name!r} already; "
                "a URDF file is a tree, so every link is the child of one joint"
            )
            found.faults.append(joint.fault(message, "child"))
        child_of.setdefault(joint.child, joint)
    parents = {joint.parent for joint in robot.joints.values()}
    tops = [name for name in robot.bodies if name not in child_of]
    for name in reversed([name for name in tops if name not in parents]):
        if len(tops) > 1 and is_nothing(robot.bodies[name]):
            note = "links without mass and without a joint are left out"
            body = robot.bodies.pop(name)
            found.doubts.append((body.fault("no joint holds this link"), note))
            tops.remove(name)
    for name in tops[1:]:
        message = f"there is a second root besides {tops[0]!r}; join it to another link"
        found.faults.append(robot.bodies[name].fault(message))
    for circle in circles({name: {joint.parent} for name, joint in child_of.items()}):
        names = [circle[0], *reversed(circle)]
        trail = " -> ".join([*names[:8], *["..."] * (len(names) > 8)])
        message = f"links hang on each other in a circle: {trail}; a URDF file is a tree"
        found.faults.append(child_of[circle[0]].fault(message))
    return tops


def _ends_exist(robot: Robot, joint: Joint, found: Findings) -> bool:
    """Whether both links exist; a fixed joint that holds nothing is left out."""
    if not isinstance(joint.parent, str) or not isinstance(joint.child, str):
        return False
    missing = [
        (key, name)
        for key, name in (("parent", joint.parent), ("child", joint.child))
        if name not in robot.bodies and name != "?"
    ]
    for key, name in missing:
        hint = way_out(name, robot.bodies, cutoff=0.5)
        fault = joint.fault(f"there is no link {name[:60]!r}; {hint}", key)
        if key == "child" and joint.nq == 0 and len(missing) == 1:
            note = "fixed joints to a link that does not exist are left out"
            found.doubts.append((fault, note))
            del robot.joints[joint.name]
        else:
            found.faults.append(fault)
    if joint.parent == joint.child:
        message = f"parent and child are both {joint.parent!r}; a joint joins two links"
        found.faults.append(joint.fault(message, "child"))
    return not missing and joint.parent != joint.child


def _on_ground(
    robot: Robot, tops: list[str], floating: bool, found: Findings
) -> tuple[list[Body], list[Joint]]:
    """Bodies and joints with the root link tied to the ground, or being it."""
    bodies, joints, names = dict(robot.bodies), [*robot.joints.values()], dict[str, str]()
    if not tops:
        return [], []
    top = tops[0]
    held = [joint for joint in joints if joint.parent == top]
    flies = bool(held) and all(isinstance(joint, Free) for joint in held)
    is_base = top in BASES and is_nothing(bodies[top]) and (not floating or flies)
    if is_base:
        if bodies[top].shapes:
            found.note("shapes of the base are not carried over", top)
        del bodies[top]
        names[top] = GROUND
    if GROUND in bodies:
        names[GROUND] = unused(f"{GROUND}_link", bodies)
        found.note(f"the link {GROUND!r} is renamed, as that is the base", names[GROUND])
    root = (Free if floating else Fixed)(unused(ROOT, robot.joints), GROUND, names.get(top, top))
    return (
        [_renamed(body, names, "name") for body in bodies.values()],
        [root] * (not is_base) + [_renamed(joint, names, "parent", "child") for joint in joints],
    )


def _renamed(element: E, names: Mapping[str, str], *keys: str) -> E:
    """The element with other names of links in some of its fields."""
    new: dict[str, Any] = {
        key: names[old] for key in keys if (old := getattr(element, key)) in names
    }
    return replace(element, **new) if new else element


def is_nothing(body: Body) -> bool:
    """Whether the body has neither mass nor inertia."""
    return body.mass == 0 and not any(any(row) for row in body.inertia)


def unused(name: str, taken: Iterable[str]) -> str:
    """The name itself, or with the first number that makes it new."""
    known = set(taken)
    candidates = (name if i == 0 else f"{name}_{i}" for i in range(len(known) + 1))
    return next(candidate for candidate in candidates if candidate not in known)


def without_fixed_joints(m: Mechanism) -> Mechanism:
    """The same tree, its joints placed by frames, with a fixed joint only on the ground.

    The body nearer to the ground keeps its name and frame. It gains the mass, the shapes and the
    points of the others; the origin of each lost body stays as a point with that body's name.
    """
    home = _homes(m)
    merged = {body.name: body for body in m.bodies if home[body.name][0] == body.name}
    known = {body.name: body for body in m.bodies}
    for name, (keeper, X_KB) in home.items():
        if keeper != name:
            merged[keeper] = merge(merged[keeper], known[name], X_KB)
    joints = tuple(_moved(joint, home) for joint in m.joints if not _merges(joint))
    lost = len(m.bodies) - len(merged)
    told = [f"links held by fixed joints are merged into their parents ({lost})"] if lost else []
    return replace(m, bodies=tuple(merged.values()), joints=joints, notes=(*m.notes, *told))


def _merges(joint: Joint) -> bool:
    return isinstance(joint, Fixed) and joint.parent != GROUND


def _homes(m: Mechanism) -> dict[str, tuple[str, Pose]]:
    """For every body, from the ground outwards, the one it becomes part of and its pose there.

    X_KB = X_KP X_PB  along fixed joints, where K keeps its name.
    """
    home = {GROUND: (GROUND, identity())}
    for joint, parent, child in outward(joints_by_body(m.joints), [GROUND], home):
        keeper, X_KP = home[parent]
        X_PF, X_BM = joint_frames(joint)
        X_KB = X_KP @ X_PF @ X_BM.inverse()
        home[child] = (keeper, X_KB) if _merges(joint) else (child, identity())
    return home


def _moved(joint: Joint, home: dict[str, tuple[str, Pose]]) -> Joint:
    """The joint on the body that its parent has become part of."""
    keeper, X_KP = home[joint.parent]
    if keeper == joint.parent:
        return joint
    X_PF = joint.on_parent.pose() if joint.on_parent else identity()
    return replace(joint, parent=keeper, on_parent=Frame.of_pose(X_KP @ X_PF))


def merge(keeper: Body, other: Body, X_KB: Pose) -> Body:
    """One body of two, the other standing at `X_KB` in the keeper's frame.

    m = m1 + m2,   m c = m1 c1 + m2 c2,   I = sum of I_i moved to c  (Steiner)
    """
    mass = keeper.mass + other.mass
    c1, c2 = np.array(keeper.com), X_KB.point(other.com)
    c = (keeper.mass * c1 + other.mass * c2) / mass if other.mass and mass else c1
    I2 = X_KB.R @ np.array(other.inertia) @ X_KB.R.T
    tensor = moved_tensor(keeper.mass, keeper.inertia, c1 - c)
    tensor = tensor + moved_tensor(other.mass, 0.5 * (I2 + I2.T), c2 - c)
    points = {name: X_KB.point(p).tolist() for name, p in other.points}
    points = dict(keeper.points) | points | {other.name: X_KB.p.tolist()}
    moved = [replace(s, frame=Frame.of_pose(X_KB @ s.frame.pose())) for s in other.shapes]
    return replace(
        keeper,
        mass=mass,
        com=c.tolist(),
        inertia=tensor.tolist(),
        points=tuple(points.items()),
        shapes=(*keeper.shapes, *moved),
        as_given=physical_fault(mass, tensor) is not None,
    )
