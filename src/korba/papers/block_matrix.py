"""Every quantity of the block-matrix equations at one state, in the order of the bodies.

What the paper writes as block vectors and matrices stands here as arrays over the bodies: a block
vector has the shape (N, 3), a map from velocities (N, 3, nv). All is in world axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..dynamics.block_matrix import Matrices, external, matrices, motion
from ..dynamics.freedoms import Apart
from ..dynamics.multiplier_forces import hanging
from ..forces.loads import loads_at
from ..kinematics.blocks import (
    Blocks,
    angular_map,
    arms,
    blocks,
    body_origins,
    linear_map,
    reachability,
    stack,
)
from ..kinematics.couplings import all_motion
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array, cross, skew
from ..system.system import ties
from ..verbs.forces.joint_frames import frame_of
from ..verbs.states import state
from ..verbs.systems import tree_system


@dataclass(frozen=True, eq=False)
class BlockTerms(Displayed):
    """What `block_terms` found; N bodies and the velocities of all joints, dependent ones too."""

    bodies: tuple[str, ...]
    velocities: tuple[str, ...]
    reachability: Array
    """1 where body i is body j or hangs on it, (N, N): the paper's D."""
    joint_origin: Array
    """Origin of the joint that leads to each body, on the side of the body it hangs on."""
    origin: Array
    com: Array
    """Origins and mass centres of the bodies."""
    arms: Array
    """l_D: from the joint of body j to the origin of body i, 0 off the way, (N, N, 3)."""
    B_w: Array
    B_v: Array
    """w = B_w v and v_origin = B_v v: (9), (13)."""
    w: Array
    eps: Array
    """Angular velocities and accelerations (9), (16)."""
    v_origin: Array
    a_origin: Array
    a_com: Array
    """Velocities and accelerations of origins and of mass centres (13), (17), (18)."""
    f_e: Array
    n_e: Array
    """Gravity and other loads on the bodies, moments about `joint_origin`."""
    A: Array
    B: Array
    b: Array
    C: Array
    D: Array
    """tau = A a + B v + b - C f_e - D n_e over the velocities of all joints (26)."""


@public
def block_terms(
    m: Mechanism, q: Any, v: Any, a: Any = None, *, t: float = 0.0, gravity: Any = None
) -> BlockTerms:
    """All terms of the block-matrix equations of a tree at one state; without `a` it is zero.

    >>> terms = kb.papers.block_terms(arm, [0.1, 0.2, 0.3], [1, 2, 3])
    >>> terms.reachability
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    >>> terms.w[terms.bodies.index("forearm")].round(6)
    array([ 0.499167, -4.975021,  1.      ])
    """
    system = tree_system(m, gravity)
    tree = system.tree
    given = {"q": q, "v": v, "a": a}
    x = all_motion(tree, *(state(tree, name, x, many=False) for name, x in given.items()))
    b = blocks(tree, x.q)
    origins, points = body_origins(b), _joint_origins(b, x.q)
    order = [tree.number(body.name) for body in tree.m.bodies]
    moving = motion(b, x.q, x.v, x.a)
    f_e, n_e = external(b, system.gravity, loads_at(tree, x.q, x.v, t))
    o = stack([pose.p for pose in b.X])
    parts = _moved(matrices(b, x.q, x.v), points - o, order)
    maps = [x.astype(float)[order] for x in (angular_map(b), linear_map(b, origins))]
    return BlockTerms(
        bodies=tuple(body.name for body in tree.m.bodies),
        velocities=tree.velocities,
        reachability=reachability(tree)[np.ix_(order, order)],
        joint_origin=_rows(points, order),
        origin=_rows(o + origins, order),
        com=_rows(o + b.c, order),
        arms=_arms(b, points, origins)[np.ix_(order, order)],
        B_w=maps[0],
        B_v=maps[1],
        w=_rows(moving.w, order),
        eps=_rows(moving.eps, order),
        v_origin=maps[1] @ np.asarray(x.v, dtype=float),
        a_origin=_rows(motion(b, x.q, x.v, x.a, origins).a, order),
        a_com=_rows(moving.a, order),
        f_e=_rows(f_e, order),
        n_e=_rows(n_e - cross(points - o, f_e, axis=1), order),
        **{key: np.asarray(value, dtype=float) for key, value in vars(parts).items()},
    )


def _moved(parts: Matrices, shift: Array, order: list[int]) -> Matrices:
    """C and D for loads about points `shift` away from the links' origins, bodies in `order`."""
    count = len(order)
    C, D = (x.reshape(len(x), count, 3) for x in (parts.C, parts.D))
    moved = C + np.einsum("vij,ijk->vik", D, [skew(x) for x in shift[:, :, 0]]) if count else C
    flat = [x[:, order].reshape(len(C), 3 * count) for x in (moved, D)]
    return Matrices(parts.A, parts.B, parts.b, *flat)


def _joint_origins(b: Blocks, q: Array) -> Array:
    """Origin of every link's joint on the side of the link it hangs on, (N, 3, 1)."""
    at, found = Apart(b.tree, q), np.zeros((len(b.X), 3, 1))
    for tie in ties(b.tree, b.tree.m.joints):
        i = hanging(at, tie)
        found[i, :, 0] = frame_of(at, tie, "parent" if i == tie.child else "child").p
    return found


def _arms(b: Blocks, points: Array, r: Array) -> Array:
    """From the joint of link j, instead of the link's origin, to the point r of link i."""
    o = stack([pose.p for pose in b.X])
    shift = (o - points)[None, :, :, 0]
    return np.asarray(arms(b, r) + reachability(b.tree)[:, :, None] * shift, dtype=float)


def _rows(x: Array, order: list[int]) -> Array:
    return np.asarray(x[order, :, 0], dtype=float)
