"""Forces of a given motion by Lagrange multipliers: the tree's equations, loops and drives added.

The mechanism opened at its closing joints is a tree. In the velocities of all its joints, those
of the closing ones too,

    M(q) a + h(q, v) = J' x                                                                  (1)

where J has the rows of ties, couplings and drives (`kinematics/rows.py`). Because a closing joint's
own velocities are among the unknowns, its multipliers are its wrench on the child, about M; those
of a drive are its efforts. Then the joints of the tree follow one by one, from the tips to the
base: equilibrium of a link leaves nothing unknown but the wrench of the joint it hangs on.

Where constraints are passive the multipliers of ties are not unique, but those of drives are: any
x of (1) has them. An idle freedom is one more unknown of (1), its acceleration (kinetostatics.py).
Source: Gronowicz (2003), section 4.4.4, in coordinates of a tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kinematics.orthogonal import Line, least_norm, solved_lines
from ..kinematics.rows import Moving, Row, entries, tied
from ..kinematics.sweep import in_order, swept
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, cross
from ..system.system import System, Tie
from .force_method import ForceMethod
from .freedoms import Apart, Freedoms, scale_of
from .kinetostatics import Equations, GivenMotion, moving_rows, resistance, transposed
from .newton_euler import inverse_sweeps
from .recursions import link_values


def tree_rows(system: System, at: Moving, t: Any, free: Freedoms) -> list[Row]:
    """The rows of ties, couplings and drives over the velocities of all joints: J of (1)."""
    return [*(tied(at, tie) for tie in system.ties), *moving_rows(system, at, t, free)]


def idle_columns(at: Moving, free: Freedoms) -> list[list[Any]]:
    """What a unit of each idle acceleration takes in the velocities of all joints."""
    columns, size = [], len(at.space)
    for screws in free.idle:
        resisting = resistance(at, screws)
        column: list[Any] = [0.0] * len(at.tree.velocities)
        for n in range(len(at.tree.links)):
            F = resisting[size * n : size * (n + 1)]
            for i, V in at.twist_columns(n, at.pose(n).p).items():
                column[i] = column[i] + V[list(at.space)] @ np.array(F, dtype=object)
        columns.append(column)
    return columns


class Multipliers(NamedTuple):
    """x of (1): for every tie, coupling and drive its own, and accelerations of idle freedoms."""

    parts: list[Array]
    idle: Array


def multipliers(given: GivenMotion, free: Freedoms) -> Multipliers:
    """(1), solved in the order of the structural groups."""
    system, x, loads, t = given
    tree, at = system.tree, Moving(system.tree, x.q)
    values = link_values(tree, {"q": x.q, "v": x.v, "a": x.a}, loads)
    taken = in_order(tree, swept(tree, inverse_sweeps(system.gravity), values), "tau")
    for tie in system.ties:
        taken[tie.v] = tie.joint.damping * x.v[tie.v] - loads.tau[tie.v]
    rows = tree_rows(system, at, t, free)
    ends = np.cumsum([len(row.residual) for row in rows], dtype=int)
    count = sum(len(row.residual) for row in rows)
    lines = transposed(entries(rows), len(taken))
    idle = idle_columns(at, free)
    for n, column in enumerate(idle, start=count):
        for line, entry in zip(lines, column, strict=True):
            line[n] = -entry
    solution = _solved(system, lines, np.reshape(taken, (-1, 1)), count + len(idle))[:, 0]
    *parts, accelerations = np.split(solution, ends)
    return Multipliers(parts, accelerations)


def driving_multipliers(system: System, q_all: Array, taken: Array) -> Array:
    """Those of the drives, for several loads `taken` of all joints, in columns; none are idle."""
    rows = tree_rows(system, Moving(system.tree, q_all), system.t, Freedoms())
    sizes = [len(row.residual) for row in rows]
    lines = transposed(entries(rows), len(taken))
    first = sum(sizes[: len(rows) - len(system.drives)])
    return _solved(system, lines, taken, sum(sizes))[first:]


def _solved(system: System, lines: list[Line], taken: Array, count: int) -> Array:
    """x of (1); of several the one with the least squares, moments counted in typical lengths."""
    rights = [list(row) for row in taken]
    if count <= len(lines):
        known = solved_lines(lines, rights)[0]
    else:
        scale = scale_of(system)
        units = [scale if row < 3 else 1.0 for _ in system.ties for row in system.space]
        known = least_norm(lines, rights, units + [1.0] * (count - len(units)))
    return np.array([known[i] for i in range(count)], dtype=object).reshape(count, -1)


def by_multipliers(given: GivenMotion, equations: Equations) -> Array:
    """The unknowns of the equations of all bodies: from the multipliers inward along the tree."""
    at, joints = equations.at, equations.ties
    found = multipliers(given, equations.freedoms)
    closing = [tie.joint.name for tie in given.system.ties]
    own, others = dict(zip(closing, found.parts, strict=False)), found.parts[len(closing) :]
    acting = list(zip(equations.rows[len(joints) :], others, strict=True))
    acting += [(row, own[row.owner]) for row in equations.rows[: len(joints)] if row.owner in own]
    rest = _not_carried(equations, acting)
    for xi, acceleration in zip(equations.freedoms.idle, found.idle, strict=True):
        resisting = np.reshape(resistance(at, xi), (len(rest), -1))
        for wrench, F in zip(rest, resisting, strict=True):
            wrench[list(at.space)] += F * acceleration
    for tie in _inward(at, [tie for tie in joints if tie.joint.name not in own]):
        own[tie.joint.name] = _hanging(at, tie, rest)
    parts = [own[tie.joint.name] for tie in joints] + others
    return np.concatenate([np.zeros(0), *parts, found.idle])


def _not_carried(equations: Equations, acting: list[tuple[Row, Array]]) -> list[Array]:
    """What every link takes beyond its multipliers: moment and force in the world."""
    at, size = equations.at, len(equations.at.space)
    rest = []
    for n in range(len(at.tree.links)):
        wrench = np.zeros(6, dtype=object)
        for k, row in enumerate(at.space):
            taken = equations.b[size * n + k]
            for each, part in acting:
                if (column := each.J.get(size * n + k)) is not None:
                    taken = taken - column @ part
            wrench[row] = taken
        rest.append(wrench)
    return rest


def _inward(at: Apart, joints: list[Tie]) -> list[Tie]:
    """Joints of the tree, that of the last link first."""
    return sorted(joints, key=lambda tie: -hanging(at, tie))


def hanging(at: Moving, tie: Tie) -> int:
    """The link that hangs on a joint of the tree."""
    below = tie.child >= 0 and at.tree.links[tie.child].parent == tie.parent
    return tie.child if below else tie.parent


def _hanging(at: Apart, tie: Tie, rest: list[Array]) -> Array:
    """The wrench on the child, in the axes of its rows; its link hands the rest inward."""
    link = hanging(at, tie)
    n, f = rest[link][:3], rest[link][3:]
    origin, parent = at.pose(link).p, at.tree.links[link].parent
    X_WM = at.pose(tie.child) @ tie.X_LM
    about_M = np.concatenate([n + cross(origin - X_WM.p, f), f])
    if parent >= 0:
        arm = origin - at.pose(parent).p
        rest[parent] = rest[parent] + np.concatenate([n + cross(arm, f), f])
    wrench = about_M if link == tie.child else -about_M
    in_rows = in_axes(X_WM.R.T, wrench) if len(at.space) == 6 else wrench[list(at.space)]
    return np.asarray(in_rows)


def driving_efforts(given: GivenMotion, equations: Equations) -> Array:
    """The efforts of drives: the last multipliers."""
    parts = multipliers(given, equations.freedoms).parts
    return np.concatenate(parts[len(parts) - len(given.system.drives) :])


METHOD = ForceMethod(
    "multipliers",
    "Gronowicz (2003), section 4.4.4",
    driving_efforts,
    by_multipliers,
    undriven=True,
    everyday=True,
)
