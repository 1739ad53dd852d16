"""What pairs share that shift along axes of the parent's frame F, and then turn.

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

KINDS = {"": (), "x": ("angle",), "z": ("angle",), "xyz": ("number",) * 4}
"""Of the coordinates of a turn."""


@dataclass(frozen=True)
class ShiftAndTurn(Joint):
    """Coordinates are the shifts, then the angle about an axis of M, or a unit quaternion."""

    shifts_then_turns = True
    shifts: ClassVar[tuple[int, ...]] = ()
    """Numbers of the axes of F, in the order of the coordinates."""
    about: ClassVar[str] = ""
    """The axis of the angle, "x" or "z"; all three, "xyz", for a quaternion; or no turn."""

    def __init_subclass__(cls) -> None:
        lengths = ("length",) * len(cls.shifts)
        cls.coordinate_kinds = (*lengths, *KINDS[cls.about])
        cls.velocity_kinds = (*lengths, *("angle",) * len(cls.about))
        cls.periodic = cls.coordinate_names[len(lengths) :] if len(cls.about) == 1 else ()
        cls.algebraic = cls.planar
        super().__init_subclass__()

    def pose(self, q: Any) -> Pose:
        """T(shifts) R(turn)."""
        place = dict(zip(self.shifts, q, strict=False))
        return Pose(self._turn(q), np.array([place.get(i, 0.0) for i in range(3)]))

    def motion_subspace(self, q: Any) -> Array:
        """Unit shifts seen in M, and the spin."""
        count = len(self.shifts)
        u = self._turn(q)[[*self.shifts]].T if count else np.zeros((3, 0))
        S = np.zeros((6, self.nv), dtype=u.dtype)
        S[:3, count:] = self._spin
        S[3:, :count] = u
        return S

    def bias(self, q: Any, v: Any) -> Array:
        """Axes of F turn in M by -w x."""
        count = len(self.shifts)
        if not count or not self.about:
            return np.zeros(6)
        speed_M = self._turn(q)[[*self.shifts]].T @ np.asarray(v[:count])
        return np.concatenate([np.zeros(3), skew(speed_M) @ (self._spin @ np.asarray(v[count:]))])

    def qdot(self, q: Any, v: Any) -> Array:
        """The speeds, and the rate of the angle, or 1/2 q (0, w)."""
        count = len(self.shifts)
        if self.rates_are_velocities:
            return np.asarray(v)
        return np.concatenate([v[:count], quaternion_rate(q[count:], v[count:])])

    def _turn(self, q: Any) -> Array:
        turn = q[len(self.shifts) :]
        if len(self.about) != 1:
            return rotation_of_quaternion(turn) if self.about else np.eye(3)
        return rotation_x(turn[0]) if self.about == "x" else rotation_z(turn[0])

    @property
    def _spin(self) -> Array:
        return np.eye(3)[:, ["xyz".index(axis) for axis in self.about]]
