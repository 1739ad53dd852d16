"""Steps of least size towards smaller residuals, after Levenberg and Marquardt, side by side.

    x = argmin |J x + Phi|^2 + mu |x|^2                                                      (1)

with everything in typical units. mu shrinks with success, so the end is Newton's method; with rows
to spare or freedoms left over it is the step of least size. Each lane, a start or a design, has a
mu of its own and ends by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..expr.display_units import DisplayUnits
from ..libraries import undisturbed
from ..spatial.rotation import Array
from .rank import STEP, least_solution

MOST_STEPS = 200
LONGEST = 0.5
"""Of a step, in radians and typical lengths, so that the end is near the start."""
UNDAMPED = 1e-13
"""The mu below which a step that gains nothing tells that nothing can be gained."""
DAMPED = 1e-9
"""The mu above which normal equations are solved to enough digits."""


class Pace(NamedTuple):
    """How fast starts go: the first mu and the least, its factors after success and without."""

    first: float
    least: float
    down: float
    up: float
    longest: float = LONGEST
    most: int = MOST_STEPS


NEARBY = Pace(1e-2, 1e-16, 0.1, 10.0)
"""To a position near the start."""
FROM_AFAR = Pace(0.1, 2e-9, 0.2, 5.0, 1.0, 120)
"""From random starts to any position."""
T = TypeVar("T")
Rows = Callable[[T], tuple[Array, Any]]
"""Phi and J at a position; J may be sparse."""
Moved = Callable[[T, Array], T]
"""A position moved by a step x."""
LaneRows = Callable[[Array, Array], tuple[Array, Any]]
"""The same at the positions of some lanes, which are named."""
LanesMoved = Callable[[Array, Array, Array], Array]
"""Positions of some lanes, moved by steps x."""
Leaving = Callable[[Array, Array], Array]
"""Which parts of steps x from positions would go beyond a limit."""
Equations = Callable[[], tuple[Any, Array]]
"""A and b of a step x, A x = b, when it is asked for."""
JointPoints = dict[str, list[tuple[str, Array]]]
"""Joints of every body, and where they are in the world."""


def least_steps(
    rows: Rows[T], moved: Moved[T], q: T, closed: float, least_gain: float = 0.0
) -> tuple[T, float]:
    """The position reached, and its largest residual; a position is any value that can be moved.

    It ends where a step without damping gains no more than a `least_gain` of the sum of squares.
    """

    def alone(q: Array, _: Array) -> tuple[Array, Any]:
        phi, J = rows(q[0])
        return phi[None], J[None] if isinstance(J, np.ndarray) else boxed([J])

    def stepped(q: Array, x: Array, _: Array) -> Array:
        return boxed([moved(q[0], x[0])])

    found, gap = least_steps_of_lanes(alone, stepped, boxed([q]), closed, least_gain)
    return found[0], float(gap[0])


def boxed(values: Iterable[Any]) -> Array:
    """Lanes that hold a value each."""
    every = list(values)
    lanes = np.empty(len(every), dtype=object)
    for k, value in enumerate(every):
        lanes[k] = value
    return lanes


def least_steps_of_lanes(
    rows: LaneRows,
    moved: LanesMoved,
    q: Array,
    closed: float,
    least_gain: float = 0.0,
    *,
    pace: Pace = NEARBY,
    enough: float | None = None,
    leaving: Leaving | None = None,
) -> tuple[Array, Array]:
    """Positions reached from many, shape (lanes, nq), and their largest residuals.

    Below what is `enough` a lane ends with the first step that gains nothing, above it with the
    first that gains little, damped or not. Parts of steps that are `leaving` limits are kept still.
    """
    q, every = q.copy(), np.arange(len(q))
    near, far = (0.0, np.inf) if enough is None else (enough, enough)
    phi, J = rows(q, every)
    mu = np.full(len(q), pace.first)
    on = every[_largest(phi) > closed]
    for _ in range(pace.most):
        if not len(on):
            break
        x = _within(q[on], (J[on], phi[on], mu[on]), leaving)
        longest = _largest(x)
        x = x * np.minimum(1.0, pace.longest / np.maximum(longest, 1e-300))[:, None]
        new = moved(q[on], x, on)
        new_phi, new_J = rows(new, on)
        gain = 1.0 - np.sum(new_phi**2, axis=1) / np.sum(phi[on] ** 2, axis=1)
        better = gain > 0.0
        took = on[better]
        q[took], phi[took], J[took] = new[better], new_phi[better], new_J[better]
        raised = np.maximum(mu[on] * pace.up, 1e-14)
        mu[on] = np.where(better, np.maximum(mu[on] * pace.down, pace.least), raised)
        size = _largest(phi[on])
        still = better & (gain < least_gain) & ((mu[on] < UNDAMPED) | (size > far))
        still |= ~better & (size < near)
        stuck = (longest < 1e-14) | (mu[on] > 1e12) | still
        on = on[~stuck & (size > closed)]
    return q, _largest(phi)


def _largest(values: Array) -> Array:
    """The largest part of every lane."""
    return np.asarray(np.max(np.abs(values), axis=1, initial=0.0))


def _within(q: Array, equations: tuple[Any, Array, Array], leaving: Leaving | None) -> Array:
    """Least steps without the parts that leave their limits, the others making up for them."""
    J, phi, mu = equations
    x = least_step(J, phi, mu)
    kept = np.zeros(x.shape, dtype=bool)
    for _ in range(3):
        if leaving is None or not (more := leaving(q, x) & ~kept).any():
            break
        kept |= more
        on = more.any(axis=1)
        x[on] = least_step(J[on] * ~kept[on, None], phi[on], mu[on])
    return x


def least_step(J: Any, phi: Array, mu: Array) -> Array:
    """(1): by normal equations where mu damps them, by QR of [J; sqrt(mu) 1] where it does not.

    For many unknowns it is through sparse factors. Phi may have several columns, each with a step
    of its own.
    """
    if J.dtype == object:
        return np.array([_sparse_step(*lane) for lane in zip(J, phi, mu, strict=True)])
    if not J.shape[2]:
        return np.zeros((len(J), 0))
    x = np.empty((len(J), J.shape[2], *phi.shape[2:]))
    damped = mu > DAMPED
    for some, step in ((damped, _damped_step), (~damped, _plain_step)):
        if some.any():
            x[some] = step(J[some], phi[some], mu[some])
    return x


def _damped_step(J: Array, phi: Array, mu: Array) -> Array:
    """(J'J + mu 1) x = -J' Phi."""
    J_t, n = np.swapaxes(J, 1, 2), J.shape[2]
    normal = J_t @ J
    normal[:, range(n), range(n)] += mu[:, None]
    right = J_t @ phi.reshape(*phi.shape[:2], -1)
    finite = np.isfinite(normal).all(axis=(1, 2)) & np.isfinite(right).all(axis=(1, 2))
    normal[~finite], right[~finite] = np.eye(n), 0.0
    return -np.linalg.solve(normal, right).reshape(len(J), n, *phi.shape[2:])


def _plain_step(J: Array, phi: Array, mu: Array) -> Array:
    count, height, n = J.shape
    stacked = np.concatenate([J, np.sqrt(mu)[:, None, None] * np.eye(n)], axis=1)
    columns = phi.reshape(count, height, -1)
    finite = np.isfinite(stacked).all(axis=(1, 2)) & np.isfinite(columns).all(axis=(1, 2))
    stacked[~finite] = np.eye(height + n, n)  # sizes of 1e200 m: there is no way on
    Q, R = np.linalg.qr(stacked)
    right = np.swapaxes(Q[:, :height], 1, 2) @ np.where(finite[:, None, None], -columns, 0.0)
    return np.linalg.solve(R, right).reshape(count, n, *phi.shape[2:])


def _sparse_step(J: Any, phi: Array, mu: float) -> Array:
    with undisturbed():
        from scipy import sparse
        from scipy.sparse.linalg import splu

    normal = J.T @ J + max(mu, 1e-13) * sparse.identity(J.shape[1])
    return np.asarray(splu(normal.tocsc()).solve(-(J.T @ phi)))


HALF = 0.02
"""How near to a half steps are that halve."""


def rest(steps: list[Array]) -> Array | None:
    """What is left of steps that halve, one by one or every second one; None where they do not.

    Newton's method comes so to a singular position, and the sum of what is left of it leaves an
    error of second order. Source: Decker, Keller & Kelley (1983), Convergence rates for Newton's
    method at singular points, SIAM J. Numer. Anal. 20, 296.
    """
    sizes = [float(np.linalg.norm(x)) for x in reversed(steps)]
    for period in (1, 2):
        pairs = list(zip(sizes, sizes[period:], strict=False))[:2]
        if len(pairs) == 2 and all(abs(one - 0.5 * other) < HALF * other for one, other in pairs):
            return np.sum(steps[-period:], axis=0)
    return None


def newton_steps(
    equations: Callable[[T], tuple[float, Equations]],
    moved: Moved[T],
    q: T,
    closed: float,
    *,
    most: int,
    longest: float | None = None,
    lost: Callable[[T], bool] = lambda _: False,
    cut: float = STEP,
) -> tuple[T, float]:
    """The position that Newton's method reaches, and its largest residual; inf where it is lost.

    Steps are no longer than the `longest`; without it a long one ends the search, and so does a
    position that is `lost`. Where branches cross, steps that always gain creep along a valley that
    these walk. Towards a singular position steps halve (`rest`). What rows ask for by
    less than the part `cut` is no part of a step.
    """
    gap, step = equations(q)
    steps: list[Array] = []
    for _ in range(most):
        if gap <= closed:
            break
        x = least_solution(*step(), cut)
        size = float(np.abs(x).max(initial=0.0))
        if not size <= (1.0 if longest is None else np.inf):
            return q, np.inf
        steps = [*steps[-3:], x]
        if (further := rest(steps)) is not None:
            x, steps = x + further, []
            size = float(np.abs(x).max(initial=0.0))
        q = moved(q, x * min(1.0, (longest or size) / max(size, 1e-300)))
        if lost(q):
            return q, np.inf
        gap, step = equations(q)
    return q, gap


def length_changes(points: JointPoints, r: Array, shown: DisplayUnits) -> list[tuple[float, str]]:
    """Links of two joints that would have to be longer or shorter to take a gap r away.

    One of length l along u by  r'r / (r'u); by how much, and in words with these units.
    """
    ways = []
    for body, ends in points.items():
        if len(ends) != 2:
            continue
        (one, p), (two, p_2) = ends
        d = p_2 - p
        length = float(np.linalg.norm(d))
        along = abs(float(r @ d)) / length if length > 0 else 0.0
        if along > 0.2 * np.linalg.norm(r):
            change = float(r @ r) / along
            by = shown.told(change, "m", 4)
            text = f"{body!r} ({shown.told(length, 'm')} from {one} to {two}) by about {by}"
            ways.append((change, text))
    return ways
