"""What joints share that shift along axes of the parent's frame F, and then turn.

    X_FM = T(shifts) R(turn)

Seen in M, a unit shift along an axis of F is a row u of R_FM, and the turn is a constant spin:

    S = [0  spin]        Sdot v = [0            ]        w = spin v_turn
        [u  0   ]                 [(u v_shift) x w]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import (
    Array,
    quaternion_rate,
    rotation_of_quaternion,
    rotation_x,
    rotation_z,
    skew,
)
from ..joint import Joint


@dataclass(frozen=True)
class ShiftAndTurn(Joint):
    """Coordinates are the shifts, then the angle about an axis of M, or else a quaternion."""

    shifts: ClassVar[tuple[int, ...]]
    """Numbers of the axes of F, in the order of the coordinates."""
    about: ClassVar[str] = ""
    """The axis of the angle: "x" or "z"."""

    def pose(self, q: Any) -> Pose:
        """T(shifts) R(turn)."""
        place = dict(zip(self.shifts, q, strict=False))
        return Pose(self._turn(q), np.array([place.get(i, 0.0) for i in range(3)]))

    def motion_subspace(self, q: Any) -> Array:
        """Unit shifts seen in M, and the spin."""
        u, spin = self._turn(q)[[*self.shifts]].T, self._spin
        angular = np.column_stack([np.zeros((3, len(self.shifts))), spin])
        return np.concatenate([angular, np.column_stack([u, 0.0 * spin])])

    def bias(self, q: Any, v: Any) -> Array:
        """Axes of F turn in M by -w x."""
        count = len(self.shifts)
        speed_M = self._turn(q)[[*self.shifts]].T @ np.asarray(v[:count])
        return np.concatenate([np.zeros(3), skew(speed_M) @ (self._spin @ np.asarray(v[count:]))])

    def qdot(self, q: Any, v: Any) -> Array:
        """The speeds, and the rate of the angle, or 1/2 q (0, w)."""
        count = len(self.shifts)
        turning = v[count:] if self.about else quaternion_rate(q[count:], v[count:])
        return np.concatenate([v[:count], turning])

    def _turn(self, q: Any) -> Array:
        turn = q[len(self.shifts) :]
        if not self.about:
            return rotation_of_quaternion(turn)
        return rotation_x(turn[0]) if self.about == "x" else rotation_z(turn[0])

    @property
    def _spin(self) -> Array:
        return np.eye(3)[:, ["xyz".index(axis) for axis in self.about or "xyz"]]
