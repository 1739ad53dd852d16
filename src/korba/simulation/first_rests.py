"""What rests against a stop where runs begin: it stands there, does not move, and is pressed.

All stops at which a start stands still rest for a trial; the one that would have to pull most is
let go, and the others are tried again, so that a run begins with the accelerations of its motion.
Otherwise the stop would be met in the first step, at a place that rounding decides. A ratchet
begins at the last tooth that it has passed.
"""

from __future__ import annotations

import numpy as np

from ..codegen import Program
from ..codegen.program import symbols
from ..expr import evaluate
from ..expr.differentiate import directional
from ..expr.node import as_expr
from ..kinematics.couplings import all_coordinates
from ..kinematics.rates import coordinate_rates
from ..spatial.rotation import Array
from ..system.store import compiled
from . import right_hand_side
from .arguments import Starts
from .contact import distance_at
from .event_programs import held_at
from .holds import AT_REST, Stop
from .right_hand_side import Plant

NEAR = 1e-9
"""Distance, in typical lengths or radians, at which a start stands at a stop."""


def first_rests(
    plant: Plant,
    formulation: str | None,
    starts: Starts,
    modes: Array,
    now: tuple[tuple[float, ...], float],
) -> None:
    """The switches of stops in `modes`, a row for each start, are set; `now` are currents and t."""
    stops = [hold for hold in plant.holds if isinstance(hold, Stop)]
    if not stops or plant.sizes:
        return
    places = [plant.switches.index(stop.modes[0]) for stop in stops]
    tried = np.zeros((len(modes), len(stops)), dtype=bool)
    for k, (place, stop) in enumerate(zip(places, stops, strict=True)):
        gap, rate = _gap_and_rate(plant, stop, starts)
        if stop.pitch:
            tooth = plant.switches.index(stop.modes[1])
            modes[:, tooth] = stop.pitch * np.floor(gap / stop.pitch + NEAR)
            gap = gap - modes[:, tooth]
        stands = np.abs(rate) <= AT_REST * stop.unit
        if stop.pitch != 0:
            stands &= np.abs(gap) <= NEAR * stop.unit
        tried[:, k] = stands & (modes[:, place] == 0)
    if not tried.any():
        return
    key = plant.key("first rests", formulation)
    program = compiled(plant.m, key, lambda: _program(plant, formulation), plant.sizes)
    works = np.zeros((len(modes), int(right_hand_side.shape(plant).works)))
    y = np.hstack([starts.q, starts.v, np.tile(now[0], (len(modes), 1)), works])
    at = np.full((len(y), 1), now[1])
    for _ in stops:
        modes[:, places] = np.where(tried, 1.0, modes[:, places])
        constants = np.hstack([starts.tau, starts.p, modes])
        forces = program(y, at, constants, np.zeros(0), check_finite=False)
        pulls = np.where(tried & ~(forces >= 0), np.nan_to_num(-forces, nan=np.inf), 0.0)
        rows = np.flatnonzero(pulls.max(axis=1) > 0)
        if not len(rows):
            return
        worst = pulls[rows].argmax(axis=1)
        tried[rows, worst] = False
        for row, k in zip(rows, worst, strict=True):
            modes[row, places[k]] = 0.0


def _gap_and_rate(plant: Plant, stop: Stop, starts: Starts) -> tuple[Array, Array]:
    """The distance of a stop, and the rate of it, in every start."""
    tree = plant.tree
    q, v = symbols("_q", tree.nq), symbols("_v", tree.nv)
    gap = as_expr(distance_at(tree, stop.distance, all_coordinates(tree, q)))
    rates = {f"_q[{i}]": as_expr(x) for i, x in enumerate(coordinate_rates(tree, q, v))}
    values = {f"_q[{i}]": starts.q[:, i] for i in range(tree.nq)}
    values |= {f"_v[{i}]": starts.v[:, i] for i in range(tree.nv)}
    found = evaluate([gap, *directional([gap], rates)], values)
    return found[..., 0], found[..., 1]


def _program(plant: Plant, formulation: str | None) -> Program:
    """(y, t, tau, base) -> the forces of all stops."""
    shape = right_hand_side.shape(plant)
    formula = right_hand_side.acceleration_formula(plant, formulation)

    def written(y: Array, t: Array, tau: Array, base: Array) -> Array:
        del base
        at = held_at(plant, formula, shape.parts(y), t[0], tau)
        return np.array([as_expr(force) for force in at.forces], dtype=object)

    return right_hand_side.traced(plant, written, right_hand_side.inputs(plant, shape.size))
