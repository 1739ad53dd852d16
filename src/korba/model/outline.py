"""Curves that bodies show in pictures because of their joints: pitch circles, cams, rollers."""

from __future__ import annotations

import numpy as np

from ..expr import Expr, evaluate
from ..spatial.rotation import Array
from .curve import Curve

ROUND = np.linspace(0.0, 2 * np.pi, 121)


def circle(radius: float, height: float = 0.0) -> Array:
    """A circle about z, (n, 3)."""
    return np.stack([radius * np.cos(ROUND), radius * np.sin(ROUND), 0 * ROUND + height], axis=1)


def polar(profile: Expr | Curve, variable: str) -> Array:
    """The curve of a radius over an angle, (n, 3)."""
    rho = profile(ROUND) if isinstance(profile, Curve) else evaluate(profile, {variable: ROUND})
    return np.stack([rho * np.cos(ROUND), rho * np.sin(ROUND), 0 * ROUND], axis=1)


def segment(reach: float, along: Array) -> Array:
    """A straight line on both sides of the origin, (2, 3)."""
    return np.array([-reach * along, reach * along])
