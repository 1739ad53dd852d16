"""Motion of bodies and points from q, v and a of all independent coordinates.

The velocity of a point is the derivative of its position along q' and the acceleration along q'
and v': both by differentiating the graph of the position, so they hold for any joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen import Compiled, compile_program, trace
from ..expr.differentiate import directional
from ..expr.node import as_expr
from ..kinematics.local_motion import rates_of
from ..kinematics.velocity import body_pose, jacobian
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.store import kept


@dataclass(frozen=True, eq=False)
class PointMotion:
    """A point over time: arrays of shape (times, 3), in the world."""

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """A body's frame over time, in the world: rotations (times, 3, 3) and vectors (times, 3)."""

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


def point_motion(tree: Tree, body: str, at: Any, state: State) -> PointMotion:
    """Position, velocity and acceleration of a point given in a body's frame."""
    place = np.zeros(3)
    place[: len(np.atleast_1d(at))] = at
    tree.m.body(body)

    def written(q: Array, v: Array, a: Array) -> Any:
        return _twice(tree, body_pose(tree, q, body).point(place), q, v, a)

    key = ("point", body, tuple(place))
    return PointMotion(*_compiled(tree, key, written)(*state, check_finite=False))


def body_motion(tree: Tree, body: str, state: State) -> BodyMotion:
    """Pose and rates of a body's frame."""
    tree.m.body(body)

    def written(q: Array, v: Array, a: Array) -> Any:
        X = body_pose(tree, q, body)
        w = jacobian(tree, q, body)[:3] @ v
        return (X.R, *_twice(tree, X.p, q, v, a), w, _along(tree, w, q, v, a))

    return BodyMotion(*_compiled(tree, ("body", body), written)(*state, check_finite=False))


def _twice(tree: Tree, p: Array, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """A vector of q, and its first and second derivative in time."""
    first = _along(tree, p, q, v, a)
    return p, first, _along(tree, first, q, v, a)


def _along(tree: Tree, x: Array, q: Array, v: Array, a: Array) -> Array:
    """Rate of a vector that depends on q and v."""
    moving = {f"q[{i}]": as_expr(rate) for i, rate in enumerate(rates_of(tree, q, v))}
    moving |= {f"v[{i}]": as_expr(rate) for i, rate in enumerate(a)}
    return np.array(directional([as_expr(each) for each in x], moving), dtype=object)


def _compiled(tree: Tree, key: Any, written: Any) -> Compiled:
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv}
    name = tree.m.name or "the mechanism"
    return kept(tree.m, key, lambda: compile_program(trace(written, sizes, name)))
