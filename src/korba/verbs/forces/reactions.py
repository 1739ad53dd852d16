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
from typing import Any

import numpy as np

from ...codegen.routine import Routine
from ...dynamics.block_matrix import external as acting_on
from ...dynamics.block_matrix import joint_loads, motion
from ...dynamics.catalogue import JOINT_FORCES
from ...dynamics.freedoms import Apart
from ...dynamics.kinetostatics import Equations, GivenMotion, besides
from ...dynamics.load_distribution import motion_names
from ...dynamics.multiplier_forces import hanging
from ...errors import StructureError
from ...forces.friction_data import refuse_incomplete
from ...forces.rough import rough_joints
from ...kinematics.blocks import blocks
from ...spatial.rotation import Array, cross
from ...system.system import System, ties
from ..options import Options, one_of
from ..systems import EXTERNAL
from ..verb import verb
from .distribution import Distribution, shares_of_forces
from .friction import Linear, linear, with_friction
from .joint_frames import frame_of, told, undetermined
from .limits import least_efforts, limited
from .methods import method_of
from .question import equations_of, given_motion
from .results import Reactions
from .told import by_joint


def _by_steps(system: System, options: Options, sizes: Mapping[str, int]) -> Routine | None:
    """With friction the routine that lets it grow; with limits the one that splits efforts."""
    if not options["friction"]:
        return limited(reactions, system, options, sizes, _within_limits)
    shares: Any = options["distribution"]
    if shares.limits is not None:
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
    return with_friction(system, sizes, reactions.least(system, [options], _with_friction))


def _within_limits(system: System, q: Any, v: Any, a: Any, **asked: Any) -> dict[str, Array]:
    """What efforts are split within limits with."""
    equations = equations_of(given_motion(system, q, v, a, asked), asked)
    return least_efforts(equations, asked["at"])


def _with_friction(system: System, q: Any, v: Any, a: Any, **asked: Any) -> Linear:
    """What friction is solved with."""
    given = given_motion(system, q, v, a, asked)
    return linear(given, equations_of(given, asked), asked["at"], asked["external"])


@verb(
    closed=True,
    named=EXTERNAL,
    checks={
        "at": one_of("at", "child", "parent"),
        "friction": lambda _, given, __: bool(given),
        "method": method_of("reactions"),
        "distribution": shares_of_forces,
    },
    pack=lambda found: found.arrays,
    unpack=by_joint,
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
    friction: bool = False,
    method: str = "newton-euler",
    distribution: str | Distribution = "least",
) -> Reactions:
    """Force and moment of the parent on the child in every joint, for a given motion.

    The motion is q, v, a of all joints, or a trajectory: `kb.reactions(m, kb.motion(m, times))`.
    The moment is about the origin of the joint's frame on the child, or with at="parent" of that on
    the parent. `external` gives wrenches that act on bodies besides the mechanism's own loads: for
    a body's name an array (..., 6), moment about the world's origin and force, in world axes.
    `.driving` has the efforts of the drives. A freedom of a mechanism with loops that no drive
    moves must move as the loads tell, as in a motion of `kb.simulate` or `kb.run_up`; in a tree
    the efforts that the motion needs there are part of the joints' moments and forces. Forces and
    moments are along the world's axes; `.in_joint()` has them along those of the joints' frames.

    Passive constraints leave forces open: `.unique` and `.not_unique` name what is told and what
    is not. These have the least sum of squares, or with distribution="elastic" what bodies on
    springs would give; with more drives than freedoms their efforts are shared too. A
    `kb.Distribution` says by which stiffnesses, weights and limits.

    With friction=True dry friction of all joints acts against their motion, solved together with
    the forces: `.friction` has its efforts, `.losses` the power that each joint takes, `.jammed`
    tells where there is no solution, and the forces are nan there.

    `method` names the way; all give the same numbers: "newton-euler" (the matrix of the whole
    system), "multipliers" (of the opened tree), "groups" (in the static order, in the plane).
    """
    if friction:
        raise StructureError("reactions: with friction they are found by steps, not by one formula")
    asked = {"t": t, "gravity": gravity, "external": external}
    given = given_motion(system, q, v, a, asked)
    if not system.ties and not system.drives:
        return _of_tree(given, at)
    equations = equations_of(given, {"distribution": distribution})
    return solved_forces(equations, JOINT_FORCES[method](given, equations), at)


def solved_forces(equations: Equations, x: Array, seen_at: str) -> Reactions:
    """Forces of all joints from the unknowns, and what is left open."""
    m = equations.at.tree.m
    names = tuple(joint.name for joint in m.joints)
    arrays = {**told(equations, x, seen_at), **undetermined(equations, seen_at)}
    return Reactions(names, drives=motion_names(m), undriven=besides(equations, x), **arrays)


def _of_tree(given: GivenMotion, seen_at: str) -> Reactions:
    """Efforts that the motion needs are in the joints: (19), (22) of the block-matrix equations."""
    s, x, loads, _ = given
    at, b = Apart(s.tree, x.q), blocks(s.tree, x.q)
    f, n = joint_loads(b, motion(b, x.q, x.v, x.a), *acting_on(b, s.gravity, loads))
    parts = []
    for tie in ties(s.tree, s.m.joints):
        i, frame = hanging(at, tie), frame_of(at, tie, seen_at)
        sign, force = 1.0 if i == tie.child else -1.0, f[i, :, 0]
        moment = n[i, :, 0] + cross(b.X[i].p - frame.p, force)
        parts.append([sign * force, sign * moment, frame.p])
    rows = np.reshape(np.array(parts), (-1, 3, 3))
    return Reactions(tuple(j.name for j in s.m.joints), rows[:, 0], rows[:, 1], rows[:, 2])
