"""Closed spatial loops in Denavit-Hartenberg rows: positions (Gronowicz 2.4.2).

    A_01 A_12 ... A_n0 = 1                                                        (2.157) = (2.162)

Numerically the product is H, and its difference from the unit matrix is minimised,

    F = sum over i, j of (h_ij - delta_ij)^2                                               (2.164)

by Davidon, Fletcher and Powell with difference gradients: no accurate start is needed. Lengths, the
fourth column, count in a typical length of the loop. A minimum with F > 0 is not a configuration;
and six zero entries above the diagonal alone are not enough, diag(1, -1, -1, 1) has them too, so
the whole matrix is compared. From there Newton's method on these entries closes the loop to
rounding, since differences leave the minimum uncertain by their step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed
from ...errors import AssemblyError, StructureError
from ...spatial.rotation import Array
from ..dfp import Minimum, minimise_dfp
from .operators import loop_columns, loop_length, loop_product, upper
from .position import DHLink


def loop_gap(links: Sequence[DHLink], q: Any) -> float:
    """F of (2.164), without units."""
    rest = loop_product(links, q) - np.eye(4)
    rest[:3, 3] = rest[:3, 3] / loop_length(links)
    return float(np.sum(rest**2))


@dataclass(frozen=True, eq=False)
class ClosedLoop(Displayed):
    """Coordinates of all pairs of a closed loop, and how the minimisation went."""

    q: Array
    gap: float
    """F at q."""
    minimum: Minimum
    """Of (2.164), before the last steps."""


def closed_loop(
    links: Sequence[DHLink],
    known: Mapping[int, float],
    start: Any,
    *,
    central: bool = True,
    step: float = 1e-6,
    closed: float = 1e-10,
) -> ClosedLoop:
    """Coordinates that close a loop, with the pairs in `known` (by place, from 0) driven.

    `start` has values of the others, in order. A minimum above `closed` is an `AssemblyError`.
    """
    free = [i for i in range(len(links)) if i not in known]
    if len(np.atleast_1d(start)) != len(free):
        raise StructureError(f"start: expected {len(free)} values of the pairs {free}")
    scale = np.array([1.0 if links[i].pair == "R" else loop_length(links) for i in free])

    def full(x: Array) -> Array:
        q = np.zeros(len(links))
        q[list(known)] = list(known.values())
        q[free] = x * scale
        return q

    found = minimise_dfp(
        lambda x: loop_gap(links, full(x)), np.asarray(start) / scale, step=step, central=central
    )
    if found.value > closed:
        raise AssemblyError(
            f"the loop does not close: the least F of (2.164) from here is {found.value:.3g}; "
            "try another start, or the driven pairs cannot have these values",
            {"loop": float(np.sqrt(found.value))},
        )
    q = _polished(links, full(found.x), free)
    return ClosedLoop(q, loop_gap(links, q), found)


def _polished(links: Sequence[DHLink], q: Array, free: list[int]) -> Array:
    """A nearly closed loop closed to rounding: Newton's method with least squares."""
    for _ in range(4):
        rest = upper(links, loop_product(links, q))
        step = np.zeros(len(q))
        step[free] = np.linalg.lstsq(loop_columns(links, q)[:, free], -rest, rcond=1e-9)[0]
        q = q + step
    return q


def cardan_rows(beta: float) -> tuple[DHLink, DHLink, DHLink, DHLink]:
    """A universal joint between shafts at the angle beta, as a loop (Example 2.13).

    Coordinates are theta_1 (shaft in), theta_2 and theta_3 (cross), theta_0 (shaft out).
    """
    right = np.pi / 2
    return DHLink(0, beta), DHLink(0, 3 * right), DHLink(0, 3 * right), DHLink(0, right)


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


def cardan_ratio(beta: float, theta_1: Any) -> Array:
    """theta_0' / theta_1' of a universal joint: the derivative of (2.161)."""
    return np.asarray(-np.cos(beta) / (1 - (np.sin(beta) * np.cos(theta_1)) ** 2))
