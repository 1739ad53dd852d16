"""Pin in a curved slot (J): a pin of the child runs along a curve x(s), y(s) of the parent.

The curve may be any, open or closed, and need not go round anything: s is a coordinate of the
joint, so the pair needs no other unknown. With t and k the tangent of length 1 and the rate at
which it turns (contact.py),

    Q = (x(s), y(s)),      V = |dQ/ds| t s',  seen in M,  and the turning of the child
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import ExpressionError, Fault
from ...expr import Expr, variables
from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..curve import Curve, LawOrCurve, value_at
from ..fields import Invalid, field
from ..joint import Joint
from ..outline import circle
from ..profiles import Profiles, Side
from ..rubbing import CONTACT
from ..specs import Number
from .contact import FLAT, Contact, contact_on, derivatives

STEPS = np.linspace(0.0, 1.0, 181)
"""Parts of a slot at which it is looked at and drawn."""


@final
@dataclass(frozen=True)
class CurvedSlot(Joint):
    """Curved slot (J, class II): a pin of the child in a slot along a curve of the parent.

    `lower` and `upper` say where the slot begins and ends: its first coordinate, s.

        >>> slot = kb.CurvedSlot("S", "plate", "pin", at=(0, 0), x="s", y="0.02*sin(40*s)",
        ...     lower=(-0.1, -7), upper=(0.1, 7))
        >>> [round(float(x), 6) for x in slot.pose([0.05, 0]).p]
        [0.05, 0.018186, 0.0]
    """

    type = "curved-slot"
    symbol = "J"
    rubs = CONTACT
    lower_pair = False
    planar = True
    spatial = False
    coordinate_names = ("s", "angle")
    coordinate_kinds = ("length", "angle")
    periodic = ("angle",)
    velocity_names = ("travel", "rate")

    x: Expr | Curve | None = field(
        LawOrCurve("s", "length"), default=None, doc="x of the slot over s, a law or points"
    )
    y: Expr | Curve | None = field(
        LawOrCurve("s", "length"), default=None, doc="y of the slot over s, a law or points"
    )
    radius: float | None = field(
        Number("length", positive=True), default=None, doc="radius of the pin, for drawings"
    )

    def faults(self) -> Iterator[Fault]:
        """A slot without a curve, and one along which the pin would stand still."""
        yield from super().faults()
        missing = [key for key in ("x", "y") if getattr(self, key) is None]
        if missing:
            yield self.fault("is missing; give x and y of the slot over s", missing[0])
        laws = [each for each in (self.x, self.y) if each is not None]
        if missing or any(isinstance(each, Invalid) for each in (*laws, self.lower, self.upper)):
            return
        if any(isinstance(each, Expr) and variables(each) - {"s"} for each in laws):
            return
        try:
            with np.errstate(all="ignore"):
                dx, dy = (value_at(each, "s", self._along, 1) + 0.0 * STEPS for each in laws)
        except (ValueError, ExpressionError):
            yield self.fault("its values are too large for a curve", "x")
            return
        speed = np.hypot(dx, dy)
        if not np.all(np.isfinite(speed)) or speed.min() <= FLAT * speed.max():
            s = self._along[np.argmin(np.where(np.isfinite(speed), speed, -1.0))]
            yield self.fault(
                f"stands still or has no slope at s = {s:g}; it must move on with s", "x"
            )

    @property
    def _along(self) -> Array:
        """Places from one end of the slot to the other; about 0 where there is none."""
        (first, _), (last, _) = self.limits
        first = first if np.isfinite(first) else min(-0.1, last - 0.2)
        last = last if np.isfinite(last) else max(0.1, first + 0.2)
        return np.asarray(first + (last - first) * STEPS)

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """Both edges of the slot, as far apart as the pin is wide, and the pin."""
        places, r = [self.contact(s) for s in self._along], self.radius or 0.0
        edges = [[at.point + side * r * at.inward for at in places] for side in (1, -1)]
        points = np.array([*edges[0], *edges[1][::-1]])
        slot = ("parent", np.column_stack([points, np.zeros(len(points))]))
        return (slot,) if self.radius is None else (slot, ("child", circle(self.radius)))

    def contact(self, s: Any) -> Contact:
        """Place, tangent and turning at s."""
        both = (derivatives(each, "s", s) for each in (self.x, self.y))  # type: ignore[arg-type]
        return contact_on([np.array(xy) for xy in zip(*both, strict=True)])

    def pose(self, q: Any) -> Pose:
        """T(Q) Rz(angle)."""
        x, y = self.contact(q[0]).point
        return Pose(rotation_z(q[1]), np.array([x, y, 0.0]))

    def motion_subspace(self, q: Any) -> Array:
        """Along the tangent, seen in M, and the rotation."""
        at = self.contact(q[0])
        x, y = rotation_z(q[1])[:2, :2].T @ at.tangent * at.speed
        return np.array([[0, 0.0], [0, 0], [0, 1], [x, 0], [y, 0], [0, 0]])

    def bias(self, q: Any, v: Any) -> Array:
        """The bend of the slot, and its turning in M."""
        at = self.contact(q[0])
        along, across = at.growth * v[0] ** 2, at.speed * (at.turning * v[0] - v[1]) * v[0]
        x, y = rotation_z(q[1])[:2, :2].T @ (at.tangent * along + at.inward * across)
        return np.array([0.0, 0.0, 0.0, x, y, 0.0])

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The pin's centre, and the normal of the slot."""
        n = rotation_z(q[1]).T @ np.array([*-self.contact(q[0]).inward, 0.0])
        return 0.0 * n, n

    def profiles(self, q: Any, scale: float) -> Profiles:
        """The slot, and the pin about its centre."""
        return Profiles(self.contact(q[0]).side(scale), Side(self.pose(q).p))
