"""A frame fixed to something: an origin and a rotation, as plain tuples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..errors import ExpressionError
from ..expr import Expr, number
from ..spatial.pose import Pose
from ..spatial.rotation import (
    rotation_of_quaternion,
    rotation_of_rpy,
    rotation_z,
    rpy_of_rotation,
    tidy,
)
from .fields import Element, Matrix3, Names, Spec, Vector3, field, sequence
from .specs import ROWS, Vector, square

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Rotation(Spec):
    """A rotation: an angle about z, [roll, pitch, yaw], a quaternion [w, x, y, z] or 3 x 3."""

    schema = ROWS

    def read(self, raw: Any, names: Names, owner: type) -> Matrix3:
        """The matrix, as tuples; of angles and quaternions that are symbols too."""
        if isinstance(raw, (str, int, float)):
            return as_tuples(tidy(rotation_z(number(raw, "angle", names))))
        rows = sequence(raw, "a rotation (angle, [roll, pitch, yaw], quaternion or 3 x 3)")
        if len(rows) == 3 and isinstance(rows[0], (str, int, float)):
            return as_tuples(rotation_of_rpy(*(number(x, "angle", names) for x in rows)))
        if len(rows) == 4:
            return self.of_quaternion([number(x, "number", names) for x in rows])
        if len(rows) != 3:
            raise ExpressionError("expected an angle, three angles, a quaternion or 3 x 3 entries")
        return self.of_matrix(square(rows, 3, "number", names))

    @staticmethod
    def of_quaternion(quaternion: list[float]) -> Matrix3:
        """The matrix of a quaternion, which is made unit."""
        if any(isinstance(x, Expr) for x in quaternion):
            return as_tuples(rotation_of_quaternion(quaternion))
        largest = max(map(abs, quaternion))
        if largest < 1e-9:
            raise ExpressionError("the quaternion has length 0; [1, 0, 0, 0] turns nothing")
        scaled = np.array(quaternion) / (largest if largest > 1e100 else 1.0)
        return as_tuples(tidy(rotation_of_quaternion(scaled / np.linalg.norm(scaled))))

    @staticmethod
    def of_matrix(rows: Any) -> Matrix3:
        """A given matrix, which must be a rotation; small deviations are taken out."""
        if np.asarray(rows).dtype == object:
            return as_tuples(rows)
        R = np.clip(rows, -9.0, 9.0)  # no rotation has such entries, and their squares are finite
        error = float(np.abs(R @ R.T - np.eye(3)).max())
        if error > 1e-4 or np.linalg.det(R) < 0:
            raise ExpressionError(
                "the 3 x 3 matrix is not a rotation (rows must be unit, perpendicular and "
                f"right-handed; found deviation {error:.2g}, determinant {np.linalg.det(R):.3g})"
            )
        if error > 1e-14:
            U, _, Vt = np.linalg.svd(R)
            R = tidy(U @ Vt)
        return as_tuples(R)

    def write(self, value: Any, planar: bool = False) -> Any:
        """Roll, pitch and yaw where they give back the same matrix, else the matrix."""
        rpy = rpy_of_rotation(value)
        if as_tuples(rotation_of_rpy(*rpy)) == value:
            return [*rpy] if any(rpy[:2]) else rpy[2]
        return [list(row) for row in value]


def as_tuples(R: Any) -> Matrix3:
    """A 3 x 3 array as nested tuples of floats, or of symbols."""
    a, b, c = (tuple(map(_entry, row)) for row in np.asarray(R))
    return (a, b, c)


def _entry(x: Any) -> Any:
    return x if isinstance(x, Expr) and x.op != "constant" else float(x)


@final
@dataclass(frozen=True)
class Frame(Element):
    """A frame on a body, or of a body in the drawing position."""

    section = "frame"

    origin: Vector3 = field(Vector("length"), default=(0.0, 0.0, 0.0), doc="origin")
    rotation: Matrix3 = field(
        Rotation(),
        default=IDENTITY,
        doc="rotation: an angle about z, [roll, pitch, yaw], [w, x, y, z] or a 3 x 3 matrix",
    )

    def pose(self) -> Pose:
        """The frame as a pose."""
        return Pose(np.array(self.rotation), np.array(self.origin))

    @staticmethod
    def of_pose(X: Pose) -> Frame:
        """The frame of a pose."""
        x, y, z = map(_entry, X.p)
        return Frame((x, y, z), as_tuples(X.R))
