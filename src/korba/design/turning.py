"""How long a coordinate goes one way and how long the other, and how that changes with sizes.

A coordinate turns back where its velocity is zero. Between two samples, h apart, that is the root
of the cubic through velocities and accelerations at both,

    v(u) = h00 v_0 + h h10 a_0 + h01 v_1 + h h11 a_1,    0 <= u <= 1                          (1)

(Hermite's polynomials). The time of a turn changes with a size as the implicit function says,

    dt/dp = - (dv/dp) / a                                                                     (2)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from .slopes import Slopes

STEPS = 60
"""Halvings of a step in which a coordinate turns back."""


class Turns(NamedTuple):
    """Where designs turn back: which of them, after which sample, at which part of the step."""

    design: Array
    k: Array
    u: Array
    way: Array
    """1 where the coordinate begins to rise, -1 where it begins to fall."""


def ratio_of_times(name: str, moved: Trajectory) -> Array:
    """Time in which a coordinate goes the slow way over that of the quick one."""
    there, back = _times(name, moved, _turns(name, moved))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.maximum(there, back) / np.minimum(there, back))


def ratio_slopes(name: str, moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    """By the sizes: r = slow/quick, d slow = -d quick, so dr = d slow (1 + r) / quick."""
    turns = _turns(name, moved)
    there, back = _times(name, moved, turns)
    slow = np.zeros_like(p)
    shift = -turns.way[:, None] * _shifts(name, moved, turns, slopes, p)
    np.add.at(slow, turns.design, shift)
    slow *= np.where(there >= back, 1.0, -1.0)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        quick = np.minimum(there, back)
        return np.asarray(slow * ((1 + np.maximum(there, back) / quick) / quick)[:, None])


def _shifts(name: str, moved: Trajectory, turns: Turns, slopes: Slopes, p: Array) -> Array:
    """(2): how far each turn moves in time with each size, shape (turns, names)."""
    column, own = moved.velocities.index(name), p[turns.design]
    h, changes = np.diff(moved.t)[turns.k], []
    for k in (turns.k, turns.k + 1):
        state = [x[turns.design, k] for x in (moved.q, moved.v, moved.a)]
        rates = slopes.of_rates((state[0], state[1], state[2]), moved.t[k], own)
        changes += [rates[1][:, column], h[:, None] * rates[2][:, column]]
    u = turns.u
    dv = _cubic(u[:, None], *changes)
    return -dv * (h / _cubic_rate(u, *_ends(name, moved, turns.design, turns.k)))[:, None]


def _turns(name: str, moved: Trajectory) -> Turns:
    """All turns of all designs, by halving (1)."""
    v = moved[f"v_{name}"]
    design, k = np.nonzero((v[:, :-1] < 0) != (v[:, 1:] < 0))
    ends = _ends(name, moved, design, k)
    low, high = np.zeros(len(k)), np.ones(len(k))
    falls = ends[0] >= 0
    for _ in range(STEPS):
        u = (low + high) / 2
        before = (_cubic(u, *ends) >= 0) == falls
        low, high = np.where(before, u, low), np.where(before, high, u)
    return Turns(design, k, (low + high) / 2, np.where(falls, -1.0, 1.0))


def _times(name: str, moved: Trajectory, turns: Turns) -> tuple[Array, Array]:
    """How long each design rises and falls."""
    v, h = moved[f"v_{name}"], np.diff(moved.t)
    rises = v[:, :-1] >= 0
    there = np.sum(np.where(rises, h, 0.0), axis=1)
    part = turns.way * (1 - turns.u) * h[turns.k]
    np.add.at(there, turns.design, part)
    return there, np.sum(h) - there


def _ends(name: str, moved: Trajectory, design: Array, k: Array) -> tuple[Array, ...]:
    """v_0, h a_0, v_1 and h a_1 of (1)."""
    v, a, h = moved[f"v_{name}"], moved[f"a_{name}"], np.diff(moved.t)[k]
    return v[design, k], h * a[design, k], v[design, k + 1], h * a[design, k + 1]


def _cubic(u: Array, x_0: Array, d_0: Array, x_1: Array, d_1: Array) -> Array:
    """(1)."""
    w = 1 - u
    return np.asarray(w * w * ((1 + 2 * u) * x_0 + u * d_0) + u * u * ((3 - 2 * u) * x_1 - w * d_1))


def _cubic_rate(u: Array, x_0: Array, d_0: Array, x_1: Array, d_1: Array) -> Array:
    """d/du of (1)."""
    w = 1 - u
    return np.asarray(6 * u * w * (x_1 - x_0) + w * (1 - 3 * u) * d_0 + u * (3 * u - 2) * d_1)
