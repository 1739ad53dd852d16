"""Spring, damper and actuator in a joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from ...expr import Expr
from ..fields import field
from ..force import ZERO, Effort, Force, State
from ..specs import Law, Number, Text


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

    def acts(self, at: State) -> Iterator[Effort]:
        """tau = -k (q - rest) - c v + law(q, v, t)."""
        q, v = at.coordinate(self.joint)
        law = at.value(self.law, q=q, v=v)
        yield Effort(self.joint, -self.stiffness * (q - self.rest) - self.damping * v + law)
