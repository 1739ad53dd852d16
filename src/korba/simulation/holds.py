"""What holds a joint for a while: a stop that it rests against, dry friction that makes it stick.

A stop is a row W a = -gamma of the accelerations, switched on and off by events. Where it is on,

    a = a_0 + sum u_k lambda_k,   u_k = M^-1 W_k',   W_j a + gamma_j = 0  for all that are on  (1)

and its force lambda tells when it ends: a stop pushes only.
A stop that is met gives an impulse, with the coefficient of restitution e and the rows of the stops
that are rested against:

    v+ = v- + sum u_k p_k,        W v+ = -e W v-,      W_j v+ = 0                              (2)

A rebound that would not rise by 1e-12 of a typical length is a rest. A ratchet is a stop that
follows: its distance counts from the last tooth that was passed, which is a switch; without teeth
it is the rate that does not fall below zero, and it locks where both sides are equally fast.
Friction is an effort (sticking.py), of what slips against the way of the slip, which is a switch,
so that nothing jumps between events. What a stop leads cannot stick.
Source: Glocker & Pfeiffer (1996), Multibody Dynamics with Unilateral Contacts, chapters 3 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen.program import symbols
from ..dynamics.factored import solve_symmetric
from ..errors import StructureError, refuse_unknown
from ..expr import constant, less, less_equal, maximum, sign, variable, where
from ..expr.differentiate import directional, jacobian_rows
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..kinematics.couplings import all_coordinates, all_motion
from ..kinematics.rates import coordinate_rates
from ..spatial.rotation import Array
from ..system.system import System, no_loads
from ..system.tree import Tree
from .contact import Distance, distance_at
from .jumps import columns
from .sticking import Grip, Stick, Sticking, Wrenches, pressing, where_each

LOWEST = 1e-12
"""Height of a rebound, in typical lengths or radians, that counts as none."""
AT_REST = 1e-9
"""Speed, in typical lengths or radians a second, below which friction that held goes on holding."""
SOON, STILL = 1e-11, 1e-13
"""Seconds in which what halts is at rest, and a speed, in the same units, that is none at all."""
Formula = Callable[..., Array]


@dataclass(frozen=True)
class Stop:
    """A stop: the distance is never negative; of a ratchet that from the last tooth passed."""

    name: str
    distance: Distance
    restitution: float
    unit: float = 1.0
    """A typical length, or a radian."""
    words: tuple[str, str] = ("", "left")
    """What is added to its name where it is met, and left."""
    pitch: float | None = None
    """Of a ratchet's teeth; 0 where it has none, so that its rate is never negative."""

    @property
    def modes(self) -> tuple[str, ...]:
        """Switches: 1 where it is rested against, and where the last tooth is."""
        teeth = (f"tooth_{self.name}",) if self.pitch else ()
        return f"rests_{self.name}", *teeth

    @property
    def events(self) -> tuple[str, ...]:
        """Events: it is met, and left, and passes a tooth."""
        met, left = (f"{self.name} {word}".rstrip() for word in self.words)
        return met, left, *([f"{self.name} clicks"] if self.pitch else [])

    def gap(self, row: Row, modes: Mapping[str, Any]) -> Any:
        """What never falls below zero."""
        if self.pitch is None:
            return row.distance
        return row.distance - modes[self.modes[1]] if self.pitch else row.rate


Hold = Stop | Stick


class Row(NamedTuple):
    """A stop at a state: W and gamma of (1), its distance and the rate of it."""

    W: Array
    gamma: Any
    distance: Any
    rate: Any


def stops_of(system: System, given: Any, length: float) -> Iterator[Stop]:
    """The limits of joints as stops: all of them, or those of named coordinates."""
    tree = system.tree
    names = {tree.coordinates[i] for i in tree.free_q if tree.coordinates[i] in tree.rates}
    joints = system.in_numbers.joints
    own = {name: joint.restitution for joint in joints for name in joint.coordinates()}
    wanted = _restitutions(given, {name: own[name] for name in tree.coordinates if name in names})
    for joint in joints:
        each = zip(joint.coordinates(), joint.coordinate_kinds, *joint.limits, strict=True)
        for name, kind, lower, upper in each:
            if name not in wanted:
                continue
            e, unit = wanted[name], length if kind == "length" else 1.0
            if np.isfinite(lower):
                yield Stop(f"{name} lower", variable(name) - float(lower), e, unit)
            if np.isfinite(upper):
                yield Stop(f"{name} upper", float(upper) - variable(name), e, unit)


def _restitutions(given: Any, own: Mapping[str, float]) -> dict[str, float]:
    """Coefficients of restitution by coordinate; True takes a joint's own."""
    if not isinstance(given, Mapping):
        given = dict.fromkeys(own, given)
    refuse_unknown("", given, own, "stops")
    for e in given.values():
        if e is not True and (
            isinstance(e, bool) or not isinstance(e, int | float) or not 0 <= e <= 1
        ):
            raise StructureError(
                f"stops: expected True, or a restitution from 0 to 1 (for all, or by name), got "
                f"{e!r:.60}"
            )
    return {name: float(own[name] if e is True else e) for name, e in given.items()}


def row_of(tree: Tree, stop: Stop, q: Array, v: Array) -> Row:
    """A stop at a state: its distance g, and g' = W v, g'' = W a + gamma by differentiating it."""
    at, along = symbols("_q", len(q)), symbols("_v", len(v))
    distance = as_expr(distance_at(tree, stop.distance, all_coordinates(tree, at)))
    rates = {f"_q[{i}]": x for i, x in enumerate(coordinate_rates(tree, at, along))}
    (rate,) = directional([distance], rates)
    (slopes,) = jacobian_rows([rate], [f"_v[{i}]" for i in range(len(v))])
    values = {f"_q[{i}]": as_expr(x) for i, x in enumerate(q)}
    values |= {f"_v[{i}]": as_expr(x) for i, x in enumerate(v)}
    flat = substitute_all([*slopes, *directional([rate], rates), distance, rate], values)
    return Row(np.array(flat[:-3], dtype=object), *flat[-3:])


def responses(formula: Formula, system: System, q: Array, forces: Sequence[Array]) -> Array:
    """Accelerations from rest under each of some forces alone, in columns."""
    nv = system.tree.nv
    bare, rest = replace(system, gravity=np.zeros(3), loads=no_loads), np.zeros(nv)
    none = formula(bare, q, rest, np.zeros(nv, dtype=object))
    columns = [formula(bare, q, rest, force) - none for force in forces]
    return np.array(columns, dtype=object).reshape(len(columns), nv).T


@dataclass(frozen=True, eq=False)
class Holding:
    """The stops of a plant at a state: their rows, and what a unit of force in each does."""

    stops: tuple[Stop, ...]
    rows: list[Row]
    u: Array
    """M^-1 W', a column for each."""

    def forces(self, on: Sequence[Any], wanted: Sequence[Any], x: Array) -> Array:
        """Forces, or impulses, with which  W x + sum W u lambda = wanted  where `on` is 1."""
        n = len(self.rows)
        A = np.eye(n, dtype=object)
        right = np.zeros(n, dtype=object)
        for i, row in enumerate(self.rows):
            right[i] = on[i] * (wanted[i] - row.W @ x)
            for j in range(i + 1):
                entry = on[i] * on[j] * (row.W @ self.u[:, j])
                A[i, j] = A[j, i] = entry + (1.0 - on[i]) if i == j else entry
        return solve_symmetric(A, right)

    def accelerations(self, on: Sequence[Any], a: Array) -> tuple[Array, Array]:
        """(1): the accelerations, and the forces of the stops."""
        forces = self.forces(on, [-row.gamma for row in self.rows], a)
        return a + self.u @ forces, forces


class Held(NamedTuple):
    """The motion under holds: accelerations, forces of stops, efforts and grips of friction."""

    holding: Holding
    a: Array
    forces: Array
    u: Array
    """What a unit of each effort of friction does, in columns."""
    efforts: list[tuple[int, Any]]
    """Of friction and of loads that jump, by the places of velocities."""
    grips: dict[str, Grip]


def held(
    holds: tuple[Hold, ...],
    formula: Formula,
    system: System,
    state: tuple[Array, Array],
    *,
    pushed: Array,
    modes: Mapping[str, Any],
    jumps: Array,
) -> Held:
    """The accelerations under given forces and all holds as they are, some loads with `jumps`."""
    q, v = state
    stops = tuple(hold for hold in holds if isinstance(hold, Stop))
    rows = [row_of(system.tree, stop, q, v) for stop in stops]
    sticking = sticking_at(system, holds, q, v, jumps)
    places = [rub.place for rub in sticking.rubs]
    units = columns(jumps, places)
    u = responses(formula, system, q, [*(row.W for row in rows), *units.T])
    holding, u = Holding(stops, rows, u[:, : len(stops)]), u[:, len(stops) :]
    on, free = [modes[stop.modes[0]] for stop in stops], formula(system, q, v, pushed)

    def moved(e: Array) -> tuple[Array, Array]:
        return holding.accelerations(on, free + u @ e)

    def loaded(e: Array) -> tuple[Array, Wrenches]:
        a = moved(e)[0]
        if not sticking.loaded:
            return a, {}
        return a, pressing(system, state, a, pushed + units @ e, sticking.loaded)

    if not places:
        a, forces = moved(np.zeros(0))
        return Held(holding, a, forces, u, [], {})
    still = holding.accelerations(on, 0.0 * free)[0]
    response = np.array([holding.accelerations(on, column)[0] - still for column in u.T]).T
    bare = u[places] if stops else None
    e, grips = sticking.solved(modes, response[places], loaded, bare)
    a, forces = moved(e)
    named = {stick.name: grip for stick, grip in zip(sticking.sticks, grips, strict=True)}
    efforts = [(k, x) for k, x in enumerate(units @ e) if as_expr(x).value != 0.0]
    return Held(holding, a, forces, u, efforts, named)


def sticking_at(
    system: System, holds: Sequence[Hold], q: Array, v: Array, jumps: Array
) -> Sticking:
    """What rubs."""
    sticks = [hold for hold in holds if isinstance(hold, Stick)]
    x = all_motion(system.tree, q, v, np.zeros(len(v)))
    return Sticking(system, sticks, x.q, x.v, jumps)


def falling(holds: Sequence[Hold]) -> list[bool]:
    """Of each event of the holds: whether its number changes with the motion, not with forces."""
    flags: list[bool] = []
    for hold in holds:
        flags += [True, False] + [True] * (len(hold.events) - 2)
    return flags


def guards(at: Held, holds: Sequence[Hold], v: Array, modes: Mapping[str, Any]) -> list[Any]:
    """Of each event of the holds a number that falls below zero when it happens."""
    made: list[Any] = []
    one, names = constant(1.0), [stop.name for stop in at.holding.stops]
    stops = dict(zip(names, zip(at.holding.rows, at.forces, strict=True), strict=True))
    for hold in holds:
        on, *ways = (modes[name] for name in hold.modes)
        if isinstance(hold, Stop):
            row, force = stops[hold.name]
            gap = hold.gap(row, modes)
            made += [where(on, one, gap), where(on, force, one)]
            made += [hold.pitch - gap] if hold.pitch else []
            continue
        grip, rubs = at.grips[hold.name], hold.rubs
        speeds = [way * v[rub.place] / rub.unit for rub, way in zip(rubs, ways, strict=True)]
        total: Any = sum(speeds, start=0.0)
        spare, rests = grip.most - np.abs(grip.pull), on
        if not hold.led:
            made += [where(on, one, STILL + total), where(on, spare, one)]
            rests = maximum(on, 1.0 * less(total, AT_REST))
        else:
            made += [one, one]
        made += [where(rests, one, STILL + speed) for speed in speeds[: len(hold.events) - 2]]
    return made


class Jump(NamedTuple):
    """What events make of a state, and the impulses of the stops."""

    v: Array
    modes: dict[str, Any]
    impulses: Array


Fired = Mapping[str, Sequence[Any]]
"""Of each hold, for each of its events, 1 where it happens."""


def fired_by(holds: Sequence[Hold], flags: Sequence[Any]) -> Fired:
    """What happens, by hold."""
    ends = np.cumsum([len(hold.events) for hold in holds])
    parts = zip(holds, ends, strict=True)
    return {hold.name: flags[end - len(hold.events) : end] for hold, end in parts}


def bounced(holding: Holding, v: Array, modes: dict[str, Any], fired: Fired, a: Array) -> Jump:
    """Stops that are met (2), or left; a are the accelerations before."""
    v, modes = np.array(v, dtype=object), dict(modes)
    rests = [modes[stop.modes[0]] for stop in holding.stops]
    impulses = np.zeros(len(rests), dtype=object)
    for k, (hold, row) in enumerate(zip(holding.stops, holding.rows, strict=True)):
        met, left, *clicks = fired[hold.name]
        speed, fall = row.W @ v, row.W @ a + row.gamma
        rebound = -hold.restitution * speed
        low = rebound * rebound <= -2.0 * LOWEST * hold.unit * fall
        wanted = [constant(0.0)] * len(rests)
        wanted[k] = where(low, constant(0.0), rebound)
        active = [*rests[:k], constant(1.0), *rests[k + 1 :]]
        impulse = where_each([met] * len(rests), holding.forces(active, wanted, v), 0.0 * impulses)
        impulses, v = impulses + impulse, where_each([met] * len(v), v + holding.u @ impulse, v)
        rests[k] = where(met, 1.0 * low, where(left, constant(0.0), rests[k]))
        modes[hold.modes[0]] = rests[k]
        for tooth, click in zip(hold.modes[1:], clicks, strict=True):
            modes[tooth] = where(click, modes[tooth] + hold.pitch, modes[tooth])
    return Jump(v, modes, impulses)


def halted(at: Held, holds: Sequence[Hold], jump: Jump, fired: Fired) -> Jump:
    """Friction that halts: velocities are zero, and it sticks for a trial; or one turns back."""
    v, modes, start = np.array(jump.v, dtype=object), dict(jump.modes), 0
    for hold in holds:
        if not isinstance(hold, Stick):
            continue
        (stuck, *ways), rubs = (modes[name] for name in hold.modes), hold.rubs
        u, start = at.u[:, start : start + len(rubs)], start + len(rubs)
        halt, _, *turns = fired[hold.name]
        signs = [s / rub.unit for s, rub in zip(at.grips[hold.name].directions, rubs, strict=True)]
        speed, change = (sum(np.abs(x[rub.place]) / rub.unit for rub in rubs) for x in (v, at.a))
        if turns and not hold.led:
            turning = sum(turns, start=0.0)
            slow = less_equal(speed, AT_REST + SOON * change)
            halt = where(turning, maximum(1.0 * slow, halt), halt)
        if not hold.led:
            W = np.zeros(len(v), dtype=object)
            W[[rub.place for rub in rubs]] = signs
            along = u @ np.array(signs, dtype=object)
            v = where_each([halt] * len(v), v - along * ((W @ v) / (W @ along)), v)
        fast = where(halt, constant(0.0), 1.0 * less(constant(AT_REST), speed))
        for name, rub, way, turn in zip(
            hold.modes[1:], rubs, ways, turns or [constant(0.0)], strict=True
        ):
            own = v[rub.place] / rub.unit
            turned = where(turn, -way, way)
            modes[name] = where(fast * less(constant(AT_REST), np.abs(own)), sign(own), turned)
        on = where(halt, constant(1.0), where(fast, constant(0.0), stuck))
        modes[hold.modes[0]] = constant(0.0) if hold.led else on
    return Jump(v, modes, jump.impulses)


def decided(
    at: Held, holds: Sequence[Hold], modes: Mapping[str, Any], fired: Fired
) -> dict[str, Any]:
    """Friction sticks where its force suffices; else it slips against the force that it has."""
    made = dict(modes)
    for hold in holds:
        if isinstance(hold, Stick) and not hold.led:
            grip, (stuck, *ways) = at.grips[hold.name], (modes[name] for name in hold.modes)
            slips = less(grip.most, np.abs(grip.pull))
            slips = where(fired[hold.name][1], constant(1.0), 1.0 * slips) * stuck
            made[hold.modes[0]] = where(slips, constant(0.0), stuck)
            for name, way, direction in zip(hold.modes[1:], ways, grip.directions, strict=True):
                made[name] = where(slips, -sign(grip.pull) * direction, way)
    return made
