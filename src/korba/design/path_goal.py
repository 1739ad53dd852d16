"""A point of a mechanism is to go through given points, at given times or at any.

With timing, point k is to be met at the time t_k: r_k = P(t_k) - g_k. Without, at the time at which
the closed curve comes nearest, but in the order of the points, one way round or the other:

    t_1 <= t_2 <= ... <= t_n  within one turn,    sum |P(t_k) - g_k|^2 least               (1)

found among the samples of the curve by dynamic programming, then between them by Newton's method on
(P - g)' P' = 0. So a curve that meets the points in another order (an order defect) has a large
error. At the nearest time the error changes with the sizes as if the time stood still; of the
residual r only what is across the curve counts,

    dr/dp = (I - u u') dP/dp,    u the direction of the curve                               (2)

Source of (2): Golub & Pereyra (2003), Separable nonlinear least squares, Inverse Problems 19.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import Displayed
from ..door import public, real_array
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.places import body_point, place
from ..trajectory.trajectory import Trajectory
from ..verbs.states import increasing_times
from .slopes import Slopes

SAMPLES = 120
"""Of one turn, where points are met at any time."""
BEGINNINGS = 12
"""Samples at which a turn is thought to begin."""
NODES = np.arange(-2.0, 4.0)
"""Samples around a time from which positions there are interpolated."""


class Met(NamedTuple):
    """Where designs are when they come nearest: coordinates (designs, points, nq), and when."""

    q: Array
    t: Array


@dataclass(frozen=True, eq=False)
class PathGoal(Displayed):
    """A point of a body that is to go through given points: an objective for `kb.optimise`."""

    body: str
    point: str
    targets: Array
    """Shape (points, 3)."""
    times: Array | None
    """When, or None: at any time of one turn, in their order."""

    def met(self, moved: Trajectory) -> Met:
        """The positions that count."""
        if self.times is not None:
            return Met(moved.q, np.broadcast_to(moved.t, moved.q.shape[:-1]))
        P = moved.asked(place, body=self.body, point=self.point)
        apart = np.sum((P[:, None, :-1] - self.targets[:, None]) ** 2, axis=-1)
        apart = np.where(np.isnan(apart), np.inf, apart)
        at = _in_order(apart).astype(float)
        for _ in range(4):
            at = self._nearer(moved, at)
        return self._at(moved, at)

    def residuals(self, moved: Trajectory, met: Met) -> Array:
        """P - g, shape (designs, 3 points)."""
        P = moved.asked_at(place, met.q, body=self.body, point=self.point)
        return np.asarray((P - self.targets).reshape(len(P), -1))

    def slopes(self, moved: Trajectory, met: Met, slopes: Slopes, p: Array) -> Array:
        """dr/dp, shape (designs, 3 points, names): (2)."""
        own = {"body": self.body, "point": self.point}
        dP = slopes.of(place, met.q, met.t, p[:, None], **own)
        if self.times is None:
            u = self._speed(moved, met)
            u = u / np.maximum(np.linalg.norm(u, axis=-1, keepdims=True), 1e-300)
            dP = dP - u[..., None] * np.sum(u[..., None] * dP, axis=-2, keepdims=True)
        return np.asarray(dP.reshape(len(dP), -1, dP.shape[-1]))

    def _nearer(self, moved: Trajectory, at: Array) -> Array:
        """One step of Newton's method for the nearest time, in samples; at most half a sample."""
        met, h = self._at(moved, at), moved.t[1] - moved.t[0]
        P, V, A = self._rates(moved, met)
        away = P - self.targets
        slope = np.sum(V * V + away * A, axis=-1)
        step = np.sum(away * V, axis=-1) / np.where(slope > 0, slope, np.inf)
        return np.asarray(at - np.nan_to_num(np.clip(step / h, -0.5, 0.5)))

    def _speed(self, moved: Trajectory, met: Met) -> Array:
        return self._rates(moved, met)[1]

    def _rates(self, moved: Trajectory, met: Met) -> Any:
        """Position, velocity and acceleration of the point; v and a by interpolation."""
        at = (met.t - moved.t[0]) / (moved.t[1] - moved.t[0])
        state = [met.q, *(_between(x, at) for x in (moved.v, moved.a))]
        return moved.asked_at(body_point, *state, body=self.body, point=self.point)

    def _at(self, moved: Trajectory, at: Array) -> Met:
        return Met(_between(moved.q, at), moved.t[0] + at * (moved.t[1] - moved.t[0]))


@public
def path_goal(m: Mechanism, point: str, points: Any, times: Any = None) -> PathGoal:
    """An objective for `kb.optimise`: a point of a body goes through given points.

    `point` is a body's named point, such as "coupler.tip"; `points` are places in the world, in
    metres, and `times` says when each is to be met. Without times each is met whenever the curve of
    one turn of the drive comes nearest, but in the order given. The error is the sum of squares
    of the distances.

    >>> kb.path_goal(m, "coupler.C", [(0.09, 0.07), (0.08, 0.06)])
    PathGoal(body='coupler', point='C', targets=<array (2, 3)>, times=None)
    """
    body, _, name = point.rpartition(".")
    known = dict(m.body(body).points)
    if name not in known:
        raise StructureError(
            f"path_goal: body {body!r} has no point {name!r:.60}; there are "
            f"{', '.join(known) or 'none'}"
        )
    wanted = "a list of points with two or three components"
    targets = real_array("path_goal: points", points, wanted)
    if targets.ndim != 2 or targets.shape[1] not in (2, 3) or not len(targets):
        raise StructureError(f"path_goal: points: expected {wanted}, got shape {targets.shape}")
    targets = np.pad(targets, ((0, 0), (0, 3 - targets.shape[1])))
    t = None if times is None else increasing_times(times)
    if t is not None and len(t) != len(targets):
        raise StructureError(f"path_goal: {len(targets)} points need as many times, got {len(t)}")
    return PathGoal(body, name, targets, t)


def _between(x: Array, at: Array) -> Array:
    """Values between samples of one turn: shape (designs, points, ...) at places (designs, points).

    A polynomial through six samples; beyond the ends the turn is repeated, with what it added.
    """
    count = x.shape[1] - 1
    low = np.floor(at)
    u = (at - low)[..., None]
    weights = np.ones((*at.shape, len(NODES)))
    for j, node in enumerate(NODES):
        for other in NODES[node != NODES]:
            weights[..., j] *= (u[..., 0] - other) / (node - other)
    places = (low[..., None] + NODES).astype(int)
    turns = places // count
    added = x[:, -1] - x[:, 0]
    values = x[np.arange(len(x))[:, None, None], places % count]
    values = values + turns[..., None] * added[:, None, None]
    return np.asarray(np.sum(weights[..., None] * values, axis=2))


def _in_order(apart: Array) -> Array:
    """(1): samples (designs, points) for distances (designs, points, samples), either way round."""
    forward, cost = _ordered(apart)
    backward, other = _ordered(apart[:, ::-1])
    return np.where((cost <= other)[:, None], forward, backward[:, ::-1])


def _ordered(apart: Array) -> tuple[Array, Array]:
    """Samples that increase from any beginning, modulo a turn, and the least sum."""
    designs, points, count = apart.shape
    best, where = np.full(designs, np.inf), np.zeros((designs, points), dtype=int)
    for start in range(0, count, max(1, count // BEGINNINGS)):
        turned = np.roll(apart, -start, axis=2)
        sums, least = [turned[:, 0]], [np.minimum.accumulate(turned[:, 0], axis=1)]
        for k in range(1, points):
            sums.append(turned[:, k] + least[-1])
            least.append(np.minimum.accumulate(sums[-1], axis=1))
        cost = least[-1][:, -1]
        better = cost < best
        if not better.any():
            continue
        place = np.zeros((designs, points), dtype=int)
        limit = np.full(designs, count - 1)
        for k in range(points - 1, -1, -1):
            open_ = np.arange(count) <= limit[:, None]
            place[:, k] = limit = np.argmin(np.where(open_, sums[k], np.inf), axis=1)
        where[better] = (place + start)[better]
        best = np.where(better, cost, best)
    return where, best
