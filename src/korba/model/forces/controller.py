"""A controller by formulas, with states of its own: a name that laws of loads may use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from ...errors import Fault
from ...expr import Expr, evaluate
from ..fields import field
from ..force import Force, State, limited
from ..specs import Formulas, Law, Number


@final
@dataclass(frozen=True)
class Controller(Force):
    """A value by a formula, with states of its own, that laws of loads after it use by its name.

    value = law(q, v, x, t),   dx/dt = states(q, v, x, t),   x = starts at the start

    With `low` and `high` it stays between them. It does nothing itself: a load has its name as law.
    """

    type = "controller"

    law: Expr = field(Law("any", None), doc="value in coordinates, velocities, own states and t")
    states: tuple[tuple[str, Expr], ...] = field(
        Formulas(), default=(), doc="rates of its states by their names: {I = '1 - v_A'}"
    )
    starts: tuple[tuple[str, Expr], ...] = field(
        Formulas(allow=()), default=(), doc="where its states start; 0 where nothing is said"
    )
    low: float | None = field(Number("any"), default=None, doc="the least that it gives")
    high: float | None = field(Number("any"), default=None, doc="the most that it gives")

    @property
    def own_states(self) -> tuple[str, ...]:
        """The names of the states."""
        return tuple(name for name, _ in _pairs(self.states))

    @property
    def start_values(self) -> tuple[float, ...]:
        """Where they start."""
        starts = {name: evaluate([x], {})[0] for name, x in _pairs(self.starts)}
        return tuple(float(starts.get(name, 0.0)) for name in self.own_states)

    @property
    def tells(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def told(self, at: State) -> tuple[Any, ...]:
        """The value, between its limits."""
        return (limited(at.value(self.law, **self._known(at)), self.low, self.high),)

    def rates(self, at: State) -> tuple[Any, ...]:
        """Those of the states."""
        return tuple(at.value(rate, **self._known(at)) for _, rate in self.states)

    def _known(self, at: State) -> dict[str, Any]:
        return dict(zip(self.own_states, self.states_at(at), strict=True))

    def faults(self) -> Iterator[Fault]:
        """Limits the wrong way round, starts of no state."""
        yield from super().faults()
        if isinstance(self.low, float) and isinstance(self.high, float) and self.low >= self.high:
            yield self.fault(f"must be more than low ({self.low:g}), got {self.high:g}", "high")
        names = self.own_states
        for name, _ in _pairs(self.starts):
            if name not in names:
                known = ", ".join(names) or "none"
                yield self.fault(f"{name!r} is no state of it; its states are: {known}", "starts")


def _pairs(formulas: Any) -> tuple[tuple[str, Expr], ...]:
    """Names and formulas; none where they could not be read."""
    return formulas if isinstance(formulas, tuple) else ()
