"""One configuration of a mechanism near its drawing, with some coordinates at given values.

The coordinates go from their drawn values to the given ones along a straight path, and the loops
are followed on the way (follow.py), so the answer lies on the branch that was drawn. Where that way
is blocked or leaves freedoms, Newton's method with steps of least size takes over. Of an angle many
turns away one turn is followed: where every joint is back after it, but for whole turns of its own,
so it is after any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..display import Table, tidy
from ..errors import StructureError, refuse_unknown
from ..expr import variables
from ..expr.quantities import quantity
from ..model.display_units import coordinates_told
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..positions.allowed import allowed, freedoms_left
from ..positions.closed import closed, closed_in_stages, residual_at, truly_closed
from ..positions.follow import Along, follow, on_line
from ..positions.loop_system import DENSE, LoopSystem
from ..positions.loops import idle_motions
from ..positions.open_loops import not_assembled
from ..spatial.rotation import Array
from ..system.store import kept
from ..system.tree import Tree
from ..trajectory.notes import seen
from ..trajectory.places import Placed
from .dead_point import values_at
from .whole_turns import LAST_DIGIT, MANY_TURNS, whole_turns


@dataclass(frozen=True, eq=False)
class Configuration(Placed):
    """Coordinates of a mechanism with its loops closed; `point` and `pose` say where bodies are."""

    m: Mechanism
    """The mechanism, rotors and elastic joints written out."""
    q: Array
    """The independent coordinates, in the order of `names`."""
    names: tuple[str, ...]
    values: dict[str, float]
    """Every coordinate by name, dependent ones too."""
    residual: float
    """Largest residual of the loops, in typical lengths and radians."""
    free: int
    """Freedoms that nothing held."""
    followed: bool
    """Whether it was reached along the branch that was drawn, loops closed all the way."""
    held: tuple[str, ...] = ()
    """Coordinates that were held at values; without any the drives hold."""
    t: float = 0.0
    """The time at which they do."""

    def __getitem__(self, name: str) -> float:
        """A coordinate by name."""
        refuse_unknown("coordinate", name, self.values)
        return self.values[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """Limits that are passed, wheels that part, and freedoms that nothing holds."""
        held = f"{self.free} freedoms are held by nothing and stand near the drawing"
        return (*seen(self.m, None, self._all), *([held] if self.free else []))

    @property
    def tidied(self) -> dict[str, float]:
        """The values, 0 for what is rounding beside a radian or a typical length."""
        kinds = [kind for joint in self.m.joints for kind in joint.coordinate_kinds]
        beside = max(1.0, drawing(self.m).scale) if "angle" in kinds else drawing(self.m).scale
        return {name: float(tidy(x, beside)) for name, x in self.values.items()}

    @property
    def _all(self) -> Array:
        return np.array([self.values[name] for name in self.m.coordinates])

    def __str__(self) -> str:
        told = coordinates_told(self.m, self.tidied, 10)
        values = [f"{name:>16} = {value}" for name, value in told.items()]
        return "\n".join([*values, *(f"  note: {note}" for note in self.notes)])

    def _table(self) -> Table:
        name = f"Configuration of {self.m.name or 'the mechanism'}: residual {self.residual:.1e}"
        told = coordinates_told(self.m, self.tidied)
        return Table(name, ("coordinate", "value"), list(told.items()))


def configuration(
    system: LoopSystem, q: Array, held: Array, t: float, *, followed: bool
) -> Configuration:
    """The configuration at solved coordinates."""
    wanted = np.concatenate([held, np.zeros(system.wanted - len(held))])
    residual, free = residual_at(system, q, wanted, t), freedoms(system, q, t)
    values = values_at(system.tree, q)
    return Configuration(
        system.m, q, system.names, values, residual, free, followed, system.held, t
    )


def held_values(tree: Tree, values: Mapping[str, Any]) -> dict[str, float]:
    """Values of coordinates in SI, from numbers or texts with units."""
    refuse_dependent(tree, values)
    names = [tree.coordinates[i] for i in tree.free_q]
    kinds = dict(zip(names, tree.coordinate_kinds, strict=True))
    return {name: quantity(f"value of {name!r}", x, kinds[name]) for name, x in values.items()}


def refuse_dependent(tree: Tree, names: Iterable[str]) -> None:
    """Coordinates must exist, be independent and be their own velocity."""
    free = (tree.coordinates[i] for i in tree.free_q)
    refuse_unknown("coordinate", names, [x for x in free if x in tree.rates], end=" to hold")


def assembled(
    system: LoopSystem, held: Array, t: float, told: Callable[[float], object] = lambda s: None
) -> tuple[Array, bool]:
    """Closed coordinates at the held values, or with the drives at t; whether on the branch."""
    start = drawn_closed(system)
    target = np.concatenate([held, np.zeros(system.wanted - len(held))])
    if determined(system, start, t):
        turned, leads = _whole_turns(system, start, target, t), _leads(system)
        near = target.copy()
        near[list(leads)] -= turned[list(leads.values())]
        for end in [near, *_other_ways(system, present(system, start, t), near)]:
            q = _led(system, start, end, t, told)
            if q is not None:
                turned[list(leads.values())] = (target - end)[list(leads)]
                q = np.asarray(system.newton(q + turned, target, np.array([t, 0.0]))[0])
                if residual_at(system, q, target, t) > system.tolerance * float(
                    np.abs(q).max(initial=1.0)
                ):
                    raise not_assembled(system, q, target, t)
                return q, True
    near, leads = _within_a_turn(system, start, target, t), _leads(system)
    q, gap = closed_in_stages(system, start, (present(system, start, t), near), t)
    if gap > system.tolerance:
        raise not_assembled(system, q, near, t)
    q = truly_closed(system, q, near, t)
    q[list(leads.values())] += (target - near)[list(leads)]
    return q, False


def drawn_closed(system: LoopSystem) -> Array:
    """The drawing with its loops closed; kept with the mechanism."""
    return kept(system.m, "drawn closed", lambda: _drawn_closed(system)).copy()


def _drawn_closed(system: LoopSystem) -> Array:
    q, nothing = system.drawn, np.zeros(0)
    if residual_at(system, q, present(system, q, 0.0), 0.0) <= system.rounding:
        return q
    loops = LoopSystem(system.tree, (), ())
    q, gap = closed(loops, q, nothing, 0.0)
    if gap > system.tolerance:
        raise not_assembled(loops, q, nothing, 0.0)
    return q


def present(system: LoopSystem, q: Array, t: float) -> Array:
    """What would have to be wanted for a position to have it: held values, drives' additions."""
    residual = system.residuals(q, np.zeros(system.wanted), np.array([t, 0.0]))
    return np.asarray(residual[len(residual) - system.wanted :], dtype=float)


def determined(system: LoopSystem, q: Array, t: float) -> bool:
    """Whether nothing is left free at a position."""
    return (system.solvable and settled(system, q, t)) or freedoms(system, q, t) == 0


def settled(system: LoopSystem, q: Array, t: float) -> bool:
    """The same where rows suffice, by the pivots of the velocity equations.

    Pivots are those of rows in metres: where they differ much the rank decides, which has units.
    """
    wanted = np.zeros(system.wanted)
    pivots = system.rates(q, wanted, wanted, np.array([t, 0.0]))[3]
    if np.min(pivots, initial=1.0) > 1e-9 * np.max(pivots, initial=1.0):
        return True
    return system.tree.nv <= DENSE and freedoms_left(system, q, t) == 0


def freedoms(system: LoopSystem, q: Array, t: float) -> int:
    """How many motions loops, held coordinates and drives leave free at a position."""
    if system.pieces is not None and system.solvable and settled(system, q, t):
        return 0
    return freedoms_left(system, q, t)


def without_idle(system: LoopSystem, q: Array, t: float, free: int) -> LoopSystem:
    """The system with the `free` idle motions that it has at a position kept still."""
    if not free:
        return system
    motions = allowed(system, q, t, rank=system.tree.nv - free).N
    return replace(system, still=idle_motions(system.tree, q, motions, system.scale))


def _other_ways(system: LoopSystem, here: Array, target: Array) -> list[Array]:
    """The same angles of revolute joints reached the other way round."""
    ways = []
    for k, name in enumerate(system.held):
        change = target[k] - here[k]
        if change != 0.0 and _turns(system, name):
            other = target.copy()
            other[k] -= np.sign(change) * 2 * np.pi
            ways.append(other)
    return ways


def _turns(system: LoopSystem, name: str) -> bool:
    """Whether a coordinate is an angle that may go round, and that no coupling uses."""
    used = {each for coupling in system.m.couplings for each in variables(coupling.law)}
    return name not in used and any(name in joint.round_coordinates for joint in system.m.joints)


def _led(
    system: LoopSystem, start: Array, end: Array, t: float, told: Callable[[float], object]
) -> Array | None:
    """From a closed position to what is wanted at the end; None where the way is blocked."""
    here = present(system, start, t)
    if np.array_equal(here, end):
        return start
    along = Along(system, on_line(here, end - here, t))
    nodes = follow(along, start, 0.0, 1.0, told=told, even=True)
    return nodes.q[-1] if nodes.complete else None


def _leads(system: LoopSystem) -> dict[int, int]:
    """Places in q of coordinates that are held or driven, by their places in what is wanted."""
    driven = [drive.coordinate for drive in system.drives for _ in range(drive.count)]
    names = [*system.held, *driven]
    return {k: system.names.index(name) for k, name in enumerate(names) if name in system.names}


def _whole_turns(system: LoopSystem, q: Array, target: Array, t: float) -> Array:
    """Whole turns of all joints that need no way, where values many turns away are asked for."""
    ahead = np.zeros(len(q))
    for k, turns in _many_turns(system, q, target, t).items():
        count, period = _period(system, q, k, float(np.sign(turns)), t)
        ahead += period * (abs(turns) // count if count else 0)
    return ahead


def _within_a_turn(system: LoopSystem, q: Array, target: Array, t: float) -> Array:
    """What is wanted, less the whole turns of angles that are many turns away."""
    near = target.copy()
    for k, turns in _many_turns(system, q, target, t).items():
        near[k] -= 2 * np.pi * float(np.round(turns))
    return near


def _many_turns(system: LoopSystem, q: Array, target: Array, t: float) -> dict[int, float]:
    """How many turns away angles are, where these are many, by their places in what is wanted.

    An angle so large that its turns are lost in its last digit is refused.
    """
    found, here = {}, present(system, q, t)
    for k, place in _leads(system).items():
        name, change = system.names[place], float(target[k] - here[k])
        if abs(change) <= 2 * np.pi * MANY_TURNS or not _turns(system, name):
            continue
        value = float(q[place]) + change
        if (digit := float(np.spacing(abs(value)))) > LAST_DIGIT:
            raise StructureError(
                f"mechanism {system.m.name!r}: {name} = {value:g} rad is a number whose last digit "
                f"is {digit:.1g} rad; ask for the angle less its whole turns"
            )
        found[k] = change / (2 * np.pi)
    return found


def _period(system: LoopSystem, q: Array, k: int, sign: float, t: float) -> tuple[int, Array]:
    """After how many turns of what leads all is back, 0 if never, and what they add to q."""
    at = q
    for count in range(1, MANY_TURNS + 1):
        end = present(system, at, t)
        end[k] += 2 * np.pi * sign
        turned = _led(system, at, end, t, lambda _: None)
        if turned is None:
            break
        at = turned
        if (ahead := whole_turns(system, q, at)) is not None:
            return count, ahead
    return 0, 0.0 * q
