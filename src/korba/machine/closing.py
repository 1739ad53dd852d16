"""Positions beside a given one, with loops and drives closed by the shortest steps."""

from __future__ import annotations

import numpy as np

from ..kinematics.rates import moved
from ..positions.least_steps import least_steps
from ..spatial.rotation import Array
from .small_motions import SmallMotions, Values


def closed(own: SmallMotions, q: Array, t: Array) -> tuple[Array, Values] | None:
    """The position that steps of least size lead to and what holds there; None if it is open."""
    tree, loops, rest = own.system.tree, own.loops, np.zeros(own.system.tree.nv)

    def rows(q: Array) -> tuple[Array, Array]:
        x = own.values(q, rest, rest, t)
        return x.gap / loops.size, x.J * loops.units / loops.size[:, None]

    def stepped(q: Array, x: Array) -> Array:
        return np.asarray(moved(tree, q, x * loops.units), dtype=float)

    q, gap = least_steps(rows, stepped, q, loops.closed)
    return (q, own.values(q, rest, rest, t)) if gap <= loops.tolerance else None


def closed_rows(own: SmallMotions, q: Array, small: Array, t: Array) -> Array:
    """Positions after small motions from q, each closed where it can be."""
    tree, rows = own.system.tree, []
    for x in small:
        near = np.asarray(moved(tree, q, x), dtype=float)
        there = closed(own, near, t) if own.bound else (near,)
        rows.append(near if there is None else there[0])
    return np.array(rows)
