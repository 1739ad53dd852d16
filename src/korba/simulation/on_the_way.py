"""What is asked to happen on the way of a run, a list of values that compose.

events=["A - 30 deg", kb.Event(...)]                 moments that are found
events=["stops", "friction"]                         joints stop at limits, slip and stick
events=[kb.Stops(0.5), kb.Contact("floor", "y")]     with a restitution; contacts
events=[kb.Ratchet("clutch", "B - A")]               what goes one way only
events=[kb.Switch("on", 1.0), ...]                   numbers that only events change
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_type_hints

from ..display import Displayed
from ..door import refuse_unfit
from ..errors import StructureError
from ..wording import named
from .contact import Contact, Ratchet
from .event import Event

STOPS, FRICTION = "stops", "friction"
"""Words in place of values; a coordinate of that name comes first."""


@dataclass(frozen=True, eq=False)
class Stops(Displayed):
    """Joints do not pass their limits, in a simulation: stops, at which they bounce or rest.

    The `restitution` of the impacts is that of each joint (True), a number from 0 to 1 for all, or
    one for each coordinate that stops, by name. Events of the limits' names, `A lower` and
    `A lower left`, tell when.

    >>> import korba as kb
    >>> bar = kb.Body("bar", 1, com=(1, 0), inertia=0.1)
    >>> A = kb.Revolute("A", "ground", "bar", at=(0, 0), lower="-80 deg")
    >>> run = kb.simulate(kb.Mechanism("m", [bar], [A], plane="xy"), 1.0, events=[kb.Stops(0.5)])
    >>> run.events[0].name
    'A lower'
    """

    restitution: bool | float | Mapping[str, float | bool] = True

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Stops).items():
            refuse_unfit(f"Stops: {name}", hint, getattr(self, name))


@dataclass(frozen=True, eq=False)
class Switch(Displayed):
    """A named number that only events change: expressions of `tau` and of events may use it.

    `value` is what it begins with. A load or drive of the mechanism is a switch by itself: its name
    with 0 begins without it.
    """

    name: str
    value: float = 0.0

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Switch).items():
            refuse_unfit(f"Switch: {name}", hint, getattr(self, name))


@dataclass(frozen=True, eq=False)
class OnTheWay:
    """The values of a list, told apart."""

    events: tuple[Event, ...] = ()
    stops: Stops | None = None
    contacts: tuple[Contact | Ratchet, ...] = ()
    friction: bool = False
    switches: Mapping[str, float] = field(default_factory=dict)

    def switched(self, values: Mapping[str, float]) -> OnTheWay:
        """The same with other values of switches."""
        return replace(self, switches=values)


NOTHING = OnTheWay()
KINDS = (Event, Stops, Contact, Ratchet, Switch)
"""What may be among the events, besides words and expressions."""


def on_the_way(given: Any, coordinates: Iterable[str] = ()) -> OnTheWay:
    """What a user gives as `events`: one value, or several."""
    found: dict[type, list[Any]] = {kind: [] for kind in KINDS}
    friction, coordinates = False, set(coordinates)
    for each in _listed(given):
        word = each if isinstance(each, str) and each not in coordinates else ""
        if word == FRICTION:
            friction = True
        elif word == STOPS:
            found[Stops].append(Stops())
        elif isinstance(each, str):
            found[Event].append(Event(each, each))
        elif type(each) in found:
            found[type(each)].append(each)
        else:
            raise StructureError(f"events: expected {_wanted()}, got {each!r:.60}")
    if len(found[Stops]) > 1:
        raise StructureError("events: stops are given twice; give their restitutions by name")
    for kind, what in ((Event, "name"), (Switch, "switch")):
        names = [each.name for each in found[kind]]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise StructureError(
                f"events: the {what} {twice[0]!r} is given twice; names tell them apart"
            )
    stops = found[Stops][0] if found[Stops] else None
    contacts = (*found[Contact], *found[Ratchet])
    switches = {each.name: float(each.value) for each in found[Switch]}
    return OnTheWay(tuple(found[Event]), stops, contacts, friction, switches)


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, (*KINDS, str)):
        return [given]
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise StructureError(f"events: expected a list of {_wanted()}, got {given!r:.60}")
    return list(given)


def _wanted() -> str:
    """What may be among the events."""
    kinds = ", ".join(named(kind.__name__) for kind in KINDS)
    return f"{kinds}, {STOPS!r}, {FRICTION!r}, or expressions such as 'A - 30 deg'"
