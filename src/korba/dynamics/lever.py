"""Driving forces by Zhukovsky's lever: virtual work as moments about one pole, in the plane.

Every velocity turned by -90 deg, h = (v_y, -v_x), is an arm from the pole at whose tip the force
acts, and a moment is a pair of forces at two points of the link, one unit of length apart,

    h x f = v . f,      (h_P - h_O) x n u' = w n   for the arm u from O to P                 (1)

Source: Gronowicz (2003), section 4.3.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.rotation import Array, cross_in_plane
from .force_method import ForceMethod
from .virtual_work import by_powers


def moment_about_pole(F: Array, V: Array) -> Any:
    """(1): the moment of a link's force and moment about the pole of its turned velocities."""
    (n, *f), (w, v_x, v_y) = F, V
    tip, other = _turned(v_x, v_y), _turned(v_x, v_y + w)  # of O, and of P a unit along x from it
    return cross_in_plane(tip, np.array(f)) + cross_in_plane(other - tip, np.array([0.0, n]))


def _turned(v_x: Any, v_y: Any) -> Array:
    """A velocity turned by -90 deg."""
    return np.array([v_y, -v_x])


METHOD = ForceMethod(
    "lever",
    "Gronowicz (2003), section 4.3.4",
    lambda given, equations: by_powers(given, equations, moment_about_pole),
    planar=True,
)
