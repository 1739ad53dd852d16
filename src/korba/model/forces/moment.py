"""A moment on a body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from ...errors import Fault
from ...expr import Expr
from ..fields import field
from ..force import AXES, Force, Push, State
from ..specs import Laws, Text


@final
@dataclass(frozen=True)
class Moment(Force):
    """A moment on a body; in the plane its third component counts."""

    type = "moment"
    bodies = ("body",)

    body: str = field(Text(), doc="body it acts on")
    moment: tuple[Expr, ...] = field(
        Laws("moment", None), doc="components of the moment ([0, 0, M] in the plane)"
    )
    axes: str = field(AXES, default="world", doc="axes of the components: world or body")

    def acts(self, at: State) -> Iterator[Push]:
        """The moment alone."""
        moment = np.array([at.value(law) for law in self.moment], dtype=object)
        yield Push(self.body, np.zeros(3), moment, axes=self.axes)

    def faults_in(self, planar: bool) -> Iterator[Fault]:
        """In the plane a moment turns about its normal."""
        if planar:
            yield from self._leaves_plane("moment", (0, 1), "moments [0, 0, M]")
