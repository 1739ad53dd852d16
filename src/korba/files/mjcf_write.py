"""Mechanisms as MJCF, the files of MuJoCo; loops are equality constraints.

Bodies keep their frames and stand as they are drawn. With the motions g_1(q_1) ... g_n(q_n) of a
joint between F and M, which are joints of MuJoCo (mjcf_open.py),

    X_PB = X_PF g_1 ... g_n X_MB = X_PB0 prod of  Y_i^-1 g_i(q_i - q_i0) Y_i                   (1)
    Y_i  = g_i+1(q_i+1,0) ... g_n(q_n0) X_MB

so the axis of g_i in the body's frame is that of Y_i^-1, and `ref` is the drawn coordinate. MuJoCo
counts a ball from where it is drawn, and a free body in the world.

Loops: a ball is `connect`, a revolute joint two of them on its axis (one in a plane), a fixed joint
`weld`. Couplings are `equality/joint`, springs between points are tendons. What MuJoCo holds by
soft forces is made as stiff as the time step allows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ..disk import write_text
from ..door import public
from ..errors import Fault, FileError
from ..expr import derivative, evaluate, number, variables
from ..model.body import GROUND
from ..model.coupling import Coupling
from ..model.forces.joint_force import JointForce
from ..model.forces.spring import Spring
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..model.rubbing import follows_load
from ..spatial.inertia import physical_fault
from ..spatial.pose import identity
from ..spatial.rotation import quaternion_of, tidy
from ..wording import named
from .mjcf_helper import WORLD
from .mjcf_open import CLOSABLE, SEVERAL, Opened, opened, steps
from .mjcf_parts import (
    FIXED,
    inertial,
    is_linear,
    limits,
    resistance,
    shape_lines,
    sites,
    spring,
    tendons,
)
from .xml_write import name_faults, tag_of, text_of


@public
def write_mjcf(
    m: Mechanism, path: str | os.PathLike[str], *, timestep: float | str = 0.001
) -> None:
    """Write a mechanism as an MJCF file for MuJoCo; its loops are equality constraints.

    Bodies, joints, inertias, limits, damping, springs, dry friction, armature, couplings and named
    points are written; a comment in the file says what is not, such as drives. MuJoCo holds loops
    and couplings by soft forces, here as stiff as the `timestep` (in s) allows. A `FileError`
    lists everything that MJCF cannot say.

    >>> import korba as kb
    >>> m = kb.linkages.four_bar(0.3, 0.5, 0.4, 0.6)
    >>> kb.write_mjcf(m, "four_bar.xml")
    """
    write_text(mjcf_text(m, float(number(timestep, "time"))), path)


def mjcf_text(m: Mechanism, timestep: float = 0.001) -> str:
    """The text of the MJCF file; a `FileError` lists everything that MJCF cannot say."""
    if not timestep > 0:
        raise FileError(f"timestep: expected a time above 0 s, got {timestep:g}")
    tree = opened(m)
    faults = [*_faults(tree), *name_faults(m)]
    if faults:
        raise FileError.of_faults(f"mechanism {m.name!r}, to be written as MJCF,", faults)
    lines = [f'<mujoco model="{text_of(m.name if m.name.strip() else "mechanism")}">']
    lines += [f"  <!-- not carried over: {what} -->" for what in _left_out(tree)]
    lines.append('  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>')
    lines.append("  " + tag_of("option", timestep=timestep, gravity=m.gravity))
    lines += ["  <worldbody>", *sites(m, GROUND), *_bodies(tree), "  </worldbody>"]
    lines += _section("tendon", tendons(m))
    lines += _section("equality", _equalities(tree, timestep))
    lines += _section("custom", _fixed_names(tree))
    return "\n".join([*lines, "</mujoco>", ""])


def _section(tag: str, inside: Iterator[str]) -> list[str]:
    lines = [f"    {line}" for line in inside]
    return [f"  <{tag}>", *lines, f"  </{tag}>"] if lines else []


def _bodies(tree: Opened) -> Iterator[str]:
    """The bodies inside each other, without recursion."""
    below = tree.children()
    stack: list[tuple[str, int, bool]] = [
        (name, 4, True) for name in reversed(below.get(GROUND, []))
    ]
    while stack:
        name, indent, opens = stack.pop()
        if not opens:
            yield f"{' ' * indent}</body>"
            continue
        yield from (f"{' ' * indent}{line}" for line in _body(tree, name))
        stack.append((name, indent, False))
        stack += [(inner, indent + 2, True) for inner in reversed(below.get(name, []))]


def _body(tree: Opened, name: str) -> Iterator[str]:
    """The beginning of a body: its place, mass, joints, shapes and points."""
    joint, inner = tree.joints[name]
    body, placed = tree.m.body(name), tree.placed
    X_PB = placed.X_WB[inner].inverse() @ placed.X_WB[name]
    words = tag_of("body", name=name, pos=X_PB.p, quat=quaternion_of(X_PB.R))
    yield f"{words[:-2]}>"
    if line := inertial(body, tree.m.plane is not None, moves=joint.nv > 0):
        yield f"  {line}"
    if joint.type == "free" and inner == GROUND and joint.child == name:
        yield "  " + tag_of("freejoint", name=joint.name)
    else:
        yield from (f"  {line}" for line in _joints(tree, joint, name))
    yield from (f"  {line}" for line in shape_lines(body))
    yield from (line[2:] for line in sites(tree.m, name))


def _joints(tree: Opened, joint: Joint, outer: str) -> Iterator[str]:
    """The joints of MuJoCo between a body and the one it hangs on."""
    forward = joint.child == outer
    X_BM = tree.placed.X_BM(joint) if forward else tree.placed.X_PF(joint)
    own = steps(joint, tree.placed.q[joint.name], reverse=not forward)
    for k, step in enumerate(own):
        Y = identity()
        for later in own[k + 1 :]:
            Y = Y @ later.motion
        X_BY = X_BM @ Y.inverse()
        words: dict[str, object] = {"name": step.name, "type": step.kind, "pos": X_BY.p}
        if step.kind != "ball":
            words |= {"axis": tidy(X_BY.R) @ step.axis, "ref": step.q[0]}
            words |= limits(joint, step.name) | spring(tree.m, step.name)
        words |= resistance(tree.m, joint, step.name)
        yield tag_of("joint", **words)


def _equalities(tree: Opened, timestep: float) -> Iterator[str]:
    """Constraints: loops, screws, couplings."""
    stiff = {"solref": (2 * timestep, 1.0), "solimp": (0.9999, 0.9999, 0.001, 0.5, 2.0)}
    for joint in tree.closing:
        bodies = [name for name in (joint.parent, joint.child) if name != GROUND]
        words = {f"body{k + 1}": name for k, name in enumerate(bodies)}
        X_W1 = tree.placed.X_WB[bodies[0]]
        X_1M = X_W1.inverse() @ tree.placed.X_WM[joint.name]
        if joint.type == "fixed":
            yield tag_of("weld", name=joint.name, **words, anchor=X_1M.p, **stiff)
            continue
        yield tag_of("connect", name=joint.name, **words, anchor=X_1M.p, **stiff)
        if joint.type == "revolute" and not tree.m.plane:
            beside = X_1M.p + tree.placed.scale * X_1M.R[:, 2]
            yield tag_of("connect", name=f"{joint.name}.axis", **words, anchor=beside, **stiff)
    drawn = {
        name: float(x)
        for joint in tree.m.joints
        for name, x in zip(joint.coordinates(), tree.placed.q[joint.name], strict=True)
    }
    for joint, _ in tree.joints.values():
        if joint.type == "screw":
            advance = float(joint.pose(np.ones(1)).p[2])
            pair = {"joint1": f"{joint.name}.advance", "joint2": joint.name}
            yield tag_of(
                "joint",
                name=f"{joint.name}.thread",
                **pair,
                polycoef=(0, advance, 0, 0, 0),
                **stiff,
            )
    for coupling in tree.m.couplings:
        yield tag_of("joint", name=coupling.name, **_polynomial(coupling, drawn), **stiff)


def _fixed_names(tree: Opened) -> Iterator[str]:
    """Names of fixed joints, which MJCF does not have: of those that bodies hang on."""
    for body, (joint, _) in tree.joints.items():
        if not joint.nv:
            yield tag_of("text", name=f"{FIXED}{body}", data=joint.name)


def _polynomial(coupling: Coupling, drawn: dict[str, float]) -> dict[str, object]:
    """y - y0 = a0 + a1 (x - x0) + ... about the drawing, by Taylor's rule."""
    names = sorted(variables(coupling.law))
    words: dict[str, object] = {"joint1": coupling.coordinate}
    law, factors, factorial = coupling.law, [], 1.0
    if names:
        words["joint2"] = names[0]
    for k in range(5):
        value = float(evaluate([law], {name: drawn[name] for name in names})[0])
        factors.append(value / factorial - (drawn[coupling.coordinate] if k == 0 else 0.0))
        law, factorial = derivative(law, names[0]) if names else law * 0.0, factorial * (k + 1)
    return words | {"polycoef": factors}


def _faults(tree: Opened) -> Iterator[Fault]:
    """What MJCF does not have."""
    m, inner = tree.m, {joint.name: joint for joint, _ in tree.joints.values()}
    for joint in m.joints:
        for key in ("rotor", "elastic"):
            if getattr(joint, key):
                way = f"{named('expanded')} writes it as bodies and joints"
                yield joint.fault(f"MJCF does not have this; {way}", key)
        if not (joint.type in SEVERAL or joint.shifts_then_turns):
            yield joint.fault(f"MJCF has no {joint.type} joints", "type")
    for body in m.bodies:
        if body.name == WORLD:
            yield body.fault(f"MuJoCo calls the ground {WORLD!r}; rename it", "name")
    for body in m.bodies if not m.plane else ():
        if physical_fault(body.mass, body.inertia):
            message = "no real body has such an inertia, and MuJoCo refuses it; correct it"
            yield body.fault(message, "inertia")
    for joint in tree.closing:
        if joint.type not in CLOSABLE:
            ways = ", ".join(CLOSABLE)
            message = f"closes a loop of joints that MJCF cannot close; it closes at {ways} joints"
            yield joint.fault(f"{message}; put one into this loop")
    known = {s.name for joint in inner.values() for s in steps(joint, tree.placed.q[joint.name])}
    for coupling in m.couplings:
        names = {coupling.coordinate, *variables(coupling.law)}
        if len(names) > 2 or not names <= known:
            message = "MJCF couples one joint to one other, both of one freedom and in its tree"
            yield coupling.fault(f"{message}; found {coupling.law}", "law")
        elif not _is_quartic(coupling):
            yield coupling.fault(f"is no polynomial of degree 4 or less: {coupling.law}", "law")


def _is_quartic(coupling: Coupling) -> bool:
    law = coupling.law
    for name in variables(law):
        for _ in range(5):
            law = derivative(law, name)
        return bool(law.value == 0.0)
    return True


def _left_out(tree: Opened) -> Iterator[str]:
    """What the file does not say, in words."""
    m = tree.m
    told = [f for f in m.forces if isinstance(f, JointForce | Spring) and is_linear(f)]
    lost = [j for j in tree.closing if j.damping or j.lower or j.upper or j.friction or j.armature]
    tight = [j for j in m.joints if j.lower and j.upper and np.any(np.equal(j.lower, j.upper))]
    counts = {
        "drives": len(m.drives),
        "forces by laws": len(m.forces) - len(told),
        "named poses": len(m.poses),
        "limits and damping in joints that close loops": len(lost),
        "limits with no room between them": len(tight),
        "limits of speed": sum(bool(j.max_velocity) for j in m.joints),
        "meshes": sum(shape.kind == "mesh" for body in m.bodies for shape in body.shapes),
        "dry friction that depends on the load": sum(
            bool(j.friction and follows_load(j.friction)) for j in m.joints
        ),
    }
    yield from (f"{what} ({count})" for what, count in counts.items() if count)
