"""Steps towards targets: damped near singular positions, least in size where there is a choice.

With the singular values s of J = U s V' (Nakamura & Hanafusa 1986; Wampler 1986),

    x = V s / (s^2 + mu) U' e                                                             (1)

mu grows where a step does not help and vanishes with success, so the end is Newton's method with
steps of least size. A coordinate at its limit that would go beyond keeps still. Where freedoms
are left over, N = 1 - V V' projects a pull towards a preferred position,

    x = V / s U' e + alpha N (q_0 - q)                                                    (2)

and ends at the solution nearest to it (Liegeois 1977). Many positions go at a time.
"""

from __future__ import annotations

import numpy as np

from ..spatial.rotation import Array
from .reach_task import ReachTask, Target

REACHED = 1e-10
"""Rest of e, in typical lengths and radians, that counts as reached."""
MOST_STEPS = 200
LONGEST = 0.7
"""Largest step of a coordinate, in radians and typical lengths."""
RANK = 1e-9
"""Part of the largest singular value below which a direction counts as lost."""


def solved(task: ReachTask, target: Target, q: Array) -> tuple[Array, Array]:
    """Positions nearest to their targets, and the size of e there, by (1)."""
    q = np.clip(q, *task.bounds)
    mu = np.full(len(q), 1e-2)
    e, J = task.errors(q, target)
    size = np.sum(e * e, axis=1)
    busy = np.flatnonzero(size > 0)
    for _ in range(MOST_STEPS):
        if not len(busy):
            break
        x = _limited(task, q[busy], e[busy], J[busy], mu[busy])
        new = task.after(q[busy], _shortened(x))
        new_e, new_J = task.errors(new, _part(target, busy))
        new_size = np.sum(new_e * new_e, axis=1)
        better = new_size < size[busy]
        took = busy[better]
        gain = 1 - new_size[better] / size[took]
        q[took], e[took], J[took], size[took] = (
            each[better] for each in (new, new_e, new_J, new_size)
        )
        mu[busy] = np.where(better, np.maximum(mu[busy] * 0.1, 1e-18), mu[busy] * 8)
        done = (mu > 1e8) | (np.sqrt(size) < 1e-15)
        done[busy] |= ~better & (np.sqrt(size[busy]) < REACHED)
        done[took] |= (gain < 1e-9) & (np.sqrt(size[took]) > REACHED)
        busy = busy[~done[busy]]
    return q, np.max(np.abs(e), axis=1, initial=0.0)


def nearest(task: ReachTask, target: Target, q: Array, preferred: Array) -> Array:
    """Solutions nearest to preferred positions, from solutions, by (2)."""
    own = task.system.own
    place = np.flatnonzero(own >= 0)
    alpha, last = np.ones(len(q)), np.full(len(q), np.inf)
    found, busy = q.copy(), np.arange(len(q))
    for _ in range(MOST_STEPS):
        e, J = task.errors(found[busy], _part(target, busy))
        pull = np.zeros((len(busy), task.system.tree.nv))
        pull[:, own[place]] = (preferred[busy] - found[busy])[:, place]
        pull = pull / task.system.units * task.free
        x, g = _pulled(task, found[busy], (e, J), pull, alpha[busy])
        found[busy] = task.after(found[busy], _shortened(x))
        alpha[busy] = np.where(g > last[busy], 0.5 * alpha[busy], alpha[busy])
        last[busy] = g
        busy = busy[(g > 1e-11) & (alpha[busy] > 1e-3)]
        if not len(busy):
            break
    found, rest = solved(task, target, found)
    return np.where((rest < REACHED)[:, None], found, q)


def _part(target: Target, rows: Array) -> Target:
    return target[0][rows], target[1][rows]


def _shortened(x: Array) -> Array:
    """Steps in which no coordinate goes too far at once."""
    longest = np.max(np.abs(x), axis=1, initial=0.0)
    return np.asarray(x * np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))[:, None])


def _limited(task: ReachTask, q: Array, e: Array, J: Array, mu: Array) -> Array:
    """(1), coordinates that would leave their limits kept still."""
    x = _damped(J, e, mu)
    kept = np.zeros(x.shape, dtype=bool)
    for _ in range(3):
        more = _leaving(task, q, x) & ~kept
        if not more.any():
            break
        kept |= more
        rows = more.any(axis=1)
        x[rows] = _damped(J[rows] * ~kept[rows, None], e[rows], mu[rows])
    return x


def _damped(J: Array, e: Array, mu: Array) -> Array:
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    small = s <= RANK * s[:, :1]
    weight = np.where(small, 0.0, s / np.where(small, 1.0, s * s + mu[:, None]))
    return _combined(Vt, weight, U, e)


def _combined(Vt: Array, weight: Array, U: Array, e: Array) -> Array:
    """V diag(weight) U' e."""
    along = (np.swapaxes(U, 1, 2) @ e[:, :, None])[:, :, 0] * weight
    return np.asarray((along[:, None] @ Vt)[:, 0])


def _leaving(task: ReachTask, q: Array, x: Array) -> Array:
    """Whether a velocity would take a coordinate beyond the limit it stands at."""
    low, high = task.bounds
    place = np.flatnonzero(task.system.own >= 0)
    v = task.system.own[place]
    found = np.zeros(x.shape, dtype=bool)
    found[:, v] = ((q[:, place] <= low[place] + 1e-12) & (x[:, v] < 0)) | (
        (q[:, place] >= high[place] - 1e-12) & (x[:, v] > 0)
    )
    return found


def _pulled(
    task: ReachTask, q: Array, equations: tuple[Array, Array], pull: Array, alpha: Array
) -> tuple[Array, Array]:
    """(2), and the size of the pull that is left."""
    e, J = equations
    kept = np.zeros(pull.shape, dtype=bool)
    x = g = pull
    for _ in range(3):
        masked = J * ~kept[:, None]
        U, s, Vt = np.linalg.svd(masked, full_matrices=False)
        good = s > RANK * s[:, :1]
        weight = np.where(good, 1 / np.where(good, s, 1.0), 0.0)
        V = Vt * good[:, :, None]
        free = pull * ~kept
        g = free - (np.swapaxes(V @ free[:, :, None], 1, 2) @ V)[:, 0]
        x = _combined(Vt, weight, U, e) + alpha[:, None] * g
        more = _leaving(task, q, x) & ~kept
        if not more.any():
            break
        kept |= more
    return x, np.max(np.abs(g), axis=1, initial=0.0)
