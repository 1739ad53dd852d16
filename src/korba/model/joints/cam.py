"""Cam pairs (K): a follower on the profile rho(beta) of a cam (Gronowicz 2.8.4, 2.8.5).

Frame F is at the cam's pole, its x axis the direction beta = 0, z the normal of the plane. The
place of contact `beta` is a coordinate of the joint (contact.py), so the pair needs no other
unknown. The disc may be given by its radius, by x and y of its points, or by what its follower
does over the cam's angle phi (lifts.py): then beta is the phi at which a place touches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import Fault, StructureError
from ...expr import Expr
from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..curve import Curve, LawOrCurve
from ..fields import Invalid, field
from ..joint import Joint
from ..outline import ROUND, circle, polar, reach_of, segment
from ..profiles import Profiles, Side
from ..rubbing import CONTACT
from ..specs import Number
from .contact import Contact, contact_at, contact_on, derivatives, path_fault, profile_fault
from .lifts import face, follower_way, lift_faults, roller_path

SHAPES = ("profile", "profile_x", "lift", "swing")
"""Fields by one of which a cam is given."""


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
    profile_x: Expr | Curve | None = field(
        LawOrCurve("beta", "length"),
        default=None,
        doc="x of the profile's points over beta, 0 to 360 deg anticlockwise, instead of `profile`",
    )
    profile_y: Expr | Curve | None = field(
        LawOrCurve("beta", "length"), default=None, doc="y of the profile's points over beta"
    )
    lift: Expr | Curve | None = field(
        LawOrCurve("phi", "length"),
        default=None,
        doc="lift of a follower that slides, over the cam's angle phi, 0 to 360 deg, instead of "
        "`profile`; it goes along x of the joint's frame as it stands at phi = 0",
    )
    swing: Expr | Curve | None = field(
        LawOrCurve("phi", "angle"),
        default=None,
        doc="angle by which a follower on an arm is lifted, over the cam's angle phi; the arm's "
        "pivot is along x of the joint's frame at phi = 0",
    )
    base: float | None = field(
        Number("length", positive=True),
        default=None,
        doc="distance from the pole, at lift 0, of the roller's centre or of the flat face",
    )
    offset: float = field(
        Number("length"),
        default=0.0,
        doc="of a roller's way from the pole, to the right; of an arm's flat face from the pivot",
    )
    distance: float | None = field(
        Number("length", positive=True), default=None, doc="of the arm's pivot from the pole"
    )

    def faults(self) -> Iterator[Fault]:
        """A cam that is given in no way or in several, or whose disc cannot be."""
        yield from super().faults()
        given = [key for key in SHAPES if getattr(self, key) is not None]
        if any(isinstance(getattr(self, key), Invalid) for key in given):
            return
        if len(given) != 1 or (self.profile_x is None) != (self.profile_y is None):
            told = f"got {' and '.join(given)}" if given else "is missing"
            message = (
                f"{told}; give the cam's shape by one of profile (a radius over beta), profile_x "
                "with profile_y, lift or swing (of the follower, over phi)"
            )
            yield self.fault(message, given[-1] if given else "profile")
        elif given[0] in ("lift", "swing"):
            for key, told in lift_faults(self, given[0]):
                yield self.fault(told, key)
        elif found := self._profile_fault():
            yield self.fault(found, given[0])

    def _profile_fault(self) -> str | None:
        """What is wrong with a radius or with points."""
        if self.profile is not None:
            return profile_fault(self.profile)
        return path_fault(self.profile_x, self.profile_y)

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The cam."""
        if self.profile is not None:
            return (("parent", polar(self.profile, "beta")),)
        symbolic = np.asarray(self.contact(0.0).point).dtype == object
        points = [self.contact(x).point for x in ROUND] if symbolic else self.contact(ROUND).point.T
        return (("parent", np.column_stack([points, 0.0 * ROUND])),)

    def pushes(self, q: Any) -> Array:
        """Away from the cam."""
        return self.friction_vectors(q)[1]

    def contact(self, beta: Any) -> Contact:
        """What a follower needs to know of the profile at beta."""
        if self.profile is not None:
            return contact_at(self.profile, "beta", beta)
        if self.profile_x is not None and self.profile_y is not None:
            both = (derivatives(each, "beta", beta) for each in (self.profile_x, self.profile_y))
            return contact_on([np.array(xy) for xy in zip(*both, strict=True)])
        return self.lifted(beta)

    def lifted(self, phi: Any) -> Contact:
        """The same, of a cam by its follower's lift."""
        raise NotImplementedError

    def way(self, phi: Any) -> Array | None:
        """The way of the follower at phi as a direction on the cam, if its lift is given."""
        return follower_way(self, phi) if self.lift is not None or self.swing is not None else None


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
    arm: float | None = field(
        Number("length", positive=True),
        default=None,
        doc="length of a follower's arm, from its pivot to the roller's centre; it lies to the "
        "left of the line from the pole to the pivot",
    )

    def lifted(self, phi: Any) -> Contact:
        """Beside the path of the roller's centre."""
        return contact_on(roller_path(self, phi), -1.0).beside(self.radius)

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

    def lifted(self, phi: Any) -> Contact:
        """Where the face is crossed by its neighbours."""
        return Contact(*face(self, phi))

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
