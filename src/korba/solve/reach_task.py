"""What inverse kinematics has to reach, as equations for many positions at a time.

    e = (p_target - p(q),  log(R_target R(q)'),  -Phi(q))        J x = e                   (1)

p is a point of a body, R the body's rotation, log the rotation vector in the world, Phi the loops
of a closed mechanism. Rows that are not asked for are left out; lengths count in typical lengths.
Sizes of x do so too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..codegen import Compiled
from ..spatial.rotation import Array
from .body_points import after, placed
from .loop_system import LoopSystem

Target = tuple[Array, Array]
"""Places (N, 3), nan where free, and rotations (N, 3, 3)."""


@dataclass(frozen=True, eq=False)
class ReachTask:
    """A body's point and rotation as functions of the coordinates."""

    system: LoopSystem
    body: str
    point: tuple[float, float, float]
    axes: tuple[int, ...]
    """Components of the place that are asked for."""
    turns: tuple[int, ...]
    """Components of the rotation vector that are asked for."""
    free: Array
    """Whether a velocity may move."""

    @cached_property
    def placed(self) -> Compiled:
        """q -> the point's place, the body's rotation, and the Jacobian, angular first."""
        return placed.compiled(self.system.m, body=self.body, point=self.point)

    @cached_property
    def _after(self) -> Compiled:
        """(q, v) -> coordinates after a small motion."""
        return after.compiled(self.system.m)

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Least and greatest value of every independent coordinate."""
        limits = np.concatenate([np.zeros((2, 0)), *(j.limits for j in self.system.m.joints)], 1)
        low, high = limits[:, list(self.system.tree.free_q)]
        return low, high

    def after(self, q: Array, x: Array) -> Array:
        """Positions after small motions, within the limits of the joints."""
        q = self._after(q, x * self.system.units, check_finite=False)
        return np.clip(q, *self.bounds)

    def errors(self, q: Array, target: Target) -> tuple[Array, Array]:
        """e and J of (1) without units, shapes (N, rows) and (N, rows, nv)."""
        p, R, J = self.placed(q, check_finite=False)
        rows = [*self.turns, *(3 + axis for axis in self.axes)]
        e = [_turn(target[1] @ np.swapaxes(R, 1, 2))[:, list(self.turns)]] if self.turns else []
        e.append((target[0] - p)[:, list(self.axes)] / self.system.scale)
        J = J[:, rows] * self.system.units
        J[:, len(self.turns) :] /= self.system.scale
        if self.system.tree.closing:
            phi, J_loops = self.system.gaps(q, np.zeros(0), np.zeros(2), check_finite=False)
            e.append(-phi / self.system.size)
            J_loops = J_loops / self.system.size[:, None] * self.system.units
            J = np.concatenate([J, J_loops], axis=1)
        return np.concatenate(e, axis=1), J * self.free

    def missing(self, q: Array, target: Target) -> tuple[float, float]:
        """Distance and angle between one position and the target."""
        e = self.errors(q[None], (target[0][None], target[1][None]))[0][0]
        turned, count = len(self.turns), len(self.turns) + len(self.axes)
        distance = float(np.linalg.norm(e[turned:count])) * self.system.scale
        return distance, float(np.linalg.norm(e[:turned]))


def _turn(R: Array) -> Array:
    """Rotation vectors of rotations, shape (N, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())
