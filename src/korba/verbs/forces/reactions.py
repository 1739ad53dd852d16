"""What goes through the joints: force and moment of the parent on the child, in every joint.

With loops or drives they come from the equations of all bodies at once
(dynamics/kinetostatics.py), together with the efforts of the drives. In a tree without drives
equilibrium of all that hangs on a joint gives them, by the block-matrix formulas (19), (22); then
the moment is taken to a point of the joint,  n_P = n_O + (o - p) x f. Drives, springs and dampers
of the joint are part of its moment or force; what a coupling transmits counts as a drive of the
joints it couples. Inertia is the bodies' own here: regrouped inertia gives other reactions.

Constraints and drives to spare leave forces open: who carries them, dynamics/load_distribution.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...codegen.routine import Routine
from ...dynamics.block_matrix import external as acting_on
from ...dynamics.block_matrix import joint_loads, motion
from ...dynamics.kinetostatics import Equations, GivenMotion, besides
from ...dynamics.kinetostatics import equations as all_equations
from ...dynamics.load_distribution import left_open, motion_names, shared, split
from ...errors import StructureError
from ...forces.friction import rough_joints
from ...forces.friction_data import refuse_incomplete
from ...forces.powers import rates
from ...kinematics.blocks import Blocks, blocks
from ...kinematics.couplings import AllMotion, all_motion
from ...model.body import GROUND
from ...model.drawing import drawing
from ...model.joint import Joint
from ...spatial.pose import Pose, identity
from ...spatial.rotation import Array, cross
from ...system.system import Loads, System
from ...system.tree import Tree
from ..options import one_of
from ..systems import EXTERNAL, loads_with, under
from ..verb import Options, verb
from .by_joint import by_joint
from .distribution import ELASTIC, LEAST, limits_key, springs_of, stiffness_key, weights_key
from .friction import Prepared, prepared, with_friction
from .joint_frames import Seen, maps, slopes, told
from .joint_wrench import JOINT, WORLD
from .limits import LINEAR, limited
from .methods import REACTIONS, grouped, method_of, unknowns
from .results import Reactions


def packed(found: Any) -> tuple[Array, ...]:
    """Forces, moments and points, efforts and what is told besides, what is left open."""
    if isinstance(found, tuple):
        return found
    parts = [found.force, found.moment, found.point]
    if found.efforts.size or found.open.size:
        parts.append(found.efforts)
    if found.open.size:
        parts.append(np.concatenate([found.open.ravel(), found.open_drives]))
    return tuple(parts)


def _by_steps(system: System, options: Options, sizes: Mapping[str, int]) -> Routine | None:
    """With friction the routine that lets it grow; with limits the one that splits efforts."""
    if not options["friction"]:
        return limited(reactions, system, options, sizes)
    if options["limits"] is not None:
        raise StructureError(
            "limits: efforts are not split within limits where friction depends on them; leave out "
            "limits or friction"
        )
    refuse_incomplete(system.m)
    if not rough_joints(system.m):
        raise StructureError(
            f"mechanism {system.m.name!r} has no joint with friction; give joints a friction, with "
            "its coefficient and the radius of the pin"
        )
    return with_friction(system, sizes, reactions.least(system, [{**options, "friction": LINEAR}]))


@verb(
    closed=True,
    named=EXTERNAL,
    checks={
        "at": one_of("at", "child", "parent"),
        "axes": one_of("axes", WORLD, JOINT),
        "friction": lambda _, given, __: bool(given),
        "method": method_of("reactions", REACTIONS),
        "distribution": one_of("distribution", LEAST, ELASTIC),
        "stiffness": stiffness_key,
        "weights": weights_key,
        "limits": limits_key,
    },
    pack=packed,
    unpack=by_joint,
    ways=grouped,
    finished=True,
    repetition=_by_steps,
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
    axes: str = "world",
    friction: bool = False,
    method: str = "newton-euler",
    distribution: str = "least",
    stiffness: Mapping[str, Any] | None = None,
    weights: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
) -> Reactions:
    """Force and moment of the parent on the child in every joint, for a given motion.

    The motion is q, v, a of all joints, or a trajectory: `kb.reactions(m, kb.motion(m, times))`.
    The moment is about the origin of the joint's frame on the child, or with at="parent" of that on
    the parent. `external` gives wrenches that act on bodies besides the mechanism's own loads: for
    a body's name an array (..., 6), moment about the world's origin and force, in world axes.
    `.driving` has the efforts of the drives. A freedom of a mechanism with loops that no drive
    moves must move as the loads tell, as in a motion of `kb.simulate` or `kb.run_up`; in a tree
    the efforts that the motion needs there are part of the joints' moments and forces. Forces and
    moments are along the world's axes, or with axes="joint" along those of the joint's frame.

    Passive constraints leave forces open: `.unique` and `.not_unique` name what is told and what
    is not. These have the least sum of squares, or with distribution="elastic" what bodies on
    springs would give: `stiffness` of joints by name, against shifts (N/m) or against shifts and
    turns (N m/rad), or the joints' own `bearing_stiffness`; joints without one are rigid. With
    more drives than freedoms the squares of their efforts are least, times `weights` by drive and
    within `limits` by drive (without them the joints' own max_effort).

    With friction=True dry friction of all joints acts against their motion, solved together with
    the forces: `.friction` has its efforts, `.losses` the power that each joint takes, `.jammed`
    tells where there is no solution, and the forces are nan there.

    `method` names the way; all give the same numbers: "newton-euler" (the matrix of the whole
    system), "multipliers" (of the opened tree), "groups" (in the static order, in the plane).
    """
    springs, split_with, rubbed_with = _asked(stiffness), _asked(limits), _asked(friction)
    if rubbed_with is True:
        raise StructureError("reactions: with friction they are found by steps, not by one formula")
    s, x = under(system, gravity, t), all_motion(system.tree, q, v, a)
    loads, seen = loads_with(s, x.q, x.v, external or {}), Seen(at, axes)
    if not s.ties and not s.drives and not rubbed_with:
        return _of_tree(s, x, loads, seen)
    equations = shared(s, all_equations(s, x, loads, t), springs_of(springs), dict(weights or ()))
    if rubbed_with is LINEAR:
        own = prepared(equations, x.v, x.a)
        known = np.concatenate(rates(s, equations, x, t, external or {}))
        return *own[:-1], *_rows(equations, own, seen), known  # type: ignore[return-value]
    if split_with is LINEAR:
        return _split(equations, seen)  # type: ignore[return-value]
    return solved_forces(equations, unknowns(GivenMotion(s, x, loads, t), equations, method), seen)


def _asked(option: Any) -> Any:
    """An option as its check leaves it."""
    return option


def solved_forces(equations: Equations, x: Array, seen: Seen) -> Reactions:
    """Forces of all joints from the unknowns, and what is left open."""
    m = equations.at.tree.m
    force, moment, point, efforts = told(equations, x, seen)
    names = tuple(joint.name for joint in m.joints)
    told_besides = np.concatenate([efforts, besides(equations, x)])
    answer = Reactions(names, force, moment, point, motion_names(m), told_besides)
    if not equations.leave_open:
        return answer
    spread, drives = left_open(equations, maps(equations, seen))
    return replace(answer, open=spread, open_drives=drives)


def _split(equations: Equations, seen: Seen) -> tuple[Array, ...]:
    """What efforts are split within limits with (limits.py)."""
    own = split(equations)
    force, moment, point, efforts = told(equations, own.x, seen)
    rest = np.concatenate([np.ravel(part) for part in (force, moment, efforts)])
    spread, drives = left_open(equations, maps(equations, seen))
    return (
        rest,
        slopes(equations, own.X, seen),
        efforts / np.array(own.units),
        np.ravel(own.R),
        point,
        np.concatenate([spread.ravel(), drives]),
    )


def _rows(equations: Equations, own: Prepared, seen: Seen) -> tuple[Array, Array, Array]:
    """What is linear in efforts of friction: results in a row, what each changes in it; points.

    A row has forces, moments, efforts of drives, and what is told of freedoms without drives.
    """
    force, moment, point, efforts = told(equations, own.x, seen)
    rest = besides(equations, own.x)
    row = np.concatenate([np.ravel(part) for part in (force, moment, efforts, rest)])
    more = [
        besides(equations, x, [-1.0 * (i == k) for i in range(len(equations.b))])
        for k, x in zip(own.places, own.X.T, strict=True)
    ]
    columns = np.array(more, dtype=object).reshape(len(more), len(rest)).T
    return row, np.concatenate([slopes(equations, own.X, seen), columns]), point


def _of_tree(s: System, x: AllMotion, loads: Loads, seen: Seen) -> Reactions:
    """Efforts that the motion needs are in the joints: (19), (22) of the block-matrix equations."""
    b = blocks(s.tree, x.q)
    f, n = joint_loads(b, motion(b, x.q, x.v, x.a), *acting_on(b, s.gravity, loads))
    numbers, parts = joint_numbers(s.tree), []
    for joint, p in zip(s.m.joints, joint_points(b, seen.at), strict=True):
        i, sign = numbers[joint.name]
        force = f[i, :, 0]
        moment = n[i, :, 0] + cross(b.X[i].p - p, force)
        if seen.axes == JOINT:
            R = joint_turn(b, joint, seen.at)
            force, moment = R.T @ force, R.T @ moment
        parts.append([sign * force, sign * moment, p])
    rows = np.reshape(np.array(parts), (-1, 3, 3))
    return Reactions(tuple(numbers), rows[:, 0], rows[:, 1], rows[:, 2])


def joint_points(b: Blocks, at: str) -> list[Array]:
    """Origins, in the world, of the joints' frames on the child or on the parent."""
    placed = drawing(b.tree.m)
    if at == "child":
        return [_pose(b, joint.child).point(placed.X_BM(joint).p) for joint in b.tree.m.joints]
    return [_pose(b, joint.parent).point(placed.X_PF(joint).p) for joint in b.tree.m.joints]


def joint_turn(b: Blocks, joint: Joint, at: str) -> Array:
    """Rotation, in the world, of a joint's frame on the child or on the parent."""
    placed = drawing(b.tree.m)
    body, X = (joint.child, placed.X_BM) if at == "child" else (joint.parent, placed.X_PF)
    return _pose(b, body).R @ X(joint).R


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
