"""Velocities that loops and drives allow and those that they ask for: one notion of rank.

    J v = b,      v = J^+ b + N u,      y'J = 0                                              (1)

N are the velocities that the rows leave, J^+ gives the smallest ones that they ask for, and y are
combinations of rows that say nothing new. All three are cut at one rank. Velocities are counted in
their units, 1 rad and a typical length, and so are the rows of loops; a drive or a held coordinate
counts by its direction alone. So the rank depends neither on sizes nor on masses. What is smaller
than `TOLERANCE` of the largest part is lost: a singular position is known to half of all digits,
and nobody can tell less than that from nothing; loops that close but for the digits of their file
are known to these. Where the rank at general positions is known it is
given, and `least` tells how much is left of it.

Source: Golub & Van Loan (2013), Matrix Computations, sections 2.4 and 5.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from .loops import Loops
from .rank import TOLERANCE, rank_of


@dataclass(frozen=True, eq=False)
class Allowed:
    """What rows leave and ask for at positions, any batch axes first."""

    rank: int
    N: Array
    """(..., nv, nv - rank): a column for each freedom, of length 1 in units."""
    inverse: Array
    """J^+, (..., nv, rows)."""
    spare: Array
    """y, (..., rows, rows - rank), orthonormal over rows in their sizes."""
    sizes: Array
    """What the rows were measured in."""
    least: Array
    """The smallest part that counts, beside the largest; 1 where nothing is asked for."""

    @property
    def regular(self) -> Any:
        """Whether the rank is there."""
        return self.least > TOLERANCE


def allowed(loops: Loops, q: Any, t: float = 0.0, rank: int | None = None) -> Allowed:
    """What loops, held coordinates and drives allow at a position; a `LoopSystem` tells of many."""
    least, J = max(TOLERANCE, loops.digits), loops.matrix(q, t)
    return parted(J, loops.units, loops.size, loops.wanted, rank, least=least)


def parted(
    J: Array,
    units: Any,
    sizes: Any,
    wanted: int = 0,
    rank: int | None = None,
    *,
    least: float = TOLERANCE,
) -> Allowed:
    """(1) of matrices (..., rows, nv): units of the columns, sizes of the rows.

    The last rows, as many as are `wanted`, count by their directions. Without a known `rank` it is
    the largest of all positions; less than `least` of the largest part is lost.
    """
    units, sizes = np.asarray(units, dtype=float), _sizes(J * units, sizes, wanted)
    U, s, Vt = np.linalg.svd(J * units / sizes[..., None])
    rank = _rank(s, least) if rank is None else min(rank, s.shape[-1])
    most, own = s.max(axis=-1, initial=0.0), s[..., :rank]
    left = own[..., -1] / np.where(most > 0.0, most, 1.0) if rank else np.ones(s.shape[:-1])
    floor = np.maximum(least * most, 1e-300)[..., None]
    V = np.swapaxes(Vt, -1, -2)
    back = V[..., :rank] / np.maximum(own, floor)[..., None, :]
    inverse = units[:, None] * back @ np.swapaxes(U[..., :rank], -1, -2) / sizes[..., None, :]
    return Allowed(rank, units[:, None] * V[..., rank:], inverse, U[..., rank:], sizes, left)


def freedoms_left(loops: Loops, q: Any, t: float = 0.0) -> int:
    """How many motions loops, held coordinates and drives leave free at a position."""
    J = loops.matrix(q, t) * loops.units
    sizes = _sizes(J, loops.size, loops.wanted)
    return int(rank_of(J / sizes[:, None], max(TOLERANCE, loops.digits)).null.shape[1])


def _sizes(J: Array, sizes: Any, wanted: int) -> Array:
    """What rows of J, with columns in units, are measured in."""
    own = np.array(np.broadcast_to(np.asarray(sizes, dtype=float), J.shape[:-1]))
    if wanted:
        norm = np.linalg.norm(J[..., -wanted:, :], axis=-1)
        own[..., -wanted:] = np.where(norm > 0.0, norm, 1.0)
    return own


def _rank(s: Array, least: float) -> int:
    """The largest count of singular values that stand out."""
    most = s.max(axis=-1, initial=0.0, keepdims=True)
    return int(np.sum((s > least * most) & (most > 0.0), axis=-1).max(initial=0))
