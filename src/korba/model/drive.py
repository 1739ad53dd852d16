"""What is prescribed in time: the six kinds of drivers of Gronowicz (2.96)-(2.102)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from ..expr import Expr
from .curve import Curve, LawOrCurve
from .fields import Element, Vector3, field
from .specs import Text, Vector

Motion = Expr | Curve | None


@dataclass(frozen=True)
class Drive(Element):
    """Base of all drives. A motion is an expression in `t`, or a curve of points in time."""

    section = "drive"
    type: ClassVar[str] = ""
    bodies: ClassVar[tuple[str, ...]] = ()
    joints: ClassVar[tuple[str, ...]] = ()
    motions: ClassVar[tuple[str, ...]] = ()
    """Fields of which at least one must be given; each that is given takes one freedom."""

    name: str = field(Text(), doc="name of the drive")

    @property
    def count(self) -> int:
        """How many freedoms it takes."""
        return sum(getattr(self, key) is not None for key in self.motions)


@final
@dataclass(frozen=True)
class JointDrive(Drive):
    """A joint's coordinate in time: angle of a revolute, stroke of a prismatic (2.101, 2.102)."""

    type = "joint"
    joints = ("joint",)
    motions = ("position",)

    joint: str = field(Text(), doc="the joint, or one of its coordinates")
    position: Motion = field(
        LawOrCurve("t", ("angle", "length")), doc="its value in time, such as '300 rpm * t'"
    )


@final
@dataclass(frozen=True)
class BodyDrive(Drive):
    """Place and angle of a body's frame relative to another's, in time (2.96, 2.97)."""

    type = "body"
    bodies = ("body", "relative_to")
    motions = ("x", "y", "z", "angle")

    body: str = field(Text(), doc="the driven body")
    relative_to: str = field(Text(), default="ground", doc="the body it is measured from")
    x: Motion = field(LawOrCurve("t", "length"), default=None, doc="x in time")
    y: Motion = field(LawOrCurve("t", "length"), default=None, doc="y in time")
    z: Motion = field(LawOrCurve("t", "length"), default=None, doc="z in time")
    angle: Motion = field(LawOrCurve("t", "angle"), default=None, doc="angle about z in time")


@final
@dataclass(frozen=True)
class LengthDrive(Drive):
    """Distance of two points in time: an actuator's length (2.98)."""

    type = "length"
    bodies = ("body_a", "body_b")
    motions = ("length",)

    body_a: str = field(Text(), doc="body at one end")
    at_a: Vector3 = field(Vector("length"), doc="its point, in the body's frame")
    body_b: str = field(Text(), doc="body at the other end")
    at_b: Vector3 = field(Vector("length"), doc="its point, in the body's frame")
    length: Motion = field(LawOrCurve("t", "length"), doc="the distance in time")


@final
@dataclass(frozen=True)
class PointDrive(Drive):
    """A point of a body on a path in the world, in time (2.100)."""

    type = "point"
    bodies = ("body",)
    motions = ("x", "y", "z")

    body: str = field(Text(), doc="the driven body")
    at: Vector3 = field(Vector("length"), doc="its point, in the body's frame")
    x: Motion = field(LawOrCurve("t", "length"), default=None, doc="x in time")
    y: Motion = field(LawOrCurve("t", "length"), default=None, doc="y in time")
    z: Motion = field(LawOrCurve("t", "length"), default=None, doc="z in time")


DRIVE_TYPES: dict[str, type[Drive]] = {
    cls.type: cls for cls in (JointDrive, BodyDrive, LengthDrive, PointDrive)
}
