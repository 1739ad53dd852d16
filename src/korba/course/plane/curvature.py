"""The profiles of a higher pair, to second order, in the plane of the drawing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import StructureError
from ...model.joint import Joint
from ...model.profiles import Profiles, Side
from ...spatial.pose import Pose
from .instant import Instant


def contact(now: Instant, joint: Joint) -> Profiles:
    """The sides of a higher pair."""
    profiles = joint.profiles(now.q[joint.name], now.scale)
    if profiles is None:
        raise StructureError(
            f"joint {joint.name!r}: no lower pairs are known to replace a {joint.type} pair"
        )
    parent, child = (_in_plane(now.X_WF[joint.name], x) for x in (profiles.parent, profiles.child))
    return replace(profiles, parent=parent, child=child)


def _in_plane(X_WF: Pose, side: Side) -> Side:
    at = np.asarray(X_WF.point(side.at)[:2], dtype=float)
    direction = side.direction
    return Side(at, None if direction is None else np.asarray((X_WF.R @ direction)[:2], float))
