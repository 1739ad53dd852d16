"""Absolute coordinates over time, and what one asks of them: links, points, matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kinematics.accelerations import acceleration, velocity
from ...kinematics.velocity import body_pose
from ...spatial.rotation import Array
from .system import AbsoluteSystem

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""A vector of the plane turned by 90 deg."""


@dataclass(frozen=True, eq=False)
class AbsoluteMotion:
    """Absolute coordinates over time, with their rates: arrays of shape (times, unknowns)."""

    system: AbsoluteSystem
    t: Array
    x: Array
    """All coordinates over time, those of the joints too; their rates, and second rates."""
    x_rate: Array
    x_second: Array

    @property
    def q(self) -> Array:
        """The unknowns over time."""
        return np.asarray(self.x[:, self.system.places])

    @property
    def v(self) -> Array:
        """Their rates."""
        return np.asarray(self.x_rate[:, self.system.kept])

    @property
    def a(self) -> Array:
        """Their second rates."""
        return np.asarray(self.x_second[:, self.system.kept])

    def link(self, name: str) -> tuple[Array, Array, Array]:
        """(x, y, Theta) of a link over time, its velocity and its acceleration, (times, 3) each.

        In space position and quaternion, counted from the drawing, and twists of the link.
        """
        link = self.system.system.tree.links[self.system.number(name) - 1]
        return self.x[:, link.q], self.x_rate[:, link.v], self.x_second[:, link.v]

    def point(self, name: str, at: Any) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point of a link (3.60), (3.62)."""
        if not self.system.m.plane:
            return self._point_in_space(name, at)
        q, v, a = self.link(name)
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        x, y = np.asarray(at, dtype=float)[:2]
        arm = np.stack([c * x - s * y, s * x + c * y], axis=1)
        across = arm @ TURN.T
        w, e = v[:, 2:], a[:, 2:]
        return q[:, :2] + arm, v[:, :2] + w * across, a[:, :2] + e * across - w**2 * arm

    def _point_in_space(self, name: str, at: Any) -> tuple[Array, Array, Array]:
        tree = self.system.system.tree
        states = list(zip(self.x, self.x_rate, self.x_second, strict=True))
        p = [body_pose(tree, x, name).point(at) for x, _, _ in states]
        v = [velocity(tree, x, v, name, at)[3:] for x, v, _ in states]
        a = [acceleration(tree, state, name, at)[3:] for state in states]
        return np.array(p, float), np.array(v, float), np.array(a, float)

    @property
    def gap(self) -> float:
        """Largest residual of all equations."""
        at = self.system.equations.at
        rows = [at(x, None, float(t)).phi for x, t in zip(self.x, self.t, strict=True)]
        return float(np.max(np.abs(rows), initial=0.0))


def point_homogeneous(q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Any:
    """A, A' and A'' of a link: r = A r_i, r' = A' r_i, r'' = A'' r_i (2.10), (3.63), (3.64)."""
    c, s = np.cos(q[2]), np.sin(q[2])
    R, B = np.array([[c, -s], [s, c]]), np.array([[-s, -c], [c, -s]])
    parts = (
        (R, q, 1.0),
        (v[2] * B, v, 0.0),
        (a[2] * B - v[2] ** 2 * R, a, 0.0),
    )
    return tuple(
        np.block([[turn, np.reshape(shift[:2], (2, 1))], [np.zeros((1, 2)), np.array([[one]])]])
        for turn, shift, one in parts
    )
