"""An optimisation as numbers: designs in the unit box, their costs, residuals and slopes.

    x = (p - low) / (high - low),    0 <= x <= 1

Everything takes many designs at once. Whatever is evaluated is counted, and the best design that
keeps its constraints is remembered, so that an interrupt loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from .goals import STEP, Constraints, Measure, finished, moved_designs
from .path_goal import PathGoal
from .slopes import Slopes

KEPT = 1e-9
"""By how much a constraint may be broken by rounding."""


@dataclass(eq=False)
class Problem:
    """What is to be small, for which sizes between which ends."""

    m: Mechanism
    names: tuple[str, ...]
    low: Array
    high: Array
    goal: PathGoal | Measure
    constraints: Constraints
    times: Array
    """Of the motion that is looked at."""
    evaluations: int = 0
    gradients: int = 0
    best: tuple[float, Array | None] = field(default=(np.inf, None))
    _last: dict[tuple[int, bytes], Trajectory] = field(default_factory=dict)

    @property
    def squares(self) -> bool:
        """Whether it is one of least squares alone."""
        return isinstance(self.goal, PathGoal) and not any(self.constraints)

    @cached_property
    def slopes(self) -> Slopes:
        """Derivatives by the sizes."""
        return Slopes(self.m, self.names, float(self.times[0]))

    @cached_property
    def path_times(self) -> Array:
        """Times of the motion by which the goal is judged."""
        own = self.goal.times if isinstance(self.goal, PathGoal) else None
        return self.times if own is None else own

    def sizes(self, x: Array) -> Array:
        """Designs p of places in the unit box."""
        return np.asarray(self.low + np.clip(x, 0.0, 1.0) * (self.high - self.low))

    def costs(self, x: Array) -> Array:
        """What is to be small, of places (designs, names); inf where there is no motion."""
        self.evaluations += len(x)
        cost = self.judged(x)
        self._remember(x, cost)
        return cost

    def judged(self, x: Array) -> Array:
        """The same of designs that are no answers themselves."""
        moved = self._moved(self.sizes(x), self.path_times)
        if isinstance(self.goal, PathGoal):
            cost = np.sum(self.goal.residuals(moved, self.goal.met(moved)) ** 2, axis=-1)
        else:
            cost = self.goal.value(moved)
        return np.where(finished(moved) & np.isfinite(cost), cost, np.inf)

    def cost_slopes(self, x: Array) -> Array:
        """d(cost)/dx of one place."""
        if isinstance(self.goal, PathGoal):
            r, J = self.residuals(x[None])
            return np.asarray(2 * r[0] @ J[0])
        return self._measure_slopes(self.goal, x)

    def residuals(self, x: Array) -> tuple[Array, Array]:
        """r and dr/dx of a path, shapes (designs, rows) and (designs, rows, names).

        Both are inf, and 0, where there is no motion.
        """
        assert isinstance(self.goal, PathGoal)  # noqa: S101
        self.evaluations += len(x)
        self.gradients += len(x)
        p = self.sizes(x)
        moved = self._moved(p, self.path_times)
        met = self.goal.met(moved)
        r = self.goal.residuals(moved, met)
        J = self.goal.slopes(moved, met, self.slopes, p) * (self.high - self.low)
        good = finished(moved) & np.isfinite(r).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
        r = np.where(good[:, None], r, np.inf)
        self._remember(x, np.sum(r**2, axis=1))
        return r, np.where(good[:, None, None], J, 0.0)

    def rests(self, x: Array) -> Array:
        """What constraints leave, at least 0 where they are kept: shape (designs, constraints)."""
        p = self.sizes(x)
        rests = [each.value(p) for each in self.constraints.relations]
        if self.constraints.measures:
            moved = self._moved(p, self.times)
            good = finished(moved)
            rests += [np.where(good, c.value(moved), -np.inf) for c in self.constraints.measures]
        return np.stack(rests, axis=-1) if rests else np.zeros((len(x), 0))

    def rest_slopes(self, x: Array) -> Array:
        """The same by x, of one place: shape (constraints, names)."""
        p, span = self.sizes(x[None]), self.high - self.low
        rows = [each.slopes(p)[0] * span for each in self.constraints.relations]
        rows += [self._measure_slopes(each, x) for each in self.constraints.measures]
        return np.array(rows).reshape(-1, len(x))

    def _measure_slopes(self, measure: Measure, x: Array) -> Array:
        """d(measure)/dx of one place: through the loops, or by differences in lanes."""
        self.gradients += 1
        if (slope_of := measure.question.slope) is not None:
            p = self.sizes(x[None])
            moved = self._moved(p, self.times)
            slope = slope_of(moved, self.slopes, p)[0] * (self.high - self.low)
            return np.asarray(measure.factor * np.nan_to_num(slope))
        steps = STEP * np.eye(len(x))
        ends = np.clip(np.concatenate([x + steps, x - steps]), 0.0, 1.0)
        moved = moved_designs(self.m, self.names, self.sizes(ends), self.times)
        up, down = measure.value(moved).reshape(2, -1)
        width = np.diagonal(ends[: len(x)] - ends[len(x) :])
        return np.nan_to_num((up - down) / width)

    def _moved(self, p: Array, times: Array) -> Trajectory:
        """The motion of designs; that of the last one is kept, as slopes are asked for after it."""
        if len(p) > 1:
            return moved_designs(self.m, self.names, p, times)
        key = id(times), p.tobytes()
        if key not in self._last:
            for old in [each for each in self._last if each[1] != key[1]]:
                del self._last[old]
            self._last[key] = moved_designs(self.m, self.names, p, times)
        return self._last[key]

    def _remember(self, x: Array, cost: Array) -> None:
        """The best so far that keeps its constraints."""
        for k in np.argsort(cost)[:4]:
            if not cost[k] < self.best[0]:
                return
            if not any(self.constraints) or np.all(self.rests(x[k][None]) >= -KEPT):
                self.best = float(cost[k]), np.clip(x[k], 0.0, 1.0)
                return
