"""Rope without mass: two points of two bodies are never farther apart than its length.

    |p_b - p_a| <= length,      pull >= 0,      pull (length - |p_b - p_a|) = 0              (1)

It pulls and does not push. Which of both holds at a moment is told by what happened before, so it
acts in a motion in time: where it becomes taut there is an impact along its line, and it is slack
again where it would have to push (simulation/holds.py).
Source: Glocker & Pfeiffer (1996), Multibody Dynamics with Unilateral Contacts, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from ...errors import Fault, StructureError
from ...wording import named
from ..fields import Vector3, field, missing
from ..force import Force, Push, State
from ..specs import Number, Place, Text


@final
@dataclass(frozen=True)
class Rope(Force):
    """Rope without mass between two points: it pulls where it is taut, and is slack elsewhere.

    `kb.simulate` finds when: events `<name> taut`, with an impact of the given `restitution`, and
    `<name> slack`, where its pull comes to zero. `pull_<name>` is the pull in a run. What always
    keeps its length is a `kb.Rod`.
    """

    type = "rope"
    bodies = ("body_a", "body_b")
    places = (("body_a", "at_a"), ("body_b", "at_b"))

    body_a: str = field(Text(), doc="body at one end, or a point of it: 'crank.B'")
    at_a: Vector3 = field(
        Place("length"), default=None, doc="its point: by name, or in the body's frame"
    )
    body_b: str = field(
        Text(), default=missing("body at the other end"), doc="body, or point, at the other end"
    )
    at_b: Vector3 = field(
        Place("length"), default=None, doc="its point: by name, or in the body's frame"
    )
    length: float = field(
        Number("length", positive=True),
        default=missing("its length, such as '2 m'"),
        doc="length of the taut rope",
    )
    restitution: float = field(
        Number("number", minimum=0),
        default=0.0,
        doc="of the impact where it becomes taut: 0 none, 1 elastic",
    )

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...]:
        """The two points."""
        return (self.body_a, self.at_a), (self.body_b, self.at_b)

    @property
    def needs_distance(self) -> bool:
        """Where it is slack its ends may meet."""
        return False

    @property
    def picture(self) -> str:
        """A thin line."""
        return "rope"

    @property
    def longest(self) -> float:
        """Its length."""
        return self.length

    def acts(self, at: State) -> Iterator[Push]:
        """Nothing by itself: a run holds its ends while it is taut."""
        if at.own(self.name) is None:
            raise StructureError(
                f"rope {self.name!r} pulls or is slack, which only a motion in time tells: "
                f"{named('simulate')} it; for forces at a state take a joint 'rod' where it is "
                "taut, or leave it out where it is slack"
            )
        return iter(())

    def faults(self) -> Iterator[Fault]:
        """A restitution above 1, and what any load may have."""
        yield from super().faults()
        if isinstance(self.restitution, float) and self.restitution > 1:
            yield self.fault("is at most 1", "restitution")
