"""Random positions of a mechanism, from which its loops are closed."""

from __future__ import annotations

import numpy as np

from ..model.drawing import drawing
from ..spatial.rotation import Array
from .loop_system import LoopSystem


def random_starts(system: LoopSystem, wanted: Array, starts: int) -> Array:
    """The drawing, then random coordinates of all joints; held ones have their values."""
    rng = np.random.default_rng(0)
    tree, names = system.tree, system.names
    points = np.array([X.p for X in drawing(system.m).X_WM.values()])
    reach = float(np.abs(points - points.mean(axis=0)).max()) or system.scale
    q = np.repeat(system.drawn[None], starts, axis=0)
    for k, kind in enumerate(tree.coordinate_kinds):
        if kind == "angle":
            q[1:, k] += rng.uniform(-np.pi, np.pi, starts - 1)
        elif kind == "length":
            q[1:, k] += rng.normal(0.0, reach, starts - 1)
        else:
            q[1:, k] = rng.normal(size=starts - 1)
    q = tree.normalised(q)
    still = system.still_velocities
    idle = [k for k, place in enumerate(system.own) if place >= 0 and place in still]
    q[:, idle] = system.drawn[idle]
    q[:, [names.index(name) for name in system.held]] = wanted[: len(system.held)]
    return q
