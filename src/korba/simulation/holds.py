"""What holds a joint for a while: a stop that it rests against, dry friction that makes it stick.

A hold is a row W a = -gamma of the accelerations, switched on and off by events. Where it is on,

    a = a_0 + sum u_k lambda_k,   u_k = M^-1 W_k',   W_j a + gamma_j = 0  for all that are on  (1)

and its force lambda tells when it ends: a stop pushes only, friction holds up to its largest value.
A stop that is met gives an impulse, with the coefficient of restitution e and the rows of the stops
that are rested against:

    v+ = v- + sum u_k p_k,        W v+ = -e W v-,      W_j v+ = 0                              (2)

A rebound that would not rise by 1e-12 of a typical length is a rest. Slipping friction is a force
against the way of the slip, which is a switch, so that nothing jumps between events.
Source: Glocker & Pfeiffer (1996), Multibody Dynamics with Unilateral Contacts, chapters 3 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.factored import solve_symmetric
from ..errors import StructureError, way_out
from ..expr import Expr, constant, derivative, sign, variable, variables, where
from ..kinematics.couplings import law_value
from ..spatial.rotation import Array
from ..system.system import System, no_loads
from ..system.tree import Tree
from . import rough
from .rough import Stick

LOWEST = 1e-12
"""Height of a rebound, in typical lengths or radians, that counts as none."""
AT_REST = 1e-9
"""Speed, in typical lengths or radians a second, below which friction that held goes on holding."""
Formula = Callable[..., Array]


@dataclass(frozen=True)
class Stop:
    """A stop: the gap, in names of coordinates, is never negative."""

    name: str
    gap: Expr
    restitution: float
    unit: float = 1.0
    """A typical length, or a radian."""

    @property
    def modes(self) -> tuple[str, ...]:
        """Switches: 1 where it is rested against."""
        return (f"rests_{self.name}",)

    @property
    def events(self) -> tuple[str, ...]:
        """Events: it is met, and left."""
        return self.name, f"{self.name} left"


Hold = Stop | Stick


class Row(NamedTuple):
    """A hold at a state: W and gamma of (1), its gap and the rate of it."""

    W: Array
    gamma: Any
    gap: Any
    rate: Any


def stops_of(tree: Tree, given: Any, length: float) -> Iterator[Stop]:
    """The limits of joints as stops: all of them, or those of named coordinates."""
    names = {tree.coordinates[i]: i for i in tree.free_q if tree.coordinates[i] in tree.rates}
    wanted = _restitutions(given, names)
    for joint in tree.m.joints:
        own = zip(joint.coordinates(), joint.coordinate_kinds, *joint.limits, strict=True)
        for name, kind, lower, upper in own:
            if name not in wanted:
                continue
            e, unit = wanted[name], length if kind == "length" else 1.0
            if np.isfinite(lower):
                yield Stop(f"{name} lower", variable(name) - float(lower), e, unit)
            if np.isfinite(upper):
                yield Stop(f"{name} upper", float(upper) - variable(name), e, unit)


def _restitutions(given: Any, names: Mapping[str, Any]) -> dict[str, float]:
    """Coefficients of restitution by coordinate."""
    if given is None or given is False:
        return {}
    if not isinstance(given, Mapping):
        given = dict.fromkeys(names, 0.0 if given is True else given)
    for name, e in given.items():
        if name not in names:
            raise StructureError(f"stops: there is no {name!r}; {way_out(name, names)}")
        if isinstance(e, bool) or not isinstance(e, int | float) or not 0 <= e <= 1:
            raise StructureError(
                f"stops: expected True, or a restitution from 0 to 1 (for all, or by name), got "
                f"{e!r:.60}"
            )
    return {name: float(e) for name, e in given.items()}


def first_modes(holds: Sequence[Hold], v: Array) -> Array:
    """The switches of all holds at a start with velocities (..., nv)."""
    made = [np.zeros((*v.shape[:-1], 0))]
    for hold in holds:
        if isinstance(hold, Stop):
            made.append(np.zeros((*v.shape[:-1], 1)))
        else:
            own = v[..., hold.place]
            made.append(np.stack([own == 0.0, np.where(own < 0, -1.0, 1.0)], axis=-1))
    return np.concatenate(made, axis=-1)


def row_of(tree: Tree, hold: Hold, q: Array, v: Array) -> Row:
    """A hold at a state."""
    if isinstance(hold, Stick):
        W = np.zeros(tree.nv, dtype=object)
        W[hold.place] = 1.0
        return Row(W, 0.0, 0.0, v[hold.place])
    values = dict(zip((tree.coordinates[i] for i in tree.free_q), q, strict=True))
    places = {name: tree.free_v.index(tree.rates[name]) for name in variables(hold.gap)}
    W, gamma = np.zeros(tree.nv, dtype=object), constant(0.0)
    for name, place in places.items():
        slope = derivative(hold.gap, name)
        W[place] = law_value(slope, values)
        for other, i in places.items():
            gamma = gamma + law_value(derivative(slope, other), values) * v[place] * v[i]
    return Row(W, gamma, law_value(hold.gap, values), W @ v)


@dataclass(frozen=True, eq=False)
class Holding:
    """The holds of a plant at a state: their rows, and what a unit of force in each does."""

    holds: tuple[Hold, ...]
    rows: list[Row]
    u: Array
    """M^-1 W', a column for each."""

    @staticmethod
    def at(
        holds: tuple[Hold, ...], formula: Formula, system: System, q: Array, v: Array
    ) -> Holding:
        """The holds at a state; `formula` gives accelerations under forces."""
        rows = [row_of(system.tree, hold, q, v) for hold in holds]
        bare = replace(system, gravity=np.zeros(3), loads=no_loads)
        rest = np.zeros(len(v))
        none = formula(bare, q, rest, np.zeros(len(v), dtype=object))
        u = [formula(bare, q, rest, row.W) - none for row in rows]
        return Holding(holds, rows, np.array(u, dtype=object).reshape(len(rows), len(v)).T)

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
        """(1): the accelerations, and the forces of the holds."""
        forces = self.forces(on, [-row.gamma for row in self.rows], a)
        return a + self.u @ forces, forces


def on(holds: Sequence[Hold], modes: Mapping[str, Any]) -> list[Any]:
    """Which holds are on."""
    return [modes[hold.modes[0]] for hold in holds]


class Held(NamedTuple):
    """The motion under holds: accelerations, their forces, friction that slips, and its bounds."""

    holding: Holding
    a: Array
    forces: Array
    efforts: list[tuple[int, Any]]
    """Of slipping friction, by the places of its velocities."""
    bounds: dict[str, Any]
    """The largest force of each friction while it sticks."""


def held(
    holds: tuple[Hold, ...],
    formula: Formula,
    system: System,
    state: tuple[Array, Array],
    *,
    pushed: Array,
    modes: Mapping[str, Any],
) -> Held:
    """The accelerations under given forces and all holds as they are."""
    q, v = state
    holding, free = Holding.at(holds, formula, system, q, v), formula(system, q, v, pushed)
    active = on(holds, modes)
    places = [k for k, hold in enumerate(holds) if isinstance(hold, Stick)]
    sticks = [hold for hold in holds if isinstance(hold, Stick)]
    ways = [modes[x.modes[1]] * (1.0 - modes[x.modes[0]]) for x in sticks]

    def moved(e: Array) -> tuple[Array, Array]:
        return holding.accelerations(active, free + holding.u[:, places] @ e)

    def pressed(e: Array) -> list[Array]:
        return rough.loads(system, sticks, q, v, moved(e)[0])

    speeds = [np.abs(v[x.place]) for x in sticks]
    e, bounds = rough.efforts(sticks, ways, speeds, pressed)
    a, forces = moved(e)
    named = {x.name: bound for x, bound in zip(sticks, bounds, strict=True)}
    return Held(
        holding, a, forces, [(x.place, each) for x, each in zip(sticks, e, strict=True)], named
    )


def guards(at: Held, modes: Mapping[str, Any]) -> list[Any]:
    """Two numbers for each hold, of which one falls below zero when it begins, or ends."""
    made: list[Any] = []
    for hold, row, force in zip(at.holding.holds, at.holding.rows, at.forces, strict=True):
        holds, one = modes[hold.modes[0]], constant(1.0)
        if isinstance(hold, Stop):
            made += [where(holds, one, row.gap), where(holds, force, one)]
        else:
            speed, spare = modes[hold.modes[1]] * row.rate, at.bounds[hold.name] - np.abs(force)
            made += [where(holds, one, speed), where(holds, spare, one)]
    return made


class Jump(NamedTuple):
    """What events make of a state."""

    v: Array
    modes: dict[str, Any]


def bounced(holding: Holding, v: Array, modes: dict[str, Any], fired: Any, a: Array) -> Jump:
    """Stops that are met (2), or left; a are the accelerations before."""
    v, modes = np.array(v, dtype=object), dict(modes)
    rests = [modes[h.modes[0]] if isinstance(h, Stop) else constant(0.0) for h in holding.holds]
    for k, (hold, row) in enumerate(zip(holding.holds, holding.rows, strict=True)):
        if not isinstance(hold, Stop):
            continue
        met, left = fired[2 * k], fired[2 * k + 1]
        speed, fall = row.W @ v, row.W @ a + row.gamma
        rebound = -hold.restitution * speed
        low = rebound * rebound <= -2.0 * LOWEST * hold.unit * fall
        wanted = [constant(0.0)] * len(rests)
        wanted[k] = where(low, constant(0.0), rebound)
        active = [*rests[:k], constant(1.0), *rests[k + 1 :]]
        impulse = holding.forces(active, wanted, v)
        v = np.array(
            [where(met, new, old) for new, old in zip(v + holding.u @ impulse, v, strict=True)],
            dtype=object,
        )
        rests[k] = where(met, 1.0 * low, where(left, constant(0.0), rests[k]))
        modes[hold.modes[0]] = rests[k]
    return Jump(v, modes)


def halted(holding: Holding, jump: Jump, fired: Any) -> Jump:
    """Friction that halts: velocities are zero, and it sticks for a trial."""
    v, modes = np.array(jump.v, dtype=object), dict(jump.modes)
    for k, hold in enumerate(holding.holds):
        if isinstance(hold, Stick):
            halts, stuck = fired[2 * k], modes[hold.modes[0]]
            fast = np.abs(v[hold.place]) > AT_REST * hold.unit
            v[hold.place] = where(halts, constant(0.0), v[hold.place])
            turned = where(fast, sign(v[hold.place]), modes[hold.modes[1]])
            modes[hold.modes[1]] = where(halts, modes[hold.modes[1]], turned)
            kept = where(fast, constant(0.0), stuck)
            modes[hold.modes[0]] = where(halts, constant(1.0), kept)
    return Jump(v, modes)


def decided(at: Held, modes: Mapping[str, Any], fired: Any) -> dict[str, Any]:
    """Friction sticks where its force suffices; else it slips against the force that it has."""
    made = dict(modes)
    for k, (hold, force) in enumerate(zip(at.holding.holds, at.forces, strict=True)):
        if isinstance(hold, Stick):
            stuck, way = (modes[name] for name in hold.modes)
            slips = np.abs(force) > at.bounds[hold.name]
            slips = where(fired[2 * k + 1], constant(1.0), 1.0 * slips) * stuck
            made[hold.modes[0]] = where(slips, constant(0.0), stuck)
            made[hold.modes[1]] = where(slips, -sign(force), way)
    return made
