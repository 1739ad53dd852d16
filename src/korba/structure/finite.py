"""Finite mobility: what really moves, told apart from what moves by an infinitesimal amount.

The rank counts velocities at one position. Where the constraints are independent, every velocity
belongs to a motion (implicit function theorem). Where they are not, positions nearby are tried: a
step along directions of the null space, brought back to closure by Newton's method. Directions that
survive span the finite motions; the null space found there tells the mobility at general positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..spatial.rotation import Array, rotation_vector
from .closing import closed, stepped_along
from .placement import Placement
from .rank import Rank, rank_of

STEP = 0.02
"""Length of the trial step, in radians and typical lengths."""

MANY = 8
"""Null spaces larger than this, and large mechanisms, are tried in three directions only."""


@dataclass(frozen=True, eq=False)
class Finite:
    """Count of finite freedoms, and a position nearby that is not special (the drawing if none)."""

    mobility: int
    place: Placement
    sampled: bool
    """Whether positions nearby had to be tried."""


def finite_mobility(place: Placement, rank: Rank, implied: int = 0) -> Finite:
    """The mobility that lasts over a finite motion, local freedoms included.

    `implied` is the count of constraints that are always met because loops move in spaces of
    fewer dimensions: closure within those spaces is a regular condition as well.
    """
    nullity = rank.null.shape[1]
    if nullity == 0 or place.matrix().shape[0] - rank.rank == implied:
        return Finite(nullity, place, False)
    reached = [p for u in _directions(rank.null) if (p := _reached(place, u)) is not None]
    if not reached:
        return Finite(0, place, True)
    nullities = [rank_of(p.matrix()).null.shape[1] for p in reached]
    mobility = min(max(nullities), _span(place, reached, nullity))
    return Finite(mobility, reached[int(np.argmax(nullities))], True)


def general_place(place: Placement, rank: Rank) -> Placement:
    """A closed position near the drawing in a general direction; the drawing if none is reached."""
    for u in _directions(rank.null) if rank.null.shape[1] else ():
        if (near := _reached(place, u)) is not None:
            return near
    return place


def _directions(null: Array) -> list[Array]:
    """Directions to try: random ones of the null space, more of them than its dimension."""
    count = null.shape[1]
    samples = count + 3 if count <= MANY and null.shape[0] <= 600 else 3
    mixes = np.random.default_rng(2003).standard_normal((samples, count))
    found = [null @ mix for mix in mixes]
    return [u / np.abs(u).max() for u in found]


def _reached(place: Placement, u: Array) -> Placement | None:
    """A closed position about one STEP away in direction u, if there is one."""
    near = closed(stepped_along(place, STEP * u), tolerance=1e-11, steps=40)
    if near is None or np.abs(displacement(place, near)).max(initial=0.0) < 0.2 * STEP:
        return None
    return near


def displacement(place: Placement, near: Placement) -> Array:
    """Scaled twists from a placement to another one nearby."""
    rows = []
    for b in range(1, len(place.X_WB)):
        X, Y = place.X_WB[b], near.X_WB[b]
        arm = X.inverse().point(place.reference[b])
        move = (Y.point(arm) - place.reference[b]) / place.scale
        rows.append(np.concatenate([rotation_vector(Y.R @ X.R.T), move])[list(place.space)])
    return np.concatenate(rows)


def _span(place: Placement, reached: list[Placement], nullity: int) -> int:
    """Dimension of the span of the displacements; the full null space where few were tried."""
    if len(reached) <= nullity and nullity > MANY:
        return nullity
    moves = np.array([displacement(place, near) / STEP for near in reached]).T
    return int(np.sum(np.linalg.svd(moves, compute_uv=False) > 0.15))
