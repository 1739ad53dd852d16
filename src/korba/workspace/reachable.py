"""The region that a point can reach: its area in the plane, its volume in space.

The point is a function of as many coordinates as the region has dimensions. Over a grid of them it
is taken as linear in every simplex (triangles, tetrahedra), so that its image is a set of simplices
that may lie upon each other. What they cover together is measured by slices,

    |R| = integral of |R at z| dz,      z = z_m + z_h cos u                                 (1)

down to a line, on which intervals are joined. The boundary is where slices begin and end; u makes
its square roots smooth. The error of simplices goes with the square of the grid's step h, so two
grids give the answer without it,

    |R| = (4 |R_h| - |R_2h|) / 3                                                            (2)

Source: for (2) Richardson's extrapolation; the rest is Cavalieri's principle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from ..display import Tabled
from ..door import public
from ..errors import StructureError, refuse_unknown
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..solve.batch_positions import many_positions
from ..spatial.rotation import Array
from ..trajectory.places import kept_tree, place
from ..verbs.options import ORIGIN, located

COUNTS = {2: 160, 3: 24}
"""Steps of a coordinate, by dimension."""
SLICES = {2: (800,), 3: (40, 150)}
"""Slices of a region across its last axis, then of each across the next."""


@dataclass(frozen=True, eq=False)
class Reachable(Tabled):
    """What a point reaches while some coordinates go through their ranges."""

    rows_of = (("points", 1),)

    body: str
    point: tuple[float, float, float]
    ranges: dict[str, tuple[float, float]]
    """Of the coordinates."""
    measure: float
    """Area in m^2, or volume in m^3."""
    unit: str
    error: float
    """How far the measure of the grid alone is from it."""
    points: Array
    """Over the grid of the coordinates, shape (..., 3); nan where the mechanism does not close."""

    @property
    def area(self) -> float:
        """In the plane."""
        return self._in("m^2", "area")

    @property
    def volume(self) -> float:
        """In space."""
        return self._in("m^3", "volume")

    def _in(self, unit: str, what: str) -> float:
        if unit != self.unit:
            raise StructureError(f"this region has no {what}; its measure is in {self.unit}")
        return self.measure

    @property
    def part(self) -> float:
        """Part of the grid in which the mechanism closes."""
        return float(np.mean(np.isfinite(self.points[..., 0])))


@public
def reachable(
    m: Mechanism,
    body: str,
    point: Any = ORIGIN,
    *,
    over: Mapping[str, Any],
    count: int | None = None,
) -> Reachable:
    """The area, or in space the volume, that a point, "lower.P", can reach.

    `over` names two coordinates (three in space) with their ranges, or with None: then a joint goes
    between its limits, or turns fully. Loops close on the branch of the drawing; where they do not
    nothing is reached. Whatever the point passes over several times counts once. `count` is the
    number of steps of each coordinate.

    >>> import korba as kb
    >>> bodies = [kb.Body("upper"), kb.Body("lower")]
    >>> shoulder = kb.Revolute("A", "ground", "upper", at=(0, 0))
    >>> elbow = kb.Revolute("B", "upper", "lower", at=(0.5, 0))
    >>> arm = kb.Mechanism("arm", bodies, [shoulder, elbow], plane="xy")
    >>> region = kb.reachable(arm, "lower", (0.8, 0), over={"A": None, "B": None})
    >>> float(round(region.area / 3.14159265, 4))
    0.6
    """
    dimension = 2 if m.plane else 3
    (body, at), steps = located(m, body, point), count or COUNTS[dimension]
    ranges = {name: _range(m, name, given) for name, given in over.items()}
    if len(ranges) != dimension:
        raise StructureError(
            f"over: a region in {'the plane' if dimension == 2 else 'space'} needs {dimension} "
            f"coordinates, got {len(ranges)}; hold the others where they are drawn, or ask "
            "kb.coupler_curve(...) for the curve and the area of a single one"
        )
    if steps < 4 or steps % 2:
        raise StructureError(f"count: expected an even number of steps from 4 on, got {count}")
    values = [np.linspace(*ends, steps + 1) for ends in ranges.values()]
    grid = dict(zip(ranges, np.meshgrid(*values, indexing="ij"), strict=True))
    q = many_positions(m, grid, refuse=False).q
    points = place(m, q.reshape(-1, q.shape[-1]), body, at).reshape(*q.shape[:-1], 3)
    grids = points, points[(np.s_[::2],) * dimension]
    fine, coarse = (measure(simplices(grid[..., :dimension]), SLICES[dimension]) for grid in grids)
    whole = fine + (fine - coarse) / 3
    unit = "m^2" if dimension == 2 else "m^3"
    return Reachable(body, at, ranges, whole, unit, abs(whole - fine), points)


def _range(m: Mechanism, name: str, given: Any) -> tuple[float, float]:
    """From where to where a coordinate goes."""
    tree = kept_tree(m)
    kinds = dict(zip(m.coordinates, tree.coordinate_kinds, strict=True))
    refuse_unknown("coordinate", name, kinds, "over")
    if given is not None:
        low, high = (quantity(f"over, {name!r}", x, kinds[name]) for x in given)
    else:
        joint = next(j for j in tree.m.joints if name in j.coordinates())
        low, high = (ends[joint.coordinates().index(name)] for ends in joint.limits)
        if not (np.isfinite(low) and np.isfinite(high)) and kinds[name] == "angle":
            low, high = -np.pi, np.pi
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise StructureError(
            f"over: {name!r} needs a range from a lower to a higher value, got {given!r:.60}; give "
            "one such as (0, 0.3), or limits to its joint"
        )
    return float(low), float(high)


def simplices(points: Array) -> Array:
    """The corners (..., d + 1, d) of the simplices of a grid (..., d), without those with nan."""
    d = points.shape[-1]
    corners = []
    for order in permutations(range(d)):
        at, walk = np.zeros(d, dtype=int), []
        for axis in (None, *order):
            at = at if axis is None else at + np.eye(d, dtype=int)[axis]
            cut = tuple(
                slice(k, size - 1 + k) for k, size in zip(at, points.shape[:-1], strict=True)
            )
            walk.append(points[cut].reshape(-1, d))
        corners.append(np.stack(walk, axis=1))
    found = np.concatenate(corners)
    return np.asarray(found[np.isfinite(found).all(axis=(1, 2))])


def measure(corners: Array, slices: tuple[int, ...]) -> float:
    """Length, area or volume that simplices (n, d + 1, d) cover together, by (1)."""
    d = corners.shape[-1]
    if not len(corners):
        return 0.0
    if d == 1:
        return covered(corners[..., 0])
    order = np.argsort(corners[..., -1], axis=1)
    corners = np.take_along_axis(corners, order[..., None], axis=1)
    low, high = corners[:, 0, -1], corners[:, -1, -1]
    ends, count = (float(low.min()), float(high.max())), slices[0]
    middle, half = 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])
    u = (np.arange(count) + 0.5) * np.pi / count
    total = 0.0
    for z, weight in zip(middle + half * np.cos(u), half * np.sin(u) * np.pi / count, strict=True):
        own = corners[(low < z) & (z <= high)]
        total += weight * measure(sliced(own, float(z)), slices[1:])
    return total


def sliced(corners: Array, z: float) -> Array:
    """The simplices of one dimension less in which a plane cuts some, corners in rising order."""
    d = corners.shape[-1]
    below, parts = np.sum(corners[..., -1] < z, axis=1), []

    def cut(own: Array, i: int, j: int) -> Array:
        a, b = own[:, i], own[:, j]
        share = (z - a[:, -1:]) / (b[:, -1:] - a[:, -1:])
        return np.asarray(a[:, :-1] + share * (b - a)[:, :-1])

    for k in range(1, d + 1):
        own = corners[below == k]
        edges = [cut(own, i, j) for i in range(k) for j in range(k, d + 1)]
        if d == 3 and k == 2:  # a quadrangle, its corners 02, 03, 12, 13
            halves = (0, 1, 3), (0, 3, 2)
            parts += [np.stack([edges[i] for i in half], axis=1) for half in halves]
        else:
            parts.append(np.stack(edges, axis=1))
    return np.concatenate(parts)


def covered(ends: Array) -> float:
    """Length that intervals cover together."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.argsort(low)
    low, high = low[order], np.maximum.accumulate(high[order])
    fresh = np.maximum(low[1:], high[:-1])
    return float(high[0] - low[0] + np.sum(high[1:] - fresh))
