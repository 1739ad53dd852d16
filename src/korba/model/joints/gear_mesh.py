"""Gear meshing (Z): two pitch circles that roll on each other (Gronowicz 2.92).

Frame F is at the centre of the parent's wheel, M at the centre of the child's, z is their axis.
The line of centres, x, goes from F to M. With its angle `alpha` in F, the places a of the pitch
point before F and b of M before the pitch point along it, and the ratio `k = a / b`,

    X_FM = Rz(alpha) Tx(distance) [Tz(shift) Rn(tilt) Rm(twist)] Rz(k alpha + psi)

a and b are the radii; where one wheel runs inside the other, the larger is the ring and the radius
of the smaller one counts as negative. The carrier keeps the distance; the mesh leaves it free, as
(2.92) does. The teeth push along n, the tangent turned by the pressure angle towards the child (its
sign tells the two flanks apart), so parting by x turns the child by psi = tan(angle) x / b.
In space a straight tooth touches along a line and also leaves the shift along the axes and the tilt
about n (class IV); a crowned tooth touches in a point and leaves the twist about m, perpendicular
to n and the axis, as well (class V).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import Fault
from ...spatial.pose import Pose, translation, twist_matrix
from ...spatial.rotation import Array, cross, rotation_x, rotation_y, rotation_z
from ..fields import Invalid, field, specs_of
from ..joint import Joint
from ..outline import circle
from ..profiles import Profiles, Side
from ..rubbing import TEETH
from ..specs import Flag, Number

X, _, Z = np.eye(3)
USUAL = np.radians(20.0)
"""Pressure angle taken for wheels whose mesh has none."""


@dataclass(frozen=True)
class Toothed(Joint):
    """What wheels, racks and cones share: teeth, and pitch radii that must be given."""

    symbol = "Z"
    rubs = TEETH
    one_sided = ("distance",)
    lower_pair = False
    proposed = False

    def faults(self) -> Iterator[Fault]:
        """Missing radii, and what any joint may have."""
        yield from super().faults()
        for key in (key for key in specs_of(type(self)) if key.endswith("radius")):
            if getattr(self, key) is None:
                yield self.fault("is missing; give the pitch radius, such as '30 mm'", key)


@dataclass(frozen=True)
class SpurTeeth(Toothed):
    """What wheels and racks share: teeth that push along a line of action."""

    where_it_pulls = "teeth of joint {joint} bear with the other flank (turn pressure_angle round)"

    pressure_angle: float = field(
        Number("angle"),
        default=0.0,
        doc="angle of the line of action to the tangent; its sign tells the flanks apart",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        angle = self.pressure_angle
        flank = float(np.sign(angle)) if isinstance(angle, float) else 0.0
        object.__setattr__(self, "_flank", flank)  # it stays when the angle becomes a symbol

    @property
    def choices(self) -> tuple[Any, ...]:
        """The flank that bears."""
        return (self._flank,)  # type: ignore[attr-defined]

    @property
    def one_way(self) -> bool:
        """Teeth with a pressure angle: the flank that its sign names."""
        return bool(self._flank)  # type: ignore[attr-defined]

    def flank_pushes(self, R_LM: Array, n: Array, away: float = 1.0) -> Array:
        """Along the line of action n; along x the parent pushes the child away, or into a ring."""
        return np.asarray(R_LM.T @ n * (away * self._flank))  # type: ignore[attr-defined]

    def faults(self) -> Iterator[Fault]:
        """A pressure angle of 90 deg or more, and what any teeth may have."""
        yield from super().faults()
        if not isinstance(self.pressure_angle, Invalid) and abs(self.pressure_angle) >= np.pi / 2:
            yield self.fault("must be less than 90 deg; usual is 20 deg", "pressure_angle")


@dataclass(frozen=True)
class GearContact(SpurTeeth):
    """What the meshes share: `at` is the pitch point, `x_axis` the line of centres.

    `x_axis` goes from the centre of the parent's wheel to that of the child's.
    """

    wheels = ("parent", "child")

    parent_radius: float | None = field(
        Number("length", positive=True), default=None, doc="pitch radius of the parent's wheel"
    )
    child_radius: float | None = field(
        Number("length", positive=True), default=None, doc="pitch radius of the child's wheel"
    )
    inner: bool = field(
        Flag(), default=False, doc="whether one wheel runs inside the other: the larger is a ring"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        a, b = self.parent_radius, self.child_radius
        signs = (1.0, 1.0)
        if self.inner is True and isinstance(a, float) and isinstance(b, float):
            signs = (1.0, -1.0) if a > b else (-1.0, 1.0)
        object.__setattr__(self, "_signs", signs)  # they stay when radii become symbols

    @property
    def choices(self) -> tuple[Any, ...]:
        """The flank that bears, and which wheel is the ring."""
        return (*super().choices, self._signs)  # type: ignore[attr-defined]

    def faults(self) -> Iterator[Fault]:
        """A wheel as large as the ring that it runs in, and what any teeth may have."""
        yield from super().faults()
        if self.inner is True and self.parent_radius == self.child_radius is not None:
            message = "both radii are the same; a ring is larger than the wheel that runs in it"
            yield self.fault(message, "inner")

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The pitch circles."""
        radii = (self.parent_radius, self.child_radius)
        sides = zip(self.wheels, radii, strict=True)
        return tuple((side, circle(radius)) for side, radius in sides)

    @property
    def radii(self) -> tuple[Any, Any]:
        """Along x: the pitch point from the parent's centre, the child's from the pitch point."""
        a, b = self._signs  # type: ignore[attr-defined]
        return a * self.parent_radius, b * self.child_radius

    @property
    def ratio(self) -> Any:
        """k = a / b: how much the child turns against the line of centres."""
        a, b = self.radii
        return a / b

    @property
    def drawn_coordinates(self) -> Array:
        """In the drawing the line of centres is along x and the wheels touch."""
        if self.drawn is not None:
            return super().drawn_coordinates
        return np.array([0.0, sum(self.radii), 0.0, 0.0, 0.0])[: self.nq]

    def parting(self, q: Array) -> Array:
        """The distance of the centres less the one at which the wheels touch."""
        return np.asarray(q[..., 1] - sum(self.radii))

    def parent_anchor(self) -> Pose:
        """F stands at the centre of the parent's wheel."""
        return translation(x=-self.radii[0])

    def pose(self, q: Any) -> Pose:
        """Rz(alpha) Tx(distance) Tz(shift) Rn(tilt) Rm(twist) Rz(k alpha + psi)."""
        R_FL, (R_LM, _, _) = rotation_z(q[0]), self._leaning(q)
        return Pose(R_FL @ R_LM, R_FL @ self._centre(q))

    def motion_subspace(self, q: Any) -> Array:
        """Columns by the product rule, in the frame L of the line of centres, then in M."""
        R_LM, n, m = self._leaning(q)
        spin = R_LM[:, 2]
        angular = np.column_stack([Z + self.ratio * spin, self._parting * spin, 0 * X, n, m])
        linear = np.column_stack([cross(Z, self._centre(q)), X, Z, 0 * X, 0 * X])
        return np.concatenate([R_LM.T @ angular, R_LM.T @ linear])[:, : self.nv]

    def bias(self, q: Any, v: Any) -> Array:
        """Sdot v = R_LM' (d/dt - w_LM x) of the twist in L."""
        R_LM, n, m = self._leaning(q)
        speed, tilting, twisting = self._centre(v), *_padded(v)[3:]
        spin_L = R_LM[:, 2] * (self.ratio * v[0] + self._parting * v[1])
        w_lean = n * tilting + m * twisting
        w_LM = w_lean + spin_L
        w_L = Z * v[0] + w_LM
        u_L = cross(Z, self._centre(q)) * v[0] + speed
        w_rate = cross(w_lean, spin_L) + cross(n * tilting, m * twisting)
        u_rate = cross(Z, speed) * v[0]
        return np.concatenate(
            [R_LM.T @ (w_rate - cross(w_LM, w_L)), R_LM.T @ (u_rate - cross(w_LM, u_L))]
        )

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The child turns k times against the line of centres."""
        return (self.ratio * Z,)

    def pushes(self, q: Any) -> Array:
        """Along n, the child's wheel away from the parent's; out of a ring towards its centre."""
        R_LM, n, _ = self._leaning(q)
        return self.flank_pushes(R_LM, n, -1.0 if self.inner else 1.0)

    def _centre(self, q: Any) -> Array:
        """Centre of the child's wheel in L."""
        return np.array([q[1], 0.0, _padded(q)[2]])

    def _leaning(self, q: Any) -> tuple[Array, Array, Array]:
        """R_LM = Rn(tilt) Rm(twist) Rz(k alpha + psi), and the axes n (line of action), m in L."""
        tilt, twist = _padded(q)[3:]
        apart = q[1] - sum(self.radii)
        turn = self.ratio * q[0] + self._parting * apart + self.pressure_angle
        action = rotation_z(-self.pressure_angle)
        tilted = action @ rotation_y(tilt)
        return tilted @ rotation_x(twist) @ rotation_z(turn), action[:, 1], tilted[:, 0]

    @property
    def _parting(self) -> Any:
        """Turn of the child per length of parting: tan(angle) / b."""
        return np.tan(self.pressure_angle) / self.radii[1]


def _padded(q: Any) -> list[Any]:
    """The five coordinates, with zeros for those that the mesh does not have."""
    return [*q, 0.0, 0.0, 0.0][:5]


@final
@dataclass(frozen=True)
class GearMesh(GearContact):
    """Gear meshing in the plane (Z, class II)."""

    type = "gear-mesh"
    planar = True
    spatial = False
    coordinate_names = ("alpha", "distance")
    coordinate_kinds = ("angle", "length")
    velocity_names = ("rolling", "parting")

    def profiles(self, q: Any, scale: float) -> Profiles:
        """Involutes have the feet of the perpendiculars from the wheels' centres to the line of
        action as centres of curvature; that line joins the centres of rolling and of parting.
        """
        pitch, along, notes = line_of_action(self, q, rotation_z(q[0])[:, 0])
        centres = (np.zeros(3), self.pose(q).p)
        feet = [Side(pitch + along * ((c - pitch) @ along)) for c in centres]
        return Profiles(feet[0], feet[1], notes)


def line_of_action(joint: SpurTeeth, q: Any, x: Array) -> tuple[Array, Array, tuple[str, ...]]:
    """The pitch point in F, the direction in which the teeth push, and what is to say about it.

    x is the direction of the line of centres; without a pressure angle the usual one is taken.
    """
    rolling, parting = (twist_matrix(joint.pose(q)) @ joint.motion_subspace(q)).T
    pitch = _turning_centre(rolling)
    notes = [f"wheels of {joint.name}: the linkage holds while their distance does not change"]
    if joint.pressure_angle:
        action = _turning_centre(parting) - pitch
        return pitch, action / np.linalg.norm(action), tuple(notes)
    notes.append(f"wheels of {joint.name}: drawn with a pressure angle of 20 deg")
    return pitch, np.cos(USUAL) * cross(Z, x) + np.sin(USUAL) * x, tuple(notes)


def _turning_centre(V: Array) -> Array:
    """The point of the plane that a motion (w, v at Fo) leaves at rest."""
    return np.array([-V[4], V[3], 0.0]) / V[2]


@final
@dataclass(frozen=True)
class GearLineContact(GearContact):
    """Gear meshing in space with straight teeth: contact along a line (class IV)."""

    type = "gear-line-contact"
    coordinate_names = ("alpha", "distance", "shift", "tilt")
    coordinate_kinds = ("angle", "length", "length", "angle")
    velocity_names = ("rolling", "parting", "shifting", "tilting")


@final
@dataclass(frozen=True)
class GearPointContact(GearContact):
    """Gear meshing in space with crowned teeth: contact in a point (class V)."""

    type = "gear-point-contact"
    coordinate_names = ("alpha", "distance", "shift", "tilt", "twist")
    coordinate_kinds = ("angle", "length", "length", "angle", "angle")
    velocity_names = ("rolling", "parting", "shifting", "tilting", "twisting")
