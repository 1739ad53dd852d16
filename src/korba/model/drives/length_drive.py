"""Distance of two points in time: an actuator's length (Gronowicz 2.98)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..curve import LawOrCurve
from ..drive import Drive, End, Motion, PlanePosition, Position, Prescribed, difference
from ..fields import Vector3, field, missing
from ..specs import Place, Text


@final
@dataclass(frozen=True)
class LengthDrive(Drive):
    """Distance of two points in time: an actuator's length (2.98).

    Its force is positive where it pushes the two points apart.
    """

    type = "length"
    bodies = ("body_a", "body_b")
    places = (("body_a", "at_a"), ("body_b", "at_b"))
    motions = ("length",)
    algebraic = True

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
    length: Motion = field(
        LawOrCurve("t", "length"),
        default=missing("the distance in time"),
        doc="the distance in time",
    )

    @property
    def ends(self) -> tuple[End, End]:
        """The two points."""
        return (self.body_a, self.at_a), (self.body_b, self.at_b)

    def rows(self, at: Position, t: Any) -> Prescribed:
        """|d| = f(t)  with  d = p_b - p_a,  and its rate  d / |d| . (v_b - v_a)."""
        p_a, p_b = (at.body_pose(body).point(place) for body, place in self.ends)
        d = p_b - p_a
        length = np.sqrt(d @ d)
        u = d / length
        V = difference(at.body_twist(self.body_b, p_b), at.body_twist(self.body_a, p_a))
        columns = {i: np.array([u @ column[3:]], dtype=object) for i, column in V.items()}
        return Prescribed(np.array([length], dtype=object), columns, self.motion(t))

    def polynomials(self, at: PlanePosition, t: float) -> None:
        """d . d = f^2."""
        a, b = (at.point(body, place) for body, place in self.ends)
        at.set_length(b - a, self.values(t)["length"])
