"""The equations of motion in the independent coordinates of a tree, couplings included.

The recursions run over the coordinates of all joints; dependent ones p = F(q) enter and leave
through G = F_q:

    v_all = G v,   a_all = G a + Gdot v,   tau = G' tau_all,   M = G' M_all G

Viscous damping of the joints is part of h, and so is what other loads take off: `loads` gives them
at a state. Every function takes numbers or symbols.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kinematics.couplings import all_coordinates, all_motion, velocity_map
from ..kinematics.sweep import in_order, swept
from ..spatial.rotation import Array
from ..system.loads import LoadsAt, no_loads
from ..system.tree import Tree
from . import composite_body
from .ldl import solve_symmetric, solve_tree
from .recursions import forward_sweeps, inverse_sweeps, link_values


def inverse_dynamics(
    tree: Tree, q: Any, v: Any, a: Any, gravity: Array, *, loads: LoadsAt = no_loads
) -> Array:
    """Forces tau that give the accelerations a:  tau = M(q) a + h(q, v)."""
    x = all_motion(tree, q, v, a)
    acting = loads(x.q, x.v)
    values = {"q": x.q, "v": x.v, "a": x.a}
    given = link_values(tree, values, acting.tau, acting.wrenches)
    return x.back(in_order(tree, swept(tree, inverse_sweeps(gravity), given), "tau"))


def bias_forces(tree: Tree, q: Any, v: Any, gravity: Array, *, loads: LoadsAt = no_loads) -> Array:
    """h(q, v): what holds the mechanism in its motion without acceleration."""
    return inverse_dynamics(tree, q, v, np.zeros(tree.nv), gravity, loads=loads)


def mass_matrix(tree: Tree, q: Any) -> Array:
    """M(q), by composite bodies."""
    q_all = all_coordinates(tree, q)
    M = composite_body.full_mass_matrix(tree, q_all)
    G = velocity_map(tree, q_all)
    return G.T @ M @ G if tree.couplings else M[np.ix_(tree.free_v, tree.free_v)]


def forward_dynamics(
    tree: Tree, q: Any, v: Any, tau: Any, gravity: Array, *, loads: LoadsAt = no_loads
) -> Array:
    """Accelerations by M^-1 (tau - h), with the sparsity of the tree."""
    M = mass_matrix(tree, q)
    rest = np.asarray(tau) - bias_forces(tree, q, v, gravity, loads=loads)
    if tree.couplings:
        return solve_symmetric(M, rest)
    return _solved_by_tree(tree, M, rest)


def articulated_forward_dynamics(
    tree: Tree, q: Any, v: Any, tau: Any, gravity: Array, *, loads: LoadsAt = no_loads
) -> Array:
    """Accelerations by articulated bodies; for trees without couplings."""
    q, v = np.asarray(q), np.asarray(v)
    acting = loads(q, v)
    values = {"q": q, "v": v, "a": np.zeros(len(v)), "force": np.asarray(tau)}
    given = link_values(tree, values, acting.tau, acting.wrenches)
    return in_order(tree, swept(tree, forward_sweeps(gravity), given), "a")


def damping(tree: Tree) -> Array:
    """Coefficient of viscous damping of every velocity."""
    found = np.zeros(len(tree.velocities))
    for link in tree.links:
        found[link.v] = link.damping
    return found


def _solved_by_tree(tree: Tree, M: Array, b: Array) -> Array:
    """M^-1 b along the tree: velocities in the order of the links, so that no zero fills in."""
    order = [i for link in tree.links for i in range(link.v.start, link.v.stop)]
    before: list[int] = []
    last: dict[int, int] = {-1: -1}
    for number, link in enumerate(tree.links):
        previous = last[link.parent]
        for _ in range(link.v.stop - link.v.start):
            before.append(previous)
            previous = len(before) - 1
        last[number] = previous
    x = solve_tree(M[np.ix_(order, order)], b[order], before)
    found = np.zeros(len(order), dtype=object)
    found[order] = x
    return found
