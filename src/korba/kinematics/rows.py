"""Ties, couplings and drives as equations Phi(q, t) = 0, over any position that knows its bodies.

A tie is a joint between two bodies that something else places: the spanning tree, where the joint
closes a loop, or each body alone, where every body is free and every joint a tie. With its frame F
on the parent, M on the child and its own coordinates q_j, which are unknowns as well,

    Phi   = (axial R_FM(q_j) R_MF / 2,   p_F + R_F p_FM(q_j) - p_M)                     (1)
    J v   = V_child - V_parent - S(q_j) v_j          at M                              (2)

(2) holds on closed loops; away from them it differs from the derivative of (1) in the second
order, so Newton's method keeps its speed. Angles of a planar loop enter (2) with coefficients 1,
and the freedoms of the joint itself drop out of the other rows. Drives, and couplings p = F(q) that
are not solved for p, add rows

    Phi = c(q) - f(t),    J v = c_q v,    f' and f'' on the right                       (3)
    Phi = p - F(q),       J v = p' - F_q q'                                             (4)

A position (`Position`) tells the pose of a body and the columns of the twist of its points; they
may be columns of single unknowns or blocks of several, numbers or symbols.

Source: Gronowicz (2003), sections 2.3.3 and 3.4, for joints of any type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..expr import derivative
from ..expr.node import present
from ..model.coupling import Coupling
from ..model.drive import Columns, Drive, difference
from ..model.drive import Position as DrivePosition
from ..spatial.pose import Pose, identity, in_axes, twist_matrix
from ..spatial.rotation import Array, skew, vee
from ..system.system import PLANE, SPACE, Tie, body_to_link, ties
from ..system.tree import Tree
from .couplings import all_coordinates, law_value, leaders, velocity_map
from .forward import subspaces, world_poses


@dataclass(frozen=True, eq=False)
class Row:
    """One block of equations: whose they are, the residuals, and the columns of J."""

    owner: str
    residual: Array
    J: Columns
    """Column of every velocity that stands in the rows."""
    rate: Array
    """f'(t) of a drive, zero for a joint."""
    acceleration: Array
    """f''(t)."""


class Position(DrivePosition, Protocol):
    """Bodies and joints at a position, and the unknowns whose rates move them."""

    @property
    def space(self) -> tuple[int, ...]:
        """Rows of a 6-vector that can move: three in a plane, six in space."""

    def pose(self, body: int) -> Pose:
        """World pose of a body by its number; a tie's frames stand in it."""

    def twist_columns(self, body: int, p: Array) -> Columns:
        """Columns (6) of the angular velocity of a body, and its velocity at the world point p."""

    def tie_coordinates(self, tie: Tie) -> Array:
        """A tie's own coordinates."""

    def tie_columns(self, tie: Tie, S: Array) -> Columns:
        """The columns S, one for each velocity of a tie, by unknowns."""


@dataclass(frozen=True, eq=False)
class Moving:
    """A tree at coordinates of all joints: the unknowns are the velocities of all joints."""

    tree: Tree
    q_all: Array

    @property
    def space(self) -> tuple[int, ...]:
        """Three rows in a plane, six in space."""
        return PLANE if self.tree.m.plane else SPACE

    @cached_property
    def X_WL(self) -> list[Pose]:
        """World poses of the links."""
        return world_poses(self.tree, self.q_all)

    @cached_property
    def columns(self) -> list[Array]:
        """Motion of every joint in world axes about the world's origin: 6 x nv of the joint."""
        S = subspaces(self.tree, self.q_all)
        return [twist_matrix(X) @ S_L for X, S_L in zip(self.X_WL, S, strict=True)]

    def pose(self, link: int) -> Pose:
        """World pose of a link; -1 is the base."""
        return identity() if link < 0 else self.X_WL[link]

    def coordinate(self, name: str) -> tuple[Any, Columns]:
        """Value of a coordinate that is its own velocity, and the column of its rate."""
        q = self.q_all[self.tree.coordinates.index(name)]
        return q, {self.tree.velocity_of(name): np.ones(1)}

    def body_pose(self, body: str) -> Pose:
        """World pose of a body's frame, as it was described."""
        link = self.tree.number(body)
        return self.pose(link) @ body_to_link(self.tree, link)

    def body_twist(self, body: str, p: Array) -> Columns:
        """Columns of a body's twist at the world point p."""
        return self.twist_columns(self.tree.number(body), p)

    def twist_columns(self, link: int, p: Array) -> Columns:
        """(w, velocity at p) of a link for a unit of every velocity that moves it."""
        columns: Columns = {}
        for k in self.tree.support(link):
            block, v = _at(self.columns[k], p), self.tree.links[k].v
            columns |= {i: block[:, i - v.start] for i in range(v.start, v.stop)}
        return columns

    def tie_coordinates(self, tie: Tie) -> Array:
        """A tie's own coordinates."""
        return self.q_all[tie.q]

    def tie_columns(self, tie: Tie, S: Array) -> Columns:
        """A column for each of a tie's own velocities."""
        return {i: S[:, k] for k, i in enumerate(range(tie.v.start, tie.v.stop))}


def _at(columns: Array, p: Array) -> Array:
    """Columns about the world's origin moved to the point p."""
    return np.concatenate([columns[:3], columns[3:] - skew(p) @ columns[:3]])


def equations(
    tree: Tree, q: Any, t: Any, held: Mapping[str, Any], drives: tuple[Drive, ...]
) -> list[Row]:
    """The rows of all loops, of the coordinates that are held at values, and of the drives."""
    q_all = all_coordinates(tree, q)
    at = Moving(tree, q_all)
    rows = [tied(at, tie) for tie in ties(tree)]
    rows += [held_row(at, name, value) for name, value in held.items()]
    rows += [driven(at, drive, t) for drive in drives]
    return [replace(row, J=independent(tree, q_all, row.J)) for row in rows]


def independent(tree: Tree, q_all: Array, J: dict[int, Array]) -> dict[int, Array]:
    """Columns of the independent velocities, from those of all velocities."""
    place = {i: k for k, i in enumerate(tree.free_v)}
    found = {place[i]: column for i, column in J.items() if i in place}
    if tree.couplings:
        G = velocity_map(tree, q_all)
        for i, column in J.items():
            if i not in place:
                for k, slope in enumerate(G[i]):
                    if present(slope):
                        found[k] = found.get(k, 0.0) + column * slope
    return found


def tied(at: Position, tie: Tie) -> Row:
    """(1) and (2)."""
    X_WM = at.pose(tie.child) @ tie.X_LM
    residual = tie_residual(at, tie, X_WM)
    zero = np.zeros(len(residual))
    return Row(tie.joint.name, residual, tie_columns(at, tie, X_WM), zero, zero)


def tie_residual(at: Position, tie: Tie, X_WM: Pose) -> Array:
    """(1), in the axes of `in_rows`."""
    wanted = at.pose(tie.parent) @ tie.X_LF @ tie.joint.pose(at.tie_coordinates(tie))
    turn = wanted.R @ X_WM.R.T
    gap = np.concatenate([0.5 * (vee(turn) - vee(turn.T)), wanted.p - X_WM.p])
    return -in_rows(at, X_WM.R, gap)


def tie_columns(at: Position, tie: Tie, X_WM: Pose) -> Columns:
    """The columns of (2) at M, in the axes of `in_rows`; joints that move both bodies drop out."""
    child, parent = at.twist_columns(tie.child, X_WM.p), at.twist_columns(tie.parent, X_WM.p)
    between = {i: V for i, V in child.items() if i not in parent}
    between |= {i: -V for i, V in parent.items() if i not in child}
    J = {i: in_rows(at, X_WM.R, V) for i, V in between.items()}
    S = tie.joint.motion_subspace(at.tie_coordinates(tie))
    own = in_rows(at, X_WM.R, in_axes(X_WM.R, S)) if len(at.space) == 3 else S
    return J | at.tie_columns(tie, -own)


def in_rows(at: Position, R_WM: Array, V: Array) -> Array:
    """A 6-vector in the axes of a tie's rows: the world's in a plane, those of M in space."""
    return V[list(at.space)] if len(at.space) == 3 else in_axes(R_WM.T, V)


def entries(rows: list[Row]) -> list[dict[int, Any]]:
    """The entries of every row of J, by velocity."""
    found: list[dict[int, Any]] = []
    for row in rows:
        found += [{j: row.J[j][i] for j in sorted(row.J)} for i in range(len(row.residual))]
    return found


def held_row(at: Position, name: str, value: Any) -> Row:
    """A coordinate that is its own velocity is held at a value."""
    q, columns = at.coordinate(name)
    still = np.zeros(1, dtype=object)
    return Row(name, np.array([q - value], dtype=object), columns, still, still)


def driven(at: Position, drive: Drive, t: Any) -> Row:
    """(3)."""
    asked = drive.rows(at, t)
    f, rate, acceleration = asked.motion.T
    return Row(drive.name, asked.values - f, asked.columns, rate, acceleration)


def coupled(at: Position, coupling: Coupling) -> Row:
    """(4), at the time 0."""
    names = leaders(coupling.law)
    known = {name: at.coordinate(name) for name in (coupling.coordinate, *names)}
    values = {name: q for name, (q, _) in known.items()} | {"t": 0.0}
    J = known[coupling.coordinate][1]
    for name in names:
        slope = law_value(derivative(coupling.law, name), values)
        J = difference(J, {i: column * slope for i, column in known[name][1].items()})
    rest = values[coupling.coordinate] - law_value(coupling.law, values)
    still = np.zeros(1, dtype=object)
    return Row(coupling.name, np.array([rest], dtype=object), J, still, still)
