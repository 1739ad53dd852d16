"""What acts on a mechanism besides gravity: forces at points, springs, motors.

Laws may use the time `t`, the coordinates by their names and their velocities as `v_<name>`; a law
between points also its length `l` and rate `v`, a law in a joint its own `q` and rate `v`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from ..expr import Expr, constant
from .curve import Curve, LawOrCurve
from .fields import Element, Vector3, field
from .specs import Choice, Law, Laws, Number, Text, Vector

ZERO = constant(0.0)
AXES = Choice(("world", "body"))


@dataclass(frozen=True)
class Force(Element):
    """Base of all loads; `law_names` are names that its laws may use besides the common ones."""

    section = "force"
    type: ClassVar[str] = ""
    bodies: ClassVar[tuple[str, ...]] = ()
    """Fields that name a body."""
    joints: ClassVar[tuple[str, ...]] = ()
    """Fields that name a joint of one freedom, or one coordinate."""
    law_names: ClassVar[frozenset[str]] = frozenset()

    name: str = field(Text(), doc="name of the load")

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...] | None:
        """Two points whose distance it needs."""
        return None


@final
@dataclass(frozen=True)
class PointForce(Force):
    """A force at a point of a body; components in the world, or in the body (follower force)."""

    type = "point"
    bodies = ("body",)

    body: str = field(Text(), doc="body it acts on")
    force: tuple[Expr, ...] = field(Laws("force", None), doc="components of the force")
    at: Vector3 = field(
        Vector("length"), default=(0.0, 0.0, 0.0), doc="point of application, in the body's frame"
    )
    axes: str = field(AXES, default="world", doc="axes of the components: world or body")


@final
@dataclass(frozen=True)
class Moment(Force):
    """A moment on a body; in the plane its third component counts."""

    type = "moment"
    bodies = ("body",)

    body: str = field(Text(), doc="body it acts on")
    moment: tuple[Expr, ...] = field(
        Laws("moment", None), doc="components of the moment ([0, 0, M] in the plane)"
    )
    axes: str = field(AXES, default="world", doc="axes of the components: world or body")


@final
@dataclass(frozen=True)
class Spring(Force):
    """Spring, damper and actuator between two points; f > 0 pulls them together (Gronowicz 4.184).

    f = stiffness (l - free_length) + damping ldot + law(l, v, t)
    """

    type = "spring"
    bodies = ("body_a", "body_b")
    law_names = frozenset({"l", "v"})

    body_a: str = field(Text(), doc="body at one end")
    at_a: Vector3 = field(Vector("length"), doc="its point, in the body's frame")
    body_b: str = field(Text(), doc="body at the other end")
    at_b: Vector3 = field(Vector("length"), doc="its point, in the body's frame")
    stiffness: float = field(Number("stiffness", minimum=0), default=0.0, doc="stiffness")
    free_length: float = field(Number("length", minimum=0), default=0.0, doc="length without force")
    damping: float = field(Number("damping", minimum=0), default=0.0, doc="damping")
    law: Expr = field(Law("force", None), default=ZERO, doc="further force in l, v and t")

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...]:
        """The two points."""
        return (self.body_a, self.at_a), (self.body_b, self.at_b)


@final
@dataclass(frozen=True)
class JointForce(Force):
    """Spring, damper and actuator in a joint: tau = -stiffness (q - rest) - damping v + law."""

    type = "joint"
    joints = ("joint",)
    law_names = frozenset({"q", "v"})

    joint: str = field(Text(), doc="the joint, or one of its coordinates")
    stiffness: float = field(
        Number(("angular stiffness", "stiffness"), minimum=0), default=0.0, doc="stiffness"
    )
    rest: float = field(Number(("angle", "length")), default=0.0, doc="coordinate without force")
    damping: float = field(
        Number(("angular damping", "damping"), minimum=0), default=0.0, doc="damping"
    )
    law: Expr = field(
        Law(("moment", "force"), None),
        default=ZERO,
        doc="further force or moment in q, v and t, on the child",
    )


@final
@dataclass(frozen=True)
class Motor(Force):
    """A direct-current motor on a joint, through a gear.

    tau = ratio efficiency torque_constant i,   voltage = resistance i + back_emf ratio v
    (+ inductance di/dt). The rotor's inertia is the `rotor` of the joint.
    """

    type = "motor"
    joints = ("joint",)

    joint: str = field(Text(), doc="the joint it drives")
    voltage: Expr | Curve = field(LawOrCurve("t", "voltage"), doc="supply voltage in time")
    torque_constant: float = field(
        Number("torque constant", positive=True), doc="moment per ampere"
    )
    resistance: float = field(Number("resistance", positive=True), doc="resistance of the armature")
    back_emf: float | None = field(
        Number("back emf", minimum=0),
        default=None,
        doc="voltage per rad/s; without it the torque constant, as physics has it",
    )
    inductance: float = field(Number("inductance", minimum=0), default=0.0, doc="inductance")
    ratio: float = field(Number("number"), default=1.0, doc="motor turns per joint turn")
    efficiency: float = field(
        Number("number", positive=True), default=1.0, doc="efficiency of the gear"
    )


FORCE_TYPES: dict[str, type[Force]] = {
    cls.type: cls for cls in (PointForce, Moment, Spring, JointForce, Motor)
}
