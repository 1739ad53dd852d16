"""The modification method: positions of mechanisms that no direct construction finds.

Where known circles and lines do not fix the next point, one pair is opened. The mechanism that is
left is simpler and moves with one parameter theta; the condition of the pair that was opened,

    F(theta) = (x_E - x_F)^2 + (y_E - y_F)^2 - l_EF^2 = 0                            (2.45), (2.46)

is one equation for it, whatever was opened. It has several roots, one for each way of assembling;
the motion chooses the one nearest to the position before (Gronowicz 2.3.1.2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..door import public
from ..errors import StructureError
from ..spatial.rotation import Array


@public
def roots_of(
    condition: Callable[[float], float],
    start: float,
    end: float,
    *,
    samples: int = 720,
    tolerance: float = 1e-9,
) -> Array:
    """All places from start to end where the removed condition F(theta) = 0 holds.

    F is scanned, changes of sign are bracketed and refined, and so are places where |F| comes down
    to zero without crossing it (below `tolerance` of its largest value). Where the mechanism that
    is left cannot be assembled, F is nan.
    """
    theta = np.linspace(start, end, samples + 1)
    values = np.array([condition(float(x)) for x in theta])
    size = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    found = [float(x) for x, f in zip(theta, values, strict=True) if f == 0.0]
    for k in range(samples):
        found += _crossing(condition, theta[k : k + 2], values[k : k + 2])
    for k in range(1, samples):
        found += _touching(condition, theta[k - 1 : k + 2], values[k - 1 : k + 2], tolerance * size)
    roots = np.sort(found)
    return roots[np.diff(roots, prepend=-np.inf) > 1e-9 * abs(end - start)]


@public
def nearest(roots: Any, previous: float, period: float | None = None) -> float:
    """The root that the motion reaches next: the one nearest to the position before."""
    roots = np.atleast_1d(np.asarray(roots, dtype=float))
    if not len(roots):
        raise StructureError("there is no root to choose from: the mechanism cannot be assembled")
    if period is not None:
        roots = previous + (roots - previous + period / 2) % period - period / 2
    return float(roots[np.argmin(np.abs(roots - previous))])


def _crossing(f: Callable[[float], float], ends: Array, values: Array) -> list[float]:
    """The root between two samples of opposite sign; a jump is none."""
    from scipy.optimize import brentq

    ends, values = _assembled_part(f, ends, values)
    if not (values[0] * values[1] < 0):
        return []
    root = float(brentq(f, ends[0], ends[1], xtol=1e-15, rtol=8.9e-16))
    return [root] if abs(f(root)) <= 1e-6 * np.abs(values).max() else []


def _assembled_part(f: Callable[[float], float], ends: Array, values: Array) -> tuple[Array, Array]:
    """The part of an interval in which the mechanism can be assembled, by bisection."""
    ends, values = ends.copy(), values.copy()
    if np.isfinite(values).sum() != 1:
        return ends, values
    out = int(np.isnan(values[1]))
    bad, good, value = ends[out], ends[1 - out], values[1 - out]
    for _ in range(52):
        middle = 0.5 * (bad + good)
        at = f(float(middle))
        if np.isnan(at):
            bad = middle
        else:
            good, value = middle, at
    ends[out], values[out] = good, value
    return ends, values


def _touching(
    f: Callable[[float], float], theta: Array, values: Array, small: float
) -> list[float]:
    """A place where |F| comes down to zero and goes up again, with the same sign."""
    from scipy.optimize import minimize_scalar

    same = np.all(values > 0) or np.all(values < 0)
    size = np.abs(values)
    if not (same and size[1] <= min(size[0], size[2])):
        return []
    bounds = (theta[0], theta[2])
    low = minimize_scalar(lambda x: abs(f(x)), bounds=bounds, options={"xatol": 1e-12})
    return [float(low.x)] if low.fun <= small else []
