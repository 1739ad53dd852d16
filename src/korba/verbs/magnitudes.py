"""How large forces and accelerations are on the way to an answer: beside what differences count.

Loads may cancel in the answer and still be there on the way to it. A press that a drive closes
against 50 kN has the accelerations that the drive dictates, yet the equations

    M a + h = tau + J' lambda                                                              (1)

have terms of 50 kN over the mass of a link, and each is rounded. So the sizes are sums of absolute
values of all that acts in a coordinate, each load by itself, and what these would accelerate it by:

    e_i = M_ii + |tau_i| + |h_i| + sum of |load_i| over the loads,     max_i e_i / M_ii      (2)

M_ii stands for an acceleration of 1. How many digits (1) loses is its condition number, with
velocities in their units, masses beside the largest, and rows beside their own sizes, so that it
depends neither on units nor on how heavy the mechanism is as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..dynamics import composite_body, multipliers
from ..forces.loads import loads_by_name
from ..kinematics.couplings import all_motion
from ..positions.allowed import allowed
from ..positions.loops import loops_of
from ..spatial.rotation import Array
from ..system.system import System
from .states import drawn_coordinates


class Magnitudes(NamedTuple):
    """What forces and accelerations of each state are compared beside, (states,) each."""

    efforts: Array
    accelerations: Array


def unit_efforts(system: System) -> Array:
    """Efforts that accelerate the coordinates of the opened mechanism by about 1, as drawn."""
    M = composite_body.mass_matrix(system, drawn_coordinates(system.tree))
    own = np.abs(np.diagonal(np.asarray(M, dtype=float)))
    return np.where(own > 0, own, np.min(own[own > 0], initial=1.0))


def magnitudes(system: System, q: Array, v: Array, tau: Array, t: float) -> Magnitudes:
    """(2) at states (states, ...), of the opened mechanism."""
    unit = unit_efforts(system)
    rows = [_efforts(system, *state, t) for state in zip(q, v, tau, strict=True)]
    sums = unit + np.reshape(rows, (len(rows), len(unit)))
    return Magnitudes(sums.max(axis=-1, initial=0.0), (sums / unit).max(axis=-1, initial=0.0))


def _efforts(system: System, q: Array, v: Array, tau: Array, t: float) -> Array:
    """|tau| + |h| + |loads| at one state."""
    parts = [tau, *_causes(system, q, v, t)]
    return np.asarray(np.sum(np.abs(np.asarray(parts, dtype=float)), axis=0))


def _causes(system: System, q: Array, v: Array, t: float) -> Iterator[Array]:
    """h without loads, and then what each load adds to it."""
    rest = multipliers.bias_forces(system, q, v)
    yield rest
    x = all_motion(system.tree, q, v, 0.0 * v)
    for load in loads_by_name(system.tree, x.q, x.v, t).values():
        alone = replace(system, loads=lambda *_, load=load: load)
        yield multipliers.bias_forces(alone, q, v) - rest


def condition(system: System, q: Array, t: float) -> float:
    """The largest condition number of (1) among positions (positions, nq), spare rows left out.

    Without loops and drives it is that of the mass matrix.
    """
    loops = loops_of(system)
    rank = multipliers.Constraints(system, q[0]).rank if system.constrained else 0
    return max((_condition(system, at, t, rank, loops.units) for at in q), default=1.0)


def _condition(system: System, q: Array, t: float, rank: int, units: Array) -> float:
    M = np.asarray(composite_body.mass_matrix(system, q), dtype=float) * np.outer(units, units)
    if not M.size:
        return 1.0
    M = M / (np.abs(M).max() or 1.0)
    J = np.zeros((0, len(M)))
    if system.constrained:
        loops = loops_of(system)
        J = loops.matrix(q, t) * units / allowed(loops, q, t).sizes[:, None]
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    values = np.linalg.svd(whole, compute_uv=False)
    return float(values[0] / max(values[len(M) + rank - 1], np.finfo(float).tiny))
