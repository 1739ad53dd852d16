"""Motion of bodies and points from q, v and a of all independent coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..kinematics import accelerations
from ..kinematics.velocity import body_pose
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.verb import verb


@dataclass(frozen=True, eq=False)
class PointMotion(Displayed):
    """A point over time: arrays of shape (..., times, 3), in the world."""

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class BodyMotion(Displayed):
    """A body's frame in the world: rotations (..., times, 3, 3), vectors (..., times, 3)."""

    rotation: Array
    position: Array
    velocity: Array
    acceleration: Array
    angular_velocity: Array
    angular_acceleration: Array

    @property
    def angle(self) -> Array:
        """Angle about z from x, without jumps: for motion in the plane."""
        turn = np.arctan2(self.rotation[..., 1, 0], self.rotation[..., 0, 0])
        return np.asarray(np.unwrap(turn))


State = tuple[Array, Array, Array]
"""q, v and a."""


@verb(closed=True)
def _point(system: System, q: Any, v: Any, a: Any, *, body: str, point: Any) -> tuple[Array, ...]:
    """Position, velocity and acceleration of a point of a body."""
    X = body_pose(system.tree, q, body)
    V = accelerations.velocity(system.tree, q, v, body, point)
    A = accelerations.acceleration(system.tree, (q, v, a), body, point)
    return X.point(np.array(point)), V[3:], A[3:]


@verb(closed=True)
def _frame(system: System, q: Any, v: Any, a: Any, body: str) -> tuple[Array, ...]:
    """Rotation, position and its rates, angular velocity and acceleration of a body's frame."""
    X = body_pose(system.tree, q, body)
    V = accelerations.velocity(system.tree, q, v, body)
    A = accelerations.acceleration(system.tree, (q, v, a), body)
    return X.R, X.p, V[3:], A[3:], V[:3], A[:3]


def point_motion(m: Mechanism, body: str, at: Any, state: State) -> PointMotion:
    """Position, velocity and acceleration of a point given in a body's frame."""
    compiled = _point.compiled(m, body=body, point=at)
    return PointMotion(*compiled(*state, check_finite=False))


def body_motion(m: Mechanism, body: str, state: State) -> BodyMotion:
    """Pose and rates of a body's frame."""
    return BodyMotion(*_frame.compiled(m, body=body)(*state, check_finite=False))
