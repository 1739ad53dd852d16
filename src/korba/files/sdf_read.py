"""SDF files (SDFormat, the files of Gazebo) as mechanisms; their models may have loops.

A link becomes a body whose frame is the link's frame. Poses are drawn as the file gives them, so
all coordinates are 0 there and loops are closed. What is not tied to the world by joints floats: a
model that is not static falls. What is not carried over is noted, element by element.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..disk import refuse
from ..door import public
from ..errors import Fault, FileError, KorbaError, ModelError, unknown
from ..model.body import GROUND, Body, Shape
from ..model.drawing import joints_by_body, outward
from ..model.frame import Frame, as_tuples
from ..model.joint import Joint
from ..model.joints.fixed import Fixed
from ..model.joints.free import Free
from ..model.mechanism import Mechanism
from ..spatial.inertia import physical_fault
from ..spatial.pose import Pose
from ..wording import given
from .mesh_files import read_from
from .sdf_frames import Entry, Frames, frames_of, of_kind, read_pose, text_of
from .sdf_joints import couplings, read_joints
from .urdf_parts import COLLISION, NOT_PHYSICAL, Findings, Part, Vocabulary, note_extras
from .urdf_read import ROOT, unused
from .xml_tree import XmlElement, read_xml

GRAVITY = (0.0, 0.0, -9.8)
"""Of a world that gives none."""
FLOATS = "links that no joint ties to the world float on a free joint"
NO_INERTIAL = "links without <inertial> have SDFormat's 1 kg and 1 kg m^2"
BESIDE = "poses of models relative to other models are read as in the world"
STATIC = "the model is static: its first link is fixed, its joints can move here"
SIZES = {"box": ("size",), "sphere": ("radius",)} | dict.fromkeys(
    ("cylinder", "capsule"), ("radius", "length")
)
POSE = ("relative_to", "frame", "degrees", "rotation_format")
SDF = Vocabulary(
    {
        "model": ("pose", "link", "frame", "joint", "model", "static"),
        "link": ("pose", "inertial", "visual"),
        "inertial": ("pose", "mass", "inertia"),
        "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
        "visual": ("pose", "geometry", "material"),
        "geometry": (*SIZES, "mesh"),
        **SIZES,
        "mesh": ("uri", "scale"),
        "material": ("diffuse",),
        "frame": ("pose",),
        "joint": (
            *("pose", "parent", "child", "axis", "axis2", "screw_thread_pitch", "thread_pitch"),
            *("gearbox_ratio", "gearbox_reference_body"),
        ),
        "axis": ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"),
        "axis2": ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"),
        "limit": ("lower", "upper", "effort", "velocity"),
        "dynamics": ("damping", "friction", "spring_reference", "spring_stiffness"),
        "mimic": ("multiplier", "offset", "reference"),
    },
    {
        "pose": POSE,
        "model": ("name", "canonical_link", "placement_frame"),
        "link": ("name",),
        "joint": ("name", "type"),
        "frame": ("name", "attached_to"),
        "xyz": ("expressed_in",),
        "mimic": ("joint", "axis"),
        "inertial": (),
    },
    {
        "collision": COLLISION,
        "self_collide": COLLISION,
        "sensor": "sensors are not carried over",
        "plugin": "plugins are not carried over",
        "include": "included models are not read; write them into the file",
        "gripper": "grippers of Gazebo are not carried over",
        "battery": "batteries are not carried over",
        "light": "lights are not carried over",
        "velocity_decay": "velocity_decay of links is not carried over",
        "gravity": "gravity of single links is not carried over",
        "kinematic": "kinematic links are not carried over",
        "enable_wind": "wind is not carried over",
        "physics": "settings of the physics engine are not carried over",
        "stiffness": "softness of limits is not carried over",
        "dissipation": "softness of limits is not carried over",
    },
    ("model", "sdf", "world"),
)


@public
def read_sdf(
    path: str | os.PathLike[str], *, model: str | None = None, floating: bool = True
) -> Mechanism:
    """The mechanism of a model in an SDF file (SDFormat 1.2 to 1.11), loops included.

    `model` names it where the file, or the world in it, has several. A model that no joint ties to
    the world floats; with `floating=False` its first link is fixed. Revolute, continuous,
    prismatic, screw, ball, universal, revolute2 and fixed joints and gearboxes are read, with axes
    and poses relative to any frame, limits, damping, friction, springs and mimic. `notes` of the
    mechanism names what was not carried over. A `FileError` lists every fault of the file with
    its line.

    >>> import korba as kb
    >>> m = kb.read_sdf("four_bar.sdf")                                       # doctest: +SKIP
    >>> kb.mobility(m).actual                                                 # doctest: +SKIP
    1
    """
    source = str(path)
    root = read_xml(path)
    element, world = _chosen(root, model, source)
    found = Findings()
    frames = frames_of(element, found)
    name = element.attributes.get("name", "").strip() or Path(source).stem
    note_extras(element, name, found, SDF)
    X_WM = _placed(frames, Part(element, ("model", name), found))
    frames.poses["world"] = X_WM.inverse()
    bodies = [_body(frames, full, entry.part) for full, entry in of_kind(frames, "link")]
    if not bodies:
        Part(element, ("model", name), found).fault("has no links")
    made = read_joints(frames, old=_is_old(root))
    laws = tuple(couplings(made))
    for each in (*bodies, *made.joints):
        found.faults += [replace(x, line=_line(frames, x)) for x in each.faults()]
    if found.faults:
        raise _error(frames, found.faults, source)
    roots = list(_roots(frames, made.joints, X_WM, floating and not _is_static(element, found)))
    options: dict[str, Any] = {} if world is None else {"gravity": _gravity(world, found)}
    try:
        parts = (*bodies, *made.between), (*roots, *made.joints)
        m = Mechanism(name, *parts, laws, tuple(made.springs), notes=found.sentences(), **options)
        return read_from(m, path)
    except ModelError as error:
        raise _error(frames, error.faults, source) from None


def _chosen(
    root: XmlElement, name: str | None, source: str
) -> tuple[XmlElement, XmlElement | None]:
    """The model that is asked for, or the only one, and the world it is in."""
    if root.tag != "sdf":
        readers = {"robot": "a URDF file; read_urdf", "mujoco": "an MJCF file; read_mjcf"}
        hint = f": {readers[root.tag]} reads it" if root.tag in readers else ""
        refuse(source, f"expected <sdf>, got <{root.tag[:60]}>{hint}", root.line)
    worlds = [(model, world) for world in root.all("world") for model in world.all("model")]
    models = [*((model, None) for model in root.all("model")), *worlds]
    known = [model.attributes.get("name", "") for model, _ in models]
    if name is not None and name not in known:
        raise FileError(f"{source}: {unknown('model', name, known)}")
    if not models:
        refuse(source, "there is no <model> in the file", root.line)
    if name is None and len(models) > 1:
        first = ", ".join(known[:8])
        choice = f"choose one with {given('read_sdf', model=...)}: {first}"
        raise FileError(f"{source}: there are {len(models)} models; {choice}")
    return models[0 if name is None else known.index(name)]


def _placed(frames: Frames, model: Part) -> Pose:
    """X_WM: the pose of the model is that of its `placement_frame`, where it names one."""
    pose, frame = model.first("pose"), model.text("placement_frame")
    if pose is not None and pose.text("relative_to") not in ("", "world"):
        model.found.note(BESIDE, model.where[1])
    X_WF = read_pose(model)
    if not frame:
        return X_WF
    name = frames.looked_up(Entry(model, ""), frame, "placement_frame")
    return X_WF @ frames.pose(name).inverse() if name in frames.entries else X_WF


def _is_old(root: XmlElement) -> bool:
    """Whether axes are in the frame of the model: before SDFormat 1.5."""
    major, _, minor = root.attributes.get("version", "").partition(".")
    return major == "1" and minor in ("0", "1", "2", "3", "4")


def _body(frames: Frames, name: str, link: Part) -> Body:
    """The body of a `<link>`."""
    found, inertial = link.found, link.first("inertial")
    frames.pose(name)
    mass, com, tensor = 1.0, np.zeros(3), np.eye(3)
    if inertial is None:
        found.note(NO_INERTIAL, name)
    else:
        mass, com, tensor = _inertial(inertial)
    impossible = physical_fault(mass, as_tuples(tensor)) is not None
    if mass < 0:
        link.fault(f"is negative (found {mass:g} kg)", "mass")
    elif impossible:
        found.note(NOT_PHYSICAL, name)
    shapes = [_shape(frames, name, visual) for visual in link.all("visual")]
    solid = tuple(shape for shape in shapes if shape)
    x, y, z = map(float, com)
    return Body(name, mass, (x, y, z), as_tuples(tensor), shapes=solid, as_given=impossible)


def _inertial(part: Part) -> tuple[float, Any, Any]:
    """Mass, centre of mass and tensor about it in the axes of the link; 1 where none is given."""
    X, mass, inertia = read_pose(part), part.first("mass"), part.first("inertia")
    values = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    for key, usual in values.items() if inertia else ():
        own = inertia.first(key) if inertia else None
        values[key] = own.inner(1)[0] if own else usual
    xx, yy, zz, xy, xz, yz = values.values()
    tensor = X.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ X.R.T
    return (mass.inner(1)[0] if mass else 1.0), X.p, (tensor + tensor.T) / 2


def _shape(frames: Frames, link: str, visual: Part) -> Shape | None:
    """The shape of a `<visual>`, where it is one that Korba has."""
    geometry = visual.first("geometry")
    solid = next(geometry.all(*SIZES, "mesh"), None) if geometry else None
    if solid is None:
        return None
    kind, X, pose = solid.element.tag, read_pose(visual), visual.first("pose")
    if pose is not None and (beside := pose.text("relative_to")):
        entry = frames.entries[link]
        full = frames.looked_up(Entry(visual, entry.scope), beside, "relative_to")
        X = frames.pose(link).inverse() @ frames.pose(full) @ X
    frame = Frame.of_pose(X)
    size: list[float] = []
    for key in SIZES.get(kind, ()):
        part, count = solid.first(key), 3 if key == "size" else 1
        size += part.inner(count) if part else [1.0] * count
    scale, material = solid.first("scale"), visual.first("material")
    color = material.first("diffuse") if material else None
    words = color.element.text.split() if color else []
    rgba = color.inner(len(words)) if color and len(words) in (3, 4) else ()
    x, y, z = scale.inner(3) if scale else (1.0, 1.0, 1.0)
    opaque = (*rgba, 1.0)[:4] if rgba else ()
    return Shape(kind, tuple(size), frame, text_of(solid, "uri"), (x, y, z), opaque)


def _is_static(model: XmlElement, found: Findings) -> bool:
    """Whether a model is fixed to the world; then a note says so."""
    static = model.first("static")
    if static is None or static.text.strip() not in ("true", "1"):
        return False
    found.note(STATIC, model.attributes.get("name", ""))
    return True


def _roots(frames: Frames, joints: list[Joint], X_WM: Pose, floating: bool) -> Iterator[Joint]:
    """Joints to the ground of what no joint ties to it: free ones, or fixed ones."""
    held, names = {GROUND}, [joint.name for joint in joints]
    links = [name for name, _ in of_kind(frames, "link")]
    first = frames.canonical("")
    by_body = joints_by_body(joints)
    for name in [None, *sorted(links, key=lambda name: name != first)]:
        if name in held:
            continue
        if name is not None:
            X_WB, root = X_WM @ frames.pose(name), unused(ROOT, names)
            names.append(root)
            if floating:
                fixed = given("read_sdf", floating=False)
                frames.found.note(f"{FLOATS}; {fixed} fixes them", name)
                yield Free(root, GROUND, name, on_parent=Frame.of_pose(X_WB))
            else:
                yield Fixed(root, GROUND, name, on_parent=Frame.of_pose(X_WB))
            held.add(name)
        for _, _, other in outward(by_body, [name or GROUND], held):
            held.add(other)


def _gravity(world: XmlElement, found: Findings) -> tuple[float, ...]:
    """Of the world; SDFormat's where it gives none."""
    own = world.first("gravity")
    part = Part(own, ("world",), found) if own else None
    return part.inner(3) if part else GRAVITY


def _line(frames: Frames, fault: Fault) -> int:
    """Where the element of a fault stands."""
    name = fault.where[1] if len(fault.where) > 1 else ""
    entry = frames.entries.get(name) or frames.entries.get(name.rpartition(".")[0])
    return fault.line or (entry.part.element.line if entry else 1)


def _error(frames: Frames, faults: Iterable[Fault], source: str) -> KorbaError:
    """All faults, in the words and the order of the file."""
    told = []
    for fault in dict.fromkeys(faults):
        where = ("link", *fault.where[1:]) if fault.where[:1] == ("body",) else fault.where
        told.append(replace(fault, where=where, line=_line(frames, fault)))
    return FileError.of_faults(source, sorted(told, key=lambda fault: fault.line or 0))
