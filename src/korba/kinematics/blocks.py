"""Kinematics of all links at once: stacks of N vectors in world axes, through the reachability D.

    D_ij = 1  if link i is link j or hangs on it, however far,  else 0

With F_i,f(i) = 1 for the father f(i) of link i,  D = (E - F)^-1 = E + F + F F + ...: row i is the
row of the father and a one on the diagonal. In formulas D stands next to stacks of N vectors, and
these products need no matrix: D x is one sweep from the root to the leaves, D' x one sweep back.

The paper gives each link one axis z and a switch sigma (turning or sliding). Any joint fits when
its motion subspace S is split, in world axes at the origin o of the joint's frame on the link:

    Z = R S_w,   U = R S_u        (one freedom: Z = z sigma, U = z (1 - sigma))              (1)

With w_f the angular velocities of the fathers, s the vectors between neighbouring origins and r
from the origin of a link to any point of it, (8)-(18) of the paper become, for N links at once,

    w   = D Z v                                                                              (2)
    v_r = D (U v + w_f x s) + w x r                                                          (3)
    eps = D e,    e = Z a + w_f x Z v + R bias_w                                             (4)
    a_r = D (u + eps_f x s) + eps x r + w x (w x r)                                          (5)
          u = U a + w x U v + w_f x (w_f x s + U v) + R bias_u

D x + Λ'(l_D) y of the paper, with its N x N array of arms l_D and (D y)_f = (D - E) y, is the sweep
D (x + (D y)_f x s) + D y x r  of (3) and (5), because the arm from o_j to a point of link i is the
sum of the s between them and r.
The same lines with columns in place of v give the matrices B_w, B_v and K. Stacks have the shape
(N, 3, k). Source: Kovalchuk, Kulakov & Semenov, (1)-(18).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..expr import sign, where
from ..spatial.inertia import congruent
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross
from ..system.tree import Link, Tree
from .forward import subspaces, world_poses


def reachability(tree: Tree) -> Array:
    """D, as whole numbers, shape (N, N): lower triangular with ones on the diagonal."""
    D = np.eye(len(tree.links), dtype=int)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            D[i] += D[link.parent]
    return D


def outward(tree: Tree, x: Array) -> Array:
    """D x of a stack over the links, shape (N, ...): what a link has is its own and its father's.

    y_i = x_i + y_f(i)
    """
    y = np.array(x)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            y[i] = y[i] + y[link.parent]
    return y


def inward(tree: Tree, x: Array) -> Array:
    """D' x of a stack over the links, shape (N, ...): each link collects all that hangs on it.

    y_i = x_i + sum over the sons k of  y_k
    """
    y = np.array(x)
    for i in reversed(range(len(tree.links))):
        parent = tree.links[i].parent
        if parent >= 0:
            y[parent] = y[parent] + y[i]
    return y


def of_fathers(tree: Tree, y: Array) -> Array:
    """(D - E) x from y = D x: for each link what its father has, nothing for sons of the base."""
    found = np.array(y)
    for i, link in enumerate(tree.links):
        found[i] = y[link.parent] if link.parent >= 0 else 0.0 * y[i]
    return found


def of_sons(tree: Tree, y: Array) -> Array:
    """(D' - E) x from y = D' x: for each link the sum of what its sons have."""
    found = 0.0 * np.array(y)
    for i, link in enumerate(tree.links):
        if link.parent >= 0:
            found[link.parent] = found[link.parent] + y[i]
    return found


@dataclass(frozen=True, eq=False)
class Blocks:
    """What holds at q: lists and stacks over the links, in world axes."""

    tree: Tree
    X: list[Pose]
    """X_WL of the links; o are their origins."""
    Z: list[Array]
    U: list[Array]
    """Angular and linear velocities that the joint of each link gives: (3, nv of the joint)."""
    s: Array
    """From the father's origin to the link's own, (N, 3, 1); zero for sons of the base."""
    c: Array
    """From the link's origin to its centre of mass, (N, 3, 1)."""
    m: Array
    """Masses, (N, 1, 1)."""
    J: list[Array]
    """Tensors of inertia about the centres of mass."""


@dataclass(frozen=True, eq=False)
class Turning:
    """Angular velocities at (q, v), stacks of shape (N, 3, k)."""

    own: Array
    """Z v, of the link against its father."""
    w: Array
    w_f: Array
    """Of the father."""


def blocks(tree: Tree, q_all: Any) -> Blocks:
    """Poses, axes, arms and inertia of all links at q, in world axes."""
    X = world_poses(tree, q_all)
    S = subspaces(tree, q_all)
    centres = [_centre(link) for link in tree.links]
    s = [
        pose.p - X[link.parent].p if link.parent >= 0 else 0.0 * pose.p
        for link, pose in zip(tree.links, X, strict=True)
    ]
    return Blocks(
        tree,
        X,
        [pose.R @ part[:3] for pose, part in zip(X, S, strict=True)],
        [pose.R @ part[3:] for pose, part in zip(X, S, strict=True)],
        stack(s),
        stack([pose.R @ c for pose, c in zip(X, centres, strict=True)]),
        np.reshape([link.mass for link in tree.links], (-1, 1, 1)),
        [congruent(X[i].R, _central(link, centres[i])) for i, link in enumerate(tree.links)],
    )


def body_origins(b: Blocks) -> Array:
    """From the link's origin to that of the body as it was described, (N, 3, 1)."""
    places = [link.X_BL.inverse().p for link in b.tree.links]
    return stack([pose.R @ p for pose, p in zip(b.X, places, strict=True)])


def arms(b: Blocks, r: Array) -> Array:
    """l_D of the paper: from the origin of link j to the point r of link i, 0 off its support.

    Shape (N, N, 3);  l_ij = d_ij (o_i + r_i - o_j).
    """
    o = stack([pose.p for pose in b.X])
    D = reachability(b.tree)
    return np.asarray(D[:, :, None] * ((o + r)[:, None, :, 0] - o[None, :, :, 0]))


def turning(b: Blocks, own: Array) -> Turning:
    """w = D Z v (2) and (D - E) Z v from the links' own angular velocities Z v."""
    w = outward(b.tree, own)
    return Turning(own, w, of_fathers(b.tree, w))


def carried(b: Blocks, turn: Array, slide: Array, r: Array) -> Array:
    """D slide + Λ'(l_D) turn: velocities of points r when joints give `turn` and `slide`."""
    whole = outward(b.tree, turn)
    across = crossed(of_fathers(b.tree, whole), b.s)
    return outward(b.tree, slide + across) + crossed(whole, r)


def angular_map(b: Blocks) -> Array:
    """B_w = D z sigma with w = B_w v of all joints, (N, 3, nv): (8), (9)."""
    return outward(b.tree, wide(b, b.Z))


def linear_map(b: Blocks, r: Array) -> Array:
    """B_v = Λ'(l_D) z sigma + D z (1 - sigma) with v_r = B_v v of all joints: (10)-(13)."""
    return carried(b, wide(b, b.Z), wide(b, b.U), r)


def bias_turn(at: Turning, columns: Turning) -> Array:
    """w_f x Z v of (4), linear in the second factor: the columns take the place of v there."""
    return -crossed(at.own, columns.w_f)


def bias_slide(b: Blocks, at: Turning, columns: Turning, slide: Array) -> Array:
    """w x U v + w_f x (w_f x s + U v) of (5), linear in the columns."""
    return crossed(at.w, slide) + crossed(at.w_f, crossed(columns.w_f, b.s) + slide)


def accelerations(
    b: Blocks, turn: Array, slide: Array, spin: tuple[Array, Array], r: Array
) -> Array:
    """Acceleration of points r that the biases of all joints give: K v of (17), (18).

    `spin` holds w at the state and w of the columns, for the last term of (5).
    """
    w, columns = spin
    return carried(b, turn, slide, r) + crossed(w, crossed(columns, r))


def of_joints(b: Blocks, parts: list[Array], x: Any) -> Array:
    """Z x or U x with x over the velocities of all joints: (N, 3, 1)."""
    own = [part @ x[link.v] for link, part in zip(b.tree.links, parts, strict=True)]
    return stack(own)


def own_biases(b: Blocks, q_all: Any, v_all: Any) -> tuple[Array, Array]:
    """R bias of the joints, angular and linear: zero where the subspace is constant in the link."""
    links = list(zip(b.tree.links, b.X, strict=True))
    found = [link.joint.bias(q_all[link.q], v_all[link.v]) for link, _ in links]
    turn = stack([X.R @ bias[:3] for (_, X), bias in zip(links, found, strict=True)])
    return turn, stack([X.R @ bias[3:] for (_, X), bias in zip(links, found, strict=True)])


def wide(b: Blocks, parts: list[Array]) -> Array:
    """The block diagonal arrangement z^d: column v of link i stands in row block i, (N, 3, nv)."""
    dtype = object if any(part.dtype == object for part in parts) else float
    found = np.zeros((len(parts), 3, len(b.tree.velocities)), dtype=dtype)
    for i, (link, part) in enumerate(zip(b.tree.links, parts, strict=True)):
        found[i, :, link.v] = part
    return found


def crossed(x: Array, y: Array) -> Array:
    """x_i x y_i in every column of two stacks."""
    return cross(x, y, axis=1)


def stack(vectors: list[Array]) -> Array:
    """N vectors as a stack of one column, (N, 3, 1)."""
    return np.reshape(np.array(vectors), (len(vectors), 3, 1))


def _centre(link: Link) -> Array:
    """Centre of mass in the link's frame; the origin where there is no mass."""
    return link.h / where(abs(sign(link.mass)), link.mass, 1.0)


def _central(link: Link, c: Array) -> Array:
    """Tensor about the centre of mass, in the link's frame."""
    K = link.K - link.mass * np.outer(c, c)
    return np.trace(K) * np.eye(3) - K
