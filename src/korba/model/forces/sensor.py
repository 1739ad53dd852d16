"""What is measured at points of bodies: names that laws of loads may use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import Fault
from ..body import GROUND
from ..fields import Vector3, field
from ..force import Force, State
from ..specs import Place, Text, Vector


@final
@dataclass(frozen=True)
class Sensor(Force):
    """Distance of a point from another, or its part along a direction: a name for laws of loads.

    value = |p - p_from|,  or  d' (p - p_from)  where there is a direction;  its rate is v_<name>
    """

    type = "sensor"
    bodies = ("body", "from_body")
    places = (("body", "at"), ("from_body", "from_at"))

    body: str = field(Text(), doc="the body, or a point of it: 'coupler.C'")
    at: Vector3 = field(
        Place("length"), default=None, doc="its point: by name, or in the body's frame"
    )
    along: Vector3 | None = field(
        Vector(), default=None, doc="direction in the world along which it is measured"
    )
    from_body: str = field(
        Text(), default=GROUND, doc="body, or point, from which it is measured; the ground"
    )
    from_at: Vector3 = field(
        Place("length"), default=(0.0, 0.0, 0.0), doc="its point: by name, or in the body's frame"
    )

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...]:
        """The two points."""
        return (self.from_body, self.from_at), (self.body, self.at)

    @property
    def needs_distance(self) -> bool:
        """Where no direction is given."""
        return self.along is None

    @property
    def tells(self) -> tuple[str, ...]:
        """Its name, and that of its rate."""
        return self.name, f"v_{self.name}"

    def told(self, at: State) -> tuple[Any, ...]:
        """Distance, or part along the direction, and its rate."""
        (p_a, v_a), (p_b, v_b) = (at.point(body, place) for body, place in self.ends)
        d = p_b - p_a
        if self.along is None:
            length = np.sqrt(d @ d)
            return length, (d / length) @ (v_b - v_a)
        u = np.array(self.along) / np.linalg.norm(self.along)
        return u @ d, u @ (v_b - v_a)

    def faults(self) -> Iterator[Fault]:
        """A direction of length 0."""
        yield from super().faults()
        if isinstance(self.along, tuple) and not np.linalg.norm(self.along) > 0:
            yield self.fault("must have a length", "along")
