"""Positions that are the same but for whole turns of their joints.

Where every body stands as before and every angle has changed by whole turns, the equations of loops
are the same as before as well: those of joints do not see turns that leave bodies where they are.
So a way that ends where it began, but for whole turns, ends so again each time it is gone, and
after n times every joint has turned n times as far.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..positions.loop_system import LoopSystem
from ..spatial.rotation import Array

MANY_TURNS = 4
"""Turns of an angle that are followed, one after the other, until all is back."""
LAST_DIGIT = 1e-7
"""Radians to which an angle has to be known."""
BACK = 1e-7
"""Radians, or typical lengths, within which a coordinate or a body is back."""


def whole_turns(system: LoopSystem, before: Array, after: Array) -> Array | None:
    """What was turned between two positions that are the same otherwise; None if they are not."""
    tree = system.tree
    there = after.copy()
    for four in tree.quaternions:
        there[four] *= 1.0 if before[four] @ after[four] > 0 else -1.0
    angles = np.array([kind == "angle" for kind in tree.coordinate_kinds], dtype=bool)
    whole = np.where(angles, np.round((there - before) / (2 * np.pi)), 0.0)
    turned = 2 * np.pi * whole
    rest = (there - before - turned) / system.q_units
    moved = _places(system, there) - _places(system, before)
    back = max(np.abs(rest).max(initial=0.0), np.abs(moved).max(initial=0.0))
    return turned if back < BACK else None


def _places(system: LoopSystem, q: Array) -> Array:
    """Rotations and places of all bodies, in typical lengths."""
    at = Moving(system.tree, np.asarray(all_coordinates(system.tree, q), dtype=float))
    parts = [np.append(np.ravel(X.R), X.p / system.scale) for X in at.X_WL]
    return np.concatenate([np.zeros(0), *parts]).astype(float)
