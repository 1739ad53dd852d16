"""Motion of every link of a tree at (q, v, a), each in its own frame: classical vectors.

For a link B on its parent P, with X_PB = X_PF X_FM(q), the joint's own motion (w_j, u_j) = S v in B
and its change (w_j', u_j') = S a + bias:

    w_B  = R' w_P + w_j                                                             (1)
    w_B' = R' w_P' + (R' w_P) x w_j + w_j'                                          (2)
    U_B  = [w_B' x] + [w_B x][w_B x]                                                (3)
    a_B  = R' (a_P + U_P p) + 2 (R' w_P) x u_j + w_j x u_j + u_j'                   (4)

a is the acceleration of the link's origin less gravity: the base starts with -g. Linear velocities
are not needed for forces and are found apart, where they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial.pose import Pose
from ..spatial.rotation import Array, skew
from .tree import Link, Tree


@dataclass(frozen=True, eq=False)
class Motion:
    """What holds at a state: lists over the links."""

    X_PB: list[Pose]
    S: list[Array]
    w: list[Array]
    wd: list[Array]
    U: list[Array]
    a: list[Array]

    def of(self, i: int) -> tuple[Array, Array, Array, Array]:
        """w, w', U and a of link i."""
        return self.w[i], self.wd[i], self.U[i], self.a[i]


def relative_poses(tree: Tree, q_all: Any) -> list[Pose]:
    """X_PB of every link in its parent."""
    return [link.X_PF @ link.joint.pose(q_all[link.q]) for link in tree.links]


def subspaces(tree: Tree, q_all: Any) -> list[Array]:
    """S of every link."""
    return [link.joint.motion_subspace(q_all[link.q]) for link in tree.links]


def forward_motion(tree: Tree, q_all: Any, v_all: Any, a_all: Any, gravity: Array) -> Motion:
    """Angular velocities, the matrices U and the accelerations of all links."""
    motion = Motion(relative_poses(tree, q_all), subspaces(tree, q_all), [], [], [], [])
    rest = (np.zeros(3), np.zeros(3), np.zeros((3, 3)), -gravity)
    for i, link in enumerate(tree.links):
        w_P, wd_P, U_P, a_P = rest if link.parent < 0 else motion.of(link.parent)
        X = motion.X_PB[i]
        own, change = _own_motion(link, motion.S[i], q_all, v_all, a_all)
        w_in = X.R.T @ w_P
        w = w_in + own[:3]  # (1)
        wd = X.R.T @ wd_P + np.cross(w_in, own[:3]) + change[:3]  # (2)
        motion.w.append(w)
        motion.wd.append(wd)
        motion.U.append(skew(wd) + _square(w))  # (3)
        across = np.cross(w_in, 2 * own[3:]) + np.cross(own[:3], own[3:])
        motion.a.append(X.R.T @ (a_P + U_P @ X.p) + across + change[3:])  # (4)
    return motion


def _own_motion(link: Link, S: Array, q: Any, v: Any, a: Any) -> tuple[Array, Array]:
    """S v, and S a + bias."""
    own = S @ v[link.v]
    return own, S @ a[link.v] + link.joint.bias(q[link.q], v[link.v])


def _square(w: Array) -> Array:
    """[w x][w x] = w w' - (w'w) 1, with each product made once."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return np.array([[-(yy + zz), xy, xz], [xy, -(xx + zz), yz], [xz, yz, -(xx + yy)]])


def world_poses(tree: Tree, q_all: Any) -> list[Pose]:
    """X_WB of every link in the world."""
    found: list[Pose] = []
    for link, X_PB in zip(tree.links, relative_poses(tree, q_all), strict=True):
        found.append(X_PB if link.parent < 0 else found[link.parent] @ X_PB)
    return found
