"""What goes through the joints: force and moment of the parent on the child, in every joint.

Equilibrium of all that hangs on a joint gives both, by the block-matrix formulas (19), (22); then
the moment is taken to a point of the joint,  n_P = n_O + (o - p) x f. Drives, springs and dampers
of the joint are part of its moment or force; what a coupling transmits counts as a drive of the
joints it couples. Inertia is the bodies' own here: regrouped inertia gives other reactions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import Displayed, described
from ..dynamics.block_matrix import external as acting_on
from ..dynamics.block_matrix import joint_loads, motion
from ..errors import StructureError
from ..kinematics.blocks import Blocks, blocks
from ..kinematics.couplings import all_motion
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Tree
from .options import one_of
from .store import kept
from .systems import any_system, under
from .verb import Given, verb


class JointWrench(NamedTuple):
    """Force of the parent on the child, its moment about `point`, and that point; world axes."""

    force: Array
    moment: Array
    point: Array

    def __repr__(self) -> str:
        return described(self)


@dataclass(frozen=True, eq=False)
class JointWrenches(Displayed):
    """Forces, moments and the points they are about, (..., joints, 3) each, in world axes.

    `wrenches["elbow"]` gives those of one joint.
    """

    joints: tuple[str, ...]
    """Names of the joints, those of rotors and elastic joints written out."""
    force: Array
    moment: Array
    point: Array
    notes: tuple[str, ...] = ()
    """What they leave out."""

    def __getitem__(self, joint: str) -> JointWrench:
        """Force, moment and point of a joint by its name."""
        if joint not in self.joints:
            known = ", ".join(self.joints)
            raise StructureError(f"there is no joint {joint!r} here; there are {known}")
        i = self.joints.index(joint)
        return JointWrench(self.force[..., i, :], self.moment[..., i, :], self.point[..., i, :])


def _by_joint(m: Mechanism, result: tuple[Array, ...], given: Given) -> JointWrenches:
    sizes = tuple(given.design)
    names = kept(
        m, ("names of joints", sizes), lambda: tuple(j.name for j in any_system(m, sizes).m.joints)
    )
    force, moment, point = result
    return JointWrenches(names, force, moment, point, friction_not_used(m))


@verb(
    named={"external": 6},
    checks={"at": one_of("at", "child", "parent")},
    pack=lambda wrenches: (wrenches.force, wrenches.moment, wrenches.point),
    unpack=_by_joint,
)
def joint_wrenches(
    system: System,
    q: Any,
    v: Any,
    a: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
    at: str = "child",
) -> JointWrenches:
    """Force and moment of the parent on the child in every joint of a tree, for a given motion.

    The moment is about the origin of the joint's frame on the child, or with at="parent" of that on
    the parent. `external` gives wrenches that act on bodies besides the mechanism's own loads: for
    a body's name an array (..., 6), moment about the world's origin and force, in world axes.
    """
    s, x = under(system, gravity, t), all_motion(system.tree, q, v, a)
    b = blocks(s.tree, x.q)
    f_e, n_e = acting_on(b, s.gravity, s.loads(x.q, x.v))
    for body, wrench in (external or {}).items():
        i = s.tree.number(s.m.body(body).name)
        f_e[i, :, 0] = f_e[i, :, 0] + wrench[3:]
        n_e[i, :, 0] = n_e[i, :, 0] + wrench[:3] - np.cross(b.X[i].p, wrench[3:])
    f, n = joint_loads(b, motion(b, x.q, x.v, x.a), f_e, n_e)
    numbers, parts = joint_numbers(s.tree), []
    for joint, p in zip(s.m.joints, joint_points(b, at), strict=True):
        i, sign = numbers[joint.name]
        force = f[i, :, 0]
        moment = n[i, :, 0] + np.cross(b.X[i].p - p, force)
        parts.append([sign * force, sign * moment, p])
    rows = np.reshape(np.array(parts), (-1, 3, 3))
    return JointWrenches(tuple(numbers), rows[:, 0], rows[:, 1], rows[:, 2])


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
