"""Screw pair (H): rotation about the axis with a proportional advance along it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import Fault
from ...spatial.pose import Pose
from ...spatial.rotation import Array, rotation_z
from ..fields import field
from ..rubbing import SCREW
from ..specs import Number
from .guided import Guided


@final
@dataclass(frozen=True)
class Screw(Guided):
    """Screw pair (H): rotation about the axis with a proportional advance along it."""

    type = "screw"
    symbol = "H"
    picture = "screw"
    rubs = SCREW
    axial = True
    coordinate_names = ("angle",)
    coordinate_kinds = ("angle",)
    velocity_names = ("rate",)

    lead: float | None = field(
        Number("length"), default=None, doc="advance along the axis in one turn (negative: left)"
    )

    def faults(self) -> Iterator[Fault]:
        """A screw without its lead."""
        yield from super().faults()
        if self.lead is None:
            yield self.fault("is missing; give the advance of one turn, such as '5 mm'", "lead")

    def pose(self, q: Any) -> Pose:
        """Rz(q) Tz(lead q / 2 pi)."""
        return Pose(rotation_z(q[0]), np.array([0.0, 0.0, self._advance * q[0]]))

    def motion_subspace(self, q: Any) -> Array:
        """Rotation about z with its advance."""
        return np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [self._advance]])

    @property
    def _advance(self) -> float:
        return (0.0 if self.lead is None else self.lead) / (2 * np.pi)
