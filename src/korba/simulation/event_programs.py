"""What events need of a mechanism, as programs: their expressions, rates, and what they change.

The expressions are made of the row that a run writes down, so they hold for any equations of
motion. A change is counted as work done on the mechanism, so that energies still add up:

    W+ = W- + (T + V)+ - (T + V)-                                                            (1)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Program, program_of
from ..codegen.program import symbols
from ..codegen.routine import AnyProgram
from ..dynamics.energy import energy
from ..dynamics.factored import solve_symmetric
from ..expr import Expr, constant, where
from ..expr.differentiate import directional
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..forces.loads import named_values
from ..kinematics.couplings import law_value
from ..spatial.rotation import Array
from . import right_hand_side
from .event import Watch
from .holds import (
    Fired,
    Formula,
    Held,
    bounced,
    decided,
    falling,
    fired_by,
    halted,
    responses,
)
from .holds import guards as guards_of
from .right_hand_side import Plant, all_joints
from .runs import Watching
from .sticking import Stick, where_each


def watching(plant: Plant) -> Watching | None:
    """What is known of the events of a run before it begins."""
    if not plant.events:
        return None
    flags: list[Any] = [
        (w.direction, w.terminal, bool(w.changes), w.calls, 0, 0) for w in plant.watches
    ]
    flags += [(-1, 0, 1, 0, 1, not moves) for moves in falling(plant.holds)]
    return Watching(*np.array(flags, dtype=float).T)


def event_programs(plant: Plant, row: AnyProgram, formula: Formula) -> dict[str, Program]:
    """`guards`, their rates, and `change`, beside the other programs of a run.

    `formula` gives the accelerations, of which holds need some more.
    """
    inputs = dict(row.inputs)
    y, t, tau, _ = (symbols(key, size) for key, size in inputs.items())
    written = row.outputs if isinstance(row, Program) else [*t, *y, *plant.switched(tau)]
    values = _values(plant, written)
    asked = [as_expr(law_value(w.when, values)) for w in plant.watches]
    own = _own_guards(plant, formula, (y, t, tau)) if plant.holds else []
    guards = substitute_all([*asked, *own], plant.size_places)
    slope = symbols("slope", inputs["y"])
    along = {f"y[{i}]": s for i, s in enumerate(slope)} | {"t[0]": 1.0}
    moving = [True] * len(asked) + falling(plant.holds)
    met = [k for k in range(len(guards)) if moving[k]]
    rates = dict(zip(met, directional([guards[k] for k in met], along), strict=True))
    slopes = [rates.get(k, constant(0.0)) for k in range(len(guards))]  # of forces: not needed
    more = [*row.inputs, ("slope", inputs["y"])]
    made = {
        "guards": program_of(row.inputs, np.array(guards, dtype=object), row.name),
        "guard_rates": program_of(more, np.array(slopes, dtype=object), row.name),
    }
    if plant.holds or any(w.changes for w in plant.watches):
        made["change"] = _change(plant, inputs, row.name, formula)
        made["energy"] = _energy(plant, inputs, row.name)
    return made


def held_at(
    plant: Plant, formula: Formula, state: tuple[Array, Array, Array], t: Any, tau: Array
) -> Held:
    """The holds at a state, as they are on or off."""
    return right_hand_side.held_under(plant, formula, state, t, tau)[0]


def _own_guards(plant: Plant, formula: Formula, at: tuple[Array, Array, Array]) -> list[Expr]:
    y, t, tau = at
    state = right_hand_side.shape(plant).parts(y)
    own = held_at(plant, formula, state, t[0], tau)
    return [as_expr(g) for g in guards_of(own, plant.holds, state[1], plant.modes(tau))]


def _values(plant: Plant, row: Any) -> Mapping[str, Any]:
    """What expressions of events name, at a row (t, q, v, ..., switches)."""
    tree = plant.tree
    q, v = (
        np.array(part, dtype=object)
        for part in (row[1 : 1 + tree.nq], row[1 + tree.nq :][: tree.nv])
    )
    switches = dict(zip(plant.switches, row[len(row) - len(plant.switches) :], strict=True))
    return named_values(tree, *all_joints(tree, q, v), row[0]) | switches


class After(NamedTuple):
    """A state right after events, and the impulses that made it."""

    parts: dict[str, Array]
    """`q`, `v` and `switch`."""
    impulses: Array
    """Of the stops."""
    pushed: Array
    """In the velocities, of events that change velocities of a mechanism with loops."""


def after_events(
    plant: Plant, formula: Formula, given: tuple[Array, Array, Array], fired: Sequence[Any]
) -> After:
    """What events make of (y, t, tau)."""
    y, t, tau = given
    q, v, currents = right_hand_side.shape(plant).parts(y)
    pushed = np.zeros(len(v), dtype=object)
    parts = {"q": q, "v": v, "switch": plant.switched(tau)}
    new = {key: np.array(part, dtype=object) for key, part in parts.items()}
    for w, flag in zip(plant.watches, fired, strict=False):
        before = np.array(new["v"], dtype=object)
        _alter(plant, w, flag, t[0], new)
        if plant.constrained:
            pushed = pushed + _push(plant, formula, w, flag, (t[0], new, before))
    if not plant.holds:
        return After(new, np.zeros(0), pushed)
    happens = fired_by(plant.holds, fired[len(plant.watches) :])
    return After(new, _jump(plant, formula, new, (currents, t[0], tau), happens), pushed)


def _change(plant: Plant, inputs: Mapping[str, int], name: str, formula: Formula) -> Program:
    """(y, t, tau, base, fired) -> y and tau after the events that happen."""
    sizes = {**inputs, "fired": len(plant.events)}
    y, t, tau, _, fired = (symbols(key, size) for key, size in sizes.items())
    shape, new = (
        right_hand_side.shape(plant),
        after_events(plant, formula, (y, t, tau), [*fired])[0],
    )
    after = np.concatenate([new["q"], new["v"], y[shape.first + shape.nv :]])
    given = np.concatenate([tau[: len(tau) - len(new["switch"])], new["switch"]])
    flat = substitute_all([as_expr(x) for x in (*after, *given)], plant.size_places)
    made = tuple(np.array(x, dtype=object) for x in (flat[: len(y)], flat[len(y) :]))
    return program_of(tuple(sizes.items()), made, name)


def _jump(
    plant: Plant,
    formula: Formula,
    state: dict[str, Array],
    more: tuple[Array, Any, Array],
    fired: Fired,
) -> Array:
    """What stops and friction do at their events: bounce, then halt, then stick or slip."""
    currents, t, tau = more

    def at(v: Array) -> Held:
        switched = np.concatenate([tau[: len(tau) - len(plant.switches)], state["switch"]])
        return held_at(plant, formula, (state["q"], v, currents), t, switched)

    def put(modes: Mapping[str, Any]) -> None:
        state["switch"] = np.array([modes[name] for name in plant.switches], dtype=object)

    modes = dict(zip(plant.switches, state["switch"], strict=True))
    before = at(state["v"])
    bounce = bounced(before.holding, state["v"], modes, fired, before.a)
    jump = halted(before, plant.holds, bounce, fired)
    state["v"] = jump.v
    put(jump.modes)
    if any(isinstance(hold, Stick) for hold in plant.holds):
        put(decided(at(jump.v), plant.holds, jump.modes, fired))
    return jump.impulses


def _alter(plant: Plant, w: Watch, flag: Expr, t: Any, state: dict[str, Array]) -> None:
    """What one event changes, where it happens."""
    named = named_values(plant.tree, *all_joints(plant.tree, state["q"], state["v"]), t)
    named |= dict(zip(plant.switches, state["switch"], strict=True))
    values = [as_expr(law_value(change.law, named)) for change in w.changes]
    for change, value in zip(w.changes, values, strict=True):
        part = state[change.kind]
        part[change.place] = where(flag, value, part[change.place])


def _push(
    plant: Plant, formula: Formula, w: Watch, flag: Expr, how: tuple[Any, dict[str, Array], Array]
) -> Array:
    """With loops an impulse in the joints gives their new velocities, and the others follow."""
    t, state, before = how
    pushed = np.zeros(len(before), dtype=object)
    places = [change.place for change in w.changes if change.kind == "v"]
    if not places:
        return pushed
    units = np.eye(len(before), dtype=object)[places]
    u = responses(formula, replace(plant.system, t=t), state["q"], list(units))
    impulse = solve_symmetric(u[places], state["v"][places] - before[places])
    state["v"] = where_each([flag] * len(before), before + u @ impulse, before)
    pushed[places] = where_each([flag] * len(places), impulse, 0.0 * impulse)
    return pushed


def _energy(plant: Plant, inputs: Mapping[str, int], name: str) -> Program:
    """T + V of a state y, for (1)."""
    q, v, _ = right_hand_side.shape(plant).parts(symbols("y", inputs["y"]))
    total = substitute_all([as_expr(sum(energy(plant.system, q, v)))], plant.size_places)
    return program_of(tuple(inputs.items()), np.array(total[0], dtype=object), name)
