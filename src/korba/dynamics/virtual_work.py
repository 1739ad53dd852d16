"""Driving forces by virtual work: the power of all forces is zero.

A unit of rate of one drive, all others held, moves every link with a *partial velocity*: the
velocities v of all joints with

    J v = 1 in the row of the drive, 0 in all others                                         (1)

In that motion the drive's effort has the power that the links' motion takes, less that of what
acts on them, so with the force f and moment n that link k takes about its origin

    effort = sum of  f_k . v_k + n_k w_k,   and of efforts in joints times their rates       (2)

one drive after the other; no joint's force is in it. Zhukovsky's lever (lever.py) draws the powers.
An idle freedom has no drive; partial velocities are taken orthogonal to it in the metric of the
masses, where its own acceleration does no work. Source: Gronowicz (2003), section 4.3.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kinematics.orthogonal import solved_lines
from ..kinematics.rows import Moving, entries
from ..spatial.rotation import Array
from .force_method import ForceMethod
from .freedoms import Freedoms
from .kinetostatics import Equations, GivenMotion
from .multiplier_forces import idle_columns, tree_rows

Power = Callable[[Array, Array], Any]
"""Power of a wrench (moment, force) at a twist (w, v)."""


def partial_velocities(given: GivenMotion, free: Freedoms) -> Array:
    """(1): a column of velocities of all joints for every motion that drives prescribe."""
    system, x, _, t = given
    at = Moving(system.tree, x.q)
    rows = tree_rows(system, at, t, free)
    lines = entries(rows)
    driven = sum(drive.count for drive in system.drives)
    rights = [[0.0] * driven for _ in lines]
    for k in range(driven):
        rights[len(lines) - driven + k][k] = 1.0
    for column in idle_columns(at, free):
        lines.append(dict(enumerate(column)))
        rights.append([0.0] * driven)
    rates = solved_lines(lines, rights)[0]
    return np.array([rates[i] for i in range(len(x.v))], dtype=object).reshape(len(x.v), driven)


def by_powers(given: GivenMotion, equations: Equations, power: Power) -> Array:
    """(2): the efforts of all that drives prescribe, with the powers of links by a formula."""
    at, size = equations.at, len(equations.at.space)
    tree = Moving(at.tree, at.q_all)
    efforts = []
    for v in partial_velocities(given, equations.freedoms).T:
        joints = zip(v, equations.b[at.first :], strict=True)
        effort: Any = sum(rate * taken for rate, taken in joints)
        for k in range(len(at.tree.links)):
            moving = tree.twist_columns(k, at.pose(k).p).items()
            twist = sum((V * v[i] for i, V in moving), start=np.zeros(6))
            taken = np.array(equations.b[size * k : size * (k + 1)], dtype=object)
            effort = effort + power(taken, twist[list(at.space)])
        efforts.append(effort)
    return np.array(efforts, dtype=object)


METHOD = ForceMethod(
    "virtual-work",
    "Gronowicz (2003), section 4.3.4",
    lambda given, equations: by_powers(given, equations, lambda F, V: F @ V),
    everyday=True,
)
