"""The tree of an MJCF model: its bodies, what they look like, its joints and their springs.

Elements keep their names; those without one get a readable one that is new.
MuJoCo places a body by chaining its joints on the pose it has in its parent, about `jnt_pos` and
`jnt_axis` in the body's frame; the motion of a joint counts from its value in `qpos0`:

    X_PB = X(body_pos, body_quat)  product over its joints of  T(pos) motion(q - q0) T(-pos)

Every joint but the last of a body carries a body without mass.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from ..model.body import GROUND, Body, Shape
from ..model.forces.joint_force import JointForce
from ..model.frame import Frame, as_tuples
from ..model.joint import Joint
from ..model.joint_parts import Friction
from ..model.joints.fixed import Fixed
from ..model.joints.free import Free
from ..model.joints.prismatic import Prismatic
from ..model.joints.revolute import Revolute
from ..model.joints.spherical import Spherical
from ..spatial.pose import Pose, identity, rotation, translation
from ..spatial.rotation import rotation_about, rotation_of_quaternion, tidy
from .mjcf_model import Model
from .mjcf_parts import FIXED, LEAST, UNLIMITED

KINDS = ("free", "ball", "slide", "hinge")
"""Joint types in MuJoCo's numbering."""
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
"""Types of equality constraints in MuJoCo's numbering."""
CONNECT, WELD, JOINT = 0, 1, 2
"""Those that are carried over."""
SHAPES = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box", 7: "mesh"}
"""Geom types that can be shown, in MuJoCo's numbering."""
SHOWN_GROUP = 2
"""The last group of geoms that MuJoCo's viewer shows unless told otherwise."""
GREY = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that has none of its own."""


@dataclass(frozen=True, eq=False)
class Named:
    """A compiled model, and the names its elements have in the mechanism."""

    model: Model
    folder: Path
    """Where the file is; files of meshes are named from there."""
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    between: dict[int, tuple[str, ...]]
    """Names of the bodies without mass between the joints of a body."""
    fixed: dict[int, str]
    """Names of the joints of bodies that have none."""
    equalities: tuple[str, ...]
    sites: tuple[str, ...]


def named(model: Model, folder: Path) -> Named:
    """Names for everything: the given ones, and readable unique ones where there is none."""
    bodies = unique(
        {f"body{b}": model.name("body", b) if b else GROUND for b in range(model.nbody)}
    )
    between, taken = {}, set(bodies)
    for b in range(1, model.nbody):
        between[b] = unique({f"{bodies[b]}.{i}": "" for i in range(1, model.body_jntnum[b])}, taken)
        taken |= {*between[b]}
    kinds = enumerate(model.jnt_type)
    joints = unique({f"{KINDS[kind]}{j}": model.name("jnt", j) for j, kind in kinds}, {"t"})
    still = [b for b in range(1, model.nbody) if not model.body_jntnum[b]]
    told = model.texts()
    fixed = unique(
        {f"{bodies[b]}.fixed": told.get(f"{FIXED}{bodies[b]}", "") for b in still}, joints
    )
    ties = {f"{equality_kind(model, e)}{e}": model.name("eq", e) for e in range(model.neq)}
    equalities = unique(ties, {*joints, *fixed})
    sites = unique({f"site{s}": model.name("site", s) for s in range(model.nsite)})
    rest = dict(zip(still, fixed, strict=True))
    return Named(model, folder, bodies, joints, between, rest, equalities, sites)


def unique(names: Mapping[str, str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """The names, or their keys for empty ones; a name that is taken gets `.2`, `.3`, ..."""
    used, chosen = set(taken), dict.fromkeys(names, "")
    for key in sorted(names, key=lambda key: not names[key].strip()):
        wanted = names[key] if names[key].strip() else key
        more = (f"{wanted}.{count}" for count in itertools.count(2))
        chosen[key] = next(name for name in itertools.chain([wanted], more) if name not in used)
        used.add(chosen[key])
    return tuple(chosen.values())


def equality_kind(model: Model, e: int) -> str:
    """The type of an equality constraint in words."""
    kind = int(model.eq_type[e])
    return EQUALITIES[kind] if kind < len(EQUALITIES) else "equality"


def numbers(values: Any) -> tuple[Any, ...]:
    """An array as plain floats."""
    return tuple(float(x) for x in values)


def pose(position: Any, quaternion: Any) -> Pose:
    """The pose of MuJoCo's pair of position and quaternion."""
    return Pose(tidy(rotation_of_quaternion(quaternion)), np.array(position))


def switched_on(model: Model, *features: str) -> bool:
    """Whether none of the features is disabled by an option flag."""
    return not any(f"mjDSBL_{feature}" in model.disabled for feature in features)


def is_carried(model: Model, e: int) -> bool:
    """Whether an equality constraint is in force and of a type that Korba has."""
    on = switched_on(model, "EQUALITY", "CONSTRAINT") and bool(model.eq_active0[e])
    return on and int(model.eq_type[e]) in (CONNECT, WELD, JOINT)


def bodies(source: Named) -> Iterator[Body]:
    """Every body, and before it the bodies without mass between its joints."""
    model = source.model
    for b in range(1, model.nbody):
        yield from (Body(name) for name in source.between[b])
        R_BI = rotation_of_quaternion(model.body_iquat[b])
        moments = model.body_inertia[b] * np.any(model.body_inertia[b] != LEAST)
        tensor = R_BI @ np.diag(moments) @ R_BI.T
        mass = float(model.body_mass[b]) * (model.body_mass[b] != LEAST)
        yield Body(
            source.bodies[b],
            mass,
            numbers(model.body_ipos[b] * (mass > 0)),
            as_tuples((tensor + tensor.T) / 2),
            points=tuple(
                (source.sites[s], numbers(model.site_pos[s]))
                for s in np.flatnonzero(model.site_bodyid == b)
            ),
            shapes=tuple(_shapes(source, b)),
        )


def _shapes(source: Named, b: int) -> Iterator[Shape]:
    """The geoms of a body that Korba can show."""
    model = source.model
    for g in np.flatnonzero(model.geom_bodyid == b):
        if not is_shown(model, g):
            continue
        kind, size = SHAPES[int(model.geom_type[g])], model.geom_size[g]
        X_BG, file, scale = pose(model.geom_pos[g], model.geom_quat[g]), "", (1.0, 1.0, 1.0)
        if kind == "mesh":
            mesh = model.geom_dataid[g]
            X_BG = X_BG @ pose(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
            file = _relative(mesh_file(model, mesh), source.folder)
            scale = numbers(model.mesh_scale[mesh])
        sizes = {
            "sphere": size[:1],
            "capsule": (size[0], 2 * size[1]),
            "cylinder": (size[0], 2 * size[1]),
            "box": 2 * size,
        }
        yield Shape(
            kind, numbers(sizes.get(kind, ())), Frame.of_pose(X_BG), file, scale, _color(model, g)
        )


def is_shown(model: Model, g: Any) -> bool:
    """Whether a geom becomes a shape: on a body, of a known kind, and a mesh with its file.

    Geoms of groups that MuJoCo's viewer does not show (from 3 on) are for contacts.
    """
    if model.geom_group[g] > SHOWN_GROUP:
        return False
    kind = SHAPES.get(int(model.geom_type[g]))
    if kind == "mesh" and not mesh_file(model, model.geom_dataid[g]):
        return False
    return kind is not None and bool(model.geom_bodyid[g] > 0)


def mesh_file(model: Model, mesh: int) -> str:
    """The file of a mesh as MuJoCo opens it; empty for a mesh without one.

    Before its version 3.17 MuJoCo names it without the folder of meshes.
    """
    place = int(model.mesh_pathadr[mesh])
    file = model.paths[place:].split(b"\0")[0].decode("utf-8", "replace") if place >= 0 else ""
    return str(PurePath(model.meshdir, file)) if file else ""


def _relative(file: str, folder: Path) -> str:
    """The file seen from the folder, where it lies below it."""
    path = PurePath(file)
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def _color(model: Model, g: Any) -> tuple[float, ...]:
    """The geom's own colour, else that of its material."""
    own, material = numbers(model.geom_rgba[g]), model.geom_matid[g]
    return numbers(model.mat_rgba[material]) if material >= 0 and np.allclose(own, GREY) else own


def joints(source: Named) -> Iterator[Joint]:
    """The joints of the tree, in the order of `qpos`; a body without any is fixed."""
    model = source.model
    for b in range(1, model.nbody):
        chain = (source.bodies[model.body_parentid[b]], *source.between[b], source.bodies[b])
        X_PB = pose(model.body_pos[b], model.body_quat[b])
        if not model.body_jntnum[b]:
            yield Fixed(source.fixed[b], chain[0], chain[1], on_parent=Frame.of_pose(X_PB))
        for i in range(model.body_jntnum[b]):
            j = int(model.body_jntadr[b]) + i
            yield _joint(source, j, chain[i], chain[i + 1], X_PB if i == 0 else identity())


def _joint(source: Named, j: int, parent: str, child: str, X_PB: Pose) -> Joint:
    """One joint; `X_PB` is the pose of the child in the parent without its motion."""
    model, name, kind = source.model, source.joints[j], KINDS[source.model.jnt_type[j]]
    q0 = numbers(model.qpos0[model.jnt_qposadr[j] :])
    dof = model.jnt_dofadr[j]
    damping = float(model.dof_damping[dof]) * switched_on(model, "DAMPER", "PASSIVE")
    if kind == "free":
        return Free(name, GROUND, child, on_parent=Frame(), drawn=q0[:7], damping=damping)
    X_BM = translation(*model.jnt_pos[j])
    on_child = Frame.of_pose(X_BM)
    if kind == "ball":
        on_parent = Frame.of_pose(X_PB @ X_BM)
        return Spherical(
            name, parent, child, on_parent=on_parent, on_child=on_child, damping=damping
        )
    axis = model.jnt_axis[j]
    back = rotation(rotation_about(axis, -q0[0]))
    cls: type[Joint] = Revolute
    if kind == "slide":
        back, cls = translation(*(-q0[0] * axis)), Prismatic
    return cls(
        name,
        parent,
        child,
        axis=numbers(axis),
        on_parent=Frame.of_pose(X_PB @ X_BM @ back),
        on_child=on_child,
        drawn=q0[:1] if q0[0] else None,
        damping=damping,
        **_friction_armature_and_limits(model, j),
    )


def _friction_armature_and_limits(model: Model, j: int) -> dict[str, Any]:
    """Armature, ranges of the coordinate, and of the force of actuators where it is symmetric."""
    keys: dict[str, Any] = {}
    loss = float(model.dof_frictionloss[model.jnt_dofadr[j]])
    if loss and switched_on(model, "FRICTIONLOSS", "CONSTRAINT"):
        keys["friction"] = Friction(effort=loss)
    keys["armature"] = float(model.dof_armature[model.jnt_dofadr[j]])
    if model.jnt_limited[j] and switched_on(model, "LIMIT", "CONSTRAINT"):
        ends = zip(("lower", "upper"), numbers(model.jnt_range[j]), strict=True)
        keys |= {key: end for key, end in ends if abs(end) < UNLIMITED}
    if model.jnt_actfrclimited[j] and is_symmetric(model.jnt_actfrcrange[j]):
        keys["max_effort"] = float(model.jnt_actfrcrange[j][1])
    return keys


def is_symmetric(interval: Any) -> bool:
    """Whether an interval is [-x, x]."""
    return bool(np.isclose(interval[0], -interval[1], atol=0))


def is_single(model: Model, j: int) -> bool:
    """Whether a joint has one freedom."""
    return KINDS[model.jnt_type[j]] in ("hinge", "slide")


def springs(source: Named) -> Iterator[JointForce]:
    """Springs in joints of one freedom, at rest at MuJoCo's `springref`."""
    model = source.model
    if not switched_on(model, "SPRING", "PASSIVE"):
        return
    for j in range(model.njnt):
        if is_single(model, j) and (stiffness := float(model.jnt_stiffness[j])):
            rest = float(model.qpos_spring[model.jnt_qposadr[j]])
            yield JointForce(f"{source.joints[j]}.spring", source.joints[j], stiffness, rest)
