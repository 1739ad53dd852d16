"""Loops that close only up to half a turn.

Residuals of rotations are sines of the angle between both sides of a loop (rows.py), so they
vanish at 0 and at half a turn. The trace of the rotation between the sides tells them apart:

    trace R = 1 + 2 cos(angle):    3 where the loop is closed, -1 half a turn away
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..spatial.rotation import Array
from ..system.ties import Tie, ties
from ..system.tree import Tree


def half_turned(tree: Tree, q: Array, tied: Sequence[Tie] | None = None) -> list[str]:
    """Joints whose loop closes only up to half a turn; `tied` spares finding the ties again."""
    at = Moving(tree, np.asarray(all_coordinates(tree, q), dtype=float))
    found = []
    for tie in ties(tree) if tied is None else tied:
        R_WM = at.pose(tie.child).R @ tie.X_LM.R
        wanted = at.pose(tie.parent).R @ tie.X_LF.R @ tie.joint.pose(at.q_all[tie.q]).R
        if np.trace(np.asarray(wanted @ R_WM.T, dtype=float)) < 2.0:
            found.append(tie.joint.name)
    return found
