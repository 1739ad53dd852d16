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

from ..model.curve import value_at
from ..model.drive import BodyDrive, Drive, JointDrive, LengthDrive, PointDrive
from ..spatial.pose import Pose, identity, twist_matrix
from ..spatial.rotation import Array, rotation_z, skew, vee
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

    def body_point(self, body: str, at: Any) -> tuple[int, Array]:
        """Link and world position of a point given in a body's frame."""
        link = self.tree.number(body)
        X = self.pose(link) @ body_to_link(self.tree, link)
        return link, X.point(np.asarray(at, dtype=float))

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
    rows += [_coordinate_row(at, name, name, [value, 0.0, 0.0]) for name, value in held.items()]
    rows += [DRIVES[type(drive)](at, drive, t) for drive in drives]
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


def _values(motion: Any, t: Any) -> list[Any]:
    """f, f' and f'' of a drive's motion."""
    return [value_at(motion, "t", t, order) for order in range(3)]


def _coordinate_row(at: Moving, owner: str, coordinate: str, f: list[Any]) -> Row:
    """A coordinate that is its own velocity has the value f."""
    q = at.q_all[at.tree.coordinates.index(coordinate)]
    return _row(owner, [q], {at.tree.velocity_of(coordinate): np.ones(1)}, [f])


def _row(owner: str, values: list[Any], J: dict[int, Array], f: list[list[Any]]) -> Row:
    residual = np.array([c - each[0] for c, each in zip(values, f, strict=True)], dtype=object)
    rate = np.array([each[1] for each in f], dtype=object)
    return Row(owner, residual, J, rate, np.array([each[2] for each in f], dtype=object))


def _joint_drive(at: Moving, drive: JointDrive, t: Any) -> Row:
    return _coordinate_row(at, drive.name, drive.joint, _values(drive.position, t))


def _axes(drive: BodyDrive | PointDrive) -> list[int]:
    return [i for i, key in enumerate("xyz") if getattr(drive, key) is not None]


def _point_drive(at: Moving, drive: PointDrive, t: Any) -> Row:
    link, p = at.body_point(drive.body, drive.at)
    axes = _axes(drive)
    rows = [3 + i for i in axes]
    J = {i: column[rows] for i, column in at.twist_columns(link, p).items()}
    return _row(drive.name, [p[i] for i in axes], J, [_values(_key(drive, i), t) for i in axes])


def _key(drive: BodyDrive | PointDrive, axis: int) -> Any:
    return getattr(drive, "xyz"[axis])


def _body_drive(at: Moving, drive: BodyDrive, t: Any) -> Row:
    """Difference of the origins in world axes, and the angle about z between the frames."""
    link, p = at.body_point(drive.body, (0, 0, 0))
    other, p_0 = at.body_point(drive.relative_to, (0, 0, 0))
    axes = _axes(drive)
    V = _less(at.twist_columns(link, p), at.twist_columns(other, p_0))
    rows = {i: list(column[[3 + k for k in axes]]) for i, column in V.items()}
    values = [p[i] - p_0[i] for i in axes]
    f = [_values(_key(drive, i), t) for i in axes]
    if drive.angle is not None:
        f.append(_values(drive.angle, t))
        R_0, R = ((at.pose(i) @ body_to_link(at.tree, i)).R for i in (other, link))
        R_0B = np.asarray(R_0.T @ R)
        values.append(f[-1][0] + _angle(rotation_z(f[-1][0]).T @ R_0B))
        for i, column in V.items():
            rows[i].append(_angle_rate(R_0B, R_0.T @ column[:3]))
    J = {i: np.array(column, dtype=object) for i, column in rows.items()}
    return _row(drive.name, values, J, f)


def _angle(R: Array) -> Any:
    """Angle of a rotation about z: that of the turn about z which comes nearest to it."""
    return np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])


def _angle_rate(R: Array, w: Array) -> Any:
    """Rate of that angle for R' = [w x] R.

    With c, s the cosine and sine of the angle times r:  w_z - (a w_x + b w_y) / r^2,  where
    a = R_zx c - R_zy s,  b = R_zx s + R_zy c;  in the plane it is w_z.
    """
    c, s = R[0, 0] + R[1, 1], R[1, 0] - R[0, 1]
    a, b = R[2, 0] * c - R[2, 1] * s, R[2, 0] * s + R[2, 1] * c
    tilting = a * w[0] + b * w[1]
    return w[2] - tilting / (c * c + s * s)


def _less(plus: dict[int, Array], minus: dict[int, Array]) -> dict[int, Array]:
    """Columns of a difference."""
    names = [*plus, *(i for i in minus if i not in plus)]
    return {i: np.asarray(plus.get(i, 0.0) - minus.get(i, 0.0)) for i in names}


def _length_drive(at: Moving, drive: LengthDrive, t: Any) -> Row:
    """|p_b - p_a| = f(t)."""
    (a, p_a), (b, p_b) = (
        at.body_point(drive.body_a, drive.at_a),
        at.body_point(drive.body_b, drive.at_b),
    )
    d = p_b - p_a
    length = np.sqrt(d @ d)
    u = d / length
    J = _less(at.twist_columns(b, p_b), at.twist_columns(a, p_a))
    along = {i: np.array([u @ column[3:]], dtype=object) for i, column in J.items()}
    return _row(drive.name, [length], along, [_values(drive.length, t)])


DRIVES: dict[type[Drive], Any] = {
    JointDrive: _joint_drive,
    BodyDrive: _body_drive,
    LengthDrive: _length_drive,
    PointDrive: _point_drive,
}
