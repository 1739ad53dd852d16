"""Closed spatial loops in Denavit-Hartenberg rows: positions, velocities, accelerations.

    A_01 A_12 ... A_n0 = 1                                                        (2.157) = (2.162)

Numerically the product is H, and its difference from the unit matrix is minimised,

    F = sum over i, j of (h_ij - delta_ij)^2                                               (2.164)

by Davidon, Fletcher and Powell with difference gradients: no accurate start is needed. Lengths, the
fourth column, count in a typical length of the loop. A minimum with F > 0 is not a configuration;
and six zero entries above the diagonal alone are not enough, diag(1, -1, -1, 1) has them too, so
the whole matrix is compared. From there Newton's method on these entries closes the loop to
rounding, since differences leave the minimum uncertain by their step.

A derivative of the product is the product with a constant operator put in, one Q for all R pairs
and one for all T pairs; C and S pairs bring two and three coordinates, each a factor of its own:

    dA_i/dt = A_i Q_i q'_i                                                                (3.112)
    B_i = A_1 ... A_i Q_i A_i+1 ... A_k,      sum of B_i q'_i = 0                          (3.114)

With exact closure B_i is a twist, so the six entries 12, 13, 14, 23, 24, 34 say everything:

    B q'_Z  = C_V q'_1                                                            (3.117)-(3.121)
    B q''_Z = C_V q''_1 + D_A,    D = -sum over i, j of D_i^(j) q'_i q'_j         (3.123)-(3.128)

D_i^(j) is the product with Q_i after A_i and Q_j after A_j. D_A are the entries of D; the print
takes them with a second minus, which is wrong, and has stray dots over Q. With fewer than seven
coordinates there are passive constraints and least squares give the rates (Gronowicz 2.4.2, 3.5.2).
A link between two balls spins as it likes; that moves nothing else, and it spins as little as it
can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import public
from ...errors import AssemblyError, StructureError
from ...positions.rank import rank_of
from ...spatial.rotation import Array
from ..iterations import Minimum, minimise_dfp
from .chain import DHLink, coordinate_count, factors_of

UPPER = ([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3])


@public
def loop_product(links: Sequence[DHLink], q: Any) -> Array:
    """H, the product round the loop: the unit matrix when it is closed (2.163)."""
    return product_with(links, q, ())


def product_with(links: Sequence[DHLink], q: Any, places: Sequence[int]) -> Array:
    """The product with Q_i after every factor i in `places`: B_i for one, D_i^(j) for two."""
    motions = [motion for link in links for motion in link.motions]
    factors = [factor for of_link in factors_of(links, q) for factor in of_link]
    return reduce(
        np.matmul,
        [
            part
            for i, (motion, factor) in enumerate(zip(motions, factors, strict=True))
            for part in (factor, *[motion.Q] * list(places).count(i))
        ],
    )


def loop_length(links: Sequence[DHLink]) -> float:
    """A typical length of the loop: the largest of its sizes, or 1 where all axes meet."""
    sizes = [abs(float(size)) for link in links for size in (link.a, link.d)]
    return max(sizes, default=0.0) or 1.0


def upper(links: Sequence[DHLink], A: Array) -> Array:
    """The six entries above the diagonal, lengths in the loop's typical length."""
    scale = loop_length(links)
    return A[UPPER] / np.array([1.0, 1.0, scale, 1.0, scale, scale])


def loop_columns(links: Sequence[DHLink], q: Any) -> Array:
    """Entries of B_1 ... B_k beside each other, one column for each coordinate."""
    places = range(coordinate_count(links))
    columns = [upper(links, product_with(links, q, (i,))) for i in places]
    return np.stack(columns, axis=1)


@public
def loop_residual(links: Sequence[DHLink], q: Any) -> float:
    """F of (2.164), without units."""
    rest = loop_product(links, q) - np.eye(4)
    rest[:3, 3] = rest[:3, 3] / loop_length(links)
    return float(np.sum(rest**2))


@dataclass(frozen=True, eq=False)
class ClosedLoop(Displayed):
    """Coordinates of all pairs of a closed loop, and how the minimisation went."""

    q: Array
    residual: float
    """F at q."""
    minimum: Minimum
    """Of (2.164), before the last steps."""


@public
def closed_loop(
    links: Sequence[DHLink],
    known: Mapping[int, float],
    start: Any,
    *,
    central: bool = True,
    step: float = 1e-6,
    closed: float = 1e-10,
) -> ClosedLoop:
    """Coordinates that close a loop, with those in `known` (by place, from 0) driven.

    `start` has values of the others, in order. A minimum above `closed` is an `AssemblyError`.
    """
    count, length = coordinate_count(links), loop_length(links)
    free = _not_driven(count, known)
    if len(np.atleast_1d(start)) != len(free):
        raise StructureError(f"start: expected {len(free)} values of the coordinates {free}")
    units = [1.0 if motion.turns else length for link in links for motion in link.motions]
    scale = np.array(units)[free]

    def full(x: Array) -> Array:
        q = np.zeros(count)
        q[list(known)] = list(known.values())
        q[free] = x * scale
        return q

    found = minimise_dfp(
        lambda x: loop_residual(links, full(x)),
        np.asarray(start) / scale,
        step=step,
        central=central,
    )
    if found.value > closed:
        raise AssemblyError(
            f"the loop does not close: the least F of (2.164) from here is {found.value:.3g}; "
            "try another start, or the driven pairs cannot have these values",
            {"loop": float(np.sqrt(found.value))},
        )
    q = polished(links, full(found.x), free)
    return ClosedLoop(q, loop_residual(links, q), found)


def _not_driven(count: int, driven: Mapping[int, Any]) -> list[int]:
    """Places of the coordinates that are not driven; a place that there is not is refused."""
    if strange := sorted(place for place in driven if not 0 <= place < count):
        raise StructureError(
            f"the loop has the coordinates 0 to {count - 1}, got the driven place {strange[0]}"
        )
    return [i for i in range(count) if i not in driven]


def polished(links: Sequence[DHLink], q: Array, free: list[int]) -> Array:
    """A nearly closed loop closed to rounding: Newton's method with least squares."""
    for _ in range(4):
        rest = upper(links, loop_product(links, q))
        step = np.zeros(len(q))
        step[free] = np.linalg.lstsq(loop_columns(links, q)[:, free], -rest, rcond=1e-9)[0]
        q = q + step
    return q


@dataclass(frozen=True, eq=False)
class LoopRates(Displayed):
    """Rates of all coordinates of a loop, and what is left of the equations."""

    qd: Array
    qdd: Array
    rest: float
    """Largest residual of both systems: zero unless passive constraints contradict each other."""
    rank: int
    """Rank of B: the coordinates that are not driven, less those that are idle."""


@public
def loop_rates(
    links: Sequence[DHLink], q: Any, qd: Mapping[int, float], qdd: Mapping[int, float] | None = None
) -> LoopRates:
    """Velocities and accelerations of a closed loop from its driven coordinates (by place).

    Several driven ones are several columns on the right. A singular position is an error; what
    only lets one link spin (a rod between two balls) moves as little as it can.
    """
    gap, n = loop_residual(links, q), coordinate_count(links)
    if gap > 1e-12:
        raise StructureError(f"the loop is open: F of (2.164) is {gap:.3g}; close it first")
    driven, free = list(qd), _not_driven(n, qd)
    all_B = loop_columns(links, q)
    B, C_V = all_B[:, free], -all_B[:, driven]
    rates, second = np.zeros(n), np.zeros(n)
    rates[driven] = list(qd.values())
    second[driven] = [(qdd or {}).get(i, 0.0) for i in driven]
    rates[free], rest_v, rank = _least(B, C_V @ rates[driven])
    if rank + idle_count(links, all_B, free) < len(free):
        raise StructureError(
            f"singular position: the {len(free)} coordinates that are not driven have {rank} "
            "independent columns; velocities are not determined by the driven ones"
        )
    D_A = upper(links, quadratic_term(links, q, rates))
    second[free], rest_a, _ = _least(B, C_V @ second[driven] + D_A)
    return LoopRates(rates, second, max(rest_v, rest_a), rank)


def idle_count(links: Sequence[DHLink], B: Array, free: Sequence[int]) -> int:
    """Freedoms in which one link alone moves: what the twists of its two pairs have in common."""
    owner = [k for k, link in enumerate(links) for _ in link.motions]
    B = B / np.linalg.norm(B, axis=0)

    def rank(*pairs: int) -> int:
        return rank_of(B[:, [i for i in free if owner[i] in pairs]]).rank

    return sum(rank(k - 1) + rank(k) - rank(k - 1, k) for k in range(1, len(links)))


def quadratic_term(links: Sequence[DHLink], q: Any, qd: Any) -> Array:
    """D = -sum over i and j of D_i^(j) q'_i q'_j, driven pairs included (3.126)."""
    pairs = product(range(coordinate_count(links)), repeat=2)
    return -sum(product_with(links, q, (i, j)) * (qd[i] * qd[j]) for i, j in pairs)


def _least(B: Array, right: Array) -> tuple[Array, float, int]:
    """Least squares (3.121), (3.128): by singular values, not by the normal equations."""
    x, _, rank, _ = np.linalg.lstsq(B, right, rcond=1e-12)
    return x, float(np.abs(B @ x - right).max(initial=0.0)), int(rank)


@public
def cardan_rows(beta: float) -> tuple[DHLink, DHLink, DHLink, DHLink]:
    """A universal joint between shafts at the angle beta, as a loop (Example 2.13).

    Coordinates are theta_1 (shaft in), theta_2 and theta_3 (cross), theta_0 (shaft out).
    """
    right = np.pi / 2
    return DHLink(0, beta), DHLink(0, 3 * right), DHLink(0, 3 * right), DHLink(0, right)


@public
def cardan_angles(beta: float, theta_1: Any, *, branch: int = 1) -> Array:
    """(theta_1, theta_2, theta_3, theta_0) of a universal joint, shape (..., 4), in closed form.

        cos theta_3 = sin beta cos theta_1,      tan theta_1 tan theta_0 = cos beta        (2.161)

    `branch` is the sign of sin theta_3. (2.161) itself fails at theta_1 = 0; the elements

        cos theta_2 sin theta_3 = sin beta sin theta_1,    -sin theta_2 sin theta_3 = cos beta
        sin theta_3 cos theta_0 = sin theta_1,   sin theta_3 sin theta_0 = cos beta cos theta_1

    of the matrix equation hold everywhere and fix the quadrants.
    """
    theta_1 = np.asarray(theta_1, dtype=float)
    cosine = np.sin(beta) * np.cos(theta_1)
    sine = branch * np.sqrt(1 - cosine**2)
    sign = np.sign(branch)
    theta_2 = np.arctan2(-sign * np.cos(beta), sign * np.sin(beta) * np.sin(theta_1))
    theta_0 = np.arctan2(sign * np.cos(beta) * np.cos(theta_1), sign * np.sin(theta_1))
    return np.stack([theta_1, theta_2, np.arctan2(sine, cosine), theta_0], axis=-1)


@public
def cardan_ratio(beta: float, theta_1: Any) -> Array:
    """theta_0' / theta_1' of a universal joint: the derivative of (2.161)."""
    return np.asarray(-np.cos(beta) / (1 - (np.sin(beta) * np.cos(theta_1)) ** 2))
