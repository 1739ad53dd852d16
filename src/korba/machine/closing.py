"""Positions beside a given one, with loops and drives closed by the shortest steps.

    q += T x,    x = -J^+ Phi(q)                                                             (1)

J^+ is cut at the rank of J (small_motions.py), lengths counted in a typical one.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.rates import moved
from ..spatial.rotation import Array
from .small_motions import SmallMotions, Values

CLOSED, MOST, LONGEST = 1e-11, 60, 0.5
"""Residual that counts as none, steps, and the longest of them in radians and typical lengths."""


def closed(own: SmallMotions, q: Array, t: Array) -> tuple[Array, Values] | None:
    """The position that (1) leads to and what holds there, or None where loops stay open."""
    tree, rest = own.system.tree, np.zeros(own.system.tree.nv)
    best = np.inf
    for _ in range(MOST):
        x = own.values(q, rest, rest, t)
        gap = float(np.abs(x.gap / own.row_units).max(initial=0.0))
        if gap <= CLOSED or (best <= 1e3 * CLOSED and gap >= best):
            return q, x
        if not np.isfinite(gap):
            return None
        best = min(gap, best)
        inverse, _ = own.parted(x.J, strict=False)
        step = -(inverse @ x.gap) / own.units
        size = np.abs(step).max(initial=0.0)
        q = moved(tree, q, own.units * step * min(1.0, LONGEST / max(size, 1e-300)))
        q = np.asarray(q, dtype=float)
    return None


def closed_rows(own: SmallMotions, q: Array, small: Array, t: Array) -> Array:
    """Positions after small motions from q, each closed where it can be."""
    tree, rows = own.system.tree, []
    for x in small:
        near = np.asarray(moved(tree, q, x), dtype=float)
        there = closed(own, near, t) if own.bound else (near,)
        rows.append(near if there is None else there[0])
    return np.array(rows)
