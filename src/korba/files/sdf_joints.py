"""The joints of an SDF model: types, axes, limits, springs, and joints that mimic others.

A joint stands at its pose, axes in it or in the frame that `expressed_in` names (before SDFormat
1.5 in the frame of the model). All coordinates are 0 as the file draws the model, so its loops are
closed. A universal joint whose axes are not square, and `revolute2`, are two revolute joints with a
body without mass between them. A gearbox is no joint but a coupling of two, of the angles from its
reference body to its child and to its parent:  theta_2 = -ratio theta_1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import unknown
from ..expr import variable
from ..model.body import Body
from ..model.coupling import Coupling
from ..model.forces.joint_force import JointForce
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joint_parts import Friction
from ..model.joints.fixed import Fixed
from ..model.joints.prismatic import Prismatic
from ..model.joints.revolute import Revolute
from ..model.joints.screw import Screw
from ..model.joints.spherical import Spherical
from ..model.joints.universal import Universal
from ..spatial.rotation import Array
from .sdf_frames import MODEL, SEPARATOR, Entry, Frames, of_kind, text_of
from .urdf_parts import Part

SINGLE: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "screw": Screw,
}
STILL: dict[str, type[Joint]] = {"fixed": Fixed, "ball": Spherical}
TWO = ("universal", "revolute2")
TYPES = (*SINGLE, *STILL, *TWO, "gearbox")
UNLIMITED = 1e15
"""Limits from here on are none; SDFormat writes 1e16 or inf."""
PARTED = "universal joints whose axes are not square are two revolute joints"
BALL = "axes, limits and dynamics of ball joints are not carried over"


@dataclass
class Joints:
    """What the joints of a file become."""

    frames: Frames
    old: bool
    """Whether axes are in the frame of the model."""
    joints: list[Joint] = field(default_factory=list)
    between: list[Body] = field(default_factory=list)
    springs: list[JointForce] = field(default_factory=list)
    mimics: list[tuple[Part, str, str, tuple[float, ...]]] = field(default_factory=list)
    """The `<mimic>`, who follows whom, and multiplier, offset and reference."""
    gears: list[tuple[str, Entry]] = field(default_factory=list)


def read_joints(frames: Frames, *, old: bool) -> Joints:
    """All joints, in the order of the file."""
    made = Joints(frames, old)
    for name, entry in of_kind(frames, "joint"):
        kind = entry.part.text("type")
        if kind not in TYPES:
            entry.part.fault(unknown("type", kind, TYPES, cutoff=0.5), "type")
            continue
        if kind == "gearbox":
            made.gears.append((name, entry))
            continue
        ends = _ends(frames, entry, name)
        if ends is None:
            continue
        if kind in TWO:
            _two(entry, name, ends, made)
        elif kind in STILL:
            if kind == "ball" and entry.part.first("axis") is not None:
                entry.part.found.note(BALL, name)
            made.joints.append(STILL[kind](name, **ends))
        else:
            made.joints.append(_single(entry, name, ends, made))
    return made


def _ends(frames: Frames, entry: Entry, name: str) -> dict[str, Any] | None:
    """Bodies and frames on both sides."""
    names = {
        key: frames.body(frames.looked_up(entry, text_of(entry.part, key), key))
        for key in ("parent", "child")
    }
    if names["parent"] == names["child"]:
        message = f"parent and child are both {names['child']!r}; a joint joins two links"
        entry.part.fault(message, "child")
        return None
    X_MJ = frames.pose(name)
    sides = {}
    for key, body in names.items():
        X_MB = frames.pose(body) if body in frames.entries else frames.poses["world"]
        sides[f"on_{key}"] = Frame.of_pose(X_MB.inverse() @ X_MJ)
    return {**names, **sides}


def _single(entry: Entry, name: str, ends: dict[str, Any], made: Joints) -> Joint:
    """A joint with one freedom."""
    kind, cls = entry.part.text("type"), SINGLE[entry.part.text("type")]
    axis, keys = _axis(made, entry, name, "axis"), _dynamics(entry, "axis", kind)
    _follow(entry, "axis", name, made)
    if kind == "screw":
        keys["lead"] = _lead(entry.part)
    return cls(name, **ends, axis=axis, **keys)


def _two(entry: Entry, name: str, ends: dict[str, Any], made: Joints) -> None:
    """A universal joint, or two revolute joints in a row."""
    tags = ("axis", "axis2")
    first, second = (_axis(made, entry, name, tag) for tag in tags)
    square = abs(np.dot(first, second)) < 1e-9
    keys = [_dynamics(entry, tag, "revolute") for tag in tags]
    alike = keys[0].keys() | keys[1].keys() <= {"damping"} and keys[0] == keys[1]
    if entry.part.text("type") == "universal" and square and alike:
        made.joints.append(Universal(name, **ends, axis=first, x_axis=second, **keys[0]))
        return
    if entry.part.text("type") == "universal" and not square:
        entry.part.found.note(PARTED, name)
    middle, names = f"{name}.middle", (name, f"{name}.2")
    made.between.append(Body(middle))
    ways = [
        {"parent": ends["parent"], "child": middle, "on_parent": ends["on_parent"]},
        {"parent": middle, "child": ends["child"], "on_child": ends["on_child"]},
    ]
    for tag, own, way, axis, more in zip(tags, names, ways, (first, second), keys, strict=True):
        _follow(entry, tag, own, made)
        frame: dict[str, Any] = {"on_child" if tag == "axis" else "on_parent": Frame()}
        made.joints.append(Revolute(own, **way, **frame, axis=axis, **more))


def _axis(made: Joints, entry: Entry, name: str, tag: str) -> tuple[float, float, float]:
    """A unit vector in the frame of the joint."""
    axis = entry.part.first(tag)
    xyz = axis.first("xyz") if axis else None
    given = np.array(xyz.inner(3) if xyz else (0.0, 0.0, 1.0))
    length = np.linalg.norm(given)
    if length < 1e-12:
        (xyz or entry.part).fault("has length 0; give a direction such as 0 0 1", tag)
        return (0.0, 0.0, 1.0)
    where = xyz.text("expressed_in") if xyz else ""
    of_model = axis is not None and text_of(axis, "use_parent_model_frame") in ("true", "1")
    if not where and (of_model or made.old):
        where = MODEL
    if where:
        R_MJ = made.frames.pose(name).R
        given = R_MJ.T @ _turn(made.frames, entry, where) @ given
    x, y, z = (given / length).tolist()
    return (x, y, z)


def _turn(frames: Frames, entry: Entry, where: str) -> Array:
    """The rotation of a frame in the whole model."""
    if where == MODEL and not entry.scope:
        return np.eye(3)
    name = entry.scope.removesuffix(SEPARATOR) if where == MODEL else where
    full = name if where == MODEL else frames.looked_up(entry, name, "expressed_in")
    return np.asarray((frames.pose(full) if full in frames.entries else frames.poses["world"]).R)


def _dynamics(entry: Entry, tag: str, kind: str) -> dict[str, Any]:
    """Limits, damping and friction of one axis."""
    axis = entry.part.first(tag)
    limit, dynamics = (axis.first(x) if axis else None for x in ("limit", "dynamics"))
    keys: dict[str, Any] = {}
    words = {"lower": "lower", "upper": "upper", "effort": "max_effort", "velocity": "max_velocity"}
    for own, key in words.items() if limit else ():
        value = _limit(limit, own)
        skipped = kind == "continuous" and own in ("lower", "upper")
        none = own in ("effort", "velocity") and value == -1.0
        if value is not None and abs(value) < UNLIMITED and not skipped and not none:
            keys[key] = value
    for own in ("damping", "friction") if dynamics else ():
        given = dynamics.first(own) if dynamics else None
        if given is not None and (value := given.inner(1, (0.0,))[0]):
            keys[own] = value if own == "damping" else Friction(effort=value)
    return keys


def _limit(limit: Part | None, tag: str) -> float | None:
    """A number, or None where there is none or it is infinite."""
    given = limit.first(tag) if limit else None
    if given is None or given.element.text.strip().lower().lstrip("+-") in ("inf", "infinity", ""):
        return None
    return given.inner(1, largest=1e300)[0]


def _lead(part: Part) -> float:
    """The advance of one turn: `screw_thread_pitch`, else -2 pi over the old `thread_pitch`."""
    new, old = part.first("screw_thread_pitch"), part.first("thread_pitch")
    if new is not None:
        return new.inner(1)[0]
    pitch = old.inner(1)[0] if old is not None else 0.0
    if not pitch:
        part.fault("is missing; give the advance of one turn in m", "screw_thread_pitch")
    return -2 * np.pi / (pitch or 1.0)


def _follow(entry: Entry, tag: str, name: str, made: Joints) -> None:
    """The spring of an axis, and what it mimics."""
    axis = entry.part.first(tag)
    dynamics, mimic = (axis.first(x) if axis else None for x in ("dynamics", "mimic"))
    if dynamics is not None:
        given = [dynamics.first(f"spring_{key}") for key in ("stiffness", "reference")]
        stiffness, rest = (part.inner(1, (0.0,))[0] if part else 0.0 for part in given)
        if stiffness:
            made.springs.append(JointForce(f"{name}.spring", name, stiffness, rest))
    if mimic is not None:
        parts = [mimic.first(key) for key in ("multiplier", "offset", "reference")]
        usual = (1.0, 0.0, 0.0)
        values = [x.inner(1)[0] if x else y for x, y in zip(parts, usual, strict=True)]
        leader = entry.scope + mimic.text("joint") + ".2" * (mimic.text("axis") == "axis2")
        made.mimics.append((mimic, name, leader, tuple(values)))


def couplings(made: Joints) -> Iterator[Coupling]:
    """q = multiplier (q_leader - reference) + offset."""
    single = {joint.name for joint in made.joints if joint.nq == 1}
    for part, follower, leader, (factor, offset, reference) in made.mimics:
        if leader not in single:
            message = unknown("joint", leader, single, " with one coordinate", 0.5)
            part.fault(message, "mimic")
            continue
        yield Coupling(follower, follower, (variable(leader) - reference) * factor + offset)
    for name, entry in made.gears:
        yield from _gearbox(made, name, entry)


def _gearbox(made: Joints, name: str, entry: Entry) -> Iterator[Coupling]:
    """The angle of its parent by that of its child:  theta_1 = -theta_2 / ratio."""
    part, frames = entry.part, made.frames
    ratio = given.inner(1)[0] if (given := part.first("gearbox_ratio")) else 1.0
    keys = ("gearbox_reference_body", "parent", "child")
    base, *ends = (frames.body(frames.looked_up(entry, text_of(part, k), k)) for k in keys)
    angles = []
    for end, tag in zip(ends, ("axis", "axis2"), strict=True):
        between = [j for j in made.joints if {j.parent, j.child} == {base, end} and j.nq == 1]
        if not between:
            message = f"no joint of one freedom ties {end!r} to the reference body {base!r}"
            part.fault(f"{message}; a gearbox needs one", tag)
            return
        joint = between[0]
        way = frames.pose(name).R @ _axis(made, entry, name, tag)
        same = float(way @ frames.pose(joint.name).R @ np.array(joint.axis or (0.0, 0.0, 1.0)))
        angles.append((joint.name, np.sign(same) * (1.0 if joint.child == end else -1.0)))
    (first, s_1), (second, s_2) = angles
    if not ratio:
        part.fault("is 0; give the ratio of the two angles", "gearbox_ratio")
        return
    yield Coupling(name, first, variable(second) * float(-s_1 * s_2 / ratio))
