"""Derivatives of inverse dynamics by composite bodies, for joints that move about fixed axes.

Let s = (s_w, s_u) be a freedom of a joint, in the frame of its link, and w, w', u, a the motion of
the parent there: angular velocity and acceleration, velocity and acceleration (less gravity) of the
point at the link's origin. When the joint's coordinate grows, all that hangs on it is carried along
rigidly, and seen from there a point r that moves with the velocity r' changes its acceleration by

    2 y x r' + c + z x r,    y = w x s_w,    z = w' x s_w + w x y                              (1)
    c = w' x s_u + w x (w x s_u) - s_w x a - 2 y x u

When the joint's velocity grows, by

    2 s_w x r' + 2 (d + y x r),    d = w x s_u + u x s_w                                       (2)

Summed over the mass of a link and all that hangs on it, with the mass m, first and second moments
h and K, momentum p and N = sum of m r' r', a field c + z x r takes the force and the moment

    I(z, c) = (m c + z x h,  h x c + (tr K - K) z)                                             (3)

and y x r' takes  B(y) = (y x p,  (tr N - N) y).  For a joint i on or below j then

    dtau_i/dq_j = s_i' (2 B_i(y_j) + I_i(z_j, c_j))
    dtau_j/dq_i = s_j' (2 B_i(y_i) + I_i(z_i, c_i) + s_i x* F_i)                               (4)
    dtau_i/dv_j = 2 s_i' (B_i(s_j) + I_i(y_j, d_j))
    dtau_j/dv_i = 2 s_j' (B_i(s_i) + I_i(y_i, d_i))

where F_i is the force and moment on all of i. What is quadratic in the velocities is half its slope
along them, so that the forces for a = 0 come along, with g gravity in the link's axes:

    h_i = sum over j of dtau_i/dv_j v_j / 2 + s_i' I_i(0, -g)                                  (5)

I_i s_i, B_i' s_i and the columns of i are made once
and carried to the base. Source: Carpentier & Mansard (2018) and Singh, Russo & Wensing (2022),
Efficient Analytical Derivatives of Rigid-Body Dynamics using Spatial Vector Algebra, written here
with classical vectors: B has 12 numbers where the spatial form has 36.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..kinematics.forward import Motion, forward_motion
from ..spatial.inertia import turned
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross, skew
from ..system.tree import Link, Tree
from .newton_euler import body_wrench
from .recursions import carried


class Freedom(NamedTuple):
    """One freedom of a joint and the fields of (1) and (2), in the frame of its link."""

    place: int
    w: Array
    u: Array
    y: Array
    z: Array
    c: Array
    d: Array


@dataclass
class Composite:
    """Sums over a link and what hangs on it, about the link's origin."""

    m: Any
    h: Array
    K: Array
    p: Array
    N: Array
    f: Array
    n: Array

    def rigid(self, z: Array, c: Array) -> tuple[Array, Array]:
        """Force and moment of the field c + z x r (3)."""
        return self.m * c + cross(z, self.h), cross(self.h, c) + _rest(self.K) @ z

    def swirl(self, y: Array) -> tuple[Array, Array]:
        """Force and moment of the field y x r'."""
        return cross(y, self.p), _rest(self.N) @ y

    def add(self, other: Composite, X: Pose) -> None:
        """Take in a composite that stands at X."""
        Rh, Rp, Rf = X.R @ other.h, X.R @ other.p, X.R @ other.f
        outer = np.outer(Rh + 0.5 * other.m * X.p, X.p)
        self.K = self.K + turned(X.R, other.K) + (outer + outer.T)
        self.N = self.N + turned(X.R, other.N) + np.outer(Rp, X.p)
        self.m, self.h = self.m + other.m, self.h + Rh + other.m * X.p
        self.p, self.f = self.p + Rp, self.f + Rf
        self.n = self.n + X.R @ other.n + cross(X.p, Rf)


def refuses(tree: Tree) -> str | None:
    """Why a tree cannot be taken: couplings, and joints whose axes move in their link."""
    if tree.couplings:
        return "it has couplings"
    for link in tree.links:
        if link.joint.nv and not link.joint.axial:
            return f"the axes of the joint to body {link.name!r} move"
    return None


class Slopes(NamedTuple):
    """Derivatives of inverse dynamics without loads and damping, and its value for a = 0."""

    dq: Array
    dv: Array
    M: Array
    h: Array


def inverse_slopes(tree: Tree, q: Any, v: Any, a: Any, gravity: Array) -> Slopes:
    """dtau/dq, dtau/dv, dtau/da = M and h; a enters the first of them only.

    Joints that close loops have columns of zeros, and in dtau/dq as many as they have coordinates.
    """
    motion = forward_motion(tree, q, v, a, gravity)
    u, freedoms = _freedoms(tree, motion, v, gravity)
    bodies, falls = _composites(tree, motion, u), _falls(tree, motion.X_PB, gravity)
    n = len(tree.velocities)
    dq, dv, M = (np.zeros((n, n), dtype=object) for _ in range(3))
    found = Slopes(dq, dv, M, np.zeros(n, dtype=object))
    for i in reversed(range(len(tree.links))):
        for one in freedoms[i]:
            sent = _sent(bodies[i], one)
            _fill(tree, motion.X_PB, freedoms, i, one.place, sent=sent, slopes=found)
            f, moment = bodies[i].rigid(np.zeros(3), falls[i])
            found.h[one.place] = one.w @ moment + one.u @ f
        if tree.links[i].parent >= 0:
            bodies[tree.links[i].parent].add(bodies[i], motion.X_PB[i])
    by_q = np.zeros((n, len(tree.coordinates)), dtype=object)
    for link in tree.links:
        by_q[:, link.q] = dq[:, link.v]
    return found._replace(dq=by_q, h=found.h + dv @ (0.5 * np.asarray(v)))  # (5)


def _falls(tree: Tree, poses: list[Pose], gravity: Array) -> list[Array]:
    """-g in the axes of every link."""
    found: list[Array] = []
    for link, X in zip(tree.links, poses, strict=True):
        found.append(X.R.T @ (-gravity if link.parent < 0 else found[link.parent]))
    return found


def _freedoms(
    tree: Tree, motion: Motion, v: Any, gravity: Array
) -> tuple[list[Array], list[list[Freedom]]]:
    """Velocities of the links' origins, and the freedoms of all joints."""
    velocities: list[Array] = []
    found = []
    for i, link in enumerate(tree.links):
        w, wd, u, a = _parent_motion(link, motion, i, velocities, gravity)
        S = motion.S[i]
        velocities.append(u + S[3:] @ np.asarray(v)[link.v])
        own = []
        for k, s in enumerate(np.asarray(S).T):
            s_w, s_u = s[:3], s[3:]
            y, across = cross(w, s_w), cross(w, s_u)
            z = cross(wd, s_w) + cross(w, y)
            c = cross(wd, s_u) + cross(w, across) - cross(s_w, a) - cross(2.0 * y, u)
            own.append(Freedom(link.v.start + k, s_w, s_u, y, z, c, across + cross(u, s_w)))
        found.append(own)
    return velocities, found


def _parent_motion(
    link: Link, motion: Motion, i: int, velocities: list[Array], gravity: Array
) -> tuple[Array, ...]:
    """w, w', u and a of the parent at the link's origin, in the link's frame."""
    X = motion.X_PB[i]
    if link.parent < 0:
        return np.zeros(3), np.zeros(3), np.zeros(3), X.R.T @ -gravity
    w, wd, U, a = motion.of(link.parent)
    u = velocities[link.parent] + cross(w, X.p)
    return X.R.T @ w, X.R.T @ wd, X.R.T @ u, X.R.T @ (a + U @ X.p)


def _composites(tree: Tree, motion: Motion, u: list[Array]) -> list[Composite]:
    """The links alone; their children are added on the way in."""
    found = []
    for i, link in enumerate(tree.links):
        w = motion.w[i]
        p = link.mass * u[i] + cross(w, link.h)
        N = np.outer(u[i], link.h) + skew(w) @ link.K
        wrench = body_wrench(link, motion.U[i], motion.a[i])
        found.append(Composite(link.mass, link.h, link.K, p, N, *wrench))
    return found


def _sent(body: Composite, one: Freedom) -> tuple[Array, Array]:
    """What a freedom sends to the base: moments and forces in columns, and b with b'x = s'B(x).

    The columns are I s, 2 B(y) + I(z, c) + s x* F, and B(s) + I(y, d).
    """
    f_s, n_s = body.rigid(one.w, one.u)
    (f_z, n_z), (f_y, n_y) = body.rigid(one.z, one.c), body.swirl(2.0 * one.y)
    (f_d, n_d), (f_w, n_w) = body.rigid(one.y, one.d), body.swirl(one.w)
    f_q = f_z + f_y + cross(one.w, body.f)
    n_q = n_z + n_y + cross(one.w, body.n) + cross(one.u, body.f)
    b = _rest(body.N).T @ one.w + cross(body.p, one.u)
    columns = [(n_s, f_s), (n_q, f_q), (n_d + n_w, f_d + f_w)]
    return np.array([np.concatenate(pair) for pair in columns]).T, b


def _fill(
    tree: Tree,
    poses: list[Pose],
    freedoms: list[list[Freedom]],
    i: int,
    place: int,
    *,
    sent: tuple[Array, Array],
    slopes: Slopes,
) -> None:
    """The entries (4) of one freedom with all on its way to the base, its own link's first."""
    dq, dv, M, _ = slopes
    F, b = sent
    for link in tree.support(i):
        n, f = F[:3], F[3:]
        for j in freedoms[link]:
            inertia, by_q, by_v = j.w @ n + j.u @ f
            M[place, j.place] = M[j.place, place] = inertia
            dq[place, j.place] = j.z @ n[:, 0] + j.c @ f[:, 0] + b @ (2.0 * j.y)
            dv[place, j.place] = 2.0 * (j.y @ n[:, 0] + j.d @ f[:, 0] + b @ j.w)
            if link != i:
                dq[j.place, place], dv[j.place, place] = by_q, 2.0 * by_v
        F, b = carried(poses[link], F), poses[link].R @ b


def _rest(A: Array) -> Array:
    """tr(A) 1 - A, each entry made as it is."""
    rest = -np.asarray(A)
    for i in range(3):
        rest[i, i] = A[(i + 1) % 3, (i + 1) % 3] + A[(i + 2) % 3, (i + 2) % 3]
    return rest
