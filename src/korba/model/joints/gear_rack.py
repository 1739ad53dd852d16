"""Rack and pinion (Z): a wheel that rolls on a straight rack.

Frame F is on the rack (parent) at the pitch point of the drawing, x from there to the centre of the
pinion (child), y along the rack; M is at the pinion's centre. It is the mesh of two wheels, the
parent's with its centre at infinity:

    X_FM = T(distance, travel) Rz(travel / r + psi),   psi = tan(pressure_angle) (distance - r) / r
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.pose import Pose
from ...spatial.rotation import Array, cross, rotation_z
from ..fields import field
from ..outline import circle, segment
from ..profiles import Profiles, Side
from ..specs import Number
from .gear_mesh import SpurTeeth, line_of_action

X, Y, Z = np.eye(3)


@final
@dataclass(frozen=True)
class GearRack(SpurTeeth):
    """Rack and pinion in the plane (Z, class II): the parent is the rack, the child the pinion.

    `at` is the pitch point, `x_axis` goes from it to the centre of the pinion.
    """

    type = "gear-rack"
    planar = True
    spatial = False
    wheels = ("child",)
    coordinate_names = ("travel", "distance")
    coordinate_kinds = ("length", "length")
    velocity_names = ("rolling", "parting")

    radius: float | None = field(
        Number("length", positive=True), default=None, doc="pitch radius of the pinion"
    )

    @property
    def drawn_coordinates(self) -> Array:
        """In the drawing the pinion touches the rack at the pitch point."""
        if self.drawn is not None:
            return super().drawn_coordinates
        return np.array([0.0, self.radius])

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The pitch line of the rack and the pinion's pitch circle."""
        radius: Any = self.radius
        return ("parent", segment(3 * radius, Y)), ("child", circle(radius))

    def parting(self, q: Array) -> Array:
        """The distance of the pinion's centre from the rack less the radius."""
        return np.asarray(q[..., 1] - self.radius)

    def pose(self, q: Any) -> Pose:
        """T(distance, travel) Rz(travel / r + psi)."""
        return Pose(rotation_z(self._turn(q)), np.array([q[1], q[0], 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """The turn of the pinion, and the shift of its centre seen in M."""
        R_FM, rates = rotation_z(self._turn(q)), self._rates
        angular = np.column_stack([Z * rates[0], Z * rates[1]])
        return np.concatenate([angular, R_FM.T @ np.column_stack([Y, X])])

    def bias(self, q: Any, v: Any) -> Array:
        """The shift turns in M: -w x u."""
        shift = rotation_z(self._turn(q)).T @ np.array([v[1], v[0], 0.0])
        w = Z * (self._rates[0] * v[0] + self._rates[1] * v[1])
        return np.concatenate([np.zeros(3), -cross(w, shift)])

    def pushes(self, q: Any) -> Array:
        """Along the line of action, the pinion away from the rack."""
        angle = self.pressure_angle
        return self.flank_pushes(rotation_z(self._turn(q)), np.sin(angle) * X + np.cos(angle) * Y)

    def profiles(self, q: Any, scale: float) -> Profiles:
        """A straight flank across the line of action, and the foot of the pinion's centre on it."""
        pitch, along, notes = line_of_action(self, q, X)
        foot = pitch + along * ((self.pose(q).p - pitch) @ along)
        return Profiles(Side(pitch, cross(Z, along)), Side(foot), notes)

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The pinion turns by 1 / r in a unit of travel."""
        return (self._rates[0] * Z,)

    @property
    def _rates(self) -> tuple[Any, Any]:
        """Turn of the pinion per length of travel and of parting."""
        return 1.0 / self.radius, np.tan(self.pressure_angle) / self.radius  # type: ignore[operator]

    def _turn(self, q: Any) -> Any:
        rolling, parting = self._rates
        return rolling * q[0] + parting * (q[1] - self.radius)
