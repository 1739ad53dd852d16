"""Where the rows of loops and drives lose rank during a run: found between its rows, and told.

The least pivot of the rows beside its usual value falls like (t - t*)^2 towards a singular position
that is passed. Every dip is looked into, the motion between two rows by Hermite's cubic and brought
back to closed loops, and the least value is found by golden section.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..spatial.rotation import Array
from ..verbs.store import compiled, kept
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
    """A singular position that was passed: when, and the coordinates there."""

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


def passages(plant: Plant, t: Array, y: Array, tau: Array) -> list[Passage]:
    """The singular positions that a run passes, from its rows."""
    if len(t) < 3 or not (plant.constrained and plant.drift.projects):
        return []
    least = least_pivots(plant, y, t, tau)
    dips = 1 + np.flatnonzero((least[1:-1] <= least[:-2]) & (least[1:-1] <= least[2:]))
    dips = dips[least[dips] < DIPS]
    found = []
    for k in dips:
        moment, pivot = _lowest(plant, t[k - 1 : k + 2], y[k - 1 : k + 2], tau[0])
        if pivot < LOST:
            state = _between(plant, t[k - 1 : k + 2], y[k - 1 : k + 2], tau[0], moment)
            found.append(Passage(moment, state[: plant.tree.nq]))
    return found


def _lowest(plant: Plant, t: Array, y: Array, tau: Array) -> tuple[float, float]:
    """When the pivot is least between three rows, and how large it is."""

    def pivot(moment: float) -> float:
        state = _between(plant, t, y, tau, moment)
        return float(least_pivots(plant, state[None], np.array([moment]), tau[None])[0])

    low, high = float(t[0]), float(t[2])
    ratio = (np.sqrt(5) - 1) / 2
    inner = [high - ratio * (high - low), low + ratio * (high - low)]
    values = [pivot(x) for x in inner]
    for _ in range(STEPS):
        if not values[0] > values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - ratio * (high - low)
            values[0] = pivot(inner[0])
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + ratio * (high - low)
            values[1] = pivot(inner[1])
    best = int(np.argmin(values))
    return inner[best], values[best]


def _between(plant: Plant, t: Array, y: Array, tau: Array, moment: float) -> Array:
    """The state at a time between rows: Hermite's cubic in q, loops closed."""
    k = int(moment > t[1])
    h, x = t[k + 1] - t[k], (moment - t[k]) / (t[k + 1] - t[k])
    tree = plant.tree
    if tree.nq != tree.nv:
        return y[k] + x * (y[k + 1] - y[k])
    q = [row[: tree.nq] for row in y[k : k + 2]]
    v = [row[tree.nq : tree.nq + tree.nv] * h for row in y[k : k + 2]]
    near = y[k] + x * (y[k + 1] - y[k])
    near[: tree.nq] = (
        q[0]
        + x * v[0]
        + x**2 * (3 * (q[1] - q[0]) - 2 * v[0] - v[1])
        + x**3 * (2 * (q[0] - q[1]) + v[0] + v[1])
    )
    closed = settled(plant, near[None], np.array([moment]), tau[None])[0]
    moved = np.abs(closed - near)[: tree.nq].max()
    return closed if np.isfinite(moved) and moved < FAR else np.full(len(near), np.nan)


def told(of: Callable[[], list[Passage]], names: tuple[str, ...]) -> tuple[str, ...]:
    """A sentence on the singular positions of a run."""
    found = of()
    if not found:
        return ()
    first = found[0]
    where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, first.q, strict=True))
    more = f" and {len(found) - MOST} times more" if len(found) > MOST else ""
    times = ", ".join(f"{each.t:.9g} s" for each in found[:MOST])
    return (
        f"loops lose rank at t = {times}{more} ({where}): the motion "
        "goes on on its branch, but another begins there too, and forces are not determined",
    )
