"""Mechanisms as URDF files.

URDF knows trees of links whose frames sit at their joints. A body keeps its own frame where that
is possible; else its link's frame L is moved to the joint, and mass, shapes and the joints further
out are expressed in L. In each joint, at the coordinates `rest` (zero), with F on the inner body P
and M on the outer body B:

    X_LpLb = X_LpP X_PF X_FM(rest) X_MB X_BLb         the <origin> of the joint

so that the coordinates keep their meaning, whatever the drawing position was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..disk import write_text
from ..door import public
from ..errors import Fault, FileError
from ..expr import derivative, evaluate, variables
from ..model.body import GROUND, Body, Shape
from ..model.coupling import Coupling
from ..model.drawing import drawing, joint_frames
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..model.rubbing import follows_load
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, rotation_aligning, tidy
from ..topology.graph import graph_of, spanning_tree
from ..wording import named
from .urdf_joints import TYPES
from .urdf_parts import SIZES, UNLIMITED, XACRO
from .urdf_read import BASES, ROOT, is_nothing, unused
from .xml_write import name_faults, tag_of, text_of

WORDS = {cls.type: word for word, cls in TYPES.items() if word != "continuous"}
"""The word of URDF for every type of joint that it has."""


@dataclass(frozen=True, eq=False)
class Hinge:
    """A joint seen from the base: F on the inner body, M on the outer one, `sign` of its axis."""

    joint: Joint
    inner: str
    outer: str
    X_PF: Pose
    X_FM: Pose
    X_BM: Pose
    sign: int

    @property
    def axis_B(self) -> Array:
        """The axis on the outer body."""
        return self.sign * self.X_BM.R[:, 2]


@public
def write_urdf(m: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write a mechanism that is a tree as a URDF file."""
    write_text(urdf_text(m), path)


def urdf_text(m: Mechanism) -> str:
    """The text of the URDF file; a `FileError` lists everything that URDF cannot say."""
    hinges, closing = _hinges(m)
    if faults := [*_joint_faults(hinges, closing), *_coupling_faults(m), *name_faults(m, XACRO)]:
        raise FileError.of_faults(f"mechanism {m.name!r}, to be written as URDF,", faults)
    taken = {body.name for body in m.bodies}
    base = next(name for name in BASES if name not in taken)
    frames = {GROUND: identity()} | {hinge.outer: _link_frame(hinge) for hinge in hinges}
    mimics = {c.coordinate: c for c in m.couplings}
    colors = {s.color: i for i, s in enumerate(s for b in m.bodies for s in b.shapes)}
    without_base = _is_plain_root(m, hinges)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<robot name="{text_of(m.name if m.name.strip() else "robot")}">',
    ]
    lines += [f"  <!-- not carried over: {what} -->" for what in _left_out(m, hinges)]
    lines += [] if without_base else _block("link", {"name": base}, [])
    for body in m.bodies:
        lines += _link_lines(body, frames[body.name], colors)
    for hinge in hinges if not without_base else hinges[1:]:
        parent = base if hinge.inner == GROUND else hinge.inner
        lines += _joint_lines(hinge, parent, frames, mimics.get(hinge.joint.name))
    return "\n".join([*lines, "</robot>", ""])


def _hinges(m: Mechanism) -> tuple[list[Hinge], list[Joint]]:
    """The joints of the spanning tree in the order of the mechanism, and those that close loops."""
    graph, placed = graph_of(m), drawing(m)
    tree = spanning_tree(graph)
    outer = {tree.joint_to[b]: graph.bodies[b] for b in tree.order[1:]}
    hinges = []
    for number, joint in enumerate(m.joints):
        if number not in outer:
            continue
        X_PF, X_BM = (
            joint_frames(joint)
            if joint.placed_by_frames
            else (placed.X_PF(joint), placed.X_BM(joint))
        )
        X_FM = joint.pose(np.array(joint.rest))
        if outer[number] == joint.child:
            hinges.append(Hinge(joint, joint.parent, joint.child, X_PF, X_FM, X_BM, 1))
        else:
            back = X_FM.inverse()
            hinges.append(Hinge(joint, joint.child, joint.parent, X_BM, back, X_PF, -1))
    return hinges, [m.joints[number] for number in tree.closing]


def _joint_faults(hinges: list[Hinge], closing: list[Joint]) -> Iterator[Fault]:
    for joint in closing:
        way = f"leave it out, or use {named('write_mjcf')}"
        yield joint.fault(f"closes a loop; URDF files are trees: {way}")
    for joint in [hinge.joint for hinge in hinges] + closing:
        if joint.type not in WORDS:
            yield joint.fault(f"URDF has no {joint.type} joints, only {', '.join(WORDS)}", "type")
        for key in ("armature", "rotor", "elastic"):
            if getattr(joint, key):
                yield joint.fault("URDF does not have this; leave it out", key)
    for hinge in hinges:
        if hinge.sign < 0 and hinge.joint.type in ("free", "planar"):
            message = f"its child {hinge.inner!r} is nearer to the base; exchange parent and child"
            yield hinge.joint.fault(message)


def _coupling_faults(m: Mechanism) -> Iterator[Fault]:
    """A mimic joint follows one coordinate, of a joint with one, in proportion."""
    single = {joint.name for joint in m.joints if joint.nq == 1}
    for coupling in m.couplings:
        names = variables(coupling.law)
        if len(names) != 1 or not names <= single or coupling.coordinate not in single:
            message = "mimic joints of URDF follow one other joint, both with one coordinate"
            yield coupling.fault(f"{message}; found {coupling.law}", "law")
        elif _mimic(coupling) is None:
            message = f"is not linear, as mimic joints of URDF are; found {coupling.law}"
            yield coupling.fault(message, "law")


def _mimic(coupling: Coupling) -> tuple[str, float, float] | None:
    """Leader, multiplier and offset of a linear law."""
    (leader,) = variables(coupling.law)
    slope = derivative(coupling.law, leader).value
    if not isinstance(slope, float):
        return None
    return leader, slope, float(evaluate(coupling.law, {leader: 0.0}))


def _is_plain_root(m: Mechanism, hinges: list[Hinge]) -> bool:
    """Whether the first joint is the one that the reader adds between ground and root link."""
    if not hinges or hinges[0].inner != GROUND or hinges[0].joint.type != "fixed":
        return False
    first = hinges[0]
    named = first.joint.name == unused(ROOT, [hinge.joint.name for hinge in hinges[1:]])
    X = first.X_PF @ first.X_FM @ first.X_BM.inverse()
    still = not np.any(X.p) and np.array_equal(tidy(X.R), np.eye(3))
    base = first.outer in BASES and is_nothing(m.body(first.outer))
    return named and still and not base and all(h.inner != GROUND for h in hinges[1:])


def _link_frame(hinge: Hinge) -> Pose:
    """X_BL: the body's own frame where the joint allows it, else moved to the joint."""
    p, R = hinge.X_BM.p, hinge.X_BM.R
    if hinge.joint.type == "revolute":
        beside = p - hinge.axis_B * (hinge.axis_B @ p)
        return Pose(np.eye(3), p) if np.abs(beside).max() > 1e-15 else identity()
    if hinge.joint.type in ("free", "planar"):
        usual = np.eye(3) if hinge.joint.type == "free" else rotation_aligning(R[:, 2])
        kept = not np.any(p) and np.abs(R - usual).max() < 1e-15
        return identity() if kept else hinge.X_BM
    return identity()


def _left_out(m: Mechanism, hinges: list[Hinge]) -> Iterator[str]:
    """What the file does not say, in words."""
    joints = [hinge.joint for hinge in hinges]
    many = [j for j in joints if j.nq > 1]
    counts = {
        "forces": len(m.forces),
        "drives": len(m.drives),
        "named poses": len(m.poses),
        "named points": sum(len(body.points) for body in m.bodies),
        "friction that depends on the load": sum(
            bool(j.friction and follows_load(j.friction)) for j in joints
        ),
        "limits of joints with several freedoms": sum(
            bool(j.lower or j.upper or j.max_velocity or j.max_effort) for j in many
        ),
        "coordinates of the drawing position": sum(
            not np.array_equal(j.drawn_coordinates, j.rest) for j in joints
        ),
    }
    yield from (f"{what} ({count})" for what, count in counts.items() if count)
    if m.gravity != (0.0, 0.0, -9.81):
        yield f"gravity {list(m.gravity or ())}"


def _link_lines(body: Body, X_BL: Pose, colors: dict[tuple[float, ...], int]) -> list[str]:
    X_LB = X_BL.inverse()
    inside = []
    if not is_nothing(body) or any(body.com):
        I_L = X_LB.R @ np.array(body.inertia) @ X_LB.R.T
        places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2)}
        places |= {"iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        inside = [
            "<inertial>",
            "  " + tag_of("origin", xyz=X_LB.point(body.com)),
            "  " + tag_of("mass", value=body.mass),
            "  " + tag_of("inertia", **{key: I_L[place] for key, place in places.items()}),
            "</inertial>",
        ]
    for shape in body.shapes:
        inside += _shape_lines(shape, X_LB, colors)
    return _block("link", {"name": body.name}, inside)


def _shape_lines(shape: Shape, X_LB: Pose, colors: dict[tuple[float, ...], int]) -> list[str]:
    numbers = iter(shape.size)
    words: dict[str, object] = {
        key: [*islice(numbers, count)] for key, count in SIZES.get(shape.kind, ())
    }
    if shape.kind == "mesh":
        words = {"filename": shape.file, "scale": shape.scale}
    lines = [
        "  " + _origin(X_LB @ shape.frame.pose()),
        f"  <geometry>{tag_of(shape.kind, **words)}</geometry>",
    ]
    if shape.color:
        color = tag_of("color", rgba=shape.color)
        lines.append(f'  <material name="color_{colors[shape.color]}">{color}</material>')
    return ["<visual>", *lines, "</visual>"]


def _joint_lines(
    hinge: Hinge, parent: str, frames: dict[str, Pose], mimic: Coupling | None
) -> list[str]:
    joint = hinge.joint
    endless = joint.type == "revolute" and joint.lower is None and joint.upper is None
    X_BL = frames[hinge.outer]
    X_LL = frames[hinge.inner].inverse() @ hinge.X_PF @ hinge.X_FM @ hinge.X_BM.inverse() @ X_BL
    inside = [_origin(X_LL), tag_of("parent", link=parent), tag_of("child", link=hinge.outer)]
    if joint.type not in ("fixed", "free"):
        inside.append(tag_of("axis", xyz=tidy(X_BL.R.T @ hinge.axis_B)))
    inside += _limit_lines(joint, endless)
    friction = joint.friction.effort if joint.friction else 0.0
    if joint.nq and (joint.damping or friction):
        inside.append(tag_of("dynamics", damping=joint.damping, friction=friction))
    if mimic is not None and (law := _mimic(mimic)) is not None:
        leader, slope, offset = law
        inside.append(tag_of("mimic", joint=leader, multiplier=slope, offset=offset))
    kind = "continuous" if endless else WORDS[joint.type]
    return _block("joint", {"name": joint.name, "type": kind}, inside)


def _limit_lines(joint: Joint, endless: bool) -> list[str]:
    """URDF demands four numbers of every limited joint; a very large one means none."""
    words = {"effort": joint.max_effort, "velocity": joint.max_velocity}
    if joint.nq != 1 or (endless and words == dict.fromkeys(words)):
        return []
    if not endless:
        words["lower"] = joint.lower[0] if joint.lower else -UNLIMITED
        words["upper"] = joint.upper[0] if joint.upper else UNLIMITED
    shown = {key: UNLIMITED if value is None else value for key, value in words.items()}
    return [tag_of("limit", **shown)]


def _origin(X: Pose) -> str:
    return tag_of("origin", xyz=X.p, rpy=exact_rpy(X.R))


def _block(tag: str, attributes: dict[str, object], inside: list[str]) -> list[str]:
    """An element in an indented block of lines."""
    head = tag_of(tag, **attributes)
    if not inside:
        return [f"  {head}"]
    return [f"  {head[:-2]}>", *(f"    {line}" for line in inside), f"  </{tag}>"]


def exact_rpy(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw that give `R` back to the last digits, near pitch = +-90 deg as well.

    Yaw first, then the others from what is left, so that they make up for its error.
    """
    R = tidy(R)
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return float(roll), float(pitch), float(yaw)
