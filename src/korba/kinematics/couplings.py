"""Dependent coordinates in motion: from the independent (q, v, a) to those of all joints, and back.

    p = F(q),   pdot = F_q v,   pddot = F_q a + (d/dt F_q) v,   tau = F_q' tau_all        (1)

F_q is found by differentiating the laws; the second term by differentiating them twice. Forces come
back through the transpose. Source: Maryniak & Malecki (3.34), (3.58), (3.66).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..expr import Expr, derivative, evaluate, substitute, variables
from ..expr.quantities import names_size
from ..spatial.rotation import Array
from ..system.tree import Tree


def law_value(law: Expr, values: Mapping[str, Any]) -> Any:
    """Value of a law at numbers or at symbols."""
    names = variables(law)
    needed = {name: values[name] for name in names if not names_size(name)}
    if len(needed) < len(names) or any(isinstance(value, Expr) for value in needed.values()):
        return substitute(law, needed)
    return float(evaluate([law], needed)[0])


def leaders(law: Expr) -> list[str]:
    """The coordinates that a law depends on."""
    return sorted(name for name in variables(law) if name != "t" and not names_size(name))


def all_coordinates(tree: Tree, q: Any) -> Array:
    """Coordinates of all joints from the independent ones."""
    values = dict(zip((tree.coordinates[i] for i in tree.free_q), np.asarray(q), strict=True))
    values["t"] = 0.0
    for coupling in tree.couplings:
        values[coupling.coordinate] = law_value(coupling.law, values)
    q_all = np.array([values[name] for name in tree.coordinates], dtype=object)
    return q_all if any(isinstance(x, Expr) for x in q_all) else q_all.astype(float)


@dataclass(frozen=True, eq=False)
class CouplingMap:
    """G = F_q, v_all = G v, kept as the couplings it is made of.

    Velocities go out along the couplings one by one, forces come back in the reverse order, in time
    proportional to their number. A generalised momentum p = G' p_all has the rate

        pdot = G' pdot_all + Gdot' p_all                                                      (2)
    """

    tree: Tree
    slopes: tuple[tuple[int, tuple[tuple[int, Any, Any], ...]], ...]
    """For each dependent velocity: the velocities it follows, dF/dq and its rate."""

    def out(self, v: Any) -> Array:
        """G v, or G times a matrix."""
        return self.out_rate(np.zeros(len(self.tree.velocities)), v)

    def out_rate(self, v_all: Array, a: Any) -> Array:
        """G a + Gdot v, for v_all = G v."""
        a_all = np.zeros((len(self.tree.velocities), *np.shape(a)[1:]), dtype=object)
        a_all[list(self.tree.free_v)] = np.asarray(a)
        for row, terms in self.slopes:
            for source, slope, rate in terms:
                a_all[row] = a_all[row] + slope * a_all[source] + rate * v_all[source]
        return a_all

    def back(self, forces: Any) -> Array:
        """G' f."""
        return self.back_rate(np.zeros(len(self.tree.velocities)), forces)

    def back_rate(self, forces: Any, rates: Any) -> Array:
        """G' fdot + Gdot' f (2)."""
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
    slopes: list[Any] = []
    for coupling in tree.couplings:
        row, terms = tree.velocity_of(coupling.coordinate), []
        for name in leaders(coupling.law):
            slope = derivative(coupling.law, name)
            rate: Any = 0.0
            for other in leaders(slope) if v is not None else ():
                bend = law_value(derivative(slope, other), values)
                rate = rate + bend * v_all[tree.velocity_of(other)]
            terms.append((tree.velocity_of(name), law_value(slope, values), rate))
        v_all[row] = sum((slope * v_all[source] for source, slope, _ in terms), start=0.0)
        slopes.append((row, tuple(terms)))
    return CouplingMap(tree, tuple(slopes))


def velocity_map(tree: Tree, q_all: Array) -> Array:
    """Matrix F_q from the independent velocities to those of all joints."""
    return coupling_map(tree, q_all).out(np.eye(tree.nv)).astype(q_all.dtype)


def all_velocities(tree: Tree, q_all: Array, v: Any) -> Array:
    """F_q v: velocities of all joints from the independent ones."""
    return velocity_map(tree, q_all) @ np.asarray(v) if tree.couplings else np.asarray(v)


def coupling_bias(tree: Tree, q_all: Array, v_all: Array) -> Array:
    """(d/dt F_q) v of all joints: accelerations of dependent coordinates when a = 0."""
    couplings = coupling_map(tree, q_all, v_all[list(tree.free_v)])
    return couplings.out_rate(v_all, np.zeros(tree.nv)).astype(v_all.dtype)


class AllMotion(NamedTuple):
    """Coordinates, velocities and accelerations of all joints, and the map F_q."""

    q: Array
    v: Array
    a: Array
    G: Array
    coupled: bool
    """Whether G is anything but a matrix of unity."""

    def back(self, forces: Array) -> Array:
        """F_q' f: forces of all joints on the independent velocities."""
        return np.asarray(self.G.T @ forces) if self.coupled else forces


def all_motion(tree: Tree, q: Any, v: Any, a: Any) -> AllMotion:
    """The motion of all joints from that of the independent ones."""
    q_all = all_coordinates(tree, q)
    G = velocity_map(tree, q_all)
    if not tree.couplings:
        return AllMotion(q_all, np.asarray(v), np.asarray(a), G, False)
    v_all = G @ np.asarray(v)
    a_all = G @ np.asarray(a) + coupling_bias(tree, q_all, v_all)
    return AllMotion(q_all, v_all, a_all, G, True)
