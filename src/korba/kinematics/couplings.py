"""Dependent coordinates in motion: from the independent (q, v, a) to those of all joints, and back.

    p = F(q),   pdot = F_q v,   pddot = F_q a + (d/dt F_q) v,   tau = F_q' tau_all        (1)

F_q is found by differentiating the laws; the second term by differentiating them twice. Forces come
back through the transpose. Source: Maryniak & Malecki (3.34), (3.58), (3.66).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..expr import Expr, constant, derivative, evaluate, substitute, variables
from ..spatial.rotation import Array
from ..system.tree import Tree


def law_value(law: Expr, values: Mapping[str, Any]) -> Any:
    """Value of a law at numbers or at symbols."""
    needed = {name: values[name] for name in variables(law)}
    if any(isinstance(value, Expr) for value in needed.values()):
        return substitute(law, needed)
    return float(evaluate([law], needed)[0])


def refuse_timed(tree: Tree) -> None:
    """Laws of couplings must not use the time: F(q, t) would have rates that (1) leaves out."""
    timed = [coupling.name for coupling in tree.couplings if "t" in variables(coupling.law)]
    if timed:
        raise StructureError(
            f"mechanism {tree.m.name!r}: coupling {', '.join(timed)} depends on the time t, which "
            "the equations do not take yet; write it in coordinates alone, and let a force, a "
            "motor or a drive depend on the time"
        )


def all_coordinates(tree: Tree, q: Any) -> Array:
    """Coordinates of all joints from the independent ones."""
    found = _spread(np.asarray(q), tree.free_q, len(tree.coordinates))
    if tree.couplings:
        place = {name: i for i, name in enumerate(tree.coordinates)}
        values = {tree.coordinates[i]: found[i] for i in tree.free_q} | {"t": 0.0}
        for coupling in tree.couplings:
            values[coupling.coordinate] = law_value(coupling.law, values)
            found[place[coupling.coordinate]] = values[coupling.coordinate]
    return _tight(found)


def velocity_map(tree: Tree, q_all: Array) -> Array:
    """Matrix F_q from the independent velocities to those of all joints."""
    G = np.zeros((len(tree.velocities), tree.nv), dtype=q_all.dtype)
    for column, row in enumerate(tree.free_v):
        G[row, column] = 1.0
    values = dict(zip(tree.coordinates, q_all, strict=True)) | {"t": 0.0}
    for coupling in tree.couplings:
        for name in sorted(variables(coupling.law) - {"t"}):
            slope = law_value(derivative(coupling.law, name), values)
            row = tree.velocity_of(coupling.coordinate)
            G[row] = G[row] + slope * G[tree.velocity_of(name)]
    return G


def all_velocities(tree: Tree, q_all: Array, v: Any) -> Array:
    """F_q v: velocities of all joints from the independent ones."""
    return velocity_map(tree, q_all) @ np.asarray(v) if tree.couplings else np.asarray(v)


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


def coupling_bias(tree: Tree, q_all: Array, v_all: Array) -> Array:
    """(d/dt F_q) v of all joints: accelerations of dependent coordinates when a = 0."""
    found = np.zeros(len(tree.velocities), dtype=v_all.dtype)
    values = dict(zip(tree.coordinates, q_all, strict=True)) | {"t": 0.0}
    for coupling in tree.couplings:
        total: Any = 0.0
        names = sorted(variables(coupling.law) - {"t"})
        for one in names:
            slope = derivative(coupling.law, one)
            total = total + law_value(slope, values) * found[tree.velocity_of(one)]
            for two in names:
                bend = derivative(slope, two)
                if bend is not constant(0.0):
                    rate = v_all[tree.velocity_of(one)] * v_all[tree.velocity_of(two)]
                    total = total + law_value(bend, values) * rate
        found[tree.velocity_of(coupling.coordinate)] = total
    return found


def _spread(values: Array, places: tuple[int, ...], count: int) -> Array:
    found = np.zeros(count, dtype=object)
    for i, value in zip(places, values, strict=True):
        found[i] = value
    return found


def _tight(values: Array) -> Array:
    """An object array of numbers as floats; one with symbols as it is."""
    return values if any(isinstance(x, Expr) for x in values) else values.astype(float)
