"""Spring, damper and actuator between two points (Gronowicz 4.184)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from ...expr import Expr
from ...expr.dimensions import Dimension
from ...expr.node import present
from ..curve import Curve, LawOrCurve, value_at
from ..fields import Vector3, field, missing
from ..force import ZERO, Force, Push, State
from ..specs import Law, Number, Place, Text

MEASURES = (("l", Dimension.of({"m": 1})), ("v", Dimension.of({"m": 1, "s": -1})))


@final
@dataclass(frozen=True)
class Spring(Force):
    """Spring, damper and actuator between two points; f > 0 pulls them together (Gronowicz 4.184).

    f = stiffness (l - free_length) + damping ldot + curve(l) + law(l, v, t)

    A spring of free length 0 alone is linear in the place of its ends, stiffness (p_b - p_a), which
    may meet. All else has the direction of the line, and none where they meet.
    """

    type = "spring"
    bodies = ("body_a", "body_b")
    places = (("body_a", "at_a"), ("body_b", "at_b"))
    law_names = frozenset({"l", "v"})

    body_a: str = field(Text(), doc="body at one end, or a point of it: 'crank.B'")
    at_a: Vector3 = field(
        Place("length"), default=None, doc="its point: by name, or in the body's frame"
    )
    body_b: str = field(
        Text(), default=missing("body at the other end"), doc="body, or point, at the other end"
    )
    at_b: Vector3 = field(
        Place("length"), default=None, doc="its point: by name, or in the body's frame"
    )
    stiffness: float = field(Number("stiffness", minimum=0), default=0.0, doc="stiffness")
    free_length: float = field(Number("length", minimum=0), default=0.0, doc="length without force")
    damping: float = field(Number("damping", minimum=0), default=0.0, doc="damping")
    law: Expr = field(Law("force", None, MEASURES), default=ZERO, doc="further force in l, v and t")
    curve: Expr | Curve | None = field(
        LawOrCurve("l", "force"),
        default=None,
        doc="further force over the length l: a table { x = lengths, y = forces }",
    )

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...]:
        """The two points."""
        return (self.body_a, self.at_a), (self.body_b, self.at_b)

    @property
    def needs_distance(self) -> bool:
        """Not where it is linear: of free length 0, with no damper and no law beside it."""
        plain = not any(present(x) for x in (self.free_length, self.damping, self.law))
        return not plain or self.curve is not None

    @property
    def picture(self) -> str:
        """A spring, a damper, or a cylinder where it has neither."""
        if self.curve is not None:
            return "spring"
        return "spring" if self.stiffness else "damper" if self.damping else super().picture

    def acts(self, at: State) -> Iterator[Push]:
        """f along the line of the two points, on either body."""
        (p_a, v_a), (p_b, v_b) = (at.point(body, place) for body, place in self.ends)
        d = p_b - p_a
        F = self.stiffness * d
        if self.needs_distance:
            length = np.sqrt(d @ d)
            u = d / length
            rate = u @ (v_b - v_a)
            law = at.value(self.law, l=length, v=rate)
            if self.curve is not None:
                law = law + value_at(self.curve, "l", length)
            F = u * (self.stiffness * (length - self.free_length) + self.damping * rate + law)
        for (body, place), sign in zip(self.ends, (1.0, -1.0), strict=True):
            yield Push(body, sign * F, np.zeros(3), place)
