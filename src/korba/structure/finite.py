"""Finite mobility: what really moves, told apart from what moves by an infinitesimal amount.

The rank counts velocities at one position. Where the constraints are independent, every velocity
belongs to a motion (implicit function theorem). Where they are not, positions nearby are tried: a
step along directions of the null space, brought back to closure by Newton's method. Directions that
survive span the finite motions; the null space found there tells the mobility at general positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import StructureError
from ..kinematics.rates import moved_joint
from ..spatial.pose import Pose
from ..spatial.rotation import Array, rotation_about, rotation_vector
from .placement import Placement
from .rank import Rank, rank_of

if TYPE_CHECKING:
    from scipy import sparse


def stepped_along(place: Placement, twists: Array, *, close: bool = False) -> Placement:
    """The placement after small twists of the moving bodies, the joints' coordinates following.

    With `close` the joints' gaps are added to their own rates: one step of Newton's method.
    """
    V = np.concatenate([np.zeros(place.size), twists]).reshape(-1, place.size)
    coordinates = []
    for j, (joint, S) in enumerate(zip(place.m.joints, place.freedom, strict=True)):
        blocks = place.relative(j, np.eye(place.size))
        motion = np.sum([block @ V[b] for b, block in blocks.items()], axis=0)
        motion = motion - place.gap(j) if close else motion
        rate = np.linalg.lstsq(S, motion, rcond=None)[0] if joint.nv else np.zeros(0)
        coordinates.append(moved_joint(joint, place.q[j], rate))
    return replace(place, X_WB=_moved(place, V), q=tuple(coordinates))


def _moved(place: Placement, V: Array) -> tuple[Pose, ...]:
    """Body poses after small twists: origins go straight, with the velocity they have."""
    full = np.zeros((len(V), 6))
    full[:, list(place.space)] = V
    found = []
    for X, twist, centre in zip(place.X_WB, full, place.reference, strict=True):
        angle = float(np.linalg.norm(twist[:3]))
        R = rotation_about(twist[:3] / angle, angle) if angle > 0 else np.eye(3)
        found.append(
            Pose(R @ X.R, X.p + place.scale * twist[3:] + np.cross(twist[:3], X.p - centre))
        )
    return tuple(found)


def misfits(place: Placement, held: Mapping[str, float]) -> tuple[Array, float]:
    """What the rows of joints, couplings and held coordinates ask of twists; the largest gap."""
    gaps = [place.gap(j) for j in range(len(place.ties))]
    miss = [W.T @ gap for W, gap in zip(place.blocked, gaps, strict=True)]
    couplings = [-residual / size for _, _, residual, size in place.couplings]
    asked = [value - place.values[name] for name, value in held.items()]
    wanted = np.concatenate([*miss, couplings, asked])
    return wanted, float(abs(np.concatenate([wanted, *gaps])).max(initial=0.0))


def held_matrix(place: Placement, held: Iterable[str]) -> sparse.csr_matrix:
    """The rows of joints and couplings, and those of the rates of held coordinates."""
    return place.matrix([*place.rows, *((name, place.rate_row(name)) for name in held)])


def closed(
    place: Placement,
    tolerance: float = 1e-12,
    steps: int = 12,
    held: Mapping[str, float] | None = None,
) -> Placement | None:
    """The nearest position with all joints closed, by Newton's method; None if not reached.

    `held` are coordinates that must take given values as well.
    """
    for _ in range(steps):
        wanted, gap = misfits(place, held or {})
        if gap < tolerance:
            return place
        twists = solve_least(held_matrix(place, held or {}), wanted)
        if not np.all(np.isfinite(twists)) or np.abs(twists).max(initial=0.0) > 1.0:
            return None
        place = stepped_along(place, twists, close=True)
    return None


MOST_STEPS = 20_000
"""Steps of an input on its way to one value."""


def steps_to(place: Placement, coordinate: str, value: float, step: float = 0.05) -> Array:
    """Values of a coordinate on the way to a given one, no further apart than a step."""
    start = place.values[coordinate]
    count = abs(value - start) / step
    if count > MOST_STEPS:
        raise StructureError(
            f"{coordinate} = {value:g} is too far from {start:g}: at most {MOST_STEPS} steps of "
            f"{step:g} are taken to it"
        )
    count = max(1, int(np.ceil(count)))
    return np.linspace(start, value, count + 1)[1:]


def driven_to(place: Placement, coordinate: str, value: float) -> Placement:
    """The position where a coordinate has the given value, reached in small steps."""
    for target in steps_to(place, coordinate, value):
        nearer = closed(place, held={coordinate: target})
        if nearer is None:
            raise StructureError(
                f"the mechanism cannot be driven to {coordinate} = {value:g}: it does not close "
                f"beyond {place.values[coordinate]:g}"
            )
        place = nearer
    return place


def solve_least(A: sparse.csr_matrix, b: Array) -> Array:
    """The smallest x with A x as near b as can be; A may have dependent rows.

    Numbers that are not finite give an x that is not.
    """
    if not (np.all(np.isfinite(A.data)) and np.all(np.isfinite(b))):
        return np.full(A.shape[1], np.nan)
    if A.shape[1] <= 400:
        return np.asarray(np.linalg.lstsq(A.toarray(), b, rcond=1e-9)[0])
    from scipy import sparse
    from scipy.sparse.linalg import splu

    weak = 1e-13 * sparse.identity(A.shape[0], format="csc")
    return np.asarray(A.T @ splu((A @ A.T + weak).tocsc()).solve(b))


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
