"""Cam pairs (K): a follower on the profile rho(beta) of a cam (Gronowicz 2.8.4, 2.8.5).

Frame F is at the cam's pole, its x axis the direction beta = 0, z the normal of the plane. The
place of contact `beta` is a coordinate of the joint, so the pair needs no other unknown:

    P = rho (cos beta, sin beta),   t = dP/dbeta,   n = t turned by -90 deg, both unit   (2.85-87)

Going round anticlockwise, n points out of the cam.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from ...errors import Fault, StructureError
from ...expr import Expr, evaluate
from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..curve import Curve, LawOrCurve, value_at
from ..fields import Invalid, field
from ..joint import Joint
from ..outline import circle, polar, reach_of, segment
from ..profiles import Profiles, Side
from ..rubbing import CONTACT
from ..specs import Number

FLAT = 1e-9
"""Curvature times typical length below which a profile is straight."""


class Contact(NamedTuple):
    """A place on a profile; derivatives are with respect to beta."""

    point: Array
    tangent: Array
    """Of length 1."""
    speed: Any
    """|t|."""
    growth: Any
    """Derivative of |t|."""
    turning: Any
    """Rate at which the tangent turns."""
    change: Any
    """Derivative of that rate."""

    @property
    def inward(self) -> Array:
        """-n: the tangent turned by 90 deg."""
        return np.array([-self.tangent[1], self.tangent[0]])

    def side(self, scale: float) -> Side:
        """Circle of curvature at the contact: centre P - n |t| / turning (2.85-2.87)."""
        if abs(self.turning / self.speed) * scale < FLAT:
            return Side(np.array([*self.point, 0.0]), np.array([*self.tangent, 0.0]))
        return Side(np.array([*(self.point + self.inward * (self.speed / self.turning)), 0.0]))


def contact_at(profile: Expr | Curve, variable: str, angle: Any) -> Contact:
    """A place on a profile rho(angle) and what a follower needs to know of it there."""
    rho = [value_at(profile, variable, angle, order) for order in range(4)]
    out = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-out[1], out[0]])
    t = rho[1] * out + rho[0] * across
    t1 = (rho[2] - rho[0]) * out + 2 * rho[1] * across
    t2 = (rho[3] - 3 * rho[1]) * out + (3 * rho[2] - rho[0]) * across
    square = t @ t
    turning = (t[0] * t1[1] - t[1] * t1[0]) / square
    change = (t[0] * t2[1] - t[1] * t2[0]) / square - 2 * turning * (t @ t1) / square
    speed = np.sqrt(square)
    return Contact(rho[0] * out, t / speed, speed, (t @ t1) / speed, turning, change)


@dataclass(frozen=True)
class CamContact(Joint):
    """What both cam pairs share: the profile and its derivatives; the cam is the parent."""

    symbol = "K"
    rubs = CONTACT
    lower_pair = False
    planar = True
    spatial = False
    profile_coordinates = ("beta",)

    profile: Expr | Curve | None = field(
        LawOrCurve("beta", "length"),
        default=None,
        doc="radius rho(beta): an expression in beta, or a periodic curve of points",
    )

    def faults(self) -> Iterator[Fault]:
        """A cam without a profile, or with one that does not go round the pole and close."""
        yield from super().faults()
        if isinstance(self.profile, Invalid):
            return
        if message := profile_fault(self.profile):
            yield self.fault(message, "profile")

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The cam."""
        return (("parent", polar(self.profile, "beta")),)  # type: ignore[arg-type]

    def pushes(self, q: Any) -> Array:
        """Away from the cam."""
        return self.friction_vectors(q)[1]

    def contact(self, beta: Any) -> Contact:
        """What a follower needs to know of the profile at beta."""
        return contact_at(self.profile, "beta", beta)  # type: ignore[arg-type]


def radii(profile: Expr | Curve, variable: str, angles: Array) -> Array:
    """The radius of a profile at many angles."""
    if isinstance(profile, Curve):
        return np.asarray(profile(angles))
    return evaluate(profile, {variable: angles})


def profile_fault(profile: Expr | Curve | None, variable: str = "beta") -> str | None:
    """What is wrong with a profile: it is positive all round, and ends where it begins."""
    if profile is None:
        return f"is missing; give the radius as an expression in {variable} or as points"
    if isinstance(profile, Curve):
        period = profile.x[-1] - profile.x[0]
        if not profile.periodic:
            return "its points must say periodic = true, because a cam closes"
        if abs(period - 2 * np.pi) > 1e-6:
            return f"its points span {period:g} rad; a cam closes after 2 pi = 6.28319 rad"
    angles = np.linspace(0.0, 2 * np.pi, 181)
    try:
        with np.errstate(all="ignore"):
            rho = radii(profile, variable, angles)
    except ValueError:  # the equations of the spline overflow
        return "its values are too large for a curve through the points"
    for angle, radius in zip(np.degrees(angles), rho, strict=True):
        if not 0 < radius < np.inf:
            what = "no finite value" if not np.isfinite(radius) else f"the radius {radius:g} m"
            return f"has {what} at {variable} = {angle:g} deg; it must be above 0 all round"
    if abs(rho[-1] - rho[0]) > 1e-6 * rho.max():
        return (
            f"does not close: the radius is {rho[0]:g} m at {variable} = 0 and {rho[-1]:g} m at "
            f"{variable} = 360 deg; both must be the same"
        )
    return None


@final
@dataclass(frozen=True)
class CamRoller(CamContact):
    """Cam and roller (K, class II): the child carries a roller of given radius.

    M is at the roller's centre Q = P + r n; coordinates are beta and the angle of the follower.
    """

    type = "cam-roller"
    coordinate_names = ("beta", "angle")
    periodic = ("beta", "angle")
    coordinate_kinds = ("angle", "angle")
    velocity_names = ("contact", "rate")

    radius: float = field(
        Number("length", minimum=0), default=0.0, doc="radius of the roller (0: a knife edge)"
    )

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The cam and the roller."""
        edge = isinstance(self.radius, int | float) and self.radius == 0
        return (*super().outlines(), *([] if edge else [("child", circle(self.radius))]))

    def pose(self, q: Any) -> Pose:
        """T(Q) Rz(angle)."""
        cam = self.contact(q[0])
        centre = cam.point - self.radius * cam.inward
        return Pose(rotation_z(q[1]), np.array([centre[0], centre[1], 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """Q' = (|t| + r turning) along the tangent, seen in M, and the rotation."""
        cam = self.contact(q[0])
        along = rotation_z(q[1])[:2, :2].T @ cam.tangent * (cam.speed + self.radius * cam.turning)
        return np.array([[0, 0.0], [0, 0], [0, 1], [along[0], 0], [along[1], 0], [0, 0]])

    def bias(self, q: Any, v: Any) -> Array:
        """Curvature of the centre's path, and its turning in M."""
        cam = self.contact(q[0])
        travel = cam.speed + self.radius * cam.turning
        growth = cam.growth + self.radius * cam.change
        rate = (cam.tangent * growth + cam.inward * (travel * cam.turning)) * v[0] ** 2
        rate = rate - cam.inward * (travel * v[0] * v[1])
        in_M = rotation_z(q[1])[:2, :2].T @ rate
        return np.array([0.0, 0.0, 0.0, in_M[0], in_M[1], 0.0])

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The place of contact is r behind the roller's centre along n."""
        n = rotation_z(q[1]).T @ np.array([*-self.contact(q[0]).inward, 0.0])
        return -self.radius * n, n

    def profiles(self, q: Any, scale: float) -> Profiles:
        """The cam, and the roller about its centre."""
        return Profiles(self.contact(q[0]).side(scale), Side(self.pose(q).p), rolls=True)


@final
@dataclass(frozen=True)
class CamFlat(CamContact):
    """Cam and flat follower (K, class II): the child's face, x of M, touches the profile.

    Coordinates are beta and the place `slide` of the contact on the face.
    """

    type = "cam-flat"
    coordinate_names = ("beta", "slide")
    periodic = ("beta",)
    coordinate_kinds = ("angle", "length")
    velocity_names = ("contact", "sliding")

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The cam, and the face on both sides of M."""
        ((_, cam),) = super().outlines()
        return ("parent", cam), ("child", segment(reach_of(cam), np.array([1.0, 0.0, 0.0])))

    def pose(self, q: Any) -> Pose:
        """x along the tangent, origin at P - slide t."""
        cam = self.contact(q[0])
        x, y = cam.tangent
        origin = cam.point - q[1] * cam.tangent
        return Pose(np.array([[x, -y, 0.0], [y, x, 0], [0, 0, 1]]), np.array([*origin, 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """The face turns with the tangent; its origin slides back along x of M."""
        cam = self.contact(q[0])
        fall = -q[1] * cam.turning
        return np.array([[0, 0.0], [0, 0], [cam.turning, 0], [cam.speed, -1], [fall, 0], [0, 0]])

    def bias(self, q: Any, v: Any) -> Array:
        """Derivatives of the three entries that vary."""
        cam = self.contact(q[0])
        fall = -(v[1] * cam.turning + q[1] * cam.change * v[0]) * v[0]
        turning, along = cam.change * v[0] ** 2, cam.growth * v[0] ** 2
        return np.array([0.0, 0.0, turning, along, fall, 0.0])

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """On the face, which the cam pushes along -y."""
        return np.array([q[1], 0.0, 0.0]), np.array([0.0, -1.0, 0.0])

    def profiles(self, q: Any, scale: float) -> Profiles:
        """The cam, and the face along x of M through the cam's centre of curvature."""
        cam = self.contact(q[0]).side(scale)
        if cam.direction is not None:
            raise StructureError(
                f"joint {self.name!r}: cam and follower are both straight at the contact, so they "
                "touch along a line and there is no equivalent linkage at this position"
            )
        return Profiles(cam, Side(cam.at, self.pose(q).R[:, 0]))
