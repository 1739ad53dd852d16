"""A mechanism taken apart: every body with a motion of its own, every joint as rows between two.

The motion of a body is the twist V about its mass centre S, in axes of its own (principal ones in
space), so that its mass matrix M~ is constant and, in numbers, diagonal: (4.175) in a plane, (4.89)
in space. Velocities of the joints are unknowns as well, without mass: with K the frame of a joint
on its child, the rows of a joint are

    V_child - V_parent - S v_j = 0            in K                                          (1)
    A_child - A_parent - S a_j = S' v_j + V_child x S v_j                                   (2)

with A the rate of the components of V; they ask for the joint's own coordinates only. Couplings and
drives add rows of `kinematics/rows.py`. What acts on a body, about S, is Q - b with

    b = (w x J w,  m w x v)                                                                 (3)

Source: Gronowicz (2003), section 4.4.4, for any joints and in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..expr import variable
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr, present
from ..kinematics.couplings import AllMotion
from ..kinematics.orthogonal import Line
from ..kinematics.rates import turning
from ..kinematics.rows import coupled, driven, entries
from ..kinematics.velocity import link_twists, of_parent
from ..model.drive import Columns
from ..spatial.pose import Pose, identity, in_axes
from ..spatial.rotation import Array, cross, skew
from ..system.system import System, Tie, ties
from ..system.tree import Link, Tree, places_of
from .freedoms import Apart, scale_of
from .recursions import damping

POINT = 1e-12
"""Moment of inertia about the mass centre, beside the others, that counts as none."""


@dataclass(frozen=True, eq=False)
class Centred(Apart):
    """A tree taken apart, the twist of every link about its mass centre in axes fixed in it."""

    @cached_property
    def centres(self) -> list[Pose]:
        """Where S stands in each link, and its axes: X_LS."""
        return [_centre(link, len(self.space) == 3) for link in self.tree.links]

    def centre(self, link: int) -> Pose:
        """X_LS of a link; -1 is the base."""
        return identity() if link < 0 else self.centres[link]

    def twist_columns(self, link: int, p: Array) -> Columns:
        """(w, velocity at p) in the world for a unit of each component of a link's twist."""
        if link < 0:
            return {}
        X = self.pose(link) @ self.centre(link)
        R, zero = np.asarray(X.R), np.zeros((3, 3))
        T = np.block([[R, zero], [-skew(p - X.p) @ R, R]])
        size = len(self.space)
        return {size * link + k: T[:, row] for k, row in enumerate(self.space)}


def _centre(link: Link, planar: bool) -> Pose:
    """Mass centre, with the axes of the body in a plane, principal ones in space."""
    c = link.h * (1.0 / link.mass) if present(link.mass) else np.zeros(3)
    if planar:
        return Pose(link.X_BL.R.T, c)
    J = _inertia(link, c)
    if J.dtype == object or not np.any(np.abs(J - np.diag(J.diagonal())) > POINT * np.trace(J)):
        return Pose(np.eye(3), c)
    R = np.linalg.eigh(J)[1]
    return Pose(R * np.sign(np.linalg.det(R)), c)


def _inertia(link: Link, c: Array) -> Array:
    """Moments of inertia about c, in the axes of the link."""
    K = link.K - link.mass * np.outer(c, c)
    return np.asarray(np.trace(K) * np.eye(3) - K)


def body_matrix(link: Link, X_LS: Pose, space: Sequence[int]) -> Array:
    """M~ of a body: moments about S, and its mass; of a point mass exact zeros."""
    J = np.asarray(X_LS.R.T @ _inertia(link, X_LS.p) @ X_LS.R)
    M = np.zeros((6, 6), dtype=object)
    M[:3, :3] = J
    M[range(3, 6), range(3, 6)] = link.mass
    if J.dtype != object:
        least = POINT * abs(float(np.trace(link.K)))
        M[:3, :3] = np.where(np.abs(J) > max(least, POINT * float(np.trace(J))), J, 0.0)
    return M[np.ix_(space, space)]


@dataclass(frozen=True, eq=False)
class Bodies:
    """The bodies and joints of a system at a motion, each by itself."""

    s: System
    x: AllMotion
    """Of all joints."""

    @property
    def tree(self) -> Tree:
        """The tree, of which every joint counts as a constraint."""
        return self.s.tree

    @cached_property
    def at(self) -> Centred:
        """Where everything is."""
        return Centred(self.tree, self.x.q)

    @cached_property
    def joints(self) -> tuple[Tie, ...]:
        """All joints."""
        return ties(self.tree, self.tree.m.joints)

    @cached_property
    def twists(self) -> list[Array]:
        """V of every link about its mass centre, in its axes."""
        own = link_twists(self.tree, self.x.q, self.x.v)
        return [of_parent(X, V) for X, V in zip(self.at.centres, own, strict=True)]

    @cached_property
    def masses(self) -> list[Array]:
        """M~ of every link."""
        pairs = zip(self.tree.links, self.at.centres, strict=True)
        return [body_matrix(link, X, self.at.space) for link, X in pairs]

    @cached_property
    def columns(self) -> int:
        """Count of the velocities: of links, then of joints."""
        return self.at.first + len(self.tree.velocities)

    @cached_property
    def joint_rows(self) -> tuple[list[Line], list[Any]]:
        """Rows (1) of all joints and what their accelerations equal (2)."""
        lines: list[Line] = []
        rights: list[Any] = []
        for tie in self.joints:
            more, gamma = self._joint(tie)
            lines += more
            rights += gamma
        return lines, rights

    def _joint(self, tie: Tie) -> tuple[list[Line], list[Any]]:
        """Rows of one joint, in the axes of K: those of M in space, of the child in a plane."""
        at, space = self.at, list(self.at.space)
        q, v = self.x.q[tie.q], self.x.v[tie.v]
        X_cK = at.centre(tie.child).inverse() @ tie.X_LM
        X_pK = at.centre(tie.parent).inverse() @ tie.X_LF @ tie.joint.pose(q)
        S, bias = tie.joint.motion_subspace(q), tie.joint.bias(q, v)
        if len(space) == 3:
            R = X_cK.R
            S, bias = in_axes(R, S), in_axes(R, bias)
            X_cK, X_pK = Pose(np.eye(3), X_cK.p), Pose(X_pK.R @ R.T, X_pK.p)
        V = np.zeros(6) if tie.child < 0 else of_parent(X_cK, self.twists[tie.child])
        gamma = (bias + crossed(V, S @ v))[space]  # (2)
        blocks = [(tie.child, carried(X_cK)), (tie.parent, -carried(X_pK))]
        size, first = len(space), at.first + tie.v.start
        lines: list[Line] = [{} for _ in space]
        for link, block in blocks:
            for line, row in zip(lines, block[np.ix_(space, space)], strict=True):
                if link >= 0:
                    line |= {size * link + k: x for k, x in enumerate(row) if present(x)}
        for line, row in zip(lines, S[space], strict=True):
            line |= {first + k: -x for k, x in enumerate(row) if present(x)}
        return lines, list(gamma)

    def further_rows(self, *, drives: bool) -> tuple[list[Line], list[Any]]:
        """Rows of couplings and drives, and what their accelerations equal: f'' - Phi' x."""
        s, names = self.s, [f"_q[{i}]" for i in range(len(self.x.q))]
        symbols: Array = np.array([variable(name) for name in names], dtype=object)
        there = Centred(self.tree, symbols)
        rows = [coupled(there, coupling) for coupling in self.tree.couplings]
        rows += [driven(there, drive, s.t) for drive in (s.drives if drives else ())]
        lines = entries(rows)
        if not lines:
            return [], []

        def moving(still: Array) -> dict[str, Any]:
            own = still[self.at.first :]
            joints, places = self.tree.m.joints, places_of(self.tree.m.joints).values()
            rates = [j.qdot(symbols[q], own[v]) for j, (q, v) in zip(joints, places, strict=True)]
            return dict(zip(names, np.concatenate(rates), strict=True))

        motion = np.array([*self._stacked(self.twists), *self.x.v], dtype=object)
        values = {name: as_expr(x) for name, x in zip(names, self.x.q, strict=True)}
        bends = substitute_all(turning(lines, motion, moving), values)
        flat = [(i, j, as_expr(x)) for i, line in enumerate(lines) for j, x in line.items()]
        entered = substitute_all([x for *_, x in flat], values)
        here: list[Line] = [{} for _ in lines]
        for (i, j, _), x in zip(flat, entered, strict=True):
            here[i][j] = _plain(x)
        asked = [x for row in rows for x in row.acceleration]
        return here, [f - _plain(bend) for f, bend in zip(asked, bends, strict=True)]

    def _stacked(self, vectors: Sequence[Array]) -> list[Any]:
        """Components that can move, of vectors of all links."""
        return [x for V in vectors for x in V[list(self.at.space)]]

    @cached_property
    def acting(self) -> list[Any]:
        """Q - b of the links, then forces in all joints without those that are given."""
        loads, gravity = self.s.loads(self.x.q, self.x.v), self.s.gravity
        found = []
        for n, (link, X, V) in enumerate(
            zip(self.tree.links, self.at.centres, self.twists, strict=True)
        ):
            moment, force = loads.wrenches.get(n, (np.zeros(3), np.zeros(3)))
            moment = moment - cross(X.p, force)
            weight = link.mass * ((self.at.pose(n).R @ X.R).T @ gravity)
            J, w = X.R.T @ _inertia(link, X.p) @ X.R, V[:3]
            f = X.R.T @ force + weight - link.mass * cross(w, V[3:])
            found.append(np.concatenate([X.R.T @ moment - cross(w, J @ w), f]))  # (3)
        return [*self._stacked(found), *(loads.tau - self._resisting())]

    def _resisting(self) -> Array:
        """What dampers of the joints take."""
        coefficients = damping(self.tree).astype(object)
        for tie in self.s.ties:
            coefficients[tie.v] = tie.joint.damping
        return np.asarray(coefficients * self.x.v)

    def sure(self, count: int) -> list[bool]:
        """Whether rows are of joints of the tree, which never depend on each other."""
        closing = {tie.joint.name for tie in self.s.ties}
        own = [tie.joint.name not in closing for tie in self.joints for _ in self.at.space]
        return own + [not closing] * (count - len(own))

    def units(self, count: int) -> list[float]:
        """What rows are measured in: 1, or a typical length."""
        scale = scale_of(self.s)
        own = [1.0 if row < 3 else scale for row in self.at.space] * len(self.joints)
        return own + [1.0] * (count - len(own))


def carried(X_SK: Pose) -> Array:
    """6 x 6 matrix that takes a twist about So in S to the same twist about Ko in K."""
    R, zero = np.asarray(X_SK.R.T), np.zeros((3, 3))
    return np.block([[R, zero], [-R @ skew(X_SK.p), R]])


def crossed(V: Array, U: Array) -> Array:
    """V x U of twists."""
    return np.concatenate([cross(V[:3], U[:3]), cross(V[:3], U[3:]) + cross(V[3:], U[:3])])


def _plain(x: Any) -> Any:
    return float(x.value) if x.op == "constant" else x
