"""Sliding pairs in space that are cylinders with rods, such as the legs of platforms.

Where both links of a pair hold all else on its axis the pair is drawn as machines have it: a barrel
on the link that the way is on, a rod on the other, and a collar at the mouth of the barrel. So
nothing sticks out beyond what is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...spatial.rotation import Array, cross
from .rails import Rail

MOUTH = 0.55
"""Where the barrel ends, in least distances between the ends that are held."""
INSIDE = 0.08
"""Of the rod in the barrel where it is farthest out, in the same."""
FITS = 0.92
"""Of the least distance that the rod, or what the barrel holds, may take up."""
ON_AXIS = 1e-6
"""Distance from the axis, in typical lengths, of what is on it."""


class Leg(NamedTuple):
    """A barrel on one body and a rod on another, by both ends of each."""

    rail: Rail
    barrel: tuple[Array, Array]
    rod: tuple[Array, Array]

    @property
    def bodies(self) -> tuple[str, str]:
        """Of the barrel, and of the rod."""
        return self.rail.rail, self.rail.block

    @property
    def mouth(self) -> Array:
        """The end of the barrel at which the rod comes out."""
        return self.barrel[1]


def leg_of(rail: Rail, held: Sequence[Array], moved: Sequence[Array], scale: float) -> Leg | None:
    """The leg of a sliding pair whose links hold others at these places; None of other pairs."""
    a = [_along(p, rail.start, rail.ahead, scale) for p in held]
    b = [_along(p, rail.centre, rail.along, scale) for p in moved]
    if not a or not b or None in (*a, *b):
        return None
    own, others = np.array(a, dtype=float), np.array(b, dtype=float)
    sense = float(np.sign(np.mean(rail.way) + others.mean() - own.mean())) or 1.0
    own, others = sense * own, sense * others
    foot, head = own.min(), others.max()
    apart = sense * np.asarray(rail.way) + head - foot
    for shown in (apart, apart[:1]):  # of a way too long for one rod its first position
        least, most = float(shown.min()), float(shown.max())
        if least <= ON_AXIS * scale:
            return None
        reach = max(MOUTH * least, float(np.ptp(own)))
        rod = max(most - reach + INSIDE * least, 0.6 * least, float(np.ptp(others)))
        if max(reach, rod) <= FITS * least:
            break
    else:
        return None
    u, w = sense * rail.ahead, sense * rail.along
    barrel = (rail.start + u * foot, rail.start + u * (foot + reach))
    return Leg(rail, barrel, (rail.centre + w * (head - rod), rail.centre + w * head))


def _along(p: Array, start: Array, ahead: Array, scale: float) -> float | None:
    """How far along an axis a place is; None of one that is not on it."""
    off = float(np.linalg.norm(cross(p - start, ahead)))
    return float((p - start) @ ahead) if off < ON_AXIS * scale else None
