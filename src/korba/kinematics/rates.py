"""Rates of the maps between velocities: of the joints' subspaces and of the couplings.

A generalised momentum is a force-like vector seen through such a map, so its rate asks for the rate
of the map itself, transposed, not only for its product with the velocities:

    p = S' H      =>  pdot = S' Hdot + Sdot' H
    p = G' p_all  =>  pdot = G' pdot_all + Gdot' p_all

Sdot is found by differentiating the joint's own S(q) along qdot. G is never formed: velocities go
out along the couplings one by one, forces come back in the reverse order, in time proportional to
their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..expr import derivative, variable, variables
from ..expr.differentiate import derivatives
from ..expr.node import as_expr
from ..spatial.rotation import Array
from ..system.tree import Link, Tree
from .couplings import all_coordinates, all_velocities, law_value


def subspace_rates(tree: Tree, q_all: Any, v_all: Any) -> list[Array]:
    """Sdot of every link, in its own frame: 6 x nv of its joint."""
    return [_subspace_rate(link, q_all[link.q], v_all[link.v]) for link in tree.links]


def coordinate_rates(tree: Tree, q: Any, v: Any) -> Array:
    """Rates of the independent coordinates, those of joints that close loops too.

    They are velocities, except those of a quaternion.
    """
    q_all = all_coordinates(tree, q)
    v_all = all_velocities(tree, q_all, v)
    rates, i, k = [np.zeros(0)], 0, 0
    for joint in tree.m.joints:
        rates.append(joint.qdot(q_all[i : i + joint.nq], v_all[k : k + joint.nv]))
        i, k = i + joint.nq, k + joint.nv
    return np.concatenate(rates)[list(tree.free_q)]


def _subspace_rate(link: Link, q: Any, v: Any) -> Array:
    """Sum over the coordinates of  dS/dq_k qdot_k."""
    names = [f"q{k}" for k in range(len(q))]
    symbols = np.array([variable(name) for name in names], dtype=object)
    S = np.asarray(link.joint.motion_subspace(symbols), dtype=object)
    entries, values = [as_expr(x) for x in S.flat], dict(zip(names, q, strict=True))
    found = np.zeros(S.size, dtype=object)
    for name, rate in zip(names, link.joint.qdot(q, v), strict=True):
        slopes = [law_value(slope, values) for slope in derivatives(entries, name)]
        found = found + np.array(slopes, dtype=object) * rate
    return found.reshape(S.shape)


@dataclass(frozen=True, eq=False)
class CouplingMap:
    """v_all = G v, kept as the couplings it is made of."""

    tree: Tree
    slopes: tuple[tuple[int, tuple[tuple[int, Any, Any], ...]], ...]
    """For each dependent velocity: the velocities it follows, dF/dq and its rate."""

    def out(self, v: Any) -> Array:
        """G v."""
        found = np.zeros(len(self.tree.velocities), dtype=object)
        found[list(self.tree.free_v)] = np.asarray(v)
        for row, terms in self.slopes:
            for source, slope, _ in terms:
                found[row] = found[row] + slope * found[source]
        return found

    def out_rate(self, v_all: Array, a: Any) -> Array:
        """G a + Gdot v, for v_all = G v."""
        found = np.zeros(len(self.tree.velocities), dtype=object)
        found[list(self.tree.free_v)] = np.asarray(a)
        for row, terms in self.slopes:
            for source, slope, rate in terms:
                found[row] = found[row] + slope * found[source] + rate * v_all[source]
        return found

    def back(self, forces: Any) -> Array:
        """G' f."""
        return self.back_rate(np.zeros(len(self.tree.velocities)), forces)

    def back_rate(self, forces: Any, rates: Any) -> Array:
        """G' fdot + Gdot' f."""
        f, fd = np.array(forces, dtype=object), np.array(rates, dtype=object)
        for row, terms in reversed(self.slopes):
            for source, slope, rate in terms:
                fd[source] = fd[source] + slope * fd[row] + rate * f[row]
                f[source] = f[source] + slope * f[row]
        return fd[list(self.tree.free_v)]


def coupling_map(tree: Tree, q_all: Any, v: Any = None) -> CouplingMap:
    """The couplings at a state; without v their rates are zero."""
    values = dict(zip(tree.coordinates, q_all, strict=True)) | {"t": 0.0}
    v_all = CouplingMap(tree, ()).out(np.zeros(tree.nv) if v is None else v)
    found: list[Any] = []
    for coupling in tree.couplings:
        row, terms = tree.velocity_of(coupling.coordinate), []
        names = sorted(variables(coupling.law) - {"t"})
        for name in names:
            slope = derivative(coupling.law, name)
            rate: Any = 0.0
            for other in sorted(variables(slope) - {"t"}):
                bend = law_value(derivative(slope, other), values)
                rate = rate + bend * v_all[tree.velocity_of(other)]
            terms.append((tree.velocity_of(name), law_value(slope, values), rate))
        v_all[row] = sum((slope * v_all[source] for source, slope, _ in terms), start=0.0)
        found.append((row, tuple(terms)))
    return CouplingMap(tree, tuple(found))
