"""What every drive has: a name, the bodies or the joint it drives, and motions in time.

A kind of drive is one final class in its own file under `drives/`, the six drivers of Gronowicz
(2.96)-(2.102). It says what it prescribes, c(q) = f(t), as plain NumPy formulas for numbers and
symbols alike:

    rows(at, t)         c, the columns of c_q, and f, f', f''
    polynomials(at, t)  the same in the plane, as polynomials; only where it is `algebraic`

No other module ever asks which drive it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ..errors import Fault
from ..expr import Expr
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from .curve import Curve, value_at
from .fields import Element, Vector3, field
from .specs import Text

Motion = Expr | Curve | None
Columns = dict[int, Array]
"""What a unit of each unknown changes, by its number; an unknown may be a block of several."""
End = tuple[str, Any]
"""A point: its body, and where it is in the body's frame."""


class Position(Protocol):
    """A position of a mechanism, and the unknowns whose rates move it."""

    def coordinate(self, name: str) -> tuple[Any, Columns]:
        """Value of a coordinate that is its own velocity, and the columns (1) of its rate."""

    def body_pose(self, body: str) -> Pose:
        """X_WB."""

    def body_twist(self, body: str, p: Array) -> Columns:
        """Columns (6) of the angular velocity of a body, and its velocity at the world point p."""


class PlanePosition(Protocol):
    """An unknown position in the plane, in which a drive states polynomial equations."""

    def point(self, body: str, at: Any) -> Any:
        """A point of a body."""

    def set_shift(self, shift: Any, x: float | None, y: float | None) -> None:
        """A difference of two points has these components."""

    def set_length(self, shift: Any, length: float) -> None:
        """A difference of two points has this length."""

    def set_angle(self, body: str, relative_to: str, angle: float) -> None:
        """The x axis of a body stands at this angle to that of another."""


@dataclass(frozen=True, eq=False)
class Prescribed:
    """The equations c(q) = f(t) of a drive."""

    values: Array
    """c(q), one for each motion."""
    columns: Columns
    """c_q."""
    motion: Array
    """f, f' and f'' of each motion: count x 3."""


@dataclass(frozen=True)
class Drive(Element):
    """Base of all drives. A motion is an expression in `t`, or a curve of points in time."""

    section = "drive"
    type: ClassVar[str] = ""
    bodies: ClassVar[tuple[str, ...]] = ()
    """Fields that name a body."""
    places: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Those that may name a point of one instead, and the fields of the place on it."""
    joints: ClassVar[tuple[str, ...]] = ()
    """Fields that name a joint of one freedom, or one coordinate."""
    motions: ClassVar[tuple[str, ...]] = ()
    """Fields of which at least one must be given; each that is given takes one freedom."""
    spatial_motions: ClassVar[tuple[str, ...]] = ()
    """Those that leave the plane."""
    twists: ClassVar[bool] = False
    """Whether it turns a body that it takes hold of in one place."""
    algebraic: ClassVar[bool] = False
    """Whether its equations in the plane are polynomials."""

    name: str = field(Text(), doc="name of the drive")

    @property
    def given(self) -> tuple[str, ...]:
        """The motions that are given."""
        return tuple(key for key in self.motions if getattr(self, key) is not None)

    @property
    def count(self) -> int:
        """How many freedoms it takes."""
        return len(self.given)

    @property
    def coordinate(self) -> str | None:
        """The one coordinate that it prescribes, where it drives nothing else."""
        return None

    @property
    def ends(self) -> tuple[End, End] | None:
        """Two points whose distance it needs."""
        return None

    @property
    def needs_distance(self) -> bool:
        """Whether its two points have to be apart, for it to have a direction."""
        return self.ends is not None

    @property
    def picture(self) -> str:
        """What a picture shows between its ends."""
        return "actuator"

    @staticmethod
    def at_point(p: Vector3, _: Any) -> Vector3:
        """The place of a named point of a body."""
        return p

    @property
    def laws(self) -> tuple[Expr | Curve, ...]:
        """The motions that are given, as functions of the time."""
        return tuple(getattr(self, key) for key in self.given)

    def motion(self, t: Any, order: int = 2) -> Array:
        """f(t) and its derivatives up to an order, of each given motion: count x (order + 1)."""
        f = np.empty((self.count, order + 1), dtype=object)
        for i, law in enumerate(self.laws):
            f[i] = [value_at(law, "t", t, k) for k in range(order + 1)]
        return f

    def values(self, t: float) -> dict[str, float]:
        """What it prescribes at a time, by the name of the motion."""
        return dict(zip(self.given, map(float, self.motion(t, 0)[:, 0]), strict=True))

    def rows(self, at: Position, t: Any) -> Prescribed:
        """c(q) = f(t) at a position."""
        raise NotImplementedError(f"{type(self).__name__}.rows")

    def polynomials(self, at: PlanePosition, t: float) -> None:
        """State c(q) = f(t) as polynomials."""
        raise NotImplementedError(f"{type(self).__name__}.polynomials")

    def faults_in(self, planar: bool) -> Iterator[Fault]:
        """Motions out of the plane of the mechanism."""
        for key in self.spatial_motions:
            if planar and getattr(self, key) is not None:
                message = "leaves the plane; a planar mechanism moves in x, y and the angle"
                yield self.fault(message, key)


def difference(plus: Columns, minus: Columns) -> Columns:
    """Columns of a difference."""
    unknowns = [*plus, *(i for i in minus if i not in plus)]
    return {i: np.asarray(plus.get(i, 0.0) - minus.get(i, 0.0)) for i in unknowns}
