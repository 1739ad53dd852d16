"""What events need of a mechanism, as programs: their expressions, rates, and what they change.

The expressions are made of the row that a run writes down, so they hold for any equations of
motion. A change is counted as work done on the mechanism, so that energies still add up:

    W+ = W- + (T + V)+ - (T + V)-                                                            (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..codegen import Program, program_of
from ..codegen.program import symbols
from ..dynamics.energy import energy
from ..expr import Expr, where
from ..expr.differentiate import directional
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..forces.loads import named_values
from ..kinematics.couplings import law_value
from ..spatial.rotation import Array
from . import right_hand_side
from .event import Watch
from .right_hand_side import Plant, all_joints
from .runs import Watching


def watching(plant: Plant) -> Watching | None:
    """What is known of the events of a run before it begins."""
    if not plant.watches:
        return None
    flags = [(w.direction, w.terminal, bool(w.changes), w.calls) for w in plant.watches]
    return Watching(*np.array(flags, dtype=float).T)


def event_programs(plant: Plant, row: Program) -> dict[str, Program]:
    """`guards`, their rates, and `change`, beside the other programs of a run."""
    if not plant.watches:
        return {}
    inputs = dict(row.inputs)
    values = _values(plant, row.outputs)
    guards = [as_expr(law_value(w.when, values)) for w in plant.watches]
    guards = substitute_all(guards, plant.size_places)
    slope = symbols("slope", inputs["y"])
    along = {f"y[{i}]": s for i, s in enumerate(slope)} | {"t[0]": 1.0}
    rates = directional(guards, along)
    more = [*row.inputs, ("slope", inputs["y"])]
    made = {
        "guards": program_of(row.inputs, np.array(guards, dtype=object), row.name),
        "guard_rates": program_of(more, np.array(rates, dtype=object), row.name),
    }
    if any(w.changes for w in plant.watches):
        made["change"] = _change(plant, inputs, row.name)
    return made


def _values(plant: Plant, row: Any) -> Mapping[str, Any]:
    """What expressions of events name, at a row (t, q, v, ..., switches)."""
    tree = plant.tree
    q, v = (
        np.array(part, dtype=object)
        for part in (row[1 : 1 + tree.nq], row[1 + tree.nq :][: tree.nv])
    )
    switches = dict(zip(plant.switches, row[len(row) - len(plant.switches) :], strict=True))
    return named_values(tree, *all_joints(tree, q, v), row[0]) | switches


def _change(plant: Plant, inputs: Mapping[str, int], name: str) -> Program:
    """(y, t, tau, base, fired) -> y and tau after the events that happen."""
    sizes = {**inputs, "fired": len(plant.watches)}
    y, t, tau, _, fired = (symbols(key, size) for key, size in sizes.items())
    shape = right_hand_side.shape(plant)
    parts = {
        "q": y[: shape.first],
        "v": y[shape.first :][: shape.nv],
        "switch": plant.switched(tau),
    }
    old = {key: np.array(part, dtype=object) for key, part in parts.items()}
    new = {key: np.array(part, dtype=object) for key, part in parts.items()}
    for w, flag in zip(plant.watches, fired, strict=True):
        _alter(plant, w, flag, t[0], new)
    gained = _energy(plant, new) - _energy(plant, old)
    after = np.concatenate([new["q"], new["v"], y[shape.first + shape.nv :]])
    after[-1] = after[-1] + gained  # (1)
    given = np.concatenate([tau[: len(tau) - len(new["switch"])], new["switch"]])
    flat = substitute_all([as_expr(x) for x in (*after, *given)], plant.size_places)
    made = tuple(np.array(x, dtype=object) for x in (flat[: len(y)], flat[len(y) :]))
    return program_of(tuple(sizes.items()), made, name)


def _alter(plant: Plant, w: Watch, flag: Expr, t: Any, state: dict[str, Array]) -> None:
    """What one event changes, where it happens."""
    named = named_values(plant.tree, *all_joints(plant.tree, state["q"], state["v"]), t)
    named |= dict(zip(plant.switches, state["switch"], strict=True))
    values = [as_expr(law_value(change.law, named)) for change in w.changes]
    for change, value in zip(w.changes, values, strict=True):
        part = state[change.kind]
        part[change.place] = where(flag, value, part[change.place])


def _energy(plant: Plant, state: Mapping[str, Array]) -> Any:
    return sum(energy(plant.system, state["q"], state["v"]))
