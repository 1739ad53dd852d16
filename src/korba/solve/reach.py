"""What inverse kinematics has to reach, and steps towards it, for many positions at a time.

    e = (p_target - p(q),  log(R_target R(q)'),  -Phi(q))        J x = e                   (1)

p is a point of a body, R the body's rotation, log the rotation vector in the world, Phi the loops
of a closed mechanism. Rows that are not asked for are left out; lengths, also those of x, count in
typical lengths. With the singular values s of J = U s V' (Nakamura & Hanafusa 1986; Wampler 1986),

    x = V s / (s^2 + mu) U' e                                                             (2)

mu grows where a step does not help and vanishes with success, so the end is Newton's method with
steps of least size. A coordinate at its limit that would go beyond keeps still. Where freedoms
are left over, N = 1 - V V' projects a pull towards a preferred position,

    x = V / s U' e + alpha N (q_0 - q)                                                    (3)

and ends at the solution nearest to it (Liegeois 1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled
from ..kinematics.rates import moved
from ..kinematics.velocity import body_pose, jacobian
from ..positions.loop_system import LoopSystem
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.options import ORIGIN
from ..verbs.verb import verb

REACHED = 1e-10
"""Rest of e, in typical lengths and radians, that counts as reached."""
MOST_STEPS = 200
LONGEST = 0.7
"""Largest step of a coordinate, in radians and typical lengths."""
RANK = 1e-9
"""Part of the largest singular value below which a direction counts as lost."""


@verb(closed=True)
def placed(system: System, q: Any, body: str, point: Any = ORIGIN) -> tuple[Array, Array, Array]:
    """A point of a body in the world, the body's rotation, and the Jacobian, angular first."""
    X = body_pose(system.tree, q, body)
    return X.point(np.array(point)), X.R, jacobian(system.tree, q, body, point)


@verb(closed=True)
def after(system: System, q: Any, v: Any) -> Array:
    """Coordinates after a small motion v, shape (..., nq); quaternions stay unit."""
    return moved(system.tree, q, v)


@dataclass(frozen=True, eq=False)
class ReachTask:
    """A body's point and rotation as functions of the coordinates.

    Targets have shape (N, 4, 3): a place, nan where it is free, and the rows of a rotation.
    """

    system: LoopSystem
    body: str
    point: tuple[float, float, float]
    axes: tuple[int, ...]
    """Components of the place that are asked for."""
    turns: tuple[int, ...]
    """Components of the rotation vector that are asked for."""
    free: Array
    """Whether a velocity may move."""

    @cached_property
    def placed(self) -> Compiled:
        """q -> the point's place, the body's rotation, and the Jacobian, angular first."""
        return placed.compiled(self.system.m, body=self.body, point=self.point)

    @cached_property
    def _after(self) -> Compiled:
        """(q, v) -> coordinates after a small motion."""
        return after.compiled(self.system.m)

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Least and greatest value of every independent coordinate."""
        limits = np.concatenate([np.zeros((2, 0)), *(j.limits for j in self.system.m.joints)], 1)
        low, high = limits[:, list(self.system.tree.free_q)]
        return low, high

    def after(self, q: Array, x: Array) -> Array:
        """Positions after small motions, within the limits of the joints."""
        q = self._after(q, x * self.system.units, check_finite=False)
        return np.clip(q, *self.bounds)

    def errors(self, q: Array, target: Array) -> tuple[Array, Array]:
        """e and J of (1) without units, shapes (N, rows) and (N, rows, nv)."""
        p, R, J = self.placed(q, check_finite=False)
        rows = [*self.turns, *(3 + axis for axis in self.axes)]
        e = [_turn(target[:, 1:] @ np.swapaxes(R, 1, 2))[:, list(self.turns)]] if self.turns else []
        e.append((target[:, 0] - p)[:, list(self.axes)] / self.system.scale)
        J = J[:, rows] * self.system.units
        J[:, len(self.turns) :] /= self.system.scale
        if self.system.tree.closing:
            phi, J_loops = self.system.unitless(q, np.zeros(0), np.zeros(2), check_finite=False)
            e.append(-phi)
            J = np.concatenate([J, J_loops], axis=1)
        return np.concatenate(e, axis=1), J * self.free

    def missing(self, q: Array, target: Array) -> tuple[float, float]:
        """Distance and angle between one position and the target."""
        e = self.errors(q[None], target[None])[0][0]
        turned, count = len(self.turns), len(self.turns) + len(self.axes)
        distance = float(np.linalg.norm(e[turned:count])) * self.system.scale
        return distance, float(np.linalg.norm(e[:turned]))


def _turn(R: Array) -> Array:
    """Rotation vectors of rotations, shape (N, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def solved(task: ReachTask, target: Array, q: Array) -> tuple[Array, Array]:
    """Positions nearest to their targets, and the size of e there, by (2)."""
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
        new_e, new_J = task.errors(new, target[busy])
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


def nearest(task: ReachTask, target: Array, q: Array, preferred: Array) -> Array:
    """Solutions nearest to preferred positions, from solutions, by (3)."""
    own = task.system.own
    place = np.flatnonzero(own >= 0)
    alpha, last = np.ones(len(q)), np.full(len(q), np.inf)
    found, busy = q.copy(), np.arange(len(q))
    for _ in range(MOST_STEPS):
        e, J = task.errors(found[busy], target[busy])
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


def _shortened(x: Array) -> Array:
    """Steps in which no coordinate goes too far at once."""
    longest = np.max(np.abs(x), axis=1, initial=0.0)
    return np.asarray(x * np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))[:, None])


def _limited(task: ReachTask, q: Array, e: Array, J: Array, mu: Array) -> Array:
    """(2), coordinates that would leave their limits kept still."""
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
    """(3), and the size of the pull that is left."""
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
