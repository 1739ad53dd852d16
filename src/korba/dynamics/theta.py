"""Poses of the links as 4 x 4 matrices, and their derivatives by operators Theta.

    W_i   = T_1 T_2 ... T_i                                                              (3.4)
    U_ij  = dW_i/dq_j        = T_1 ... T_j Theta_j T_j+1 ... T_i                         (3.10)
    U_ijk = d2W_i/dq_j dq_k  = T_1 ... T_j Theta_j T_j+1 ... T_k Theta_k T_k+1 ... T_i   (3.18)

along the way from the base to link i; all other derivatives are zero. Theta is the 4 x 4 matrix of
the joint's unit motion S, in the frame of the link that it moves:

    Theta = [[w x, u], [0, 0]],    S = (w, u)

The paper has Theta before T_j, because its frames sit at the far ends of the links; for a
Denavit-Hartenberg step both places give the same matrix. A turning joint's Theta changes places and
signs of two rows, a sliding joint's moves one: a product needs no multiplication.

Joints of more freedoms need no splitting. Where j and k belong to one joint, their two operators
become  (Theta_j Theta_k + Theta_k Theta_j) / 2 + matrix of b_jk,  with  bias(q, v) = sum b_jk v_j
v_k  (Sdot v of the joint). That holds for quasi-velocities too (a ball joint's angular velocity):
then U_ij and U_ijk are the coefficients of  d2W_i/dt2 = sum U_ij a_j + sum U_ijk v_j v_k.

Source: Maryniak & Malecki, Numerical generation of the equations of dynamics (1987), (3.1)-(3.18).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kinematics.forward import relative_poses, subspaces
from ..spatial.rotation import Array, skew
from ..system.tree import Tree


@dataclass(frozen=True, eq=False)
class Tables:
    """What holds at a configuration: lists over the links, in the frames of their joints."""

    T: list[Array]
    W: list[Array]
    theta: list[list[Array]]
    """Operators of the link's own joint, one a freedom."""
    U: list[dict[int, Array]]
    """U_ij by the place of j among all velocities, from the base outwards; others are zero."""


def operator(motion: Array) -> Array:
    """Theta of a motion (w, u): the 4 x 4 matrix [[w x, u], [0, 0]]."""
    top = np.concatenate([skew(motion[:3]), np.reshape(motion[3:], (3, 1))], axis=1)
    return np.concatenate([top, np.zeros((1, 4))], axis=0)


def tables(tree: Tree, q_all: Any) -> Tables:
    """T, W and U of every link: each product once, from its parent's."""
    T = [X.matrix() for X in relative_poses(tree, q_all)]
    theta = [[operator(s) for s in S.T] for S in subspaces(tree, q_all)]
    found = Tables(T, [], theta, [])
    for i, link in enumerate(tree.links):
        root = link.parent < 0
        found.W.append(T[i] if root else found.W[link.parent] @ T[i])
        before = {} if root else {j: U @ T[i] for j, U in found.U[link.parent].items()}
        own = {link.v.start + n: found.W[i] @ one for n, one in enumerate(theta[i])}
        found.U.append(before | own)
    return found


def second_table(tree: Tree, q_all: Any, first: Tables) -> list[dict[tuple[int, int], Array]]:
    """U_ijk of every link, for j not after k on the way from the base; U_ijk = U_ikj."""
    found: list[dict[tuple[int, int], Array]] = []
    for i, link in enumerate(tree.links):
        table: dict[tuple[int, int], Array] = {}
        if link.parent >= 0:
            table |= {pair: U @ first.T[i] for pair, U in found[link.parent].items()}
        own = range(link.v.start, link.v.stop)
        for j, U in first.U[i].items():
            if j not in own:
                table |= {(j, k): U @ first.theta[i][k - own.start] for k in own}
        table |= {
            (own.start + j, own.start + k): first.W[i] @ pair
            for (j, k), pair in _own_pairs(link.joint, q_all[link.q], first.theta[i]).items()
        }
        found.append(table)
    return found


def rates(tree: Tree, q_all: Any, v_all: Any, first: Tables) -> tuple[list[Array], list[Array]]:
    """Wdot and the part of Wddot without accelerations, of every link.

    Wdot_i = sum U_ij v_j,  Wddot_i = sum U_ijk v_j v_k, summed on the way out instead of over the
    tables:  with Omega = sum Theta_j v_j of the link's own joint and P the link before,

        Wdot_i  = Wdot_P T_i + W_i Omega
        Wddot_i = Wddot_P T_i + 2 Wdot_P T_i Omega + W_i (Omega Omega + matrix of Sdot v)
    """
    speed: list[Array] = []
    change: list[Array] = []
    for i, link in enumerate(tree.links):
        own = np.zeros((4, 4)) + sum(
            one * v for one, v in zip(first.theta[i], v_all[link.v], strict=True)
        )
        bias = operator(np.asarray(link.joint.bias(q_all[link.q], v_all[link.v])))
        W_own = first.W[i] @ own
        second = W_own @ own + first.W[i] @ bias
        if link.parent < 0:
            speed.append(W_own)
            change.append(second)
        else:
            carried = speed[link.parent] @ first.T[i]
            speed.append(carried + W_own)
            change.append(change[link.parent] @ first.T[i] + 2 * (carried @ own) + second)
    return speed, change


def _own_pairs(joint: Any, q: Any, theta: list[Array]) -> dict[tuple[int, int], Array]:
    """What stands for two operators of one joint, for j <= k."""
    unit = np.eye(len(theta))
    found = {}
    for k, two in enumerate(theta):
        for j, one in enumerate(theta[: k + 1]):
            bias = np.asarray(joint.bias(q, unit[j]))
            if j != k:
                both = np.asarray(joint.bias(q, unit[j] + unit[k]))
                bias = 0.5 * (both - bias - np.asarray(joint.bias(q, unit[k])))
            found[j, k] = (one @ one if j == k else 0.5 * (one @ two + two @ one)) + operator(bias)
    return found
