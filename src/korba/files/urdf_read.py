"""URDF files as mechanisms.

A link becomes a body whose frame is the link's frame; a joint stands in its `<origin>` on the
parent. The root link hangs on the ground by a joint of its own; a massless root called `world` is
the ground itself. Numbers are kept as the file gives them, also inertias no real body can have.

A link that is the child of two joints closes a loop, and so does a second root that joints reach:
URDF proper knows trees only, but files with loops are written, and mean what they say. Where loops
do not close with all joints at zero, that is a sketch, and the mechanism is assembled near it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..disk import refuse
from ..door import public
from ..errors import Fault, FileError, KorbaError, ModelError, unknown
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
from .mesh_files import read_from
from .srdf import group_states
from .urdf_joints import Mimic, couplings_of, read_joint, read_mimic
from .urdf_parts import XACRO, Findings, Part, material_colors, note_extras, read_body
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
    A link that is the child of two joints closes a loop; where it does not close with all joints
    at zero, it is assembled near there. `merge_fixed` makes one body of bodies that fixed joints
    tie together; the origin of each link that is lost in this way stays as a named point. `notes`
    of the mechanism says what was not carried over. A `FileError` lists every fault of the file
    with its line.
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
    return read_from(without_fixed_joints(m) if merge_fixed else m, path)


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
        if element.prefix == "xacro" or _is_unfilled(element):
            command = f"xacro {Path(source).name} > robot.urdf"
            message = (
                f"this is a xacro file; make a URDF file of it first, by the command: {command}"
            )
            refuse(source, message, element.line)
    if root.tag != "robot":
        readers = {"mujoco": "an MJCF file; read_mjcf", "sdf": "an SDF file; read_sdf"}
        others = {tag: f"{words} reads it" for tag, words in readers.items()}
        hint = f": {others[root.tag]}" if root.tag in others else ""
        refuse(source, f"expected <robot>, got <{root.tag[:60]}>{hint}", root.line)


def _is_unfilled(element: XmlElement) -> bool:
    """Whether an attribute has something that xacro would fill in."""
    return any(text in value for text in XACRO for value in element.attributes.values())


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
    """The root links; a link that no joint ties to the first of them is a fault.

    A link may be the child of several joints: they close loops.
    """
    child_of: dict[str, Joint] = {}
    whole = [j for j in list(robot.joints.values()) if _ends_exist(robot, j, found)]
    for joint in whole:
        child_of.setdefault(joint.child, joint)
    parents = {joint.parent for joint in robot.joints.values()}
    tops = [name for name in robot.bodies if name not in child_of]
    tops.sort(key=lambda name: name not in BASES)
    for name in reversed([name for name in tops if name not in parents]):
        if len(tops) > 1 and is_nothing(robot.bodies[name]):
            note = "links without mass and without a joint are left out"
            body = robot.bodies.pop(name)
            found.doubts.append((body.fault("no joint holds this link"), note))
            tops.remove(name)
    held = _held(whole, tops[:1])
    for name in [name for name in tops[1:] if name not in held]:
        message = f"there is a second root besides {tops[0]!r}; join it to another link"
        found.faults.append(robot.bodies[name].fault(message))
    loose = {name: {joint.parent} for name, joint in child_of.items() if name not in held}
    for circle in circles(loose):
        names = [circle[0], *reversed(circle)]
        trail = " -> ".join([*names[:8], *["..."] * (len(names) > 8)])
        message = f"links hang on each other in a circle: {trail}; none of them hangs on the base"
        found.faults.append(child_of[circle[0]].fault(message))
    return tops


def _held(joints: Iterable[Joint], roots: Iterable[str]) -> set[str]:
    """The links that joints tie to the roots, from either side."""
    held = set(roots)
    for _, _, other in outward(joints_by_body(joints), roots, held):
        held.add(other)
    return held


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
        fault = joint.fault(unknown("link", name, robot.bodies, cutoff=0.5), key)
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
    """The same mechanism, its joints placed by frames, with fixed joints only on the ground.

    The body nearer to the ground keeps its name and frame. It gains the mass, the shapes and the
    points of the others; the origin of each lost body stays as a point with that body's name. A
    fixed joint that closes a loop stays.
    """
    home, gone = _homes(m)
    merged = {body.name: body for body in m.bodies if home[body.name][0] == body.name}
    known = {body.name: body for body in m.bodies}
    for name, (keeper, X_KB) in home.items():
        if keeper != name:
            merged[keeper] = merge(merged[keeper], known[name], X_KB)
    joints = tuple(_moved(joint, home) for joint in m.joints if joint.name not in gone)
    lost = len(m.bodies) - len(merged)
    told = [f"links held by fixed joints are merged into their parents ({lost})"] if lost else []
    return replace(m, bodies=tuple(merged.values()), joints=joints, notes=(*m.notes, *told))


Homes = dict[str, tuple[str, Pose]]


def _homes(m: Mechanism) -> tuple[Homes, set[str]]:
    """For every body, from the ground outwards, the one it becomes part of and its pose there.

    X_KB = X_KP X_PB  along fixed joints, where K keeps its name. Besides, those joints.
    """
    home, gone = {GROUND: (GROUND, identity())}, set[str]()
    for joint, parent, child in outward(joints_by_body(m.joints), [GROUND], home):
        keeper, X_KP = home[parent]
        X_PF, X_BM = joint_frames(joint)
        X_PB = X_PF @ X_BM.inverse()
        X_KB = X_KP @ (X_PB if joint.child == child else X_PB.inverse())
        merges = isinstance(joint, Fixed) and parent != GROUND
        home[child] = (keeper, X_KB) if merges else (child, identity())
        gone |= {joint.name} if merges else set()
    return home, gone


def _moved(joint: Joint, home: Homes) -> Joint:
    """The joint on the bodies that its ends have become part of."""
    for end, side in (("parent", "on_parent"), ("child", "on_child")):
        keeper, X_KB = home[getattr(joint, end)]
        frame = getattr(joint, side)
        if keeper != getattr(joint, end):
            X = frame.pose() if frame else identity()
            moved: dict[str, Any] = {end: keeper, side: Frame.of_pose(X_KB @ X)}
            joint = replace(joint, **moved)
    return joint


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
