"""What a wheel on a plane has, whether it slips or rolls: coordinates, pose, and its twist.

F is on the plane, z its normal; M is in the wheel's centre, z its axle. The wheel has a rim of the
radius R, and a tyre round it whose section is a circle of the radius t (a thin disc has none). It
touches at (x, y), heads along yaw, leans to the right of its way, and has rolled by the spin:

    R_FM = Rz(yaw) Rx(lean - pi/2) Rz(spin),    c = (x, y, 0) + t z + R up

With (a, b) the speed of the point of contact along the heading and to the left of it, in axes B
that yaw and lean, but do not spin,

    w_B = (lean', -yaw' cos(lean), yaw' sin(lean) + spin')
    v_B = (a + R yaw' sin(lean), b sin(lean), b cos(lean) - R lean')                          (1)

and V_M = Rz(spin)' V_B. The left of the heading is (0, sin(lean), cos(lean)) in B.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Fault
from ...spatial.pose import Pose, in_axes
from ...spatial.rotation import Array, cross, rotation_z
from ..fields import field, missing
from ..joint import Joint
from ..specs import Number

AROUND = np.linspace(0.0, 2 * np.pi, 49)
"""Angles at which the rim is drawn."""


@dataclass(frozen=True)
class WheelAndPlane(Joint):
    """A wheel that touches a plane of the parent; kinds differ in how (a, b) follow from v."""

    picture = "plane"
    lower_pair = False
    proposed = False
    periodic = ("yaw", "spin")
    coordinate_names = ("x", "y", "yaw", "lean", "spin")
    coordinate_kinds = ("length", "length", "angle", "angle", "angle")

    radius: float = field(
        Number("length", positive=True),
        default=missing("the radius of the wheel"),
        doc="radius of the wheel, without its tyre",
    )
    tyre: float = field(
        Number("length", minimum=0),
        default=0.0,
        doc="radius of the tyre's round section; none is a thin disc",
    )

    def contact_speed(self, q: Any) -> Array:
        """(a, b) of (1) in units of every velocity: 2 x nv."""
        raise NotImplementedError(f"{type(self).__name__}.contact_speed")

    def contact_turning(self, q: Any, v: Any) -> Array:
        """Rates of (a, b) while v stays."""
        raise NotImplementedError(f"{type(self).__name__}.contact_turning")

    @property
    def angles(self) -> tuple[int, int, int]:
        """Places of the rates of yaw, lean and spin among the velocities."""
        first = self.velocity_names.index("yaw")
        return first, first + 1, first + 2

    @property
    def own_rates(self) -> dict[str, str]:
        """Those of the angles, and where it slips of the contact too."""
        names = dict(zip(self.coordinate_names, self.coordinates(), strict=True))
        pairs = zip(self.velocity_names, self.velocities(), strict=True)
        return {names[own]: name for own, name in pairs if own in names}

    def pose(self, q: Any) -> Pose:
        """Contact, heading, lean and spin."""
        c, s = np.cos(q[3]), np.sin(q[3])
        leaning = np.array([[1.0, 0.0, 0.0], [0.0, s, c], [0.0, -c, s]])  # Rx(lean - pi/2)
        R_FB = rotation_z(q[2]) @ leaning
        contact = np.array([q[0], q[1], self.tyre])
        return Pose(R_FB @ rotation_z(q[4]), contact - self.radius * R_FB[:, 1])

    def motion_subspace(self, q: Any) -> Array:
        """(1) in units of every velocity."""
        c, s = np.cos(q[3]), np.sin(q[3])
        ab = self.contact_speed(q)
        yaw, lean, spin = self.angles
        S = np.zeros((6, self.nv), dtype=object)
        S[3:] = np.array([ab[0], s * ab[1], c * ab[1]])
        S[:, yaw] += np.array([0.0, -c, s, self.radius * s, 0.0, 0.0])
        S[:, lean] += np.array([1.0, 0.0, 0.0, 0.0, 0.0, -self.radius])
        S[2, spin] = S[2, spin] + 1.0
        S = in_axes(rotation_z(q[4]).T, S)
        return S if np.asarray(q).dtype == object else S.astype(float)

    def bias(self, q: Any, v: Any) -> Array:
        """The rate of V_M while v stays: axes B turn and lean, and M spins in them."""
        c, s = np.cos(q[3]), np.sin(q[3])
        yaw, lean, spin = (v[i] for i in self.angles)
        a, b = self.contact_speed(q) @ np.asarray(v)
        a_rate, b_rate = self.contact_turning(q, v)
        w = np.array([lean, -yaw * c, yaw * s + spin])
        u = np.array([a + self.radius * yaw * s, b * s, b * c - self.radius * lean])
        w_rate = yaw * lean * np.array([0.0, s, c])
        u_rate = np.array(
            [
                a_rate + self.radius * yaw * lean * c,
                b_rate * s + b * lean * c,
                b_rate * c - b * lean * s,
            ]
        )
        k = np.array([0.0, 0.0, spin])
        rate = np.concatenate([w_rate - cross(k, w), u_rate - cross(k, u)])
        return in_axes(rotation_z(q[4]).T, rate)

    def qdot(self, q: Any, v: Any) -> Array:
        """The contact moves along the heading and to the left of it."""
        a, b = self.contact_speed(q) @ np.asarray(v)
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([a * c - b * s, a * s + b * c, *(v[i] for i in self.angles)])

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The circle of the tread."""
        r = self.radius + self.tyre
        return (("child", np.stack([r * np.cos(AROUND), r * np.sin(AROUND), 0 * AROUND], axis=1)),)

    def faults(self) -> Iterator[Fault]:
        """A wheel that is drawn lying on its side."""
        yield from super().faults()
        whole = isinstance(self.drawn, tuple) and len(self.drawn) == self.nq
        lean = self.drawn[3] if whole and self.drawn else None
        if isinstance(lean, float) and abs(lean) >= 0.5 * np.pi:
            message = f"leans by {np.degrees(lean):.4g} deg: at 90 deg and more it lies down"
            yield self.fault(message, "drawn")
