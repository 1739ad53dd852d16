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

from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, cross
from ..system.tree import Link, Tree
from .sweep import Outward, Values, swept


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


def relative_pose(link: Link, q: Any) -> Pose:
    """X_PB of a link in its parent, at its own coordinates."""
    return link.X_PF @ link.joint.pose(q)


def relative_poses(tree: Tree, q_all: Any) -> list[Pose]:
    """X_PB of every link in its parent."""
    return [relative_pose(link, q_all[link.q]) for link in tree.links]


def subspaces(tree: Tree, q_all: Any) -> list[Array]:
    """S of every link."""
    return [link.joint.motion_subspace(q_all[link.q]) for link in tree.links]


def forward_motion(tree: Tree, q_all: Any, v_all: Any, a_all: Any, gravity: Array) -> Motion:
    """Angular velocities, the matrices U and the accelerations of all links."""
    given = [{"q": q_all[link.q], "v": v_all[link.v], "a": a_all[link.v]} for link in tree.links]
    own = swept(tree, [Outward(moving, resting(gravity))], given)
    lists = [[values[name] for values in own] for name in ("w", "wd", "U", "acceleration")]
    return Motion(relative_poses(tree, q_all), subspaces(tree, q_all), *lists)


def moving(link: Link, own: Values, parent: Values, pose: Pose | None = None) -> Values:
    """w, w', U and the acceleration of a link, from its q, v, a and those of its parent.

    Its `pose` in its parent is that of q, if it is not given.
    """
    q, v = own["q"], own["v"]
    X, S = pose or relative_pose(link, q), link.joint.motion_subspace(q)
    speed, change = S @ v, S @ own["a"] + link.joint.bias(q, v)
    w_in = X.R.T @ parent["w"]
    w = w_in + speed[:3]  # (1)
    wd = X.R.T @ parent["wd"] + cross(w_in, speed[:3]) + change[:3]  # (2)
    across = cross(w_in, 2 * speed[3:]) + cross(speed[:3], speed[3:])
    a = X.R.T @ (parent["acceleration"] + parent["U"] @ X.p) + across + change[3:]  # (4)
    return {"w": w, "wd": wd, "U": spin_matrix(w, wd), "acceleration": a}  # (3)


def resting(gravity: Array) -> Values:
    """The motion of the base."""
    still = {"w": np.zeros(3), "wd": np.zeros(3), "U": np.zeros((3, 3))}
    return {**still, "acceleration": -gravity}


def spin_matrix(w: Array, wd: Array) -> Array:
    """U = [w' x] + [w x][w x]: the acceleration of a point r of a body less its origin's is U r."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return np.array(
        [
            [-(yy + zz), xy - wd[2], xz + wd[1]],
            [xy + wd[2], -(xx + zz), yz - wd[0]],
            [xz - wd[1], yz + wd[0], -(xx + yy)],
        ]
    )


def world_poses(tree: Tree, q_all: Any) -> list[Pose]:
    """X_WB of every link in the world, multiplied out."""
    found: list[Pose] = []
    for link, X_PB in zip(tree.links, relative_poses(tree, q_all), strict=True):
        found.append((identity() if link.parent < 0 else found[link.parent]) @ X_PB)
    return found
