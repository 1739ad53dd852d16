"""Rod without mass: two points of two bodies keep their distance.

F stands at the end on the parent, M at the end on the child, z of F lies along the rod in the
drawing. The rod turns as it likes about the one, the child about the other:

    X_FM = R(rod) T(length along z) R(child)

In a plane both turn about x, its normal, and the rod leaves two freedoms of three. In space both
are unit quaternions, and it leaves five of six: the rod swings across its own line, with the rates
w_x and w_y of its frame D, whose z is along it. Its spin about that line would move nothing, and
has no velocity. With s_D = (w_x, w_y, 0) and u_D = s_D x (0, 0, length),

    S v = [R_DM' s_D + w]        Sdot v = [-w x R_DM' s_D]
          [R_DM' u_D    ]                 [-w x R_DM' u_D]

What it carries is one force along the rod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from ...errors import Fault
from ...spatial.pose import Pose
from ...spatial.rotation import (
    Array,
    cross,
    quaternion_of,
    quaternion_rate,
    rotation_aligning,
    rotation_of_quaternion,
    rotation_x,
)
from ..fields import Invalid, Vector3, field
from ..given import as_drawn
from ..joint import QUATERNION, Joint
from ..specs import Number, Vector

DIGITS = 1e-6
"""Part of its length by which the ends of a rod may be drawn too near or too far."""


@dataclass(frozen=True)
class Rod(Joint):
    """Rod without mass between two points, which keep their distance (class V, II in a plane).

    `at` is its end on the parent and `to` the one on the child, in the drawing (or `axis` is the
    way there, with a `length`); or the ends are named points, "crank.B" and "rocker.C", with a
    `length`. It pulls and pushes along its line: `kb.reactions(...).pulls` has its force by its
    name. A rod with mass is a body with a pin or a ball at either end.

    >>> ball = kb.Body("ball", 1.5)
    >>> rod = kb.Rod("AB", "ground", "ball", at=(0, 0), to=(0.6, -0.8))
    >>> m = kb.Mechanism("pendulum", [ball], [rod], plane="xy")
    >>> float(m.joint("AB").span)
    1.0
    """

    type = "rod"
    symbol = "D"
    picture = "rod"
    between_points = True
    lower_pair = False
    proposed = False
    planar = True
    axis_in_plane = True
    coordinate_names: ClassVar[tuple[str, ...]] = (
        *(f"r{part}" for part in QUATERNION),
        *(f"q{part}" for part in QUATERNION),
    )
    coordinate_kinds: ClassVar[tuple[str, ...]] = ("number",) * 8
    velocity_names: ClassVar[tuple[str, ...]] = ("swing_x", "swing_y", "wx", "wy", "wz")
    velocity_kinds: ClassVar[tuple[str, ...]] = ("angle",) * 5

    to: Vector3 | None = field(
        Vector("length"), default=None, doc="its end on the child in the drawing position (world)"
    )
    length: float | None = field(
        Number("length", positive=True),
        default=None,
        doc="distance of its ends; without it the one in the drawing, from `at` to `to`",
    )

    @classmethod
    def kind_in(cls, planar: bool) -> Callable[..., Joint]:
        """The rod of a plane, or of space."""
        return PlaneRod if planar else Rod

    @property
    def span(self) -> Any:
        """Distance of its ends."""
        if self.length is not None:
            return self.length
        d = self._drawn
        return np.sqrt(d @ d)

    @property
    def sized(self) -> Rod:
        """The rod by its length."""
        return as_drawn(self, length=self.span, to=None)

    @property
    def _drawn(self) -> Array:
        """From end to end in the drawing."""
        return np.array(self.to) - np.array(self.at)

    @property
    def _from_end_to_end(self) -> bool:
        """Whether both its ends are given in the drawing, and nothing else."""
        given = isinstance(self.at, tuple) and isinstance(self.to, tuple)
        return given and not self.placed_by_frames

    @property
    def drawn_ends(self) -> tuple[Any, Any]:
        """The ends."""
        return self.at, self.to

    @property
    def drawn_axes(self) -> tuple[Any, Any]:
        """z along the rod."""
        return tuple(self._drawn) if self._from_end_to_end else self.axis, self.x_axis

    def faults(self) -> Iterator[Fault]:
        """An end or a length that is missing; ends in one place, or not as far apart as it is."""
        yield from super().faults()
        if any(isinstance(x, Invalid) for x in (self.at, self.to, self.length, self.axis)):
            return
        if self._from_end_to_end:
            yield from self._length_faults(float(np.linalg.norm(self._drawn)))
        elif self.length is None and self.at is not None and not self.placed_by_frames:
            message = "is missing; give the rod's end on the child in the drawing, such as [1, 0]"
            yield self.fault(message, "to")
        elif self.length is None:
            yield self.fault("is missing; give the distance of its ends, such as '0.3 m'", "length")

    def _length_faults(self, drawn: float) -> Iterator[Fault]:
        if self.axis is not None:
            yield self.fault("is given beside `to`, where the rod leads; give one of them", "axis")
        if not 0.0 < drawn < np.inf:
            message = f"is where the other end is, {list(self.at or ())}; a rod has a length"
            yield self.fault(message, "to")
        elif isinstance(self.length, float) and abs(self.length - drawn) > DIGITS * drawn:
            yield self.fault(
                f"is {self.length:g} m, but its ends are {drawn:g} m apart in the drawing; leave "
                "the length out, or name points of the bodies for a drawing that is a sketch",
                "length",
            )

    def coordinates_near(self, X_FM: Pose, q: Array) -> Array:
        """Along the line to M, if there is one."""
        if not np.linalg.norm(X_FM.p):
            return q
        R_FD = rotation_aligning(X_FM.p)
        turns = quaternion_of(R_FD), quaternion_of(R_FD.T @ np.asarray(X_FM.R, dtype=float))
        return np.concatenate(turns)

    def pose(self, q: Any) -> Pose:
        """R(rod) T(length along z) R(child)."""
        R_FD, R_DM = rotation_of_quaternion(q[:4]), rotation_of_quaternion(q[4:])
        return Pose(R_FD @ R_DM, self.span * R_FD[:, 2])

    def motion_subspace(self, q: Any) -> Array:
        """S of the module."""
        R_MD = rotation_of_quaternion(q[4:]).T
        S = np.zeros((6, 5), dtype=R_MD.dtype)
        S[:3, :2], S[:3, 2:] = R_MD[:, :2], np.eye(3)
        S[3:, 0], S[3:, 1] = -self.span * R_MD[:, 1], self.span * R_MD[:, 0]
        return S

    def pulls(self, q: Any) -> Array:
        """Towards the end on the parent."""
        return -rotation_of_quaternion(q[4:])[2]

    def bias(self, q: Any, v: Any) -> Array:
        """Sdot v of the module."""
        w = np.asarray(v[2:])
        swing = self.motion_subspace(q)[:, :2] @ np.asarray(v[:2])
        return -np.concatenate([cross(w, swing[:3]), cross(w, swing[3:])])

    def qdot(self, q: Any, v: Any) -> Array:
        """1/2 r (0, w_x, w_y, 0) and 1/2 q (0, w)."""
        swing = np.array([v[0], v[1], 0.0])
        return np.concatenate([quaternion_rate(q[:4], swing), quaternion_rate(q[4:], v[2:])])


@final
@dataclass(frozen=True)
class PlaneRod(Rod):
    """A rod in a plane, whose normal is x of F: it turns by `swing`, and the child by `turn`."""

    spatial = False
    coordinate_names: ClassVar[tuple[str, ...]] = ("swing", "turn")
    coordinate_kinds = ("angle", "angle")
    velocity_names = ("swing_rate", "turn_rate")
    velocity_kinds = ("angle", "angle")
    periodic = ("swing", "turn")

    @property
    def drawn_axes(self) -> tuple[Any, Any]:
        """z along the rod; where its ends are points of the bodies, along x of these."""
        axis, x_axis = super().drawn_axes
        return ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)) if axis is None else (axis, x_axis)

    def coordinates_near(self, X_FM: Pose, q: Array) -> Array:
        """Along the line to M, if there is one."""
        if not np.linalg.norm(X_FM.p):
            return q
        swing, whole = np.arctan2(-X_FM.p[1], X_FM.p[2]), np.arctan2(X_FM.R[2, 1], X_FM.R[1, 1])
        return np.array([swing, whole - swing])

    def pose(self, q: Any) -> Pose:
        """Rx(swing) Tz(length) Rx(turn)."""
        return Pose(rotation_x(q[0] + q[1]), self.span * rotation_x(q[0])[:, 2])

    def motion_subspace(self, q: Any) -> Array:
        """Both turn; the swing moves M across the rod."""
        across = -self.span * rotation_x(q[1])[1]  # in M
        zero = 0.0 * across[1]
        one = 1.0 + zero
        return np.array([[one, one], [zero, zero], [zero, zero], *([x, zero] for x in across)])

    def pulls(self, q: Any) -> Array:
        """Towards the end on the parent."""
        return -rotation_x(q[1])[2]

    def bias(self, q: Any, v: Any) -> Array:
        """Rate of S: the child turns against the rod."""
        turned = self.span * v[0] * v[1] * rotation_x(q[1])[2]
        return np.array([0.0, 0.0, 0.0, 0.0, turned[1], turned[2]])

    def qdot(self, q: Any, v: Any) -> Array:
        """The rates."""
        return np.asarray(v)
