"""What recursions over links share: the values every link is given, how wrenches are passed.

Every link is given its q and v, its a or force, the `wrench` that acts on it from outside (moment,
force, in its own frame about its origin) and the `load` in its joint; viscous damping is its own.
Dependent coordinates p = F(q) enter and leave around the recursions through G = F_q:

    v_all = G v,   a_all = G a + Gdot v,   tau = G' tau_all,   M = G' M_all G
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..kinematics.couplings import all_coordinates, velocity_map
from ..kinematics.sweep import Values
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross
from ..system.system import Loads
from ..system.tree import Link, Tree

NO_WRENCH = np.zeros(6)
Wrenches = Mapping[int, tuple[Array, Array]]
"""Moment and force on some links, in their own frames about their origins."""


def link_values(tree: Tree, values: Mapping[str, Any], acting: Loads) -> list[Values]:
    """What every link is given, out of arrays over all joints: q by name, others like v."""
    given: list[dict[str, Any]] = [
        {name: x[link.q if name == "q" else link.v] for name, x in values.items()}
        | {"load": acting.tau[link.v], "wrench": NO_WRENCH}
        for link in tree.links
    ]
    for i, wrench in acting.wrenches.items():
        given[i]["wrench"] = np.concatenate(wrench)
    return list(given)


def carried(X: Pose, F: Array) -> Array:
    """A moment and force of a link, or columns, in its parent's frame about its parent's origin."""
    f = X.R @ F[3:]
    return np.concatenate([X.R @ F[:3] + cross(X.p, f.T).T, f])


def of_all_joints(tree: Tree, q: Any, mass_matrix: Callable[[Tree, Array], Array]) -> Array:
    """G' M G: the mass matrix over the independent velocities from one over those of all joints."""
    q_all = all_coordinates(tree, q)
    M = mass_matrix(tree, q_all)
    if not tree.couplings:
        return M
    G = velocity_map(tree, q_all)
    return np.asarray(G.T @ M @ G)


def resisted(link: Link, own: Values) -> tuple[Values, Values]:
    """Damping adds to the force that a motion takes, loads take off it."""
    return {"tau": own["tau"] + link.damping * own["v"] - own["load"]}, {}


def damping(tree: Tree) -> Array:
    """Coefficient of viscous damping of every velocity."""
    own = [link.damping for link in tree.links]
    coefficients = np.zeros(len(tree.velocities), dtype=np.asarray(own).dtype)
    for link in tree.links:
        coefficients[link.v] = link.damping
    return coefficients
