"""The parts of an MJCF file: mass and shapes, what acts in joints, points, tendons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model.body import GROUND, Body
from ..model.forces.joint_force import JointForce
from ..model.forces.spring import Spring
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array, quaternion_of
from .xml_write import tag_of

FIXED = "fixed: "
"""Texts of this name and a body's say the name of its fixed joint."""
UNLIMITED = 1e10
"""An end of a range that has none."""

LEAST = 1e-12
"""Mass and inertia of what has none, in kg and kg m^2: MuJoCo refuses bodies without.

What has just so much when it is read has none.
"""


def inertial(body: Body, planar: bool, *, moves: bool) -> str:
    """`<inertial>`; in a plane the moments about x and y, which move nothing, are as about z.

    A tensor is written by its principal moments and axes: those that MuJoCo itself finds are true
    to a millionth only with its older versions.
    """
    mass, tensor = max(float(body.mass), LEAST), np.array(body.inertia, dtype=float)
    if not body.mass and not tensor.any() and not moves:
        return ""
    if planar:
        about = max(float(tensor[2, 2]), LEAST)
        return tag_of("inertial", pos=body.com, mass=mass, diaginertia=(about,) * 3)
    if not np.any(tensor - np.diag(np.diag(tensor))):
        moments, turn = np.diag(tensor), {}
    else:
        moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
        turn = {"quat": quaternion_of(axes * np.sign(np.linalg.det(axes)))}
    return tag_of("inertial", pos=body.com, mass=mass, diaginertia=_possible(moments), **turn)


def _possible(moments: Array) -> Array:
    """Principal moments that MuJoCo takes: none below LEAST, and no rounding past A + B >= C."""
    moments = moments + max(0.0, LEAST - float(moments.min()))
    a, b, most = np.argsort(moments, kind="stable")
    moments[most] = min(moments[most], moments[a] + moments[b])
    return moments


def shape_lines(body: Body) -> Iterator[str]:
    """Geoms that are seen and touch nothing; meshes are left out."""
    for shape in body.shapes:
        if shape.kind == "mesh":
            continue
        X, size = shape.frame.pose(), np.array(shape.size)
        halves = {"box": 0.5, "sphere": 1.0}.get(shape.kind, (1.0, 0.5))
        words: dict[str, object] = {"type": shape.kind, "size": size * halves}
        words |= {"pos": X.p, "quat": quaternion_of(X.R)}
        if shape.color:
            words["rgba"] = shape.color
        yield tag_of("geom", contype="0", conaffinity="0", **words)


def limits(joint: Joint, name: str) -> dict[str, object]:
    """The range of a coordinate, and of the effort of actuators."""
    words: dict[str, object] = {}
    if name in joint.coordinates():
        k = joint.coordinates().index(name)
        ends = [x[k] if x else None for x in (joint.lower, joint.upper)]
        if any(x is not None and np.isfinite(x) for x in ends):
            low, high = (
                x if x is not None else s * UNLIMITED for x, s in zip(ends, (-1, 1), strict=True)
            )
            words["range"] = np.clip([low, high], -UNLIMITED, UNLIMITED)
    if joint.max_effort and joint.nv == 1:
        words["actuatorfrcrange"] = (-joint.max_effort, joint.max_effort)
    return words


def spring(m: Mechanism, name: str) -> dict[str, object]:
    """All springs in a joint as one."""
    springs = [f for f in m.forces if isinstance(f, JointForce) and f.joint == name and f.stiffness]
    stiffness = sum(f.stiffness for f in springs)
    if not springs:
        return {}
    rest = sum(f.stiffness * f.rest for f in springs) / stiffness
    return {"stiffness": stiffness, "springref": rest}


def resistance(m: Mechanism, joint: Joint, name: str) -> dict[str, object]:
    """Damping, dry friction and armature."""
    dampers = [f.damping for f in m.forces if isinstance(f, JointForce) and f.joint == name]
    words: dict[str, object] = {}
    if (damping := joint.damping + sum(dampers)) > 0:
        words["damping"] = damping
    if joint.friction and joint.friction.effort:
        words["frictionloss"] = joint.friction.effort
    if joint.armature:
        words["armature"] = joint.armature
    return words


def sites(m: Mechanism, body: str) -> Iterator[str]:
    """Named points; one whose name is used on several bodies has that of its body before it."""
    everywhere = [
        name for points in (m.points, *(b.points for b in m.bodies)) for name, _ in points
    ]
    for name, p in m.points if body == GROUND else m.body(body).points:
        full = name if everywhere.count(name) == 1 else f"{body}.{name}"
        yield "    " + tag_of("site", name=full, pos=p)
    for force in (f for f in m.forces if isinstance(f, Spring)):
        for own, at, end in ((force.body_a, force.at_a, "a"), (force.body_b, force.at_b, "b")):
            if own == body and is_linear(force):
                yield "    " + tag_of("site", name=f"{force.name}.{end}", pos=at)


def is_linear(force: Any) -> bool:
    """Whether a spring has no law besides."""
    return bool(force.law.value == 0.0)


def tendons(m: Mechanism) -> Iterator[str]:
    """Springs and dampers between points."""
    for force in m.forces:
        if isinstance(force, Spring) and is_linear(force):
            words = {"name": force.name, "springlength": force.free_length}
            words |= {"stiffness": force.stiffness, "damping": force.damping}
            ends = "".join(tag_of("site", site=f"{force.name}.{end}") for end in "ab")
            yield f"{tag_of('spatial', **words)[:-2]}>{ends}</spatial>"
