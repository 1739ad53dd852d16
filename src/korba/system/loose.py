"""A system with every body free and every joint a tie.

Each body hangs on the base by a joint that leaves it everything: the planar one in a plane, with
the coordinates x, y and angle of the body's frame, the free one in space. These joints come first,
so the spanning tree takes them and all joints of the mechanism close loops. Couplings are not
solved for their dependent coordinates: they are rows as well.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joints.free import Free
from ..model.joints.planar import Planar
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose
from .expand import expanded
from .system import System, system_of


def loosened(m: Mechanism) -> System:
    """The system of a mechanism in which every body is free and every joint a tie."""
    m = expanded(m)
    placed = drawing(m)
    poses = {body.name: placed.X_WB[body.name] for body in m.bodies}
    free = [_free(name, X, m.plane is not None) for name, X in poses.items()]
    bodies = [replace(body, frame=Frame.of_pose(poses[body.name])) for body in m.bodies]
    joints = [replace(j, drawn=tuple(map(float, placed.q[j.name]))) for j in m.joints]
    whole = replace(m, bodies=tuple(bodies), joints=(*free, *joints), couplings=(), forces=())
    return replace(system_of(whole), couplings=m.couplings)


def _free(body: str, X_WB: Pose, planar: bool) -> Joint:
    """The joint that leaves a body everything: in space counted from where the body is drawn."""
    ends = f"{body} in the world", GROUND, body
    if not planar:
        return Free(*ends, on_parent=Frame.of_pose(X_WB), on_child=Frame())
    turn = float(np.arctan2(X_WB.R[1, 0], X_WB.R[0, 0]))
    x, y = map(float, X_WB.p[:2])
    return Planar(*ends, on_parent=Frame(), on_child=Frame(), drawn=(x, y, turn))
