"""What goes through the joints: force and moment of the parent on the child, in every joint.

With loops, or drives for all freedoms, they come from the equations of all bodies at once
(dynamics/kinetostatics.py), together with the efforts of the drives. In a tree without drives
equilibrium of all that hangs on a joint gives them, by the block-matrix formulas (19), (22); then
the moment is taken to a point of the joint,  n_P = n_O + (o - p) x f. Drives, springs and dampers
of the joint are part of its moment or force; what a coupling transmits counts as a drive of the
joints it couples. Inertia is the bodies' own here: regrouped inertia gives other reactions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen.routine import Routine
from ..dynamics.block_matrix import external as acting_on
from ..dynamics.block_matrix import joint_loads, motion
from ..dynamics.kinetostatics import Apart, Equations, GivenMotion, follows, in_world, parted
from ..dynamics.kinetostatics import equations as all_equations
from ..errors import StructureError
from ..forces.friction import refuse_incomplete, rough_joints, slides
from ..kinematics.blocks import Blocks, blocks
from ..kinematics.couplings import AllMotion, all_motion
from ..kinematics.forward import world_poses
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.system import Loads, System, Tie
from ..system.tree import Tree
from .friction import WITH_FRICTION, prepared, with_friction
from .joint_wrenches import Reactions
from .methods import REACTIONS, method_of, unknowns
from .options import one_of
from .store import kept
from .systems import any_system, under
from .verb import Given, Options, verb

LINEAR = "linear"
"""Asks the formula for what friction is solved with, in place of the forces."""


def _by_joint(m: Mechanism, result: tuple[Array, ...], given: Given) -> Reactions:
    sizes = tuple(given.design)
    names = kept(
        m, ("names of joints", sizes), lambda: tuple(j.name for j in any_system(m, sizes).m.joints)
    )
    if len(result) == len(WITH_FRICTION):
        return _rubbed(m, names, result)
    force, moment, point, *efforts = result
    drives = motion_names(m) if efforts else ()
    effort = efforts[0] if efforts else np.zeros(0)
    return Reactions(names, force, moment, point, drives, effort, friction_not_used(m))


def _rubbed(m: Mechanism, names: tuple[str, ...], result: Any) -> Reactions:
    """What the routine with friction gives, nan where it did not come to its end."""
    rest, point, efforts, speeds, touching, done = result
    jammed = done < 1.0
    parts = rest, efforts, touching
    rest, efforts, touching = (np.where(jammed[..., None], np.nan, each) for each in parts)
    lead, count = rest.shape[:-1], 3 * len(names)
    force, moment = (rest[..., k * count : (k + 1) * count].reshape(*lead, -1, 3) for k in (0, 1))
    pairs = touching.reshape(*lead, -1, 2, 3)
    friction, losses, contacts, start, slide = {}, {}, {}, 0, 0
    for joint, _ in rough_joints(any_system(m).m).values():
        own = slice(start, start + joint.nv)
        friction[joint.name] = efforts[..., own]
        losses[joint.name] = -np.sum(efforts[..., own] * speeds[..., own], axis=-1)
        start = own.stop
        if slides(joint):
            contacts[joint.name] = pairs[..., slide, :, :]
        slide += len(slides(joint))
    point = point.reshape(*lead, -1, 3)
    stuck = int(np.sum(jammed))
    notes = (f"it jams at {stuck} of {jammed.size} positions: friction leaves no solution",)
    return Reactions(
        names,
        force,
        moment,
        point,
        motion_names(m),
        rest[..., 2 * count :],
        notes if stuck else (),
        friction,
        losses,
        contacts,
        jammed,
    )


def motion_names(m: Mechanism) -> tuple[str, ...]:
    """The names of all that drives prescribe: the drive's, with the motion's where it has more."""
    return tuple(
        drive.name if drive.count == 1 else f"{drive.name}.{key}"
        for drive in m.drives
        for key in drive.given
    )


def _packed(found: Any) -> tuple[Array, ...]:
    if isinstance(found, tuple):
        return found
    parts = found.force, found.moment, found.point
    return (*parts, found.efforts) if found.drives else parts


def refuse_undriven(system: System) -> None:
    """An error for loops with freedoms that no drive moves, so that no effort can be told."""
    if not system.ties:
        return
    report = mobility(system.m)
    if report.undriven:
        reasons = [reason.text for reason in report.reasons if "drive" in reason.text]
        raise StructureError(
            f"mechanism {system.m.name!r} has {report.undriven} freedom"
            f"{'s' * (report.undriven > 1)} that no drive moves, so the forces of a motion are not "
            f"determined; give drives (kb.JointDrive) for them. {' '.join(reasons)}".rstrip()
        )


def _rubbing(system: System, options: Options, sizes: Mapping[str, int]) -> Routine | None:
    """With friction: the routine that lets it grow."""
    if not options["friction"]:
        return None
    refuse_undriven(system)
    refuse_incomplete(system.m)
    if not follows(system):
        raise StructureError(
            f"reactions: friction needs drives for all freedoms of mechanism {system.m.name!r}, to "
            "know what moves against it; give drives (kb.JointDrive)"
        )
    if not rough_joints(system.m):
        raise StructureError(
            f"mechanism {system.m.name!r} has no joint with friction; give joints "
            "friction=kb.Friction(coefficient=..., radius=...)"
        )
    return with_friction(system, sizes, reactions.least(system, [{**options, "friction": LINEAR}]))


@verb(
    closed=True,
    named={"external": 6},
    checks={
        "at": one_of("at", "child", "parent"),
        "friction": lambda _, given, __: bool(given),
        "method": method_of("reactions", REACTIONS),
    },
    pack=_packed,
    unpack=_by_joint,
    refuse=refuse_undriven,
    repetition=_rubbing,
)
def reactions(
    system: System,
    q: Any,
    v: Any,
    a: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
    at: str = "child",
    friction: bool = False,
    method: str = "newton-euler",
) -> Reactions:
    """Force and moment of the parent on the child in every joint, for a given motion.

    The motion is q, v, a of all joints, or a trajectory: `kb.reactions(m, kb.motion(m, times))`.
    The moment is about the origin of the joint's frame on the child, or with at="parent" of that on
    the parent. `external` gives wrenches that act on bodies besides the mechanism's own loads: for
    a body's name an array (..., 6), moment about the world's origin and force, in world axes. A
    mechanism with loops needs drives for all its freedoms; `.driving` has their efforts. In a tree
    without them the efforts that the motion needs are part of the joints' moments and forces.

    With friction=True dry friction of all joints acts against their motion, solved together with
    the forces: `.friction` has its efforts, `.losses` the power that each joint takes, `.jammed`
    tells where there is no solution, and the forces are nan there.

    `method` names the way; all give the same numbers: "newton-euler" (the matrix of the whole
    system), "multipliers" (of the opened tree), "groups" (in the static order, in the plane).
    """
    asked: Any = friction
    if asked is True:
        raise StructureError("reactions: with friction they are found by steps, not by one formula")
    s, x = under(system, gravity, t), all_motion(system.tree, q, v, a)
    loads = with_external(s, x, external or {})
    if not follows(s):
        return _of_tree(s, x, loads, at)
    equations = all_equations(s, x, loads, t)
    if asked is LINEAR:
        return _prepared(equations, x.v, at)  # type: ignore[return-value]
    names = tuple(joint.name for joint in s.m.joints)
    solution = unknowns(GivenMotion(s, x, loads, t), equations, method)
    force, moment, point, efforts = told(equations, solution, at)
    return Reactions(names, force, moment, point, motion_names(s.m), efforts)


def told(equations: Equations, x: Array, at: str) -> tuple[Array, Array, Array, Array]:
    """Forces, moments and points of all joints, and the efforts of the drives, from x."""
    parts, wrenches = parted(equations, x), []
    for tie, part in zip(equations.ties, parts, strict=False):  # couplings and drives come after
        wrench = in_world(equations.at, tie, part)
        wrenches.append(wrench if at == "child" else _moved(equations.at, tie, wrench))
    force, moment, point = (np.array([each[k] for each in wrenches]) for k in range(3))
    drives = len(equations.at.tree.m.drives)
    return force, moment, point, np.concatenate([np.zeros(0), *parts[len(parts) - drives :]])


def _prepared(equations: Equations, v_all: Array, at: str) -> tuple[Array, ...]:
    """What friction is solved with (verbs/friction.py): all that is linear in its efforts."""
    x_0, X, columns, places = prepared(equations)
    force, moment, point, efforts = told(equations, x_0, at)
    slopes = [told(equations, X[:, k], at) for k in range(X.shape[1])]
    more = [np.concatenate([np.ravel(part) for part in (f, n, e)]) for f, n, _, e in slopes]
    rest = np.concatenate([np.ravel(part) for part in (force, moment, efforts)])
    return x_0, X, columns, np.array([v_all[i] for i in places]), rest, np.array(more).T, point


def with_external(s: System, x: AllMotion, external: Mapping[str, Any]) -> Loads:
    """The loads of a mechanism, and wrenches about the world's origin that act besides."""
    loads = s.loads(x.q, x.v)
    if not external:
        return loads
    X_WL, wrenches = world_poses(s.tree, x.q), dict(loads.wrenches)
    for body, wrench in external.items():
        i = s.tree.number(s.m.body(body).name)
        n, f = wrenches.get(i, (np.zeros(3), np.zeros(3)))
        moment = wrench[:3] - np.cross(X_WL[i].p, wrench[3:])
        wrenches[i] = n + X_WL[i].R.T @ moment, f + X_WL[i].R.T @ wrench[3:]
    return replace(loads, wrenches=wrenches)


def _moved(at: Apart, tie: Tie, wrench: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """A joint's wrench about the origin of its frame on the parent."""
    force, moment, p = wrench
    origin = (at.pose(tie.parent) @ tie.X_LF).p
    return force, moment + np.cross(p - origin, force), origin


def _of_tree(s: System, x: AllMotion, loads: Loads, at: str) -> Reactions:
    """Efforts that the motion needs are in the joints: (19), (22) of the block-matrix equations."""
    b = blocks(s.tree, x.q)
    f, n = joint_loads(b, motion(b, x.q, x.v, x.a), *acting_on(b, s.gravity, loads))
    numbers, parts = joint_numbers(s.tree), []
    for joint, p in zip(s.m.joints, joint_points(b, at), strict=True):
        i, sign = numbers[joint.name]
        force = f[i, :, 0]
        moment = n[i, :, 0] + np.cross(b.X[i].p - p, force)
        parts.append([sign * force, sign * moment, p])
    rows = np.reshape(np.array(parts), (-1, 3, 3))
    return Reactions(tuple(numbers), rows[:, 0], rows[:, 1], rows[:, 2])


def joint_points(b: Blocks, at: str) -> list[Array]:
    """Origins, in the world, of the joints' frames on the child or on the parent."""
    placed = drawing(b.tree.m)
    if at == "child":
        return [_pose(b, joint.child).point(placed.X_BM(joint).p) for joint in b.tree.m.joints]
    return [_pose(b, joint.parent).point(placed.X_PF(joint).p) for joint in b.tree.m.joints]


def _pose(b: Blocks, body: str) -> Pose:
    """X_WB of a body as it was described."""
    if body == GROUND:
        return identity()
    i = b.tree.number(body)
    return b.X[i] @ b.tree.links[i].X_BL.inverse()


def joint_numbers(tree: Tree) -> dict[str, tuple[int, float]]:
    """For every joint its link, and whether the link is the child (1) or the parent (-1)."""
    found = {}
    for joint in tree.m.joints:
        ends = tree.number(joint.child), tree.number(joint.parent)
        below = ends[0] >= 0 and tree.links[ends[0]].parent == ends[1]
        found[joint.name] = (ends[0], 1.0) if below else (ends[1], -1.0)
    return found
