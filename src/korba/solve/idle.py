"""Idle freedoms kept still: motions that move nothing else, such as the spin of a rod on two balls.

A link b that moves idly does so along a screw xi that is fixed in the link itself (the line through
its two balls, the axis of a roller). Against the link that it hangs on, which stands, it must not
move along xi:

    xi' W S(q_b) v_b = 0,    W = diag(1, 1, 1, 1/l^2, 1/l^2, 1/l^2)                    (1)

At every position the idle motion itself violates (1), v_b with S v_b = xi, so the row never falls
together with the others: idle freedoms do not limit the motion, whatever axes the joints have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Row
from ..spatial.rotation import Array
from ..system.tree import Tree


class Still(NamedTuple):
    """A link, and the weighted screw W xi in its frame along which it is kept from moving."""

    link: int
    along: tuple[float, ...]


def idle_motions(tree: Tree, q: Array, motions: Array, scale: float) -> tuple[Still, ...]:
    """What has to stand still so that none of the idle `motions`, shape (nv, count), is left."""
    q_all = np.asarray(all_coordinates(tree, q), dtype=float)
    place = {i: k for k, i in enumerate(tree.free_v)}
    weights = np.array([1.0, 1.0, 1.0, scale**-2, scale**-2, scale**-2])
    stills: list[Still] = []
    for number, link in enumerate(tree.links):
        columns = [place.get(i, -1) for i in range(link.v.start, link.v.stop)]
        if not motions.shape[1] or not columns or min(columns) < 0:
            continue
        S = np.asarray(link.joint.motion_subspace(q_all[link.q]), dtype=float)
        twists = np.sqrt(weights)[:, None] * (S @ motions[columns])
        U, s, Vt = np.linalg.svd(twists)
        rank = int(np.sum(s > 1e-9 * max(1.0, float(s.max(initial=0.0)))))
        stills += [Still(number, _tidy(np.sqrt(weights) * U[:, k])) for k in range(rank)]
        motions = motions @ Vt[rank:].T
    return tuple(stills)


def _tidy(xi: Array) -> tuple[float, ...]:
    """Components within rounding of 0 and 1 made exact: they fold away."""
    size = np.abs(xi).max()
    return tuple(float(x) for x in np.round(np.where(np.abs(xi) < 1e-13 * size, 0.0, xi), 15))


def still_row(tree: Tree, q_all: Array, still: Still) -> Row:
    """(1), in the independent velocities."""
    link, zero = tree.links[still.link], np.zeros(1)
    place = {i: k for k, i in enumerate(tree.free_v)}
    entries = np.array(still.along) @ link.joint.motion_subspace(q_all[link.q])
    J = {place[link.v.start + k]: np.array([x]) for k, x in enumerate(entries)}
    return Row("idle", zero, J, zero, zero)


def still_velocity(tree: Tree, still: Still) -> int | None:
    """The one velocity that stands still, where the link has no other."""
    link = tree.links[still.link]
    return tree.free_v.index(link.v.start) if link.v.stop - link.v.start == 1 else None
