"""Loops and drives as equations Phi(q, t) = 0 in the coordinates of all joints.

The spanning tree places the bodies; a joint outside the tree ties two of them together. With its
frame F on the parent, M on the child and its own coordinates q_j, which are unknowns as well,

    Phi   = (axial R_FM(q_j) R_MF / 2,   p_F + R_F p_FM(q_j) - p_M)                     (1)
    J v   = V_child - V_parent - S(q_j) v_j          at M                              (2)

(2) holds on closed loops; away from them it differs from the derivative of (1) in the second
order, so Newton's method keeps its speed. Angles of a planar loop enter (2) with coefficients 1,
and the freedoms of the joint itself drop out of the other rows. Drives add rows

    Phi = c(q) - f(t),    J v = c_q v,    f' and f'' on the right                       (3)

Source: Gronowicz (2003), sections 2.3.3 and 3.4, for joints of any type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..model.drive import Drive
from ..spatial.pose import Pose, identity, twist_matrix
from ..spatial.rotation import Array, skew, vee
from ..system.ties import Tie, body_to_link, ties
from ..system.tree import Tree
from .couplings import all_coordinates, velocity_map
from .forward import subspaces, world_poses

PLANE = [2, 3, 4]
"""wz, vx, vy of a 6-vector."""


@dataclass(frozen=True, eq=False)
class Row:
    """One block of equations: whose they are, the residuals, and the columns of J."""

    owner: str
    residual: Array
    J: dict[int, Array]
    """Column of every velocity that stands in the rows."""
    rate: Array
    """f'(t) of a drive, zero for a joint."""
    acceleration: Array
    """f''(t)."""


@dataclass(frozen=True, eq=False)
class Moving:
    """A tree at coordinates of all joints, with what rows ask for."""

    tree: Tree
    q_all: Array

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

    def coordinate(self, name: str) -> tuple[Any, dict[int, Array]]:
        """Value of a coordinate that is its own velocity, and the column of its rate."""
        q = self.q_all[self.tree.coordinates.index(name)]
        return q, {self.tree.velocity_of(name): np.ones(1)}

    def body_pose(self, body: str) -> Pose:
        """World pose of a body's frame, as it was described."""
        link = self.tree.number(body)
        return self.pose(link) @ body_to_link(self.tree, link)

    def body_twist(self, body: str, p: Array) -> dict[int, Array]:
        """Columns of a body's twist at the world point p."""
        return self.twist_columns(self.tree.number(body), p)

    def twist_columns(self, link: int, p: Array) -> dict[int, Array]:
        """(w, velocity at p) of a link for a unit of every velocity that moves it."""
        found: dict[int, Array] = {}
        for k in self.tree.support(link):
            block, v = _at(self.columns[k], p), self.tree.links[k].v
            found |= {i: block[:, i - v.start] for i in range(v.start, v.stop)}
        return found


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
    rows += [_coordinate_row(at, name, value) for name, value in held.items()]
    rows += [_drive_row(at, drive, t) for drive in drives]
    return [replace(row, J=_free(tree, q_all, row.J)) for row in rows]


def _free(tree: Tree, q_all: Array, J: dict[int, Array]) -> dict[int, Array]:
    """Columns of the independent velocities, from those of all velocities."""
    place = {i: k for k, i in enumerate(tree.free_v)}
    found = {place[i]: column for i, column in J.items() if i in place}
    if tree.couplings:
        G = velocity_map(tree, q_all)
        for i, column in J.items():
            if i not in place:
                for k in np.flatnonzero(G[i]):
                    found[int(k)] = found.get(int(k), 0.0) + column * G[i, k]
    return found


def tied(at: Moving, tie: Tie) -> Row:
    """(1) and (2) of a joint outside the tree."""
    X_WF, X_WM = at.pose(tie.parent) @ tie.X_LF, at.pose(tie.child) @ tie.X_LM
    wanted = X_WF @ tie.joint.pose(at.q_all[tie.q])
    gap = np.concatenate([_axial(wanted.R @ X_WM.R.T), wanted.p - X_WM.p])
    J = _difference(at, tie, X_WM.p)
    S = tie.joint.motion_subspace(at.q_all[tie.q])
    own = range(tie.v.start, tie.v.stop)
    if at.tree.m.plane:
        S_W = np.concatenate([X_WM.R @ S[:3], X_WM.R @ S[3:]])
        J |= {i: -S_W[:, k] for k, i in enumerate(own)}
        gap, J = gap[PLANE], {i: column[PLANE] for i, column in J.items()}
    else:
        J = {i: _turned(X_WM.R.T, column) for i, column in J.items()}
        J |= {i: -S[:, k] for k, i in enumerate(own)}
        gap = _turned(X_WM.R.T, gap)
    zero = np.zeros(len(gap))
    return Row(tie.joint.name, -gap, J, zero, zero)


def entries(rows: list[Row]) -> list[dict[int, Any]]:
    """The entries of every row of J, by velocity."""
    found: list[dict[int, Any]] = []
    for row in rows:
        found += [{j: row.J[j][i] for j in sorted(row.J)} for i in range(len(row.residual))]
    return found


def _turned(R: Array, V: Array) -> Array:
    """A 6-vector in other axes."""
    return np.concatenate([R @ V[:3], R @ V[3:]])


def _difference(at: Moving, tie: Tie, p: Array) -> dict[int, Array]:
    """V_child - V_parent at p; joints that move both drop out."""
    child, parent = at.twist_columns(tie.child, p), at.twist_columns(tie.parent, p)
    found = {i: column for i, column in child.items() if i not in parent}
    return found | {i: -column for i, column in parent.items() if i not in child}


def _axial(R: Array) -> Array:
    """Sine of the angle of a rotation times its axis."""
    return 0.5 * (vee(R) - vee(R.T))


def _coordinate_row(at: Moving, name: str, value: Any) -> Row:
    """A coordinate that is its own velocity is held at a value."""
    q, columns = at.coordinate(name)
    still = np.zeros(1, dtype=object)
    return Row(name, np.array([q - value], dtype=object), columns, still, still)


def _drive_row(at: Moving, drive: Drive, t: Any) -> Row:
    """(3)."""
    asked = drive.rows(at, t)
    f, rate, acceleration = asked.motion.T
    return Row(drive.name, asked.values - f, asked.columns, rate, acceleration)
