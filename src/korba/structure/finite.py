"""Finite mobility: what really moves, told apart from what moves by an infinitesimal amount.

The rank counts velocities at one position. Where the constraints are independent, every velocity
belongs to a motion (implicit function theorem). Where they are not, positions nearby are tried: a
step along directions of the null space, brought back to closure by Newton's method. Directions that
survive span the finite motions of a branch; where branches cross they are told from points beside
the crossing, and the mobility is that of the branch with most freedoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StructureError
from ..kinematics.rates import moved_joint
from ..positions.least_steps import Equations, newton_steps
from ..positions.rank import STEP, Rank
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross, rotation_about, rotation_vector
from ..spatial.subspace import pseudo_inverse
from .placement import Placement

if TYPE_CHECKING:
    from scipy import sparse


def stepped_along(place: Placement, twists: Array, *, close: bool = False) -> Placement:
    """The placement after small twists of the moving bodies, the joints' coordinates following.

    With `close` the joints' gaps are added to their own rates: one step of Newton's method.
    """
    V = np.concatenate([np.zeros(place.size), twists]).reshape(-1, place.size)
    coordinates = []
    for j, (joint, S) in enumerate(zip(place.m.joints, place.freedom, strict=True)):
        motion = place.motion(j, V)
        motion = motion - place.gaps[j] if close else motion
        rate = pseudo_inverse(S) @ motion
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
        found.append(Pose(R @ X.R, X.p + place.scale * twist[3:] + cross(twist[:3], X.p - centre)))
    return tuple(found)


def misfits(place: Placement, held: Mapping[str, float]) -> tuple[Array, float]:
    """What the rows of joints, couplings and held coordinates ask of twists; the largest gap."""
    gaps = place.gaps
    miss = [W.T @ gap for W, gap in zip(place.blocked, gaps, strict=True)]
    couplings = [-residual / size for _, _, residual, size in place.couplings]
    asked = [value - place.values[name] for name, value in held.items()]
    wanted = np.concatenate([*miss, couplings, asked])
    return wanted, float(abs(np.concatenate([wanted, *gaps])).max(initial=0.0))


def held_matrix(place: Placement, held: Iterable[str]) -> sparse.csr_matrix | Array:
    """The rows of joints and couplings, and those of the rates of held coordinates."""
    return place.matrix([*place.rows, *((name, place.rate_row(name)) for name in held)])


def closed(
    place: Placement,
    tolerance: float = 1e-12,
    steps: int = 12,
    *,
    held: Mapping[str, float] | None = None,
    longest: float | None = None,
    lost: Callable[[Placement], bool] = lambda _: False,
) -> Placement | None:
    """The nearest position with all joints closed, by Newton's method; None if not reached.

    Steps are no longer than the `longest`; without it a long one ends the search, and so does a
    position that is `lost`. `held` are coordinates that must take given values as well.
    """

    def equations(place: Placement) -> tuple[float, Equations]:
        wanted, gap = misfits(place, held or {})
        return gap, lambda: (held_matrix(place, held or {}), wanted)

    def stepped(place: Placement, twists: Array) -> Placement:
        return stepped_along(place, twists, close=True)

    bounds: Any = {"longest": longest, "lost": lost, "cut": max(STEP, place.digits)}
    found, gap = newton_steps(equations, stepped, place, tolerance, most=steps - 1, **bounds)
    return found if gap <= tolerance else None


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


STEPS = 0.1, 0.02
"""Lengths of trial steps, in radians and typical lengths: the second where the first is too long.

Crossing branches may part in the fourth order only, so that short steps do not tell them apart.
"""
SEEN = 2e3
"""Squares of trial steps beside the width of loops of few digits: lengths that differ by a
thousandth open a loop by more than these, and so they block it.
"""
ASTRAY = 0.15
"""Part of a step by which closing may change it where it is a motion; what is less is no motion."""
BRANCHES, BESIDE = 3, 0.05
"""Positions nearby from which branches are looked at, and the part of a step that is tried there:
so short that it does not lead back to where they cross.
"""
STAYS, BACK = 0.2, 0.1
"""Parts of a step by which a closed position has to be away from where it began, and one on the
way to it.
"""
LARGE, FEW = 600, 3
"""Unknowns of large mechanisms, and directions that are tried there."""


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
    tries = [_trials(place, rank.null, step) for step in (STEPS[0], _short(place))]
    for tried in tries:
        if _straight(tried):
            best = max((trial.near for trial in tried if trial.near), key=_nullity)
            return Finite(_nullity(best), best, True)
    if (whole := _whole_branch(tries, nullity)) is not None:
        return Finite(nullity, whole, True)
    mobility, best = 0, place
    crossing = next((tried for tried in tries if any(trial.near for trial in tried)), [])
    for trial in sorted(crossing, key=lambda trial: trial.astray)[:BRANCHES]:
        if trial.near and _nullity(trial.near) > mobility:
            branch = _dimension(trial.near, BESIDE * trial.step)
            mobility, best = (branch, trial.near) if branch > mobility else (mobility, best)
    return Finite(mobility, best, True)


def _short(place: Placement) -> float:
    """The second length of trial steps: what blocks shows in it beside the digits of loops."""
    return min(max(STEPS[1], _told_apart(place)), STEPS[0])


def _told_apart(place: Placement) -> float:
    """How far from a position another one is a motion away, for all that the digits tell."""
    return float(np.sqrt(SEEN * place.digits))


def _whole_branch(tries: list[list[Trial]], nullity: int) -> Placement | None:
    """A position nearby where all velocities of the drawing last, if one is found at once.

    It is looked for among trials that have been made, at that which closing changed least.
    """
    made = [trial for tried in tries for trial in tried if trial.made and trial.near]
    for trial in sorted(made, key=lambda trial: trial.astray)[:1]:
        near = trial.near
        if near and _nullity(near) == nullity == _dimension(near, BESIDE * trial.step):
            return near
    return None


def _nullity(place: Placement) -> int:
    return place.rank.null.shape[1]


@dataclass(frozen=True, eq=False)
class Trial:
    """A step along a velocity u, closed again: whether it really moves.

    At a smooth point of one branch every step of the null space is a motion, changed by closing in
    the second order only. Where branches cross, such as swings and turns of a plate on parallel
    rods, a step is drawn to one of them: then the steps together span more than any branch has
    dimensions, and a branch has to be looked at from a point of its own.
    """

    place: Placement
    u: Array
    step: float

    @property
    def made(self) -> bool:
        """Whether the step has been made already."""
        return "near" in self.__dict__

    @cached_property
    def near(self) -> Placement | None:
        """The closed position, if one is reached."""
        return _reached(self.place, self.u, self.step)

    @cached_property
    def move(self) -> Array:
        """What became of u."""
        return displacement(self.place, self.near or self.place) / self.step

    @cached_property
    def astray(self) -> float:
        """Part of u by which closing changed it."""
        if self.near is None:
            return np.inf
        return float(np.linalg.norm(self.move - self.u) / np.linalg.norm(self.u))


def _trials(place: Placement, null: Array, step: float) -> list[Trial]:
    return [Trial(place, u, step) for u in _directions(null)]


def _straight(trials: list[Trial]) -> bool:
    """Whether all steps are motions; none is made after one that is not."""
    return all(trial.astray <= ASTRAY for trial in trials)


def _dimension(place: Placement, step: float) -> int:
    """Dimension of a branch: all of the null space, or what its steps span."""
    null = place.rank.null
    trials = _trials(place, null, step)
    if _straight(trials):
        return null.shape[1]
    moves = np.array([trial.move for trial in trials if trial.near]).T
    return int(np.sum(np.linalg.svd(moves, compute_uv=False) > ASTRAY)) if moves.size else 0


def lasts(place: Placement, twists: Array) -> bool:
    """Whether a velocity belongs to a motion, or the loops take it back at once."""
    u = twists / np.abs(twists).max()
    step = _short(place)
    near = _reached(place, u, step)
    return near is not None and float(np.abs(displacement(place, near)).max()) > step / 2


def general_place(place: Placement, rank: Rank) -> Placement:
    """A closed position near the drawing in a general direction; the drawing if none is reached."""
    for u in _directions(rank.null) if rank.null.shape[1] else ():
        if (near := _reached(place, u, STEPS[-1])) is not None:
            return near
    return place


def _directions(null: Array) -> list[Array]:
    """Directions to try: random ones of the null space, more of them than its dimension."""
    count = null.shape[1]
    samples = count + FEW if null.shape[0] <= LARGE else FEW
    mixes = np.random.default_rng(2003).standard_normal((samples, count))
    found = [null @ mix for mix in mixes]
    return [u / np.abs(u).max() for u in found]


def _reached(place: Placement, u: Array, step: float) -> Placement | None:
    """A closed position about one step away in direction u, if there is one.

    The position itself is closed, so the nearest one to the end of the step is no further from it.
    Where nothing moves each step of Newton's method goes half of the way back: who is near the
    position again is not followed to the last digit.
    """

    def back(near: Placement, part: float) -> bool:
        return float(np.abs(displacement(place, near)).max(initial=0.0)) < part * step

    start = stepped_along(place, step * u)
    bounds: Any = {"longest": 0.3 * step, "lost": lambda near: back(near, BACK)}
    near = closed(start, tolerance=place.rounding, steps=60, **bounds)
    if near is None or back(near, max(STAYS, 0.5 * _told_apart(place) / step)):
        return None
    move = displacement(place, near) / step
    return None if np.linalg.norm(move - u) > np.linalg.norm(u) else near


def displacement(place: Placement, near: Placement) -> Array:
    """Scaled twists from a placement to another one nearby."""
    rows = []
    for b in range(1, len(place.X_WB)):
        X, Y = place.X_WB[b], near.X_WB[b]
        arm = X.inverse().point(place.reference[b])
        move = (Y.point(arm) - place.reference[b]) / place.scale
        rows.append(np.concatenate([rotation_vector(Y.R @ X.R.T), move])[list(place.space)])
    return np.concatenate(rows)
