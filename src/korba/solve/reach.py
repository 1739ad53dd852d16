"""What inverse kinematics has to reach, and steps towards it, for many positions at a time.

    e = (p_target - p(q),  log(R_target R(q)'),  -Phi(q))        J x = e                   (1)

p is a point of a body, R the body's rotation, log the rotation vector in the world, Phi the loops
of a closed mechanism. Rows that are not asked for are left out; lengths, also those of x, count in
typical lengths. Steps are those of positions/least_steps.py (Nakamura & Hanafusa 1986; Wampler
1986),

    x = argmin |J x - e|^2 + mu |x|^2 = J^(mu) e                                          (2)

A coordinate at its limit that would go beyond keeps still. Where freedoms are left over,
N = 1 - J^(mu) J with the least mu projects a pull towards a preferred position,

    x = J^(mu) e + alpha N (q_0 - q)                                                      (3)

and ends at the solution nearest to it (Liegeois 1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled
from ..kinematics.velocity import body_pose, jacobian
from ..libraries import undisturbed
from ..positions.least_steps import (
    MOST_STEPS,
    NEARBY,
    UNDAMPED,
    least_step,
    least_steps_of_lanes,
)
from ..positions.loop_system import LoopSystem
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.options import ORIGIN
from ..verbs.verb import verb

REACHED = 1e-10
"""Rest of e, in typical lengths and radians, that counts as reached."""
PACE = NEARBY._replace(longest=0.7)
"""Of the steps. An arm is rarely near its target: of 2,700 targets of arms with six and seven
joints, steps of up to 0.7 reached 2,265 at the first start, and those of up to 0.5, which close
loops, 2,218 with 21 % more steps; the solutions are 1 % nearer then.
"""


@verb(closed=True)
def placed(system: System, q: Any, body: str, point: Any = ORIGIN) -> tuple[Array, Array, Array]:
    """A point of a body in the world, the body's rotation, and the Jacobian, angular first."""
    X = body_pose(system.tree, q, body)
    return X.point(np.array(point)), X.R, jacobian(system.tree, q, body, point)


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
    def bounds(self) -> tuple[Array, Array]:
        """Least and greatest value of every independent coordinate."""
        limits = np.concatenate([np.zeros((2, 0)), *(j.limits for j in self.system.m.joints)], 1)
        low, high = limits[:, list(self.system.tree.free_q)]
        return low, high

    def after(self, q: Array, x: Array) -> Array:
        """Positions after small motions, within the limits of the joints."""
        return np.clip(self.system.moved(q, x * self.system.units), *self.bounds)

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
    with undisturbed():
        from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def solved(task: ReachTask, target: Array, q: Array) -> tuple[Array, Array]:
    """Positions nearest to their targets, and the size of e there, by (2)."""

    def rows(q: Array, lanes: Array) -> tuple[Array, Array]:
        e, J = task.errors(q, target[lanes])
        return -e, J

    def leaving(q: Array, x: Array) -> Array:
        return _leaving(task, q, x)

    q = np.clip(q, *task.bounds)
    bounds: Any = {"pace": PACE, "enough": REACHED, "leaving": leaving}
    return least_steps_of_lanes(rows, lambda q, x, _: task.after(q, x), q, 1e-15, 1e-9, **bounds)


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
    return np.asarray(x * np.minimum(1.0, PACE.longest / np.maximum(longest, 1e-300))[:, None])


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
    mu = np.full(len(J), UNDAMPED)
    kept = np.zeros(pull.shape, dtype=bool)
    x = g = pull
    for _ in range(3):
        masked, free = J * ~kept[:, None], pull * ~kept
        gaps = np.stack([-e, (masked @ free[:, :, None])[:, :, 0]], axis=2)
        steps = least_step(masked, gaps, mu)
        g = free + steps[:, :, 1]
        x = steps[:, :, 0] + alpha[:, None] * g
        more = _leaving(task, q, x) & ~kept
        if not more.any():
            break
        kept |= more
    return x, np.max(np.abs(g), axis=1, initial=0.0)
