"""Where bodies and points of a mechanism are, by name, and how they move over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Drawn, Tabled
from ..errors import refuse_unknown
from ..kinematics import velocity as velocities
from ..kinematics.couplings import all_coordinates
from ..kinematics.forward import world_poses
from ..kinematics.velocity import body_pose
from ..model.mechanism import Mechanism
from ..spatial.pose import identity
from ..spatial.rotation import Array
from ..system.system import System, kept_system
from ..system.tree import Tree
from ..verbs.kinematics import pose
from ..verbs.options import ORIGIN
from ..verbs.verb import verb


@dataclass(frozen=True, eq=False)
class PointMotion(Tabled):
    """A point over time: arrays of shape (..., times, 3), in the world."""

    rows_of = (
        ("position", 1),
        ("velocity", 1),
        ("acceleration", 1),
    )

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class BodyMotion(Tabled):
    """A body's frame in the world: rotations (..., times, 3, 3), vectors (..., times, 3)."""

    rows_of = (
        ("position", 1),
        ("velocity", 1),
        ("acceleration", 1),
        ("angular_velocity", 1),
        ("angular_acceleration", 1),
        ("rotation", 2),
    )

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

    @property
    def pose(self) -> Array:
        """X_WB, the body's frame in the world, shape (..., times, 4, 4)."""
        X = np.zeros((*self.position.shape[:-1], 4, 4))
        X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = self.rotation, self.position, 1.0
        return X


class Placed(Drawn, Tabled):
    """Coordinates `q` of a mechanism `m`, shape (..., nq): by name, and where its bodies are."""

    m: Mechanism
    q: Array
    names: tuple[str, ...]

    @property
    def columns(self) -> dict[str, Any]:
        """Coordinates, a row for each position."""
        return {name: np.ravel(self.q[..., i]) for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Any:
        """A coordinate by its name, shape (...)."""
        refuse_unknown("coordinate", name, self.names)
        return np.asarray(self.q[..., self.names.index(name)])

    def pose(self, body: str) -> Array:
        """Pose X_WB of a body in the world, shape (..., 4, 4)."""
        return np.asarray(pose.compiled(self.m, body=body)(self.q, check_finite=False))

    def point(self, body: str, at: Any = ORIGIN) -> Array:
        """Where a point of a body is in the world, shape (..., 3).

        `at` is the name of one of the body's points, or a place in its frame.
        """
        program = place.compiled(self.m, body=body, point=at)
        return np.asarray(program(self.q, check_finite=False))


@verb(closed=True)
def place(system: System, q: Any, body: str, point: Any = ORIGIN) -> Array:
    """A point of a body in the world, shape (..., 3)."""
    return body_pose(system.tree, q, body).point(np.array(point))


@verb(closed=True)
def body_point(
    system: System, q: Any, v: Any, a: Any, *, body: str, point: Any
) -> tuple[Array, ...]:
    """Position, velocity and acceleration of a point of a body."""
    X = body_pose(system.tree, q, body)
    V = velocities.velocity(system.tree, q, v, body, point)
    A = velocities.acceleration(system.tree, (q, v, a), body, point)
    return X.point(np.array(point)), V[3:], A[3:]


@verb(closed=True)
def body_frame(system: System, q: Any, v: Any, a: Any, body: str) -> tuple[Array, ...]:
    """Rotation, position and its rates, angular velocity and acceleration of a body's frame."""
    X = body_pose(system.tree, q, body)
    V = velocities.velocity(system.tree, q, v, body)
    A = velocities.acceleration(system.tree, (q, v, a), body)
    return X.R, X.p, V[3:], A[3:], V[:3], A[:3]


@verb(closed=True)
def body_poses(system: System, q: Any) -> Array:
    """X_WB of all bodies in the order of the mechanism, shape (..., bodies, 4, 4)."""
    tree = system.tree
    X_WL = world_poses(tree, all_coordinates(tree, q))
    numbers = [tree.number(body.name) for body in tree.m.bodies]
    own = [X_WL[i] @ tree.links[i].X_BL.inverse() if i >= 0 else identity() for i in numbers]
    return np.array([X.matrix() for X in own]).reshape(-1, 4, 4)


def kept_tree(m: Mechanism) -> Tree:
    """The tree of a mechanism, loops or not; kept with m."""
    return kept_system(m).tree
