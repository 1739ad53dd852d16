"""Where the rows of loops and drives lose rank during a run: found between its rows, and told.

The least pivot of the rows beside its usual value falls like (t - t*)^2 towards a singular position
that is passed. Every dip is looked into, the motion between two rows by Hermite's cubic and brought
back to closed loops, and the least value is found by golden section.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from ..spatial.rotation import Array
from ..system.store import compiled, kept
from .projection import settled, usual_pivots
from .right_hand_side import Plant, measured_slope

LOST = 1e-8
"""Part of its usual value, a square, below which a pivot counts as none."""
DIPS = 0.3
"""The same at a row, below which its neighbourhood is looked at."""
FAR, STEPS, MOST = 0.1, 60, 4
"""Gap of the motion between rows that are too far apart; golden sections; passages that are told.
"""


class Passage(NamedTuple):
    """A singular position that was passed: by which run, when, and the coordinates there."""

    run: int
    t: float
    q: Array


def least_pivots(plant: Plant, y: Array, t: Array, tau: Array) -> Array:
    """The least pivot of states in rows, beside its usual value."""
    key = plant.key("pivots", None)
    program = compiled(plant.m, key, partial(measured_slope, plant), plant.sizes)
    own = (*key, "usual", plant.sizes)
    usual = kept(plant.m, own, lambda: usual_pivots(plant, measured_slope(plant)))
    pivots = np.asarray(program(y, t[:, None], tau, np.zeros(0), check_finite=False)[1])
    return np.min(pivots / usual, axis=-1, initial=1.0)


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
    tau = np.broadcast_to(constants, (len(t), len(constants)))
    least = least_pivots(plant, y, t, tau)
    dips = 1 + np.flatnonzero((least[1:-1] <= least[:-2]) & (least[1:-1] <= least[2:]))
    dips = dips[least[dips] < DIPS]
    around = dips[:, None] + [-1, 0, 1]
    return Dips(np.full(len(dips), run), t[around], y[around], tau[dips])


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
    """The states at times between rows: Hermite's cubic in q, loops closed; nan if rows are far."""
    each, k = np.arange(len(moment)), (moment > dips.t[:, 1]).astype(int)
    before, after = dips.y[each, k], dips.y[each, k + 1]
    h = (dips.t[each, k + 1] - dips.t[each, k])[:, None]
    x = (moment - dips.t[each, k])[:, None] / h
    nq, nv = plant.tree.nq, plant.tree.nv
    near = before + x * (after - before)
    if nq != nv:
        return near
    q, v = ([y[:, i : i + nv] for y in (before, after)] for i in (0, nq))
    near[:, :nq] = (
        q[0]
        + x * h * v[0]
        + x**2 * (3 * (q[1] - q[0]) - h * (2 * v[0] + v[1]))
        + x**3 * (2 * (q[0] - q[1]) + h * (v[0] + v[1]))
    )
    closed = settled(plant, near, moment, dips.tau)
    moved = np.abs(closed - near)[:, :nq].max(axis=1)
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
