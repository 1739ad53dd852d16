"""Curves between the times of a motion, so that plots are smooth.

Where a motion has fewer than `ENOUGH` times, further ones are put between them. Over a step h from
y0 to y1, with s from 0 to 1, a coordinate follows its velocity and acceleration,

    y = H0 y0 + H1 h y0' + H2 h^2 y0'' + the same from the other end, with s -> 1 - s       (1)

with Hermite's polynomials of degree five (H2 = 0 and degree three for velocities); columns whose
rate is not known follow a cubic spline, and where they jump Akima's, which does not swing there. In
a step with an impact both ends go on to the impact by their own rates, and coordinates meet there.

Source: Hairer, Norsett, Wanner (1993), Solving Ordinary Differential Equations I, section II.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import factorial

import numpy as np

from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from .panels import Series
from .splines import akima_slopes, cubic_slopes

ENOUGH = 600
"""Points of a curve from which on it looks smooth."""
FEWEST = 6
"""Times from which on a curve can be told between them."""
JUMPY = 0.05
"""Swing of a cubic spline, beside the range of its values, that betrays a jump."""
IMPACT = 0.1
"""Change of a velocity beyond that by its accelerations, beside its range, that is an impact."""


class Smooth:
    """Values at enough times for smooth curves."""

    def __init__(self, t: Array, impacts: Mapping[int, float] | None = None) -> None:
        self.t, self.impacts = t, impacts or {}
        few = FEWEST <= len(t) < ENOUGH
        self.parts = -(-ENOUGH // (len(t) - 1)) if few else 1
        self.shares = np.arange(self.parts) / self.parts

    @classmethod
    def of(cls, motion: Trajectory) -> Smooth:
        """Of a motion, with its impacts: in which steps they are, and when (or nan)."""
        if not FEWEST <= len(motion.t) < ENOUGH:
            return cls(motion.t)
        h, v, a = np.diff(motion.t)[:, None], motion.v, motion.a
        off = np.abs(np.diff(v, axis=0) - h * (a[1:] + a[:-1]) / 2)
        steps = np.flatnonzero(np.any(off > IMPACT * np.ptp(v, axis=0) + 1e-9, axis=1))
        when = np.sort(motion.events.t)
        impacts = {}
        for i in steps.tolist():
            own = when[(when >= motion.t[i]) & (when < motion.t[i + 1])]
            impacts[i] = float(own[0]) if len(own) else np.nan
        return cls(motion.t, impacts)

    def column(self, motion: Trajectory, name: str) -> Series:
        """A column by its name, in SI units."""
        rates = [name]
        if any(name == j.name and j.nq == j.nv == 1 for j in motion.mechanism.joints):
            rates = [name, f"v_{name}", f"a_{name}"]
        elif name[:2] == "v_" and name[2:] in motion.velocities:
            rates = [name, f"a_{name[2:]}"]
        values = self.between(*(motion[each] for each in rates if each in motion.names))
        return Series(name, values, motion.units[name])

    def between(self, y: Array, *rates: Array) -> Array:
        """Values (times, ...) at further times too; rates of a coordinate are two, else one."""
        if self.parts == 1:
            return np.asarray(y, dtype=float)
        inner = self._hermite(self.t, y, *rates)
        if not rates and np.isfinite(y).all() and np.all(np.diff(self.t) > 0):
            self._fill_splines(inner, y)
        for i, when in self.impacts.items():
            inner[i] = self._across(i, when, (y, *rates)) if rates else self._straight(i, y)
        return np.concatenate([inner.reshape(-1, *np.shape(y)[1:]), y[-1:]])

    def _hermite(self, t: Array, *orders: Array) -> Array:
        """(1) in all steps, (steps, parts, ...); without rates straight lines."""
        shape = (1, -1, *(1,) * (orders[0].ndim - 1))
        near, far = (
            [each.reshape(shape) for each in _polynomials(s, len(orders) - 1)]
            for s in (self.shares, 1.0 - self.shares)
        )
        h = np.diff(t).reshape(-1, *(1,) * orders[0].ndim)
        parts = [
            h**k * (near[k] * x[:-1, None] + (-1.0) ** k * far[k] * x[1:, None])
            for k, x in enumerate(orders)
        ]
        return np.sum(parts, axis=0)

    def _fill_splines(self, inner: Array, y: Array) -> None:
        """Splines from impact to impact."""
        ends = [-1, *sorted(self.impacts), len(self.t) - 1]
        for first, last in pairwise(ends):
            rows = slice(first + 1, last + 1)
            t = self.t[rows]
            if len(t) > 3:
                inner[first + 1 : last] = self._spline(t, y[rows])

    def _spline(self, t: Array, y: Array) -> Array:
        """A cubic spline, or where that swings beyond jumps Akima's."""
        flat = y.reshape(len(t), -1)
        spline, calm = (
            self._hermite(t, flat, slopes(t, flat)) for slopes in (cubic_slopes, akima_slopes)
        )
        swing = np.abs(spline - calm).max(axis=(0, 1))
        found = np.where(swing <= JUMPY * np.ptp(flat, axis=0), spline, calm)
        return np.asarray(found.reshape(len(t) - 1, self.parts, *y.shape[1:]))

    def _straight(self, i: int, y: Array) -> Array:
        s = self.shares.reshape(-1, *(1,) * (y.ndim - 1))
        return np.asarray(y[i] + s * (y[i + 1] - y[i]))

    def _across(self, i: int, when: float, orders: Sequence[Array]) -> Array:
        """A step with an impact: from both ends up to it by their own rates."""
        if np.isnan(when):
            return self._straight(i, orders[0])
        start, end = self.t[i], self.t[i + 1]
        t = start + self.shares * (end - start)
        t = t.reshape(-1, *(1,) * (orders[0].ndim - 1))
        before, after = (self._onward(row, t, orders) for row in (i, i + 1))
        if len(orders) > 2:  # a coordinate does not jump
            gap = self._onward(i, when, orders) - self._onward(i + 1, when, orders)
            share = (end - when) / (end - start)
            after = after + share * gap * ((end - t) / (end - when)) ** 3
            if when > start:
                before = before - (1 - share) * gap * ((t - start) / (when - start)) ** 3
        return np.where(t <= when, before, after)

    def _onward(self, row: int, t: Array | float, orders: Sequence[Array]) -> Array:
        """Taylor's series from a row."""
        h = t - self.t[row]
        return np.asarray(sum(x[row] * h**k / factorial(k) for k, x in enumerate(orders)))


def _polynomials(s: Array, rates: int) -> list[Array]:
    """Of the value and its rates at the near end, (1)."""
    if rates == 0:
        return [1 - s]
    if rates == 1:
        return [1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3]
    return [
        1 - 10 * s**3 + 15 * s**4 - 6 * s**5,
        s - 6 * s**3 + 8 * s**4 - 3 * s**5,
        (s**2 - 3 * s**3 + 3 * s**4 - s**5) / 2,
    ]
