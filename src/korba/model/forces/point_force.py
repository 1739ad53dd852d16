"""A force at a point of a body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from ...errors import Fault
from ...expr import Expr
from ..fields import Vector3, field
from ..force import AXES, Force, Push, State
from ..specs import Laws, Place, Text


@final
@dataclass(frozen=True)
class PointForce(Force):
    """A force at a point of a body; components in the world, or in the body (follower force)."""

    type = "point"
    bodies = ("body",)
    places = (("body", "at"),)

    body: str = field(Text(), doc="body it acts on, or a point of it: 'coupler.P'")
    force: tuple[Expr, ...] = field(Laws("force", None), doc="components of the force")
    at: Vector3 = field(
        Place("length"),
        default=(0.0, 0.0, 0.0),
        doc="point of application: by name, or in the body's frame",
    )
    axes: str = field(AXES, default="world", doc="axes of the components: world or body")

    def acts(self, at: State) -> Iterator[Push]:
        """The force at its point."""
        force = np.array([at.value(law) for law in self.force], dtype=object)
        yield Push(self.body, force, np.zeros(3), self.at, self.axes)

    def faults_in(self, planar: bool) -> Iterator[Fault]:
        """In the plane a force lies in it."""
        if planar:
            yield from self._leaves_plane("force", (2,), "forces [Fx, Fy]")
