"""Where motion meets what its equations do not settle: crossing branches, and drives that jump.

At a change point, such as a parallelogram in line, J is singular although the motion passes
smoothly. Its values there are taken from four positions around it, each a small step d apart:

    f(0) = (-f(-2 d) + 4 f(-d) + 4 f(d) - f(2 d)) / 6        or from one side at an end
"""

from __future__ import annotations

import numpy as np

from ..errors import StructureError
from ..spatial.rotation import Array
from ..trajectory.columns import Column
from .branch import Along, Nodes, closed_between, follow

State = tuple[Array, Array, Array]
"""q, v and a over time."""
SINGULAR = 1e-5
"""Smallest pivot over the largest below which velocities at a crossing are not trusted."""
AROUND = 1e-3
"""Radians, or typical lengths, between the positions around it."""


def bridged(along: Along, nodes: Nodes, t: Array, state: State, singularity: Column) -> State:
    """(q, v, a) of a motion with values at crossings of branches from around them."""
    if not nodes.crossings:
        return state
    q, v, a = (values.copy() for values in state)
    for i in np.flatnonzero(singularity.values < SINGULAR):
        k = int(np.argmin(np.abs(nodes.s - t[i])))
        step = AROUND / max(along.size(nodes.rate[k]), 1e-300)
        if np.min(np.abs(np.array(nodes.crossings) - t[i])) < step:
            q[i], v[i], a[i] = _from_around(along, nodes, float(t[i]), step)
    return q, v, a


def _from_around(along: Along, nodes: Nodes, t: float, step: float) -> State:
    """q, v and a at t by interpolation."""
    sides = np.array([-2.0, -1.0, 1.0, 2.0])
    if t + 2 * step > nodes.s[-1]:
        sides = np.array([-4.0, -3.0, -2.0, -1.0])
    elif t - 2 * step < nodes.s[0]:
        sides = np.array([1.0, 2.0, 3.0, 4.0])
    times = t + step * sides
    q, _ = closed_between(along, nodes, times)
    v, a, *_ = along.system.rates(q, *along.inputs(times))
    weights = np.linalg.solve(np.vander(sides, 4, increasing=True).T, [1.0, 0.0, 0.0, 0.0])
    return weights @ q, weights @ v, weights @ a


def past_the_end(along: Along, nodes: Nodes, end: float, stops: Array) -> Nodes:
    """Nodes that stop just before the end go on beyond it, if another branch crosses there."""
    speed, left = along.size(nodes.rate[-1]), abs(end - nodes.s[-1])
    if nodes.complete or nodes.interrupted or not 0 < left * speed <= AROUND:
        return nodes
    last = end + np.sign(end - nodes.s[0]) * 4 * AROUND / speed
    more = follow(along, nodes.q[0], float(nodes.s[0]), float(last), stops=stops)
    return more if more.complete else nodes


def jump_of_a_drive(along: Along, nodes: Nodes) -> StructureError | None:
    """The error of a drive whose value jumps where the nodes end; None if none does."""
    system, s, q = along.system, float(nodes.s[-1]), nodes.q[-1]
    step = 1e-7 * float(np.max(np.abs(np.diff(nodes.s)), initial=1e-7))
    ends = [along.inputs(each) for each in (s, s + step)]
    residuals = [system.residuals(q, wanted, clock) for wanted, _, clock in ends]
    jumps = np.abs(residuals[1] - residuals[0]) / system.size
    if not jumps.max(initial=0.0) > 1e-4:
        return None
    worst = int(np.argmax(jumps))
    return StructureError(
        f"drive {system.owners[worst]!r} jumps by {jumps[worst]:.6g} at t = {s:.6g} s; give it a "
        "position that is continuous in time, or ask for the motion before and after apart"
    )
