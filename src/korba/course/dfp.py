"""Minimisation after Davidon, Fletcher and Powell, with gradients by differences (Gronowicz 2.4.2).

    p = -H G,   x <- x + t p,   s = t p,   y = G_new - G
    H <- H + s s'/(s'y) - H y y' H/(y'H y)                                                 (1)

H starts as the identity. The step t comes from a search along the line p; where p does not go down,
H is the identity again. Source of (1): Fletcher & Powell (1963), The Computer Journal 6, 163-168.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..spatial.rotation import Array

Scalar = Callable[[Array], float]


@dataclass(frozen=True, eq=False)
class Minimum(Displayed):
    """The lowest place found, its value, the gradient there, and the values on the way."""

    x: Array
    value: float
    gradient: Array
    values: tuple[float, ...]

    @property
    def iterations(self) -> int:
        """Count of steps."""
        return len(self.values) - 1


@public
def difference_gradient(f: Scalar, x: Array, step: float = 1e-6, *, central: bool = True) -> Array:
    """Gradient by central or forward differences."""
    moves = step * np.eye(len(x))
    if central:
        return np.array([f(x + h) - f(x - h) for h in moves]) / (2 * step)
    here = f(x)
    return np.array([f(x + h) - here for h in moves]) / step


@public
def minimise_dfp(
    f: Scalar,
    start: Any,
    *,
    step: float = 1e-6,
    central: bool = True,
    tolerance: float = 1e-12,
    most: int = 200,
) -> Minimum:
    """A minimum of f near the start; ends with a small gradient or where f goes down no more."""
    x = np.array(start, dtype=float)
    H = np.eye(len(x))
    value, G = f(x), difference_gradient(f, x, step, central=central)
    values = [value]
    while len(values) <= most and np.abs(G).max(initial=0.0) > tolerance:
        p = -H @ G
        if not p @ G < 0:
            H, p = np.eye(len(x)), -G
        t, new = _line_search(f, x, p, (value, float(p @ G)))
        if t == 0.0:
            if np.array_equal(H, np.eye(len(x))):
                break
            H = np.eye(len(x))
            continue
        G_new = difference_gradient(f, x + t * p, step, central=central)
        H = _updated(H, t * p, G_new - G)
        x, value, G = x + t * p, new, G_new
        values.append(value)
    return Minimum(x, value, G, tuple(values))


def _updated(H: Array, s: Array, y: Array) -> Array:
    """(1); where the curvature along s is not positive, H stays."""
    Hy = H @ y
    if not (s @ y > 0 and y @ Hy > 0):
        return H
    return np.asarray(H + np.outer(s, s) / (s @ y) - np.outer(Hy, Hy) / (y @ Hy))


def _line_search(f: Scalar, x: Array, p: Array, start: tuple[float, float]) -> tuple[float, float]:
    """The step to the lowest place of f along p, and f there; zero if nothing is lower."""
    from scipy.optimize import minimize_scalar

    value, slope = start
    limit = 1.0 / max(1.0, float(np.abs(p).max()))
    near = min(limit, max(1e-8, -2 * value / slope)) if value > 0 else limit
    best = minimize_scalar(lambda t: f(x + t * p), bracket=(0.0, near), tol=1e-4)
    t, lowest = float(best.x), float(best.fun)
    return (t, lowest) if t > 0 and lowest < value else (0.0, value)
