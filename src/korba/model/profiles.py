"""What a higher pair looks like to second order: a circle or a straight line on each of its sides.

Two profiles in contact move, to second order, as if each were its circle of curvature: the centres
of the two circles keep their distance. A straight profile has no centre but a direction.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a contact: the centre of its circle, or a point and the direction of its line."""

    at: Array
    direction: Array | None = None


@dataclass(frozen=True, eq=False)
class Profiles:
    """Both sides of a higher pair, in its frame F, and what is to say about it."""

    parent: Side
    child: Side
    notes: tuple[str, ...] = ()
    rolls: bool = False
    """Whether the child is a roller, whose own spin the other bodies do not feel."""
