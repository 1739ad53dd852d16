"""Bevel gears (Z): two pitch cones with a common apex that roll on each other.

Frame F is at the apex on the parent, z along its axis; M at the apex on the child, z along its axis
away from the apex as well. With the plane of both axes at angle `alpha` in F, the `angle` between
the axes and the ratio `k = r_parent / r_child`,

    X_FM = Rz(alpha) T(apart, 0, shift) Ry(angle) Rz(k alpha)

The rolling twist z + k z_child lies on the common line of the cones: r_parent / r_child is the
ratio of the sines of their half angles. Straight teeth touch along a line and hold the tangential
direction and the turn about the line of contact's normal in the plane of the axes (class IV); the
angle of the axes and the place of the apex are kept by whatever bears both wheels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import Fault
from ...spatial.pose import Pose
from ...spatial.rotation import Array, cross, rotation_y, rotation_z
from ..fields import field
from ..outline import circle
from ..specs import Number
from .gear_mesh import Toothed

X, Y, Z = np.eye(3)


@final
@dataclass(frozen=True)
class GearBevel(Toothed):
    """Bevel gears (Z, class IV): `at` is the common apex, `axis` the axis of the parent's wheel.

    `x_axis` goes from the parent's axis towards the child's.
    """

    type = "gear-bevel"
    wheels = ("parent", "child")
    one_sided = ("angle",)
    coordinate_names = ("alpha", "angle", "apart", "shift")
    coordinate_kinds = ("angle", "angle", "length", "length")
    velocity_names = ("rolling", "tilting", "parting", "shifting")

    parent_radius: float | None = field(
        Number("length", positive=True), default=None, doc="pitch radius of the parent's wheel"
    )
    child_radius: float | None = field(
        Number("length", positive=True), default=None, doc="pitch radius of the child's wheel"
    )
    shaft_angle: float = field(
        Number("angle", positive=True), default=np.pi / 2, doc="angle between the two axes"
    )

    def faults(self) -> Iterator[Fault]:
        """Axes that are one line, and what any teeth may have."""
        yield from super().faults()
        if isinstance(self.shaft_angle, float) and self.shaft_angle >= np.pi:
            yield self.fault("must be less than 180 deg; usual is 90 deg", "shaft_angle")

    @property
    def ratio(self) -> Any:
        """k = r_parent / r_child."""
        return self.parent_radius / self.child_radius  # type: ignore[operator]

    @property
    def drawn_coordinates(self) -> Array:
        """In the drawing the cones touch: the axes meet at the shaft angle."""
        if self.drawn is not None:
            return super().drawn_coordinates
        return np.array([0.0, self.shaft_angle, 0.0, 0.0])

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The pitch circles, where the cones touch."""
        gamma = np.arctan2(np.sin(self.shaft_angle), 1 / self.ratio + np.cos(self.shaft_angle))
        reach = self.parent_radius / np.sin(gamma)
        heights = reach * np.cos(gamma), reach * np.cos(self.shaft_angle - gamma)
        radii = self.parent_radius, self.child_radius
        sides = zip(self.wheels, radii, heights, strict=True)
        return tuple((side, circle(r, height)) for side, r, height in sides)

    def parting(self, q: Array) -> Array:
        """How far the cones part across their common line, where the wheels are."""
        gamma = np.arctan2(np.sin(self.shaft_angle), 1 / self.ratio + np.cos(self.shaft_angle))
        reach = self.parent_radius / np.sin(gamma)
        leaning = (q[..., 1] - self.shaft_angle) * reach
        return np.asarray(leaning + q[..., 2] * np.cos(gamma) - q[..., 3] * np.sin(gamma))

    def pose(self, q: Any) -> Pose:
        """Rz(alpha) T(apart, 0, shift) Ry(angle) Rz(k alpha)."""
        R_FL = rotation_z(q[0])
        return Pose(R_FL @ self._leaning(q), R_FL @ np.array([q[2], 0.0, q[3]]))

    def motion_subspace(self, q: Any) -> Array:
        """Columns by the product rule, in the frame L of the plane of both axes, then in M."""
        R_LM = self._leaning(q)
        apex = np.array([q[2], 0.0, q[3]])
        angular = np.column_stack([Z + self.ratio * R_LM[:, 2], Y, 0 * X, 0 * X])
        linear = np.column_stack([cross(Z, apex), 0 * X, X, Z])
        return np.concatenate([R_LM.T @ angular, R_LM.T @ linear])

    def bias(self, q: Any, v: Any) -> Array:
        """Sdot v = R_LM' (d/dt - w_LM x) of the twist in L."""
        R_LM = self._leaning(q)
        spin, tilting = R_LM[:, 2] * (self.ratio * v[0]), Y * v[1]
        apex, speed = np.array([q[2], 0.0, q[3]]), np.array([v[2], 0.0, v[3]])
        w_LM = tilting + spin
        w_L, u_L = Z * v[0] + w_LM, cross(Z, apex) * v[0] + speed
        w_rate, u_rate = cross(tilting, spin), cross(Z, speed) * v[0]
        return np.concatenate(
            [R_LM.T @ (w_rate - cross(w_LM, w_L)), R_LM.T @ (u_rate - cross(w_LM, u_L))]
        )

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The child turns k times against the plane of both axes."""
        return (self.ratio * Z,)

    def _leaning(self, q: Any) -> Array:
        """R_LM = Ry(angle) Rz(k alpha)."""
        return rotation_y(q[1]) @ rotation_z(self.ratio * q[0])
