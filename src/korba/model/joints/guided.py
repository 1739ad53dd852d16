"""What pairs along an axis share: two places, some way apart, that carry side forces and tilting.

A force F_t across the axis z and a moment M_t about M come to two forces at -l_o/2 and l_o/2,

    N1, N2 = F_t / 2 -+ (M_t x z) / l_o                                      (Gronowicz 4.3.1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..fields import field
from ..joint import Joint
from ..specs import Number


@dataclass(frozen=True)
class Guided(Joint):
    """A pair whose two contacts along its axis stand some way apart."""

    guide_length: float | None = field(
        Number("length", positive=True),
        default=None,
        doc="distance l_o of the two places along the axis that carry side forces and tilting",
    )

    @property
    def contact_distance(self) -> Any:
        """l_o."""
        return self.guide_length
