"""Positions that are the same but for whole turns of their joints.

Equations of loops do not see whole turns of an angle. So a way that ends where it began, but for
whole turns, ends so again each time it is gone: after n times every joint has turned n times as
far. Coordinates that follow from others by couplings must be back as well, or a wheel is not.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.couplings import all_coordinates
from ..positions.loop_system import LoopSystem
from ..spatial.rotation import Array

MANY_TURNS = 4
"""Turns of an angle that are followed, one after the other, until all is back."""
LAST_DIGIT = 1e-7
"""Radians to which an angle has to be known."""
BACK = 1e-7
"""Radians, or typical lengths, within which a coordinate is back."""


def whole_turns(system: LoopSystem, before: Array, after: Array) -> Array | None:
    """What was turned between two positions that are the same otherwise; None if they are not."""
    tree, joints = system.tree, system.m.joints
    one, two = (np.asarray(all_coordinates(tree, q), dtype=float) for q in (before, after))
    for places in ([tree.free_q[i] for i in four] for four in tree.quaternions):
        two[places] *= 1.0 if one[places] @ two[places] > 0 else -1.0
    kinds = [kind for joint in joints for kind in joint.coordinate_kinds]
    units = np.array([system.scale if kind == "length" else 1.0 for kind in kinds])
    angles = {name for joint in joints for name in joint.round_coordinates}
    turns = 2 * np.pi * np.round((two - one) / (2 * np.pi))
    turned = np.where([name in angles for name in tree.coordinates], turns, 0.0)
    if np.abs((two - one - turned) / units).max(initial=0.0) > BACK:
        return None
    return np.asarray(turned[list(tree.free_q)])
