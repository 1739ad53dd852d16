"""What a joint may have besides its motion: friction, the rotor of its motor, elasticity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from ..errors import Fault
from ..expr import Expr
from ..expr.dimensions import Dimension
from ..expr.node import present
from .body import NO_INERTIA
from .fields import Element, Matrix3, field
from .frame import Frame
from .specs import Choice, Law, Number, Part, Tensor

SLIDES = (("u", Dimension.of({"m": 1, "s": -1})), ("N", Dimension.of({"kg": 1, "m": 1, "s": -2})))
"""What variables of the law of friction measure."""
STANDS_FOR = {"law": ("coefficient", "static", "stribeck_velocity"), "effort_law": ("effort",)}
"""What a law of friction stands for."""


@final
@dataclass(frozen=True)
class Friction(Element):
    """Friction in a joint, with what its geometry needs (Gronowicz 4.3.5, 4.3.6).

    Which fields count depends on the joint: docs/forces.md has the table.
    """

    section = "friction"

    coefficient: float = field(
        Number("number", minimum=0), default=0.0, doc="coefficient of friction mu"
    )
    radius: float | None = field(
        Number("length", positive=True),
        default=None,
        doc="radius of the pin, ball or cylinder, mean radius of a thread or of a flat contact",
    )
    running: str = field(
        Choice(("plain", "run-in", "new")),
        default="plain",
        doc="round contact: mu' = mu (plain), 4/pi mu (run-in) or pi/2 mu (new)",
    )
    half_height: float | None = field(
        Number("length", minimum=0), default=None, doc="half the distance of the guide's faces b"
    )
    static: float | None = field(
        Number("number", minimum=0), default=None, doc="coefficient at rest"
    )
    stribeck_velocity: float | None = field(
        Number("velocity", positive=True),
        default=None,
        doc="sliding speed at which friction has fallen from static to coefficient (Stribeck)",
    )
    law: Expr | None = field(
        Law("number", ("u", "N"), SLIDES),
        default=None,
        doc="coefficient by a formula of the sliding speed u and the load N, for `coefficient`",
    )
    effort: float = field(
        Number(("moment", "force"), minimum=0),
        default=0.0,
        doc="constant friction force or moment, whatever the load",
    )
    effort_law: Expr | None = field(
        Law(("moment", "force"), ("u",)),
        default=None,
        doc="friction force or moment by a formula of the joint's speed u, for `effort`",
    )
    rolling: float = field(
        Number("length", minimum=0),
        default=0.0,
        doc="lever f of rolling resistance: a contact that rolls under N takes the moment f N",
    )
    flank_angle: float = field(
        Number("angle", minimum=0),
        default=0.0,
        doc="half the angle between the flanks of a thread (0: square, 15 deg: trapezoidal)",
    )
    efficiency: float | None = field(
        Number("number", positive=True),
        default=None,
        doc="of teeth: power out of the mesh over power into it, on fixed axes",
    )

    def faults(self) -> Iterator[Fault]:
        """An efficiency above 1, a flank that points backwards, a law beside what it stands for."""
        yield from super().faults()
        for key, beside in STANDS_FOR.items():
            if getattr(self, key) is not None:
                for other in (other for other in beside if present(getattr(self, other) or 0.0)):
                    yield self.fault(f"stands for {other!r}; give one of the two", key)
        if isinstance(self.efficiency, float) and self.efficiency > 1:
            yield self.fault("is at most 1", "efficiency")
        if isinstance(self.flank_angle, float) and self.flank_angle >= np.pi / 2:
            yield self.fault("must be less than 90 deg", "flank_angle")


@final
@dataclass(frozen=True)
class Rotor(Element):
    """A motor's rotor on the parent body that turns `ratio` times as fast as the joint."""

    section = "rotor"

    ratio: float = field(
        Number("number"), default=1.0, doc="gear ratio: rotor turns per joint turn"
    )
    mass: float = field(Number("mass", minimum=0), default=0.0, doc="mass of the rotor")
    inertia: Matrix3 = field(
        Tensor(),
        default=NO_INERTIA,
        doc="inertia about the rotor's centre, its axis being z (a number: about the axis)",
    )
    frame: Frame | None = field(
        Part(Frame),
        default=None,
        doc="rotor's frame on the parent, z along its axis; without it the joint's own",
    )

    @property
    def direct(self) -> bool:
        """Whether it turns with the motor side of the joint, in the joint's own place."""
        return self.ratio == 1.0 and self.frame is None


@final
@dataclass(frozen=True)
class Elastic(Element):
    """Elasticity of a joint: rotor, then spring and damper, then the child body."""

    section = "elastic"

    stiffness: float = field(
        Number(("angular stiffness", "stiffness"), minimum=0), doc="stiffness of the joint"
    )
    damping: float = field(
        Number(("angular damping", "damping"), minimum=0), default=0.0, doc="damping of the joint"
    )
