"""Minimal coordinates: as many as there are freedoms, chosen anew at every position.

The velocities that the rows of loops and drives allow are v = N y, with y the velocities of as many
joints as are free. Which these are is decided where the mechanism is: P projects onto what the rows
allow, in the lengths of the joints' velocities, and

    P_kk                                                                                    (1)

is the share that joint k has in it: 1 where it alone moves, 0 at its dead centre. The joint with
the largest share is taken, its motion is taken off P, and so on: so the choice changes long before
it is singular, and needs no branch. Then N has the columns of P that were taken, and

    a = N y' + b,      (N'M N) y' = N'(tau - h - M b)                                       (2)

Forces of a given motion come from the same: N of the loops alone gives N'(M a + h) = N'J_d' lambda
with the rows J_d and the efforts lambda of the drives.                                     (3)

Source: Wehage & Haug (1982), Generalized coordinate partitioning for dimension reduction in
analysis of constrained dynamic systems; Gronowicz (2003), section 4.4.3, asks for as many
coordinates as W.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..expr import less, where
from ..expr.node import present
from ..kinematics.couplings import all_motion
from ..kinematics.orthogonal import least_norm, solved_lines
from ..spatial.rotation import Array
from ..system.system import System
from . import composite_body, newton_euler
from .factored import solve_symmetric
from .formulation import Formulation
from .multipliers import Constraints, bias_forces, closing_efforts, shortest_metric, spread


def allowed_motions(constraints: Constraints, count: int) -> Array:
    """N: as many columns as there are freedoms, by (1)."""
    s, nv = constraints.s, constraints.s.tree.nv
    G, none = shortest_metric(s), [0.0] * len(constraints.lines)
    joints = [k for k, x in enumerate(G.diagonal()) if present(x)]
    columns = {k: constraints.nearest(G, none, G[k])[0] for k in joints}
    chosen: list[Array] = []
    for _ in range(count):
        best = _largest(columns)
        chosen.append(best)
        square = sum((x * g * x for x, g in zip(best, G.diagonal(), strict=True)), start=0.0)
        for k, column in columns.items():
            share = best[k] * G[k, k] / square
            columns[k] = column - share * best
    return np.array(chosen, dtype=object).reshape(count, nv).T


def _largest(columns: dict[int, Array]) -> Array:
    """The column with the largest entry on the diagonal."""
    (share, best), *others = [(column[k], column) for k, column in columns.items()]
    for other, column in others:
        more = less(share, other)
        share = where(more, other, share)
        pairs = zip(best, column, strict=True)
        best = np.array([where(more, y, x) for x, y in pairs], dtype=object)
    return np.asarray(best)


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """(2); of a tree without drives, whose joints are minimal coordinates, by composite bodies."""
    if not s.constrained:
        return composite_body.forward_dynamics(s, q, v, tau)
    return accelerations(s, q, v, tau)[0]


def accelerations(s: System, q: Any, v: Any, tau: Any) -> tuple[Array, list[Any]]:
    """a of (2), and the pivots of the rows, one of which vanishes at a singular position."""
    constraints, M = Constraints(s, q), composite_body.mass_matrix(s, q)
    N = allowed_motions(constraints, s.tree.nv - constraints.rank)
    none = np.zeros(s.tree.nv)
    b, pivots = constraints.nearest(shortest_metric(s), constraints.asked(v), none)
    force = np.asarray(tau) - bias_forces(s, q, v) - M @ b
    return N @ solve_symmetric(N.T @ M @ N, N.T @ force) + b, pivots


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """(3): efforts of the drives, idle accelerations unknown as well; of a tree by Newton-Euler."""
    if not s.ties:
        return newton_euler.inverse_dynamics(s, q, v, a)
    loops, whole = Constraints(s, q, driven=False), Constraints(s, q)
    N = allowed_motions(loops, s.tree.nv - loops.rank)
    idle = allowed_motions(whole, s.tree.nv - whole.rank)
    needed = newton_euler.inverse_dynamics(s, q, v, a)
    needed = N.T @ (needed + closing_efforts(s, all_motion(s.tree, q, v, a)))
    drives = whole.lines[len(loops.lines) :]
    columns = [
        [sum((x * n[j] for j, x in line.items()), start=0.0) for n in N.T] for line in drives
    ]
    columns += list(-(N.T @ composite_body.mass_matrix(s, q) @ idle).T)
    lines = [{k: column[i] for k, column in enumerate(columns)} for i in range(N.shape[1])]
    rights = [[x] for x in needed]
    if len(columns) > len(lines):
        efforts = least_norm(lines, rights, [1.0] * len(columns))
    else:
        efforts = solved_lines(lines, rights)[0]
    return spread(whole, np.array([efforts[k][0] for k in range(len(drives))], dtype=object))


FORMULATION = Formulation(
    "minimal",
    "Wehage & Haug (1982); Gronowicz (2003), section 4.4.3",
    {"inverse_dynamics": inverse_dynamics, "forward_dynamics": forward_dynamics},
    closed=True,
)
