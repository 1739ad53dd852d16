"""Velocities and accelerations of one closed loop of R and T pairs, by the operators Q.

    dA_i/dt = A_i Q_i q'_i                                                                (3.112)
    B_i = A_1 ... A_i Q_i A_i+1 ... A_k,      sum of B_i q'_i = 0                          (3.114)

With exact closure B_i is a twist, so the six entries 12, 13, 14, 23, 24, 34 say everything:

    B q'_Z  = C_V q'_1                                                            (3.117)-(3.121)
    B q''_Z = C_V q''_1 + D_A,    D = -sum over i, j of D_i^(j) q'_i q'_j         (3.123)-(3.128)

D_i^(j) is the product with Q_i after A_i and Q_j after A_j. D_A are the entries of D; the print
takes them with a second minus, which is wrong, and has stray dots over Q. With fewer than seven
pairs there are passive constraints and least squares give the rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed
from ...errors import StructureError
from ...spatial.rotation import Array
from .loop import loop_gap
from .operators import loop_columns, product_with, upper
from .position import DHLink


@dataclass(frozen=True, eq=False)
class LoopRates(Displayed):
    """Rates of all coordinates of a loop, and what is left of the equations."""

    qd: Array
    qdd: Array
    rest: float
    """Largest residual of both systems: zero unless passive constraints contradict each other."""
    rank: int
    """Rank of B: the pairs that are not driven, unless the position is singular."""


def loop_rates(
    links: Sequence[DHLink], q: Any, qd: Mapping[int, float], qdd: Mapping[int, float] | None = None
) -> LoopRates:
    """Velocities and accelerations of a closed loop from those of its driven pairs (by place).

    Several driven pairs are several columns on the right. A singular position is an error.
    """
    if loop_gap(links, q) > 1e-12:
        raise StructureError(
            f"the loop is open: F of (2.164) is {loop_gap(links, q):.3g}; close it first"
        )
    n = len(links)
    driven = list(qd)
    free = [i for i in range(n) if i not in qd]
    all_B = loop_columns(links, q)
    B, C_V = all_B[:, free], -all_B[:, driven]
    rates, second = np.zeros(n), np.zeros(n)
    rates[driven] = list(qd.values())
    second[driven] = [(qdd or {}).get(i, 0.0) for i in driven]
    rates[free], rest_v, rank = _least(B, C_V @ rates[driven])
    if rank < len(free):
        raise StructureError(
            f"singular position: the {len(free)} pairs that are not driven have {rank} independent "
            "columns; velocities are not determined by the driven pairs"
        )
    D_A = upper(links, quadratic_term(links, q, rates))
    second[free], rest_a, _ = _least(B, C_V @ second[driven] + D_A)
    return LoopRates(rates, second, max(rest_v, rest_a), rank)


def quadratic_term(links: Sequence[DHLink], q: Any, qd: Any) -> Array:
    """D = -sum over i and j of D_i^(j) q'_i q'_j, driven pairs included (3.126)."""
    n = len(links)
    total = np.zeros((4, 4))
    for i in range(n):
        for j in range(n):
            total -= product_with(links, q, (i, j)) * (qd[i] * qd[j])
    return total


def _least(B: Array, right: Array) -> tuple[Array, float, int]:
    """Least squares (3.121), (3.128): by singular values, not by the normal equations."""
    x, _, rank, _ = np.linalg.lstsq(B, right, rcond=1e-12)
    return x, float(np.abs(B @ x - right).max(initial=0.0)), int(rank)
