"""Curves that bodies show in pictures because of their joints: pitch circles, cams, rollers.

Radii may be formulas of sizes; the points are then formulas too.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ..expr import Expr, evaluate, maximum, substitute, variables
from ..spatial.rotation import Array
from .curve import Curve

ROUND = np.linspace(0.0, 2 * np.pi, 121)


def circle(radius: Any, height: Any = 0.0) -> Array:
    """A circle about z, (n, 3)."""
    return np.stack([np.cos(ROUND) * radius, np.sin(ROUND) * radius, 0 * ROUND + height], axis=1)


def polar(profile: Expr | Curve, variable: str) -> Array:
    """The curve of a radius over an angle, (n, 3)."""
    if isinstance(profile, Curve):
        rho = profile(ROUND)
    elif variables(profile) <= {variable}:
        rho = evaluate(profile, {variable: ROUND})
    else:
        rho = np.array([substitute(profile, {variable: float(angle)}) for angle in ROUND])
    return np.stack([np.cos(ROUND) * rho, np.sin(ROUND) * rho, 0 * ROUND], axis=1)


def segment(reach: Any, along: Array) -> Array:
    """A straight line on both sides of the origin, (2, 3)."""
    return np.array([-along * reach, along * reach])


def reach_of(curve: Array) -> Any:
    """How far a curve goes along x or y, by every tenth of its points."""
    return reduce(maximum, [abs(x) for x in curve[::10, :2].ravel()])
