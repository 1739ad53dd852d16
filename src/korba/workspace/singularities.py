"""Singular positions that a motion passes, and how far it stays from them.

J is the matrix of the loops and drives without units. Two measures over the motion:

    determinant   +- sqrt det J'J, its sign kept from position to position by the sign of
                  det J(t_k)' J(t_k+1), so that J may have rows to spare                  (1)
    smallest      the smallest singular value of J                                        (2)

Where (1) changes its sign the motion passes a change point: two branches cross and the drives do
not say which to take. Where the rate of a coordinate changes its sign while others move, that
coordinate has an extreme value: driven by it, the mechanism would be at a dead point. A motion that
ended with a `DeadPointError` has a fold at its end.

Positions between the samples follow from Hermite interpolation and Newton's method, so they lie on
the branch of the motion. Roots come from a polynomial through values around them; it is never
evaluated at the root itself, where equations may be singular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed, Listed
from ..door import public
from ..errors import DeadPointError, StructureError, refuse_unknown
from ..model.body import GROUND
from ..model.mechanism import Mechanism
from ..positions.follow import Along, Nodes, filled, on_time
from ..solve.dead_point import in_line, values_at
from ..solve.motion import loops_of, moving
from ..spatial.rotation import Array
from ..trajectory.places import kept_tree
from ..trajectory.trajectory import Trajectory

Measure = Callable[[Trajectory], Array]
"""A number at every time of a motion."""

DEGREE = 9
"""Of the polynomial: odd, so its even count of points leaves the middle out."""
NEAR = 1e-4
"""How far from a change point, as a part of a step, positions are still well defined."""
LARGEST = 200_000_000
"""Elements of all matrices together."""
TOO_NEAR = 1e-2
"""Part of the usual smallest singular value below which positions of a motion are passed over."""


@dataclass(frozen=True, eq=False)
class Singularity(Displayed):
    """A singular position: when, of which kind, and what stands in line there."""

    t: float
    kind: str
    """`change point`, `dead point` (of `coordinate`) or `fold` (the drives go no further)."""
    coordinate: str
    """The coordinate whose dead point it is; empty for other kinds."""
    in_line: tuple[str, ...]
    values: dict[str, float]
    """Every coordinate there, by name."""

    def __str__(self) -> str:
        of = f" of {self.coordinate}" if self.coordinate else ""
        why = f" ({'; '.join(self.in_line)})" if self.in_line else ""
        return f"{self.kind}{of} at t = {self.t:.10g} s{why}"


@dataclass(frozen=True, eq=False)
class Singularities(Listed[Singularity]):
    """Singular positions, and measures over the motion's times.

    First come those that are felt from outside: change points, folds and dead points of joints at
    the base, in the order of time; then dead points between moving links.
    """

    listed = "found"
    found: tuple[Singularity, ...]
    determinant: Array
    """Signed; its sign changes at change points."""
    smallest: Array
    """Smallest singular value of the equations without units: 0 in a singular position."""

    inner: int = 0
    """How many of them, the last, are dead points between moving links."""

    def __str__(self) -> str:
        outer = len(self.found) - self.inner
        lines = [*map(str, self.found[:outer])]
        if self.inner:
            lines += ["between moving links:", *(f"  {each}" for each in self.found[outer:])]
        return "\n".join(lines) or "no singular position"


@public
def singularities(motion: Trajectory | DeadPointError) -> Singularities:
    """Change points, dead points and folds of a motion, their times found to about 1e-10.

    A `DeadPointError` stands for the motion that it ended. Dead points of coordinates are looked
    for where the mechanism has one drive.
    """
    ended = motion if isinstance(motion, DeadPointError) else None
    path = motion if ended is None else ended.motion
    if not isinstance(path, Trajectory):
        raise StructureError(
            f"singularities: expected a motion, such as kb.motion(m, times), got {path!r:.60}"
        )
    _refuse_large(path)
    if not len(path.t):
        return Singularities(_fold(path, ended), np.zeros(0), np.zeros(0))
    J = matrix(path)
    smallest = _smallest(J)
    sound = smallest > TOO_NEAR * np.median(smallest)
    steady = path
    if not sound.all():
        steady = moving(path.mechanism, loops_of(path), path.t[sound], path.q[sound])
    found = [*_change_points(steady, J[sound]), *_dead_points(steady), *_fold(path, ended)]
    found.sort(key=lambda each: (_is_inner(path.mechanism, each), each.t))
    inner = sum(_is_inner(path.mechanism, each) for each in found)
    return Singularities(tuple(found), _determinant(J), smallest, inner)


def _is_inner(m: Mechanism, found: Singularity) -> bool:
    """Whether it is a dead point of a joint between two moving links: no input or output."""
    owners = [joint for joint in m.joints if found.coordinate in joint.velocities()]
    return bool(owners) and not any(joint.joins(GROUND) for joint in owners)


def _refuse_large(motion: Trajectory) -> None:
    """Matrices of all times at once have to fit into memory."""
    system = loops_of(motion)
    size = len(motion.t) * len(system.owners) * system.tree.nv
    if size > LARGEST:
        most = max(1, LARGEST // (len(system.owners) * system.tree.nv))
        raise StructureError(
            f"singularities: {len(motion.t)} times of {system.tree.nv} velocities are too many; "
            f"give a motion of {most} times or fewer"
        )


def matrix(motion: Trajectory) -> Array:
    """J of loops and drives over the motion, without units, shape (times, rows, nv)."""
    system = loops_of(motion)
    wanted, _, clock = on_time(system)(motion.t)
    return system.unitless(motion.q, wanted, clock)[1]


def _smallest(J: Array) -> Array:
    """(2)."""
    return np.asarray(np.linalg.svd(J, compute_uv=False)[:, -1])


def _determinant(J: Array) -> Array:
    """(1)."""
    size = np.exp(0.5 * np.linalg.slogdet(J.mT @ J)[1])
    return np.asarray(size * np.cumprod(np.concatenate([[1.0], _same_sign(J)])))


def _same_sign(J: Array) -> Array:
    """Sign of det J(t_k)' J(t_k+1) for neighbouring positions."""
    return np.asarray(np.linalg.slogdet(J[:-1].mT @ J[1:])[0])


def _change_points(motion: Trajectory, J: Array) -> Iterator[Singularity]:
    """Where (1) changes its sign and (2) vanishes."""
    usual = float(np.median(_smallest(J)))
    for k in np.flatnonzero(_same_sign(J) <= 0):

        def measure(part: Trajectory, reference: Array = J[k]) -> Array:
            sign, log = np.linalg.slogdet(reference.T @ matrix(part))
            return np.asarray(sign * np.exp(log - log.max()))

        t = root(motion, measure, float(motion.t[k]), float(motion.t[k + 1]))
        aside = NEAR * (motion.t[k + 1] - motion.t[k])
        beside = at_times(motion, [max(t - aside, motion.t[0]), min(t + aside, motion.t[-1])])
        rest = float(_smallest(matrix(beside)).max())
        if rest < 100 * NEAR * usual:
            yield _singularity(motion, beside.q.mean(axis=0), t, "change point")


def _dead_points(motion: Trajectory) -> Iterator[Singularity]:
    """Where a coordinate has an extreme value while others move."""
    if loops_of(motion).wanted == 1:
        for name in motion.velocities:
            for t in reversals(motion, name):
                q = at_times(motion, [t]).q[0]
                yield _singularity(motion, q, t, "dead point", name)


def reversals(motion: Trajectory, name: str) -> list[float]:
    """Times at which a velocity changes its sign while others move."""
    refuse_unknown("velocity", name, motion.velocities)
    k = motion.velocities.index(name)
    v, units = motion.v[:, k], loops_of(motion).units
    fastest = float(np.max(np.abs(motion.v / units), initial=0.0))
    unit = float(units[k])
    if np.max(np.abs(v), initial=0.0) < 1e-9 * fastest * unit:
        return []
    found = []
    for i in np.flatnonzero((v[:-1] * v[1:] < 0) | ((v[1:] == 0) & (v[:-1] != 0))):
        low, high = motion.t[i : i + 2].tolist()
        t = root(motion, lambda part: part.v[:, k], low, high)
        here = at_times(motion, [t])
        if np.max(np.abs(here.v / units)) > 1e-6 * fastest:
            found.append(t)
    return found


def _fold(motion: Trajectory, ended: DeadPointError | None) -> tuple[Singularity, ...]:
    """The end of a motion that could not go on."""
    if ended is None:
        return ()
    tree = kept_tree(motion.mechanism)
    q = np.array([ended.values[tree.coordinates[i]] for i in tree.free_q])
    return (Singularity(ended.t, "fold", "", in_line(tree, q), dict(ended.values)),)


def _singularity(
    motion: Trajectory, q: Array, t: float, kind: str, coordinate: str = ""
) -> Singularity:
    tree = kept_tree(motion.mechanism)
    return Singularity(t, kind, coordinate, in_line(tree, q), values_at(tree, q))


def at_times(motion: Trajectory, t: Any) -> Trajectory:
    """The same motion at other times within its own."""
    system = loops_of(motion)
    inputs = on_time(system)
    rate = system.rates(motion.q, *inputs(motion.t), check_finite=False)[2]
    nodes = Nodes(motion.t, motion.q, rate, True)
    t = np.asarray(t, dtype=float)
    return moving(motion.mechanism, system, t, filled(Along(system, inputs), nodes, t))


def root(motion: Trajectory, measure: Measure, low: float, high: float) -> float:
    """The time between two others at which a measure changes its sign."""
    start, end = float(motion.t[0]), float(motion.t[-1])
    found = 0.5 * (low + high)
    for width in (0.5 * (high - low), 0.1 * (high - low)):
        t = _chebyshev(max(start, found - width), min(end, found + width))
        found = _crossing(t, measure(at_times(motion, t)), found)
    return float(found)


def least(motion: Trajectory, measure: Measure, k: int) -> tuple[float, float]:
    """The least value of a measure around sample k, and its time."""
    low, high = motion.t[max(k - 1, 0)], motion.t[min(k + 1, len(motion.t) - 1)]
    best, t_best = float(measure(motion)[k]), float(motion.t[k])
    for _ in range(8):
        t = np.linspace(low, high, 33)
        values = measure(at_times(motion, t))
        i = int(np.argmin(values))
        if values[i] < best:
            best, t_best = float(values[i]), float(t[i])
        low, high = t[max(i - 1, 0)], t[min(i + 1, 32)]
        if high - low < 1e-8 * max(1.0, abs(high)):
            break
    return best, t_best


def _chebyshev(low: float, high: float) -> Array:
    angles = (2 * np.arange(DEGREE + 1) + 1) * np.pi / (2 * DEGREE + 2)
    return np.asarray(0.5 * (low + high) - 0.5 * (high - low) * np.cos(angles))


def _crossing(t: Array, values: Array, near: float) -> float:
    """The root of the polynomial through values that is nearest to a time."""
    from numpy.polynomial import chebyshev

    middle, half = 0.5 * (t[0] + t[-1]), 0.5 * (t[-1] - t[0])
    x = (t - middle) / half
    size = float(np.max(np.abs(values)))
    series = chebyshev.chebfit(x, values / (size or 1.0), DEGREE)
    roots = chebyshev.chebroots(series)
    real = roots[np.abs(roots.imag) < 1e-6].real
    inside = real[np.abs(real) <= 1.1]
    if not len(inside):
        return near
    times = middle + half * inside
    return float(times[np.argmin(np.abs(times - near))])
