"""What acts besides gravity and inertia, as values: forces in joints, wrenches on links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class Loads:
    """Forces in all joints, and wrenches (moment, force) on links in their own frames."""

    tau: Array
    wrenches: dict[int, tuple[Array, Array]]


LoadsAt = Callable[[Array, Array], Loads]
"""Loads as a function of the coordinates and velocities of all joints."""


def no_loads(q_all: Array, v_all: Array) -> Loads:
    """Nothing acts."""
    del q_all
    return Loads(np.zeros(len(v_all)), {})
