"""A moment on a body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from ...errors import Fault
from ...expr import Expr
from ..body import GROUND
from ..fields import field
from ..force import AXES, Force, Push, State
from ..specs import Laws, Text


@final
@dataclass(frozen=True)
class Moment(Force):
    """A moment on a body; in the plane its third component counts.

    Another body may give it, `source`, and takes its opposite: a motor between two bodies that have
    no joint in common. Without one the ground does.
    """

    type = "moment"
    bodies = ("body", "source")

    body: str = field(Text(), doc="body it acts on")
    moment: tuple[Expr, ...] = field(
        Laws("moment", None), doc="components of the moment ([0, 0, M] in the plane)"
    )
    axes: str = field(AXES, default="world", doc="axes of the components: world or body")

    source: str = field(Text(), default=GROUND, doc="body that gives it, and takes its opposite")

    def acts(self, at: State) -> Iterator[Push]:
        """The moment, and its opposite on the body that gives it."""
        moment = np.array([at.value(law) for law in self.moment], dtype=object)
        yield Push(self.body, np.zeros(3), moment, axes=self.axes)
        if self.source != GROUND:
            opposite = -(at.turn(self.body)[0] @ moment if self.axes == "body" else moment)
            yield Push(self.source, np.zeros(3), opposite)

    def faults_in(self, planar: bool) -> Iterator[Fault]:
        """In the plane a moment turns about its normal."""
        if planar:
            yield from self._leaves_plane("moment", (0, 1), "moments [0, 0, M]")
