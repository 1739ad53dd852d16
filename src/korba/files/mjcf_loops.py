"""Loops of MJCF: what equality constraints of its compiled model say as joints.

    connect   p_1A = data[0:3] on body 1 meets p_2A = data[3:6] on body 2
    weld      p_1A = data[3:6], R_1A = data[6:10] on body 1 meets p_2A = data[0:3] on body 2

and with sites the frames are those of the sites. Two bodies that meet in two points, and no more,
turn about the line through both: a pin, which has one constraint less than two balls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..errors import Fault
from ..model.drawing import MEETS, Drawing, drawing
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joints.fixed import Fixed
from ..model.joints.revolute import Revolute
from ..model.joints.spherical import Spherical
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose, rotation, translation
from ..spatial.rotation import rotation_aligning, rotation_z
from .mjcf_tree import CONNECT, JOINT, Named, is_carried, pose

SITE = 6
"""MuJoCo's number for sites as objects of a constraint."""
OPEN = (
    "its two sides are {:.3g} apart (m, rad) in the reference pose qpos0, and cannot be closed "
    "from there; MuJoCo pulls them together softly, but here they must meet: change the bodies' "
    "pos and quat, or the constraint's anchor, sites or relpose, or leave it out"
)


class Ends(NamedTuple):
    """Frames of a constraint on its two bodies."""

    parent: str
    child: str
    X_PF: Pose
    X_BM: Pose

    def apart(self, other: Ends) -> tuple[float, float]:
        """Distances of two constraints between the same bodies, on either of these."""
        ways = other.X_PF.p - self.X_PF.p, other.X_BM.p - self.X_BM.p
        return float(np.linalg.norm(ways[0])), float(np.linalg.norm(ways[1]))


def closing_joints(source: Named, tree: Mechanism) -> tuple[list[Joint], list[Fault]]:
    """Joints that close loops, and the faults of those that do not meet in the drawing position."""
    placed, kinds = drawing(tree), source.model.eq_type
    carried = [e for e in range(source.model.neq) if is_carried(source.model, e)]
    ends = {e: _ends(source, e) for e in carried if kinds[e] != JOINT}
    seconds = _pins({e: own for e, own in ends.items() if kinds[e] == CONNECT}, placed.scale)
    closing: list[Joint] = []
    faults: list[Fault] = []
    for e, own in ends.items():
        if e in seconds.values():
            continue
        cls: type[Joint] = Spherical if kinds[e] == CONNECT else Fixed
        if e in seconds:
            cls, own = Revolute, _along(own, ends[seconds[e]])  # noqa: PLW2901
        X_BM = own.X_BM @ _turned(cls, _between(own, placed))
        X_FM = _between(own._replace(X_BM=X_BM), placed)
        turn = np.linalg.norm(X_FM.R - np.eye(3)) / np.sqrt(2)  # the angle, for a small one
        if (gap := max(float(np.linalg.norm(X_FM.p)) / placed.scale, float(turn))) > MEETS:
            faults.append(Fault(("equality", source.equalities[e]), OPEN.format(gap)))
        on_parent, on_child = Frame.of_pose(own.X_PF), Frame.of_pose(X_BM)
        name, bodies = source.equalities[e], (own.parent, own.child)
        closing.append(cls(name, *bodies, on_parent=on_parent, on_child=on_child))
    return closing, faults


def _between(ends: Ends, placed: Drawing) -> Pose:
    """X_FM as it is drawn."""
    X_WF = placed.X_WB[ends.parent] @ ends.X_PF
    return X_WF.inverse() @ placed.X_WB[ends.child] @ ends.X_BM


def _turned(cls: type[Joint], X_FM: Pose) -> Pose:
    """How M is turned so that the joint is drawn at 0: as it can turn, and no other way."""
    R = X_FM.R
    if cls is Spherical:
        return rotation(R.T)
    if cls is Revolute:
        return rotation(rotation_z(-np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])))
    return translation()


def _pins(ends: Mapping[int, Ends], scale: float) -> dict[int, int]:
    """Where two bodies meet in just two points, as far apart on either: the second by the first."""
    found: dict[tuple[str, str], list[int]] = {}
    for e, own in ends.items():
        found.setdefault((own.parent, own.child), []).append(e)
    pairs = {own[0]: own[1] for own in found.values() if len(own) == 2}
    lengths = {e: ends[e].apart(ends[f]) for e, f in pairs.items()}
    return {e: pairs[e] for e, (a, b) in lengths.items() if a > MEETS * scale > abs(a - b)}


def _along(ends: Ends, beside: Ends) -> Ends:
    """Frames of a pin, z to a second point."""
    pairs = (ends.X_PF, beside.X_PF), (ends.X_BM, beside.X_BM)
    F, M = (Pose(rotation_aligning(other.p - own.p), own.p) for own, other in pairs)
    return ends._replace(X_PF=F, X_BM=M)


def _ends(source: Named, e: int) -> Ends:
    """Body and frame on each side; the ground comes first."""
    model, data = source.model, source.model.eq_data[e]
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if model.eq_objtype[e] == SITE:
        frames = [pose(model.site_pos[s], model.site_quat[s]) for s in (one, two)]
        one, two = int(model.site_bodyid[one]), int(model.site_bodyid[two])
    elif model.eq_type[e] == CONNECT:
        frames = [translation(*data[:3]), translation(*data[3:6])]
    else:
        frames = [pose(data[3:6], data[6:10]), translation(*data[:3])]
    if not two:
        one, two, frames = two, one, frames[::-1]
    return Ends(source.bodies[one], source.bodies[two], *frames)
