"""Geneva drive: a crank turns a slotted wheel by one slot and locks it until the next.

Seen from the line of centres, of length d, the pin stands at the angle phi of the crank and the
wheel has turned by g. The pin runs in along a slot and out again, and between slots a disc on the
crank locks the wheel:

    g = -atan2(a sin phi, d - a cos phi)    for |phi| <= phi_0,  cos phi_0 = a/d              (1)
    g = -+ pi/n                             else

and g goes on by 2 pi/n from pin to pin. With a = d sin(pi/n) the pin enters along the slot, so that
speeds do not jump (accelerations do). Inside the wheel the pin is in mesh where it is far from the
wheel's centre: then a is negative in (1), and the wheel turns with the crank.

The angle of the line of centres on the crank, alpha = -phi, and its length d are coordinates, as
those of wheels with teeth are: whatever bears both bodies keeps d. As (1) is the place of the pin
in a slot for any d, the force on the wheel is that of the pin, across the slot; where the wheel is
locked it goes through the middle of the crank, as that of a round disc does.

Source: Norton (2012), Design of Machinery, section 2.14; Bickford (1972), Mechanisms for
Intermittent Motion, chapter 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from ...errors import Fault
from ...expr import Expr, less, where
from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..fields import field, missing
from ..joint import Joint
from ..specs import Flag, Number
from .geneva_shapes import geneva_shapes


class Index(NamedTuple):
    """The turn of the wheel from the line of centres, and its derivatives by alpha and d."""

    g: Any
    by_alpha: Any
    by_d: Any
    alpha_alpha: Any
    alpha_d: Any
    d_d: Any


@final
@dataclass(frozen=True)
class Geneva(Joint):
    """Geneva drive (class II): the parent's crank pin moves the child's wheel, slot by slot.

    F stands at the crank's axis, `at`, M at the wheel's, a/sin(pi/slots) away along `x_axis`, the
    line of centres. In the drawing the pin stands on that line, in the middle of a slot; `inner`
    has it on the far side. `drawn` is the angle of that line on the crank, and its length.

        >>> drive = kb.Geneva("Z", "crank", "wheel", at=(0, 0), slots=4, radius="50 mm")
        >>> round(float(drive.drawn_coordinates[1]), 9)
        0.070710678
    """

    type = "geneva"
    symbol = "M"
    lower_pair = False
    planar = True
    spatial = False
    proposed = False
    wheels = ("parent", "child")
    shaped = True
    coordinate_names = ("alpha", "distance")
    coordinate_kinds = ("angle", "length")
    velocity_names = ("turning", "parting")

    slots: float = field(
        Number("number", minimum=3), default=4.0, doc="count of the wheel's slots, 3 or more"
    )
    radius: float = field(
        Number("length", positive=True),
        default=missing("the radius of the pin's circle on the crank"),
        doc="radius of the pin's circle on the crank",
    )
    pins: float = field(
        Number("number", minimum=1), default=1.0, doc="count of pins, evenly round the crank"
    )
    inner: bool = field(
        Flag(), default=False, doc="whether the crank stands inside the wheel, which turns with it"
    )

    @property
    def choices(self) -> tuple[Any, ...]:
        """Counts, and on which side the crank is."""
        return (*super().choices, self.slots, self.pins, self.inner)

    def faults(self) -> Iterator[Fault]:
        """Counts that are no whole numbers, and more pins than there is room for."""
        yield from super().faults()
        counts = {key: getattr(self, key) for key in ("slots", "pins")}
        if not all(isinstance(x, int | float) for x in counts.values()):
            return
        for key, count in counts.items():
            if count != round(count):
                yield self.fault(f"is a count, got {count:g}", key)
        mesh = 0.5 + (1 if self.inner else -1) / self.slots
        if self.pins * mesh > 1:
            most = int(1 / mesh)
            yield self.fault(
                f"a pin is in a slot for {360 * mesh:g} deg of a turn of the crank, so there may "
                f"be {most} of them, got {self.pins:g}",
                "pins",
            )

    @property
    def _signed(self) -> Any:
        """The radius of the pin's circle, negative inside of the wheel."""
        return -self.radius if self.inner else self.radius

    @property
    def _centres(self) -> Any:
        """The length of the line of centres."""
        return self.radius / np.sin(np.pi / self.slots)

    @property
    def drawn_coordinates(self) -> Array:
        """The pin on the line of centres."""
        return super().drawn_coordinates if self.drawn else np.array([0.0, self._centres])

    def parting(self, q: Array) -> Array:
        """How far the axes are from where the pin enters along its slots."""
        return np.asarray(q[..., 1] - self._centres)

    def index(self, alpha: Any, d: Any) -> Index:
        """(1) at any angle."""
        a, side, step = self._signed, -1.0 if self.inner else 1.0, 2 * np.pi / self.pins
        turns = -alpha / step + 0.5
        turns = turns.floor() if isinstance(turns, Expr) else np.floor(turns)
        phi = -alpha - step * turns
        c, s = np.cos(phi), np.sin(phi)
        x, y = d - a * c, a * s
        square = x * x + y * y
        mesh = less(np.abs(phi), np.pi / 2 - side * np.pi / self.slots)
        rest = where(less(phi, 0.0), -1.0, 1.0) * (side * np.pi / self.slots)
        ahead = a * (d * c - a) / square
        found = (
            -where(mesh, np.arctan2(y, x), rest) - side * (2 * np.pi / self.slots) * turns,
            ahead,
            y / square,
            a * d * s * (d * d - a * a) / (square * square),
            (a * c - 2 * x * ahead) / square,
            -2 * x * y / (square * square),
        )
        return Index(found[0], *(where(mesh, each, 0.0) for each in found[1:]))

    def pose(self, q: Any) -> Pose:
        """Rz(alpha) Tx(d) Rz(g)."""
        R, g = rotation_z(q[0]), self.index(q[0], q[1]).g
        return Pose(rotation_z(q[0] + g), R[:, 0] * q[1])

    def motion_subspace(self, q: Any) -> Array:
        """Columns in the frame of the line of centres, then in M."""
        at = self.index(q[0], q[1])
        c, s = np.cos(at.g), np.sin(at.g)
        return np.array(
            [[0, 0.0], [0, 0], [1.0 + at.by_alpha, at.by_d], [s * q[1], c], [c * q[1], -s], [0, 0]]
        )

    def bias(self, q: Any, v: Any) -> Array:
        """Rates of the columns."""
        at = self.index(q[0], q[1])
        c, s = np.cos(at.g), np.sin(at.g)
        turning = at.alpha_alpha * v[0] ** 2 + 2 * at.alpha_d * v[0] * v[1] + at.d_d * v[1] ** 2
        w = at.by_alpha * v[0] + at.by_d * v[1]
        along, across = w * q[1] * v[0], v[1] * v[0] - w * v[1]
        return np.array([0, 0, turning, c * along + s * across, c * across - s * along, 0.0])

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """The crank with its disc and pins, and the wheel with its slots."""
        shapes = geneva_shapes(round(self.slots), round(self.pins), self.inner)
        return tuple((side, curve * self.radius) for side, curve in shapes)
