"""Where a path ends because slides run away: the value that no position reaches.

The strokes of an RCCC are the dual parts of its angles. Where these have a dead point, at s*, the
strokes grow beyond all bounds, and the curve of closed positions has no fold: it goes on to
infinity. A coordinate z with a pole there has

    z = A (s* - s)^-p + ...,     w = z'/z'' = (s* - s) / (p + 1) + O((s* - s)^2)               (1)

so s is a smooth function of w before, and s* its value at w = 0: a few positions give it by
Lagrange's formula. At a fold the same has p = -1/2, so what turns back and what runs away are told
apart by p alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..spatial.rotation import Array

AWAY = 20.0
"""Typical lengths that a stroke has gone before it can be said to run away."""
POWERS = (0.2, 4.0)
"""Of poles: 1/2 where a fold is differentiated, 1 where lines become parallel."""
POINTS = 4
"""Positions of Lagrange's formula."""
LEFT = 1e-2
"""Part of the way from the start that may be left."""


class Pole(NamedTuple):
    """The end of a path that no position reaches."""

    s: float
    names: tuple[str, ...]
    """Coordinates that run away, the fastest first."""


class Strokes(NamedTuple):
    """The coordinates of a system that are lengths and have rates of their own."""

    names: tuple[str, ...]
    units: Array
    able: Array

    def pole(self, nodes: Sequence[Any]) -> Pole | None:
        """The value at which strokes run away after nodes of a path, with s, q, rate and bend."""
        fast = np.where(self.able, np.abs(nodes[-1].rate) / self.units, 0.0)
        k = int(np.argmax(fast)) if fast.any() else -1
        if k < 0 or not abs(nodes[-1].q[k] - nodes[0].q[k]) > AWAY * self.units[k]:
            return None
        s = _pole(nodes, k)
        order = [int(i) for i in np.argsort(-fast) if fast[i] > 0.1 * fast[k]]
        return None if s is None else Pole(s, tuple(self.names[i] for i in order[:3]))


def _pole(nodes: Sequence[Any], k: int) -> float | None:
    """s* of (1) for a coordinate, if it has a pole ahead."""
    points = _before(nodes, k)
    if len(points) < POINTS:
        return None
    (w, s), last = np.array(points).T, points[0][1]
    power = (s[1] - s[0]) / (w[0] - w[1]) - 1
    others = [np.delete(w, i) for i in range(POINTS)]
    left = sum((s[i] - last) * np.prod(x / (x - w[i])) for i, x in enumerate(others))
    way = last - nodes[0].s
    ahead = 0 < left * np.sign(way) < LEFT * max(abs(way), LEFT)
    return float(last + left) if ahead and POWERS[0] < power < POWERS[1] else None


def _before(nodes: Sequence[Any], k: int) -> list[tuple[float, float]]:
    """w and s at the last node, and before it each time where w is twice as large."""
    found: list[tuple[float, float]] = []
    for node in reversed(nodes):
        w = float(node.rate[k] / node.bend[k]) if node.bend[k] else np.inf
        if not np.isfinite(w) or len(found) == POINTS:
            break
        if not found or abs(w) >= 2 * abs(found[-1][0]):
            found.append((w, float(node.s)))
    return found
