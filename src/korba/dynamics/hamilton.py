"""Semi-canonical form: coordinates q and momenta p, velocities from a quadratic programme.

    p = dL/dv = A(q) v                                                                       (2.1)
    qdot = the z that maximises  p'z - L(q, z),     pdot = dL/dq + Q                         (2.8)

The mass matrix A is never formed. In the link's own frame, with V the twist of a link and H the
momentum of the link and all that hangs on it, one way out along the tree and one back give

    p_i  = S_i' H_i                                                                            (1)
    pdot = S_i' H_i^o + S_i^o' H_i       (^o: rate of the components in the link's frame)      (2)
    dL/dq_i = S_i' (W_i - V_i x* H_i) + S_i^o' H_i                                             (3)

with W the weight of the subtree: (3) is what is left of the rate of S' H when the subtree's
momentum changes by its weight alone. It holds for quasi-velocities too (spherical and free joints),
where it is the right side of the Boltzmann-Hamel equations. A z is (1) at the velocities z, so it
takes time proportional to the number of links, like (2) and (3).
A tree of itself has no terms of L linear in v: the a(q) of the paper is zero, or
what the user gives (papers/canonical_terms.py).

Source: Dunskaya & Pyatnitsky (1996), (2.1)-(2.9), for any tree; they have the planar chain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import StructureError
from ..kinematics.couplings import all_coordinates, coupling_map
from ..kinematics.forward import relative_poses, subspaces
from ..kinematics.rates import subspace_rates
from ..kinematics.velocity import link_twists, of_parent
from ..spatial.rotation import Array, cross
from ..system.system import System
from ..system.tree import Tree
from . import energy
from .energy import link_momentum
from .formulation import Formulation, completed
from .quadratic_program import conjugate_solution
from .recursions import Wrenches, carried, damping

LARGEST = 64
"""Velocities up to which forward dynamics is written as one straight program."""


def momenta(tree: Tree, q: Any, v: Any) -> Array:
    """p = A(q) v, by one recursion; with any z in place of v it is the product A z."""
    q_all = all_coordinates(tree, q)
    G, at = coupling_map(tree, q_all), _Position(tree, q_all)
    H = at.subtree_momenta(link_twists(tree, q_all, G.out(v)))
    return G.back(at.through(at.S, H))


def momentum_rates(tree: Tree, q: Any, v: Any, a: Any) -> Array:
    """d/dt (A v) = A a + Adot v along a motion with acceleration a."""
    q_all = all_coordinates(tree, q)
    G, at = coupling_map(tree, q_all, v), _Position(tree, q_all)
    v_all = G.out(v)
    V = link_twists(tree, q_all, v_all)
    H = at.subtree_momenta(V)
    H_rate = _subtree_rates(at, q_all, v_all, G.out_rate(v_all, a), (V, H))
    rates = at.through(at.S, H_rate) + at.through(subspace_rates(tree, q_all, v_all), H)
    return G.back_rate(at.through(at.S, H), rates)  # (2)


def lagrangian_slope(tree: Tree, q: Any, v: Any, gravity: Array) -> Array:
    """dL/dq at (q, v), L = T - V of gravity; along the freedoms where v is not qdot."""
    q_all = all_coordinates(tree, q)
    G = coupling_map(tree, q_all, v)
    return G.back_rate(*_momenta_and_slope(tree, q_all, G.out(v), gravity, {}))


def force_and_slope(s: System, q: Any, v: Any, tau: Any) -> Array:
    """pdot = dL/dq + Q: what changes the momenta, tau and all loads included."""
    q_all = all_coordinates(s.lean, q)
    G = coupling_map(s.lean, q_all, v)
    v_all = G.out(v)
    acting = s.loads(q_all, v_all)
    joints = acting.tau - damping(s.lean) * v_all
    p_all, slope = _momenta_and_slope(s.lean, q_all, v_all, s.gravity, acting.wrenches)
    return np.asarray(tau) + G.back_rate(p_all, slope + joints)


def _momenta_and_slope(
    tree: Tree, q_all: Any, v_all: Any, gravity: Array, wrenches: Wrenches
) -> tuple[Array, Array]:
    """(1) and (3) for all joints; `wrenches` act on the links beside their weight."""
    at = _Position(tree, q_all)
    V = link_twists(tree, q_all, v_all)
    H = at.subtree_momenta(V)
    W = at.summed(at.weights(gravity, wrenches))
    change = [w - _force_cross(*pair) for w, *pair in zip(W, V, H, strict=True)]
    turning = at.through(subspace_rates(tree, q_all, v_all), H)
    return at.through(at.S, H), at.through(at.S, change) + turning


def _subtree_rates(
    at: _Position, q_all: Any, v_all: Any, a_all: Any, motion: tuple[list[Array], list[Array]]
) -> list[Array]:
    """Rates of the components of H in the frames of the links; `motion` holds V and H.

    V^o = X V_P^o - V_J x X V_P + S^o v + S a,   H_P^o += X' (H^o + V_J x* H).
    """
    V, H = motion
    own = [S @ v_all[link.v] for link, S in zip(at.tree.links, at.S, strict=True)]
    rates: list[Array] = []
    for i, link in enumerate(at.tree.links):
        rate = at.S[i] @ a_all[link.v] + link.joint.bias(q_all[link.q], v_all[link.v])
        if link.parent >= 0:
            rate = rate + of_parent(at.X[i], rates[link.parent])
            rate = rate - _motion_cross(own[i], of_parent(at.X[i], V[link.parent]))
        rates.append(rate)
    own_rates = [link_momentum(*pair) for pair in zip(at.tree.links, rates, strict=True)]
    return at.summed(own_rates, [_force_cross(*pair) for pair in zip(own, H, strict=True)])


class _Position:
    """Poses and subspaces of all links at q, and sums over the tree."""

    def __init__(self, tree: Tree, q_all: Any) -> None:
        self.tree, self.X, self.S = tree, relative_poses(tree, q_all), subspaces(tree, q_all)

    def subtree_momenta(self, V: list[Array]) -> list[Array]:
        """H of every link: momentum of it and all that hangs on it, about its origin."""
        return self.summed([link_momentum(*pair) for pair in zip(self.tree.links, V, strict=True)])

    def summed(self, own: list[Array], further: list[Array] | None = None) -> list[Array]:
        """Wrenches or momenta with those of all that hangs, which hand on `further` besides."""
        found = list(own)
        for i in reversed(range(len(found))):
            parent = self.tree.links[i].parent
            if parent >= 0:
                handed = found[i] if further is None else found[i] + further[i]
                found[parent] = found[parent] + carried(self.X[i], handed)
        return found

    def through(self, maps: list[Array], wrenches: list[Array]) -> Array:
        """S' of a wrench or momentum of every link, for the velocities of all joints."""
        found = np.zeros(len(self.tree.velocities), dtype=object)
        for link, S, F in zip(self.tree.links, maps, wrenches, strict=True):
            found[link.v] = S.T @ F
        return found

    def weights(self, gravity: Array, wrenches: Wrenches) -> list[Array]:
        """Weight, and what else acts on each link, in its frame about its origin."""
        g: list[Array] = []
        found: list[Array] = []
        for i, (link, X) in enumerate(zip(self.tree.links, self.X, strict=True)):
            g.append(X.R.T @ (gravity if link.parent < 0 else g[link.parent]))
            weight = np.concatenate([cross(link.h, g[i]), link.mass * g[i]])
            found.append(weight + np.concatenate(wrenches[i]) if i in wrenches else weight)
        return found


def _motion_cross(V: Array, U: Array) -> Array:
    spin = cross(V[:3], U[:3])
    return np.concatenate([spin, cross(V[:3], U[3:]) + cross(V[3:], U[:3])])


def _force_cross(V: Array, F: Array) -> Array:
    moment = cross(V[:3], F[:3]) + cross(V[3:], F[3:])
    return np.concatenate([moment, cross(V[:3], F[3:])])


def _inverse(s: System, q: Any, v: Any, a: Any) -> Array:
    """Q = d/dt (A v) - dL/dq."""
    return momentum_rates(s.lean, q, v, a) - force_and_slope(s, q, v, np.zeros(s.tree.nv))


def _forward(s: System, q: Any, v: Any, tau: Any) -> Array:
    """A a = pdot - Adot v."""
    n = s.tree.nv
    if n > LARGEST:
        raise StructureError(
            f"mechanism {s.tree.m.name!r} has {n} velocities; forward dynamics by conjugate "
            f"directions is written out for at most {LARGEST}: name another formulation, or "
            "integrate by semi_canonical, which needs no accelerations"
        )
    rest = force_and_slope(s, q, v, tau) - momentum_rates(s.lean, q, v, np.zeros(n))
    return conjugate_solution(lambda z: momenta(s.lean, q, z), rest, _inward(s.tree))


def _inward(tree: Tree) -> list[int]:
    """Independent velocities from the tips to the base: directions then stay within a branch."""
    place = {i: k for k, i in enumerate(tree.free_v)}
    order = [i for link in reversed(tree.links) for i in range(link.v.start, link.v.stop)]
    return [place[i] for i in order if i in place]


def _columns(s: System, q: Any) -> Array:
    """A, column by column: A e for the unit vectors e."""
    n = s.tree.nv
    return np.reshape([momenta(s.lean, q, e) for e in np.eye(n)], (n, n)).T


def _energy(s: System, q: Any, v: Any) -> tuple[Any, Any]:
    """T = p'v/2; H = T + V is the greatest value of p'z - L(q, z)  (2.6)."""
    T = 0.5 * (momenta(s.lean, q, v) @ np.asarray(v))
    return T, energy.potential_energy(s.tree, q, s.gravity)


FORMULATION = Formulation(
    "hamilton",
    "Dunskaya & Pyatnitsky (1996)",
    completed(_inverse, mass_matrix=_columns, forward_dynamics=_forward, energy=_energy),
)
