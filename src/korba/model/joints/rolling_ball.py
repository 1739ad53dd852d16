"""Ball that rolls on a plane without slip; the plane may belong to a body that moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import (
    Array,
    cross,
    quaternion_rate,
    rotation_of_quaternion,
    skew,
)
from ..fields import field, missing
from ..joint import QUATERNION, Joint
from ..specs import Number
from .ball_on_plane import BallOnPlane
from .rolling import rolled


@final
@dataclass(frozen=True)
class RollingBall(Joint):
    """Ball that rolls on a plane of the parent: the point of it that touches is at rest there.

    F is on the plane with the normal z, `axis`; M is in the ball's centre, at the height of the
    `radius` r. Where it touches, (x, y), follows from how it turns, w in the axes of M:

        V_FM = (w, w x r n),    n = R_FM' z,        (x', y') = r (w_y, -w_x) in F

    So it has six coordinates, x, y and a unit quaternion, and three velocities.
    """

    type = "rolling-ball"
    symbol = "RB"
    picture = "plane"
    ball_on_child = True
    lower_pair = False
    proposed = False
    coordinate_names = ("x", "y", *(f"q{part}" for part in QUATERNION))
    coordinate_kinds = ("length", "length", *("number",) * 4)
    velocity_names = ("wx", "wy", "wz")
    velocity_kinds = ("angle",) * 3

    radius: float = field(
        Number("length", positive=True),
        default=missing("the radius of the ball"),
        doc="radius of the ball",
    )

    @property
    def slipping(self) -> Joint:
        """The ball that keeps the plane alone."""
        return rolled(self, BallOnPlane)

    @property
    def own_rates(self) -> dict[str, str]:
        """None: a quaternion, and a contact that rolls."""
        return {}

    @property
    def ball_radius(self) -> float:
        """That of the ball."""
        return self.radius

    def pose(self, q: Any) -> Pose:
        """T(x, y, r) R(quaternion)."""
        return Pose(rotation_of_quaternion(q[2:]), np.array([q[0], q[1], self.radius]))

    def _arm(self, q: Any) -> Array:
        """r n: from the contact to the centre, in M."""
        return self.radius * rotation_of_quaternion(q[2:])[2]

    def motion_subspace(self, q: Any) -> Array:
        """(1, -skew(r n))."""
        return np.concatenate([np.eye(3), -skew(self._arm(q))])

    def bias(self, q: Any, v: Any) -> Array:
        """The normal turns in M by -w x n."""
        w = np.asarray(v)
        return np.concatenate([np.zeros(3), -cross(w, cross(w, self._arm(q)))])

    def qdot(self, q: Any, v: Any) -> Array:
        """The contact runs below the centre, and 1/2 q (0, w)."""
        w = rotation_of_quaternion(q[2:]) @ np.asarray(v)
        contact = np.array([self.radius * w[1], -self.radius * w[0]])
        return np.concatenate([contact, quaternion_rate(q[2:], v)])
