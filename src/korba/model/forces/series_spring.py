"""Spring and damper in series, with a node without mass between them: the Maxwell element.

Both carry one force f, positive where it pulls, and share the length l of the line between the
ends, l = s + e:

    f = stiffness s = damping e',       s' = l' - stiffness s / damping                      (1)

The elongation s of the spring is a state of its own. With a spring beside it it is Zener's.
Source: R. M. Christensen (1982), Theory of Viscoelasticity, chapter 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..fields import Vector3, field, missing
from ..force import Force, Push, State
from ..specs import Number, Place, Text


@final
@dataclass(frozen=True)
class SeriesSpring(Force):
    """Spring and damper in series between two points: a Maxwell element, with no mass between.

    Its state, the elongation of the spring, is `s_<name>` in a run; the force is stiffness times
    that, positive where it pulls the ends together.
    """

    type = "series-spring"
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
    stiffness: float = field(
        Number("stiffness", positive=True),
        default=missing("the stiffness of the spring"),
        doc="stiffness of the spring",
    )
    damping: float = field(
        Number("damping", positive=True),
        default=missing("the damping of the damper in series"),
        doc="damping of the damper",
    )
    elongation: float = field(
        Number("length"), default=0.0, doc="elongation of the spring at the start of a run"
    )

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...]:
        """The two points."""
        return (self.body_a, self.at_a), (self.body_b, self.at_b)

    @property
    def picture(self) -> str:
        """A spring; the damper is behind it."""
        return "spring"

    @property
    def own_states(self) -> tuple[str, ...]:
        """The elongation of the spring."""
        return ("s",)

    @property
    def start_values(self) -> tuple[float, ...]:
        """As it is given."""
        return (self.elongation,)

    @property
    def state_unit(self) -> str:
        """Metre."""
        return "m"

    def acts(self, at: State) -> Iterator[Push]:
        """stiffness s along the line of the two points, on either body."""
        u, _ = self._line(at)
        F = u * (self.stiffness * self.states_at(at)[0])
        for (body, place), sign in zip(self.ends, (1.0, -1.0), strict=True):
            yield Push(body, sign * F, np.zeros(3), place)

    def rates(self, at: State) -> tuple[Any, ...]:
        """(1)."""
        return (self._line(at)[1] - self.stiffness * self.states_at(at)[0] / self.damping,)

    def _line(self, at: State) -> tuple[Any, Any]:
        """Direction from end to end, and the rate of the distance."""
        (p_a, v_a), (p_b, v_b) = (at.point(body, place) for body, place in self.ends)
        d = p_b - p_a
        u = d / np.sqrt(d @ d)
        return u, u @ (v_b - v_a)
