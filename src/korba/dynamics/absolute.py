"""Absolute coordinates: every body moves by itself, every joint is a constraint with multipliers.

    M~ A + b = Q + Phi' lambda,       Phi A = gamma                                         (1)

with the bodies, rows and loads of bodies.py. Coordinates without mass (those of joints, of cams,
the turning of a point mass) are no obstacle: (1) is solved whole, as (4.199). Accelerations come by
`nearest_apart` of gauss.py, sparse; forces of a motion by (4.200):

    Phi' lambda = M~ A + b - Q                                                              (2)

The multipliers of a joint are its wrench about K, those of a drive its efforts.
Source: Gronowicz (2003), section 4.4.4, with lambda of the other sign, for any joints and in space.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..expr.node import present
from ..kinematics.couplings import all_motion
from ..kinematics.forward import forward_motion
from ..kinematics.orthogonal import least_norm, solved_lines
from ..kinematics.velocity import of_parent
from ..spatial.rotation import Array, cross
from ..system.system import System
from .bodies import Bodies
from .formulation import Formulation
from .freedoms import idle_screws, scale_of
from .gauss import nearest_apart
from .kinetostatics import transposed
from .multipliers import Constraints, spread


def accelerations(s: System, q: Any, v: Any, tau: Any) -> tuple[Array, list[Any]]:
    """a of the joints by (1), and the pivots, one of which vanishes at a singular position."""
    bodies = Bodies(s, all_motion(s.tree, q, v, np.zeros(s.tree.nv)))
    lines, rights = (
        own + more
        for own, more in zip(bodies.joint_rows, bodies.further_rows(drives=True), strict=True)
    )
    M = np.zeros((bodies.columns, bodies.columns), dtype=object)
    size = len(bodies.at.space)
    for n, block in enumerate(bodies.masses):
        M[size * n : size * (n + 1), size * n : size * (n + 1)] = block
    force, first = bodies.acting, bodies.at.first
    for i, effort in zip(s.tree.free_v, tau, strict=True):
        force[first + i] = force[first + i] + effort
    left = s.tree.nv - Constraints(s, q).rank if s.constrained else s.tree.nv
    a, pivots = nearest_apart(
        M,
        lines,
        rights,
        force=force,
        rank=bodies.columns - left,
        units=bodies.units(len(lines)),
        sure=bodies.sure(len(lines)),
    )
    return a[first:][list(s.tree.free_v)], pivots


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """The accelerations of (1)."""
    return accelerations(s, q, v, tau)[0]


def _taken(bodies: Bodies) -> list[Any]:
    """M~ A + b - Q of all links, at given accelerations of the joints."""
    x = bodies.x
    motion = forward_motion(bodies.tree, x.q, x.v, x.a, np.zeros(3))
    taken = []
    for n, (X, V) in enumerate(zip(bodies.at.centres, bodies.twists, strict=True)):
        _, wd, U, a = motion.of(n)
        spatial = X.R.T @ (a + U @ X.p) - cross(V[:3], V[3:])
        A = np.concatenate([X.R.T @ wd, spatial])[list(bodies.at.space)]
        taken += list(bodies.masses[n] @ A)
    return [f - g for f, g in zip(taken, bodies.acting, strict=False)]


def _idle(bodies: Bodies) -> list[list[Any]]:
    """What a unit of each idle acceleration takes of all links."""
    columns, space = [], list(bodies.at.space)
    for screws in idle_screws(bodies.s):
        moved = [of_parent(X, xi)[space] for X, xi in zip(bodies.at.centres, screws, strict=True)]
        column = [x for M, V in zip(bodies.masses, moved, strict=True) for x in M @ V]
        columns.append(column if any(map(present, column)) else [x for V in moved for x in V])
    return columns


def multipliers(bodies: Bodies) -> Array:
    """lambda of all joints, couplings and drives, at given accelerations, by (2).

    Where constraints are to spare it is the one with the least squares, moments counted in lengths.
    """
    (lines, _), (more, _) = bodies.joint_rows, bodies.further_rows(drives=True)
    first, count = bodies.at.first, len(lines) + len(more)
    rights = [*_taken(bodies), *(-x for x in bodies.acting[first:])]
    columns = transposed([*lines, *more], bodies.columns)
    idle = _idle(bodies)
    for n, column in enumerate(idle, start=count):
        for line, entry in zip(columns, column, strict=False):
            line[n] = -entry
    total = count + len(idle)
    right = [[x] for x in rights]
    if total > len(columns):
        scale = scale_of(bodies.s)
        moments = [scale if row < 3 else 1.0 for row in bodies.at.space] * len(bodies.joints)
        found = least_norm(columns, right, [*moments, *[1.0] * (total - len(moments))])
    else:
        found = solved_lines(columns, right)[0]
    return np.array([found[i][0] for i in range(count)], dtype=object)


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """Efforts of the drives as forces on velocities; of a tree the forces in all joints."""
    bodies = Bodies(s, all_motion(s.tree, q, v, a))
    if s.ties:
        found = multipliers(bodies)
        return spread(Constraints(s, q), found[len(found) - sum(d.count for d in s.drives) :])
    lines, _ = bodies.joint_rows
    columns = transposed(lines, bodies.columns)
    first = bodies.at.first
    wrenches = solved_lines(columns[:first], [[x] for x in _taken(bodies)])[0]
    carried = [
        -sum((x * wrenches[i][0] for i, x in column.items()), start=0.0)
        for column in columns[first:]
    ]
    efforts = np.array(carried, dtype=object) - np.array(bodies.acting[first:], dtype=object)
    return bodies.x.back(efforts)


FORMULATION = Formulation(
    "absolute",
    "Gronowicz (2003), section 4.4.4",
    {"inverse_dynamics": inverse_dynamics, "forward_dynamics": forward_dynamics},
    closed=True,
)
