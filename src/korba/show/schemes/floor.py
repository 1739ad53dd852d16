"""What a spatial picture holds besides its joints: boxes round shapes, and a floor below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...spatial.rotation import Array
from .forms import unit
from .scene import Scene
from .visuals import Visual


def extent(scene: Scene, visuals: Iterable[Visual], positions: Iterable[int]) -> Iterator[Array]:
    """Corners (8, 3) of the boxes round shapes in the world, for a picture to hold."""
    for visual in visuals:
        corners = (visual.form or unit(visual.name)).corners
        ends = np.array([corners.min(axis=0), corners.max(axis=0)])
        box = np.array([ends[i, range(3)] for i in np.ndindex(2, 2, 2)])
        for k in positions:
            X = scene.poses[k, scene.bodies.index(visual.body)] @ visual.X
            yield box @ X[:3, :3].T + X[:3, 3]


CELLS = 8
"""About how many cells of the grid are below the mechanism, each way."""


class Floor(NamedTuple):
    """A grid on the ground: its height, the first and last corner, and its step."""

    height: float
    first: Array
    last: Array
    step: float

    def lines(self) -> Iterator[Array]:
        """Both ends of every line, (2, 3)."""
        for i in (0, 1):
            for x in np.arange(self.first[i], self.last[i] + self.step / 2, self.step):
                ends = np.full((2, 3), self.height)
                ends[:, i] = x
                ends[:, 1 - i] = self.first[1 - i], self.last[1 - i]
                yield ends


def floor_below(points: Array) -> Floor:
    """A floor below points (n, 3), in round steps, a step wider than they are."""
    low, high = points.min(axis=0), points.max(axis=0)
    wide = max(float((high - low)[:2].max()), 1e-9)
    step = 10.0 ** np.floor(np.log10(wide))
    step = float(
        min((step, step / 2, step / 4, step / 5), key=lambda each: abs(wide / each - CELLS))
    )
    return Floor(
        float(low[2]), np.floor(low[:2] / step) * step, np.ceil(high[:2] / step) * step, step
    )
