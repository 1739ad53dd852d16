"""A controller with a proportional, an integral and a derivative part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ...expr import Expr
from ...expr.node import present
from ..curve import Curve, LawOrCurve, value_at
from ..fields import field
from ..force import Force, State, limited
from ..specs import Number, Text


@final
@dataclass(frozen=True)
class PID(Force):
    """A PID controller of a coordinate; loads after it use its value by its name.

    e = reference(t) - q,   u = p e + i I + d D,   value = u between low and high

    dI/dt = e + (value - u) / (i tracking),  so that I waits at a limit (back-calculation). D is
    de/dt, or with a `filter` time (e - F) / filter, dF/dt = D. Source: Astrom & Murray (2008),
    Feedback Systems, section 10.4.
    """

    type = "pid"
    joints = ("joint",)

    joint: str = field(Text(), doc="the joint, or one of its coordinates, that it controls")
    reference: Expr | Curve = field(
        LawOrCurve("t", ("angle", "length")), doc="where the coordinate should be, in time"
    )
    p: float = field(Number("any"), default=0.0, doc="value for an error of 1 rad or 1 m")
    i: float = field(Number("any"), default=0.0, doc="value for an error over a second")
    d: float = field(Number("any"), default=0.0, doc="value for an error that grows by 1 a second")
    filter: float = field(
        Number("time", minimum=0), default=0.0, doc="time over which the derivative is smoothed"
    )
    low: float | None = field(Number("any"), default=None, doc="the least that it gives")
    high: float | None = field(Number("any"), default=None, doc="the most that it gives")
    tracking: float | None = field(
        Number("time", positive=True),
        default=None,
        doc="time in which the integral is led back from a limit; p / i where nothing is said",
    )

    @property
    def own_states(self) -> tuple[str, ...]:
        """The integral of the error, and the smoothed error."""
        return ("I",) * present(self.i) + ("F",) * self._smooth

    @property
    def tells(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def told(self, at: State) -> tuple[Any, ...]:
        """The value, between its limits."""
        return (limited(self._wanted(at), self.low, self.high),)

    def rates(self, at: State) -> tuple[Any, ...]:
        """Those of I and F."""
        e, D = self._error(at)
        rates = []
        if present(self.i):
            wanted = self._wanted(at)
            left = limited(wanted, self.low, self.high) - wanted
            rates.append(e + left / (self.i * self._tracking))
        if self._smooth:
            rates.append(D)
        return tuple(rates)

    @property
    def _smooth(self) -> bool:
        """Whether its derivative is that of the smoothed error."""
        return present(self.filter) and present(self.d)

    @property
    def _tracking(self) -> Any:
        """The time in which I is led back."""
        own = self.p / self.i if present(self.p) else 1.0
        return own if self.tracking is None else self.tracking

    def _wanted(self, at: State) -> Any:
        """The value without limits."""
        own = dict(zip(self.own_states, self.states_at(at), strict=True))
        e, D = self._error(at)
        return self.p * e + self.i * own.get("I", 0.0) + self.d * D

    def _error(self, at: State) -> tuple[Any, Any]:
        """The error, and its rate as the controller knows it."""
        q, v = at.coordinate(self.joint)
        e = value_at(self.reference, "t", at.t) - q
        if not self._smooth:
            return e, value_at(self.reference, "t", at.t, 1) - v
        F = self.states_at(at)[self.own_states.index("F")]
        return e, (e - F) / self.filter
