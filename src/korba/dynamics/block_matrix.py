"""Block-matrix equations of a tree: forces and moments in every joint, and A, B, C, D of the paper.

With the stacks of `kinematics/blocks.py` (world axes, mass centres c from the origins o of the
links) and external forces f_e and moments n_e about o, gravity among them, the father acts on each
link with

    f = D' (m a - f_e)                                                                       (19)
    n = D' (c x m a + J eps + w x J w - n_e) + (D' - E) (s x f)                              (22)

about o, and the drives with  tau = Z' n + U' f (24). In (22) the paper has -[Λ(c_fD)]' m a and
(D' - E) Λ(s) D' f_e apart; both are the last term here. The same lines for columns instead of
accelerations give the matrices of

    A(q) a + B(q, v) v + b(q, v) - C(q) f_e - D(q) n_e = tau                                 (26)

where b belongs to joints whose own subspace changes (universal joints, gear contacts) and is zero
in the paper. Robots that are not fixed need no fictitious chain: a free joint has Z and U as any
other, and its tau is zero. Couplings enter through G of `couplings.py`. Signs are corrected as
said in the docs. Source: Kovalchuk, Kulakov & Semenov, Block-matrix equations of motion of robots
with tree structure, (1)-(26).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..kinematics.blocks import (
    Blocks,
    accelerations,
    angular_map,
    bias_slide,
    bias_turn,
    blocks,
    carried,
    crossed,
    inward,
    linear_map,
    of_joints,
    of_sons,
    outward,
    own_biases,
    stack,
    turning,
    wide,
)
from ..kinematics.couplings import all_motion
from ..spatial.rotation import Array
from ..system.system import Loads, System
from .formulation import Formulation, completed
from .recursions import damping, of_all_joints


@dataclass(frozen=True, eq=False)
class Motion:
    """Angular velocities and accelerations, and accelerations of points: (N, 3, 1)."""

    w: Array
    eps: Array
    a: Array


@dataclass(frozen=True, eq=False)
class Matrices(Displayed):
    """The parts of (26) over the velocities of all joints; loads are stacks of N vectors."""

    A: Array
    B: Array
    b: Array
    C: Array
    D: Array


def motion(b: Blocks, q_all: Any, v_all: Any, a_all: Any, r: Array | None = None) -> Motion:
    """w, eps and the accelerations of points r of all links, their mass centres without it.

    Equations (14)-(18).
    """
    at = turning(b, of_joints(b, b.Z, v_all))
    turn, slide = own_biases(b, q_all, v_all)
    sliding = bias_slide(b, at, at, of_joints(b, b.U, v_all))
    turn = of_joints(b, b.Z, a_all) + (bias_turn(at, at) + turn)
    slide = of_joints(b, b.U, a_all) + (sliding + slide)
    a = accelerations(b, turn, slide, (at.w, at.w), b.c if r is None else r)
    return Motion(at.w, outward(b.tree, turn), a)


def joint_loads(b: Blocks, moving: Motion, f_e: Array, n_e: Array) -> tuple[Array, Array]:
    """Force and moment, about its origin, of the father on every link: (19), (22)."""
    ma = b.m * moving.a
    spin = turned(b.J, moving.eps) + crossed(moving.w, turned(b.J, moving.w))
    return collected(b, ma - f_e, crossed(b.c, ma) + spin - n_e)


def external(b: Blocks, gravity: Array, loads: Loads) -> tuple[Array, Array]:
    """f_e and n_e about the links' origins: weights, and what else acts on the links."""
    f_e = b.m * np.reshape(gravity, (1, 3, 1)) + 0.0 * b.c
    n_e = crossed(b.c, f_e)
    zero = (np.zeros(3), np.zeros(3))
    acting = [loads.wrenches.get(i, zero) for i in range(len(b.X))]
    f_e = f_e + stack([X.R @ force for X, (_, force) in zip(b.X, acting, strict=True)])
    return f_e, n_e + stack([X.R @ moment for X, (moment, _) in zip(b.X, acting, strict=True)])


def collected(b: Blocks, force: Array, moment: Array) -> tuple[Array, Array]:
    """What links need at their origins, summed over all that hangs on each: f and n."""
    f = inward(b.tree, force)
    return f, inward(b.tree, moment + of_sons(b.tree, crossed(b.s, f)))


def projected(b: Blocks, f: Array, n: Array) -> Array:
    """tau = Z' n + U' f over the velocities of all joints, one column for each of f and n: (24)."""
    found = np.zeros((len(b.tree.velocities), f.shape[2]), dtype=np.result_type(f, n))
    for i, link in enumerate(b.tree.links):
        found[link.v] = b.Z[i].T @ n[i] + b.U[i].T @ f[i]
    return found


def inertia(b: Blocks) -> Array:
    """A(q): the mass matrix over the velocities of all joints (26)."""
    ma = b.m * linear_map(b, b.c)
    A = projected(b, *collected(b, ma, crossed(b.c, ma) + turned(b.J, angular_map(b))))
    order = [i for link in b.tree.links for i in range(link.v.start, link.v.stop)]
    for place, i in enumerate(order):
        A[i, order[:place]] = A[order[:place], i]  # symmetric: each entry made once
    return A


def turned(J: Iterable[Array], w: Array) -> Array:
    """J w of every link, in every column of a stack."""
    return np.reshape([J_i @ w_i for J_i, w_i in zip(J, w, strict=True)], w.shape)


def matrices(b: Blocks, q_all: Any, v_all: Any) -> Matrices:
    """A, B, b, C and D of (26); forces and moments count in the order of the links, x y z each."""
    at = turning(b, of_joints(b, b.Z, v_all))
    columns, slides = turning(b, wide(b, b.Z)), wide(b, b.U)
    turn, slide = bias_turn(at, columns), bias_slide(b, at, columns, slides)
    ma = b.m * accelerations(b, turn, slide, (at.w, columns.w), b.c)
    spin = turned(b.J, outward(b.tree, turn)) + crossed(at.w, turned(b.J, columns.w))
    B = projected(b, *collected(b, ma, crossed(b.c, ma) + spin))
    turn, slide = own_biases(b, q_all, v_all)
    ma = b.m * carried(b, turn, slide, b.c)
    rest = collected(b, ma, crossed(b.c, ma) + turned(b.J, outward(b.tree, turn)))
    count = len(b.X)
    unit = np.reshape(np.eye(3 * count), (count, 3, 3 * count))
    C = projected(b, *collected(b, unit, 0.0 * unit))
    D = projected(b, *collected(b, 0.0 * unit, unit))
    return Matrices(inertia(b), B, projected(b, *rest)[:, 0], C, D)


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """tau = A a + B v - C f_e - D n_e, by the interaction forces of all joints."""
    x = all_motion(s.tree, q, v, a)
    b, acting = blocks(s.tree, x.q), s.loads(x.q, x.v)
    f, n = joint_loads(b, motion(b, x.q, x.v, x.a), *external(b, s.gravity, acting))
    return x.back(projected(b, f, n)[:, 0] + damping(s.tree) * x.v - acting.tau)


def mass_matrix(s: System, q: Any) -> Array:
    """G' A G."""
    return of_all_joints(s.tree, q, lambda tree, q_all: inertia(blocks(tree, q_all)))


FORMULATION = Formulation(
    "block-matrix",
    "Kovalchuk, Kulakov & Semenov, (1)-(26)",
    completed(inverse_dynamics, mass_matrix=mass_matrix),
)
