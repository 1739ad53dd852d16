"""Positions beside a dead centre, where forces of a motion grow without bound.

A force that a drive holds over a lever arm h is M / h. Where the rows of loops and drives lose rank
h goes through zero, and what is told there is the load over the rounding of the positions: true
beside the dead centre for bodies that give nowhere, and no number at it. A note says where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...dynamics.freedoms import scale_of
from ...model.mechanism import Mechanism
from ...positions.allowed import allowed
from ...positions.loops import loops_of
from ...spatial.rotation import Array
from ...system.store import kept
from ...system.system import any_system
from ..dead_centres import idle_drives
from ..verb import Given
from .stretches import few

FAR = 1e3
"""Forces beside those of weight and inertia from which positions are looked at."""


def beside_dead_centres(m: Mechanism, given: Given, forces: Array, axes: int) -> Iterator[str]:
    """A note on the states of a question whose loops and drives are lost but for rounding.

    `forces` has those of every state, along its last `axes`; sizes that are given are those of the
    drawing here.
    """
    heavy, inert = kept(m, "usual forces", lambda: _usual(m))
    if forces.size == 0 or abs(forces).max() <= FAR * heavy or given.design:
        return
    system = any_system(m)
    if not system.ties or not m.drives:
        return
    v, a = (np.abs(np.asarray(x, dtype=float)).max(-1, initial=0.0) for x in given.arrays[1:3])
    most = np.nan_to_num(np.abs(forces)).max(axis=tuple(range(-axes, 0)))
    far = np.atleast_1d(most > FAR * (heavy + inert * (a + v * v)))
    driven = loops_of(system)
    q = np.broadcast_to(np.asarray(given.arrays[0], dtype=float), (*far.shape, system.tree.nq))
    rank = kept(m, "rank of what is driven", lambda: allowed(driven, driven.drawn).rank)
    lost = [
        tuple(map(int, place))
        for place in np.argwhere(far)
        if not allowed(driven, q[tuple(place)], rank=rank).regular
    ]
    if not lost:
        return
    drives = idle_drives(m, q[lost[0]])
    whose = f", at a dead centre of drive {' and '.join(map(repr, drives))}," if drives else ""
    yield (
        f"{_places(lost, most)} loops and drives lose rank{whose} but for rounding, and forces "
        "grow without bound: the figures told there are none to go by; take positions beside it"
    )


def _places(lost: Sequence[tuple[int, ...]], forces: Array) -> str:
    """The states, where there are several."""
    if forces.ndim == 0:
        return "at this position"
    own = few([str(place[0] if len(place) == 1 else place) for place in lost])
    return f"at position{'s' * (len(lost) > 1)} {own} of {forces.size}"


def _usual(m: Mechanism) -> tuple[float, float]:
    """The weight of all bodies, and what a unit of acceleration of them takes."""
    mass = sum(float(body.mass) for body in m.bodies)
    g = float(np.linalg.norm(np.asarray(m.gravity, dtype=float)))
    return mass * g, mass * max(1.0, scale_of(any_system(m)))
