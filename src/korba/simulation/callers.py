"""Functions of the user that are called at events, and what they change."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import StructureError
from ..forces.loads import named_values
from ..kinematics.couplings import law_value
from ..spatial.rotation import Array
from . import right_hand_side
from .event import Event, changes_of, known_names
from .right_hand_side import Plant, all_joints
from .runs import AT_EVENT, GOING


def callers(events: Iterable[Event]) -> tuple[Callable[..., Any] | None, ...]:
    """The functions of events, in their order."""
    calls = {event.name: event.call for event in events}
    for name, call in calls.items():
        if call is not None:
            _refuse_other(name, call)
    return tuple(calls.values())


def _refuse_other(name: str, function: Callable[..., Any]) -> None:
    """An error for a function that does not take (t, q, v), before the run gets to it."""
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):  # some functions in C do not tell
        return
    try:
        takes.bind(0.0, None, None)
    except TypeError:
        raise StructureError(
            f"event {name!r}: its function is called with the time, q and v; expected one of "
            f"(t, q, v), got one of {takes}"
        ) from None


@dataclass(frozen=True, eq=False)
class Caller:
    """Asks the functions of events what becomes of a state."""

    plant: Plant
    calls: tuple[Callable[..., Any] | None, ...]
    energy: Callable[[Array, Array, Array], Any]
    """Kinetic and potential energy at q and v, of a design."""

    def __call__(self, t: float, y: Array, tau: Array, fired: Array) -> int:
        """The status to go on with; y and tau are changed in place."""
        status = GOING
        for call, watch, happens in zip(self.calls, self.plant.watches, fired, strict=False):
            if call is None or not happens:
                continue
            q, v = self._state(y)
            answer = call(t, q.copy(), v.copy())
            if answer is True:
                status = AT_EVENT
            elif isinstance(answer, Mapping):
                self._change(watch.name, answer, t, y, tau)
            elif answer is not None and answer is not False:
                raise StructureError(
                    f"event {watch.name!r}: its function returned {answer!r:.60}; expected None, "
                    "True to end the run, or new values by name such as {'v_A': 0.0}"
                )
        return status

    def _state(self, y: Array) -> tuple[Array, Array]:
        shape = right_hand_side.shape(self.plant)
        return y[: shape.first], y[shape.first :][: shape.nv]

    def _change(self, name: str, given: Mapping[str, Any], t: float, y: Array, tau: Array) -> None:
        """New values, and the work that they take."""
        plant, (q, v) = self.plant, self._state(y)
        known = known_names(plant.tree, plant.switches)
        what = f"event {name!r}, returned by its function"
        before = sum(self.energy(q, v, self._design(tau)))
        named = named_values(plant.tree, *all_joints(plant.tree, q, v), t)
        named |= dict(zip(plant.switches, plant.switched(tau), strict=True))
        parts = {"q": q, "v": v, "switch": plant.switched(tau)}
        for change in changes_of(plant.tree, what, given, known, plant.switches):
            if plant.constrained and change.kind != "switch":
                raise StructureError(
                    f"{what}: mechanism {plant.m.name!r} has loops or drives, so a function may "
                    "throw switches there; velocities are set by change={...} of the event"
                )
            parts[change.kind][change.place] = law_value(change.law, named)
        y[-1] += sum(self.energy(q, v, self._design(tau))) - before

    def _design(self, tau: Array) -> Array:
        first = self.plant.tree.nv * self.plant.takes_tau
        return tau[first : first + len(self.plant.sizes)]
