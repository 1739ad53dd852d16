"""A motion at other times, roots and extremes of what is measured on it.

Positions between the samples follow from Hermite interpolation and Newton's method, so they lie on
the branch of the motion. Roots come from a polynomial through values around them; it is never
evaluated at the root itself, where equations may be singular.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..solve.branch import Along, Nodes, filled
from ..solve.motion import loops_of, moving, on_time
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory

Measure = Callable[[Trajectory], Array]
"""A number at every time of a motion."""

DEGREE = 9
"""Of the polynomial: odd, so its even count of points leaves the middle out."""


def at_times(motion: Trajectory, t: Any) -> Trajectory:
    """The same motion at other times within its own."""
    system = loops_of(motion)
    inputs = on_time(system)
    rate = system.rates(motion.q, *inputs(motion.t), check_finite=False)[2]
    nodes = Nodes(motion.t, motion.q, rate, True)
    t = np.asarray(t, dtype=float)
    return moving(motion.mechanism, system, t, filled(Along(system, inputs), nodes, t))


def root(motion: Trajectory, measure: Measure, low: float, high: float) -> float:
    """The time between two others at which a measure changes its sign."""
    start, end = float(motion.t[0]), float(motion.t[-1])
    found = 0.5 * (low + high)
    for width in (0.5 * (high - low), 0.1 * (high - low)):
        t = _chebyshev(max(start, found - width), min(end, found + width))
        found = _crossing(t, measure(at_times(motion, t)), found)
    return float(found)


def least(motion: Trajectory, measure: Measure, k: int) -> tuple[float, float]:
    """The least value of a measure around sample k, and its time."""
    low, high = motion.t[max(k - 1, 0)], motion.t[min(k + 1, len(motion.t) - 1)]
    best, t_best = float(measure(motion)[k]), float(motion.t[k])
    for _ in range(8):
        t = np.linspace(low, high, 33)
        values = measure(at_times(motion, t))
        i = int(np.argmin(values))
        if values[i] < best:
            best, t_best = float(values[i]), float(t[i])
        low, high = t[max(i - 1, 0)], t[min(i + 1, 32)]
        if high - low < 1e-8 * max(1.0, abs(high)):
            break
    return best, t_best


def _chebyshev(low: float, high: float) -> Array:
    angles = (2 * np.arange(DEGREE + 1) + 1) * np.pi / (2 * DEGREE + 2)
    return np.asarray(0.5 * (low + high) - 0.5 * (high - low) * np.cos(angles))


def _crossing(t: Array, values: Array, near: float) -> float:
    """The root of the polynomial through values that is nearest to a time."""
    from numpy.polynomial import chebyshev

    middle, half = 0.5 * (t[0] + t[-1]), 0.5 * (t[-1] - t[0])
    x = (t - middle) / half
    size = float(np.max(np.abs(values)))
    series = chebyshev.chebfit(x, values / (size or 1.0), DEGREE)
    roots = chebyshev.chebroots(series)
    real = roots[np.abs(roots.imag) < 1e-6].real
    inside = real[np.abs(real) <= 1.1]
    if not len(inside):
        return near
    times = middle + half * inside
    return float(times[np.argmin(np.abs(times - near))])
