"""Place and angle of a body's frame relative to another's, in time (Gronowicz 2.96, 2.97)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...spatial.rotation import Array, rotation_z
from ..curve import LawOrCurve
from ..drive import Drive, Motion, PlanePosition, Position, Prescribed, difference
from ..fields import field
from ..specs import Text

ORIGIN = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True)
class BodyDrive(Drive):
    """Place and angle of a body's frame relative to another's, in time (2.96, 2.97).

    Its forces and moment act on `body`, positive where they push x, y, z or the angle up.
    """

    type = "body"
    bodies = ("body", "relative_to")
    motions = ("x", "y", "z", "angle")
    spatial_motions = ("z",)
    algebraic = True

    body: str = field(Text(), doc="the driven body")
    relative_to: str = field(Text(), default="ground", doc="the body it is measured from")
    x: Motion = field(LawOrCurve("t", "length"), default=None, doc="x in time")
    y: Motion = field(LawOrCurve("t", "length"), default=None, doc="y in time")
    z: Motion = field(LawOrCurve("t", "length"), default=None, doc="z in time")
    angle: Motion = field(LawOrCurve("t", "angle"), default=None, doc="angle about z in time")

    def rows(self, at: Position, t: Any) -> Prescribed:
        """Difference of the origins in world axes, and the angle about z between the frames.

        The angle is taken nearest to the one that is asked for, so that it may go round.
        """
        X, X_0 = at.body_pose(self.body), at.body_pose(self.relative_to)
        V = difference(at.body_twist(self.body, X.p), at.body_twist(self.relative_to, X_0.p))
        axes = ["xyz".index(key) for key in self.given if key != "angle"]
        f = self.motion(t)
        values = [X.p[i] - X_0.p[i] for i in axes]
        rows = {i: list(column[[3 + k for k in axes]]) for i, column in V.items()}
        if self.angle is not None:
            R_0B = np.asarray(X_0.R.T @ X.R)
            values.append(f[-1, 0] + angle_of(rotation_z(f[-1, 0]).T @ R_0B))
            for i, column in V.items():
                rows[i].append(angle_rate(R_0B, X_0.R.T @ column[:3]))
        columns = {i: np.array(each, dtype=object) for i, each in rows.items()}
        return Prescribed(np.array(values, dtype=object), columns, f)

    def polynomials(self, at: PlanePosition, t: float) -> None:
        """The difference of the origins, and the turn between the frames."""
        f = self.values(t)
        shift = at.point(self.body, ORIGIN) - at.point(self.relative_to, ORIGIN)
        at.set_shift(shift, f.get("x"), f.get("y"))
        if "angle" in f:
            at.set_angle(self.body, self.relative_to, f["angle"])


def angle_of(R: Array) -> Any:
    """Angle of a rotation about z: that of the turn about z which comes nearest to it."""
    return np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])


def angle_rate(R: Array, w: Array) -> Any:
    """Rate of that angle for R' = [w x] R.

    With c, s the cosine and sine of the angle times r:  w_z - (a w_x + b w_y) / r^2,  where
    a = R_zx c - R_zy s,  b = R_zx s + R_zy c;  in the plane it is w_z.
    """
    c, s = R[0, 0] + R[1, 1], R[1, 0] - R[0, 1]
    a, b = R[2, 0] * c - R[2, 1] * s, R[2, 0] * s + R[2, 1] * c
    tilting = a * w[0] + b * w[1]
    return w[2] - tilting / (c * c + s * s)
