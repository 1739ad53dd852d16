"""Events as the user asks for them: an expression that crosses zero, and what happens then.

    Event("bottom", "A + 90 deg")                                        written down
    Event("end", "x - 0.2 m", terminal=True)                             the run ends there
    Event("strike", "A", direction="rising", change={"v_A": "v_A + 0.1 rad/s"})
    Event("off", "t - 2 s", change={"motor": 0})     a switch, a load or a drive is switched off

Expressions name coordinates, velocities as `v_<name>`, the time `t` and switches; their units are
checked against those of the coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..display import Displayed
from ..door import hints_of, refuse_unfit
from ..errors import ExpressionError, KorbaError, StructureError, refuse_unknown
from ..expr import Expr, Quantity, parse, variable
from ..expr.units import SECOND, kind_dimension
from ..system.store import kept
from ..system.system import System
from ..system.tree import Tree
from ..verbs.states import RATES, refuse_other
from .together import independent

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}
Names = dict[str, Quantity]


@dataclass(frozen=True, eq=False)
class Event(Displayed):
    """A moment in a simulation: the expression `when` crosses zero.

    `direction` is "rising", "falling" or "both". At the event the run ends if it is `terminal`;
    `change` gives new values to coordinates, velocities (`v_<name>`) and switches by numbers or
    expressions of the state before, and switches loads and drives of the mechanism off or on by
    their names (0 or 1); `call(t, q, v)` is a Python function that may return new values, or True
    to end the run.

    >>> import korba as kb
    >>> rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    >>> m = kb.Mechanism("m", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    >>> run = kb.simulate(m, 1.0, events=[kb.Event("bottom", "A + 90 deg")])
    >>> round(run.events[0].t, 9)
    0.483333714
    """

    name: str
    when: str | Expr
    direction: str = "both"
    terminal: bool = False
    change: Mapping[str, Any] = field(default_factory=dict)
    call: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        for name, hint in hints_of(Event).items():
            refuse_unfit(f"Event: {name}", hint, getattr(self, name))
        refuse_other(f"event {self.name!r}: direction", self.direction, DIRECTIONS)


@dataclass(frozen=True)
class Change:
    """A new value of one element: of `q`, of `v`, or of the switches."""

    kind: str
    place: int
    law: Expr


@dataclass(frozen=True)
class Watch:
    """An event with its names resolved."""

    name: str
    when: Expr
    direction: int
    terminal: bool = False
    calls: bool = False
    changes: tuple[Change, ...] = ()


def resolved(tree: Tree, events: Iterable[Event], switches: Sequence[str]) -> tuple[Watch, ...]:
    """Events by the places of what they name."""
    known = known_names(tree, switches)
    return tuple(_watch(tree, event, known, tuple(switches)) for event in events)


def known_names(tree: Tree, switches: Sequence[str] = ()) -> dict[str, Quantity]:
    """What an expression of events or forces may name, with its dimension."""
    return kept(tree.m, ("names", *switches), lambda: _names(tree, switches))


def _names(tree: Tree, switches: Sequence[str]) -> dict[str, Quantity]:
    kinds = {
        name: kind
        for joint in tree.m.joints
        for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
    }
    rates = {
        f"v_{name}": RATES["v"].get(kind, "number")
        for joint in tree.m.joints
        for name, kind in zip(joint.velocities(), joint.velocity_kinds, strict=True)
    }
    both = {**kinds, **rates, **dict.fromkeys(switches, "number")}
    known = {name: Quantity(variable(name), kind_dimension(kind)) for name, kind in both.items()}
    return known | {"t": Quantity(variable("t"), SECOND.but_for("s"))}  # as in all laws


def read(what: str, given: Any, known: Names) -> Quantity:
    """The expression of a text or number, in known names."""
    if isinstance(given, Expr):
        return Quantity(given, None)
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise StructureError(f"{what}: expected a number or an expression, got {given!r:.60}")
    try:
        return parse(str(given), known, allow=())
    except ExpressionError as error:
        raise KorbaError(f"{what}: {error}") from error


def _watch(tree: Tree, event: Event, known: Names, switches: tuple[str, ...]) -> Watch:
    what = f"event {event.name!r}"
    when = read(what, event.when, known).value
    if isinstance(when.value, float):
        raise StructureError(
            f"{what}: {event.when!r:.60} names nothing that moves, so it never crosses zero; name "
            f"coordinates, {', '.join(list(known)[:3])}, or t"
        )
    changes = changes_of(tree, what, event.change, known, switches)
    calls = event.call is not None
    return Watch(event.name, when, DIRECTIONS[event.direction], event.terminal, calls, changes)


def changes_of(
    tree: Tree, what: str, given: Mapping[str, Any], known: Names, switches: tuple[str, ...]
) -> tuple[Change, ...]:
    """New values by name, at their places."""
    places = {tree.coordinates[i]: ("q", k) for k, i in enumerate(tree.free_q)}
    places |= {f"v_{tree.velocities[i]}": ("v", k) for k, i in enumerate(tree.free_v)}
    places |= {name: ("switch", k) for k, name in enumerate(switches)}
    made = []
    refuse_unknown("", given, places, what, " to change")
    for name, value in given.items():
        new = read(f"{what}, {name!r}", value, known)
        old = known[name].dimension
        if new.dimension is not None and old is not None and not new.dimension.fits(old):
            raise KorbaError(
                f"{what}, {name!r}: expected a value in {old}, got {value!r:.60} in {new.dimension}"
            )
        made.append(Change(*places[name], new.value))
    return tuple(made)


def refuse_jumps(system: System, watches: Iterable[Watch]) -> None:
    """An error where events give coordinates that loops bind new values, or too many velocities."""
    tree, name = system.tree, system.m.name
    for watch in watches:
        if any(change.kind == "q" for change in watch.changes):
            raise StructureError(
                f"event {watch.name!r}: mechanism {name!r} has loops or drives, which bind its "
                "coordinates, so an event cannot set them; it may set as many velocities as there "
                "are freedoms, and throw switches"
            )
        places = [tree.free_v[change.place] for change in watch.changes if change.kind == "v"]
        if places and not independent(system, [tree.velocities[i] for i in places]):
            raise StructureError(
                f"event {watch.name!r}: loops and drives of mechanism {name!r} bind the velocities "
                f"{', '.join(tree.velocities[i] for i in places)} to each other, so they cannot be "
                "set at will; name fewer, at most as many as there are freedoms"
            )
