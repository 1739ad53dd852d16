"""Where the rows of loops and drives lose rank during a run: found between its rows, and told.

The least pivot of the rows beside its usual value falls like (t - t*)^2 towards a singular position
that is passed. Every dip is looked into, the motion between two rows by Hermite's cubic and brought
back to closed loops, and the least value is found by golden section. A step may be long where the
motion is simple, so it is first cut into parts in which no joint moves far.

Rank is a matter of directions: the pivots are those of rows in typical lengths and radians, not
those in the metric of the masses that accelerations divide by, which dip wherever a light body
takes most of a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ..codegen import Program
from ..dynamics.multipliers import Constraints, shortest_metric
from ..kinematics.rates import coordinate_rates
from ..positions.loops import loops_of
from ..spatial.rotation import Array
from ..system.store import compiled, kept
from ..system.system import any_system
from .projection import settled, usual_pivots
from .right_hand_side import Plant, inputs, shape, traced

LOST = 1e-8
"""Part of its usual value, a square, below which a pivot counts as none."""
DIPS = 0.3
"""The same at a row, below which its neighbourhood is looked at."""
FINE, PARTS = 0.2, 64
"""Motion between rows that are looked at, in typical lengths and radians, and parts of a step."""
FAR, STEPS, MOST = 0.1, 60, 4
"""Way from Hermite's cubic to closed loops of rows that are too far apart, in typical lengths and
radians; golden sections; passages that are told."""


class Passage(NamedTuple):
    """A singular position that was passed: by which run, when, and the coordinates there."""

    run: int
    t: float
    q: Array


def row_pivots(plant: Plant) -> Program:
    """(y, t, tau, base) -> rates of q, and pivots of the rows, whatever the masses."""
    made = shape(plant)

    def written(y: Array, t: Array, *_: Array) -> tuple[Array, Array]:
        q, v = made.parts(y)[:2]
        s = replace(plant.system, t=t[0])
        rows, none = Constraints(s, q), np.zeros(made.nv)
        found = rows.nearest(shortest_metric(s), [0.0] * len(rows.lines), none)[1]
        return coordinate_rates(plant.tree, q, v), np.array(found, dtype=object)

    return traced(plant, written, inputs(plant, made.size))


def _looked_at(plant: Plant, y: Array, t: Array, tau: Array) -> tuple[Array, Array]:
    """Rates of q and pivots of states in rows."""
    key = plant.key("row pivots", None)
    program = compiled(plant.m, key, partial(row_pivots, plant), plant.sizes)
    rates, pivots = program(y, t[:, None], tau, np.zeros(0), check_finite=False)
    return np.asarray(rates), np.asarray(pivots)


def least_pivots(plant: Plant, y: Array, t: Array, tau: Array) -> Array:
    """The least pivot of states in rows, beside its usual value."""
    own = (*plant.key("row pivots", None), "usual", plant.sizes)
    usual = kept(plant.m, own, lambda: usual_pivots(plant, row_pivots(plant)))
    return np.min(_looked_at(plant, y, t, tau)[1] / usual, axis=-1, initial=1.0)


class Dips(NamedTuple):
    """Where the least pivot dips, each by three rows: t (dips, 3), y (dips, 3, n); tau of each."""

    run: Array
    t: Array
    y: Array
    tau: Array


def passages(plant: Plant, runs: Mapping[int, tuple[Array, Array, Array]]) -> list[Passage]:
    """The singular positions that runs pass, from their rows t, y and their constants."""
    if not (plant.constrained and plant.drift.projects):
        return []
    parts = [_dips(plant, k, *rows) for k, rows in runs.items() if len(rows[0]) > 2]
    if not sum(len(part.run) for part in parts):
        return []
    dips = Dips(*map(np.concatenate, zip(*parts, strict=True)))
    moment, pivot = _lowest(plant, dips)
    q = _between(plant, dips, moment)[:, : plant.tree.nq]
    return [Passage(int(dips.run[k]), float(moment[k]), q[k]) for k in np.flatnonzero(pivot < LOST)]


def _dips(plant: Plant, run: int, t: Array, y: Array, constants: Array) -> Dips:
    """Rows around which the least pivot of a run is smaller than beside them."""
    t, y = _finer(plant, t, y, constants)
    tau = np.broadcast_to(constants, (len(t), len(constants)))
    least = least_pivots(plant, y, t, tau)
    dips = 1 + np.flatnonzero((least[1:-1] <= least[:-2]) & (least[1:-1] <= least[2:]))
    dips = dips[least[dips] < DIPS]
    around = dips[:, None] + [-1, 0, 1]
    return Dips(np.full(len(dips), run), t[around], y[around], tau[dips])


def _finer(plant: Plant, t: Array, y: Array, constants: Array) -> tuple[Array, Array]:
    """The rows of a run with others between those that are far apart."""
    nq = plant.tree.nq
    far = np.abs(np.diff(y[:, :nq], axis=0) / _units(plant)).max(axis=1, initial=0.0)
    parts = np.clip(np.ceil(far / FINE), 1, PARTS).astype(int)
    own = np.repeat(np.arange(len(parts)), parts - 1)
    if not len(own):
        return t, y
    share = np.concatenate([np.arange(1, n) / n for n in parts])
    moment = t[own] + share * (t[own + 1] - t[own])
    tau = np.broadcast_to(constants, (len(own), len(constants)))
    more = _along(plant, (t[own], t[own + 1]), (y[own], y[own + 1]), moment, tau)
    order = np.argsort(np.concatenate([t, moment]), kind="stable")
    return np.concatenate([t, moment])[order], np.concatenate([y, more])[order]


def _units(plant: Plant) -> Array:
    """Of the coordinates: a typical length, or 1."""
    return loops_of(any_system(plant.m)).q_units


def _lowest(plant: Plant, dips: Dips) -> tuple[Array, Array]:
    """When the pivots are least between three rows, and how large they are."""

    def pivot(moment: Array) -> Array:
        return least_pivots(plant, _between(plant, dips, moment), moment, dips.tau)

    low, high = dips.t[:, 0], dips.t[:, 2]
    ratio = (np.sqrt(5) - 1) / 2
    inner = np.array([high - ratio * (high - low), low + ratio * (high - low)])
    values = np.array([pivot(x) for x in inner])
    for _ in range(STEPS):
        left = ~(values[0] > values[1])
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
        fresh = np.where(left, high - ratio * (high - low), low + ratio * (high - low))
        value = pivot(fresh)
        inner = np.where(left, [fresh, inner[0]], [inner[1], fresh])
        values = np.where(left, [value, values[0]], [values[1], value])
    best = np.argmin(values, axis=0)[None]
    return np.take_along_axis(inner, best, 0)[0], np.take_along_axis(values, best, 0)[0]


def _between(plant: Plant, dips: Dips, moment: Array) -> Array:
    """The states at times between the rows of dips."""
    each, k = np.arange(len(moment)), (moment > dips.t[:, 1]).astype(int)
    times = dips.t[each, k], dips.t[each, k + 1]
    return _along(plant, times, (dips.y[each, k], dips.y[each, k + 1]), moment, dips.tau)


def _along(
    plant: Plant,
    times: tuple[Array, Array],
    states: tuple[Array, Array],
    moment: Array,
    tau: Array,
) -> Array:
    """The states at times between two rows each: Hermite's cubic in q, loops closed.

    They are nan where that moves them far: the rows are too far apart.
    """
    nq, h = plant.tree.nq, (times[1] - times[0])[:, None]
    x = (moment - times[0])[:, None] / h
    near = states[0] + x * (states[1] - states[0])
    ends = zip(states, times, strict=True)
    u, w = (h * _looked_at(plant, np.ascontiguousarray(y), t, tau)[0] for y, t in ends)
    step = states[1][:, :nq] - states[0][:, :nq]
    near[:, :nq] = states[0][:, :nq] + x * u + x**2 * (3 * step - 2 * u - w)
    near[:, :nq] += x**3 * (u + w - 2 * step)
    closed = settled(plant, near, moment, tau)
    moved = np.abs((closed - near)[:, :nq] / _units(plant)).max(axis=1)
    return np.where((moved < FAR)[:, None], closed, np.nan)


def told(of: Callable[[], list[Passage]], names: tuple[str, ...], *, many: bool) -> tuple[str, ...]:
    """Sentences on the singular positions of runs; of many the first ones, by their number."""
    by_run: dict[int, list[Passage]] = {}
    for each in of():
        by_run.setdefault(each.run, []).append(each)
    notes = [(f"run {k}: " if many else "") + _told(by_run[k], names) for k in [*by_run][:MOST]]
    rest = len(by_run) - MOST
    more = [f"loops lose rank in {rest} run{'s' * (rest > 1)} more"] if rest > 0 else []
    return (*notes, *more)


def _told(found: list[Passage], names: tuple[str, ...]) -> str:
    where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, found[0].q, strict=True))
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    times = ", ".join(f"{each.t:.9g} s" for each in found[:MOST])
    return (
        f"loops lose rank at t = {times}{more} ({where}): the motion "
        "goes on on its branch, but another begins there too, and forces are not determined"
    )
