"""The catalogue of pairs and knots by class (Figs. 1.6-1.8 of the book).

A knot is a short chain of mostly lower pairs that acts as one joint. Its connectivity is the sum of
the classes of its pairs less its local freedoms.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model.joints import JOINT_TYPES

FREEDOMS = {"R": 1, "T": 1, "C": 2, "S": 3}


@dataclass(frozen=True)
class Knot:
    """A chain of pairs that acts as one joint: `2RS` is two revolute pairs and a ball."""

    symbol: str
    local: int = 0
    """Local freedoms: `CS` has one where the axis of C goes through the centre of S."""

    @property
    def connectivity(self) -> int:
        """Freedoms between its ends: the sum of its pairs' classes less the local ones."""
        total, times = 0, 1
        for letter in self.symbol:
            if letter.isdigit():
                times = int(letter)
            else:
                total, times = total + times * FREEDOMS[letter], 1
        return total - self.local


KNOTS: dict[int, tuple[Knot, ...]] = {
    2: (Knot("2R"), Knot("TR"), Knot("2T")),
    3: (Knot("3R"), Knot("2RT"), Knot("CT")),
    4: (Knot("2RC"), Knot("2C"), Knot("CS", local=1)),
    5: (Knot("2RS"), Knot("2CR"), Knot("SC")),
}
"""Knots of each class."""


def realisations(klass: int) -> tuple[str, ...]:
    """What can stand for a joint of a class in space: single pairs first, then knots.

    >>> realisations(5)
    ('point-on-plane', 'knot 2RS', 'knot 2CR', 'knot SC')
    """
    pairs = [
        name
        for name, cls in JOINT_TYPES.items()
        if cls.spatial and len(cls.velocity_names) == klass and "gear" not in name
    ]
    pairs.sort(key=lambda name: not JOINT_TYPES[name].lower_pair)
    return (*pairs, *(f"knot {knot.symbol}" for knot in KNOTS.get(klass, ())))
