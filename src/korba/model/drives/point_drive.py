"""A point of a body on a path in the world, in time (Gronowicz 2.100)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ..body import GROUND
from ..curve import LawOrCurve
from ..drive import Drive, Motion, PlanePosition, Position, Prescribed
from ..fields import Vector3, field
from ..specs import Place, Text


@final
@dataclass(frozen=True)
class PointDrive(Drive):
    """A point of a body on a path in the world, in time (2.100).

    Its forces act on the point, positive along x, y and z of the world.
    """

    type = "point"
    bodies = ("body",)
    places = (("body", "at"),)
    motions = ("x", "y", "z")
    spatial_motions = ("z",)
    algebraic = True

    body: str = field(Text(), doc="the driven body, or a point of it: 'coupler.P'")
    at: Vector3 = field(
        Place("length"), default=None, doc="its point: by name, or in the body's frame"
    )
    x: Motion = field(LawOrCurve("t", "length"), default=None, doc="x in time")
    y: Motion = field(LawOrCurve("t", "length"), default=None, doc="y in time")
    z: Motion = field(LawOrCurve("t", "length"), default=None, doc="z in time")

    def rows(self, at: Position, t: Any) -> Prescribed:
        """p_i = f_i(t) for the given components."""
        p = at.body_pose(self.body).point(self.at)
        axes = ["xyz".index(key) for key in self.given]
        rows = [3 + i for i in axes]
        columns = {i: column[rows] for i, column in at.body_twist(self.body, p).items()}
        return Prescribed(p[axes], columns, self.motion(t))

    def polynomials(self, at: PlanePosition, t: float) -> None:
        """The point less the origin of the base."""
        f = self.values(t)
        shift = at.point(self.body, self.at) - at.point(GROUND, (0.0, 0.0, 0.0))
        at.set_shift(shift, f.get("x"), f.get("y"))
