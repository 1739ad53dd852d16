"""Rates of joints and of rows of J: of coordinates, of the joints' subspaces, and small motions.

A generalised momentum is a force-like vector seen through a joint's subspace, so its rate asks for
the rate of the subspace itself, transposed, not only for its product with the velocities:

    p = S' H   =>   pdot = S' Hdot + Sdot' H

Sdot is found by differentiating the joint's own S(q) along qdot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..expr import Expr, variable
from ..expr.differentiate import derivatives, directional
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..system.tree import Link, Tree, places_of
from .couplings import all_coordinates, all_velocities, law_value
from .orthogonal import Line, solved_lines


def subspace_rates(tree: Tree, q_all: Any, v_all: Any) -> list[Array]:
    """Sdot of every link, in its own frame: 6 x nv of its joint."""
    return [_subspace_rate(link, q_all[link.q], v_all[link.v]) for link in tree.links]


def coordinate_rates(tree: Tree, q: Any, v: Any) -> Array:
    """Rates of the independent coordinates, those of joints that close loops too.

    They are velocities, except those of a quaternion.
    """
    q_all = all_coordinates(tree, q)
    v_all = all_velocities(tree, q_all, v)
    places = places_of(tree.m.joints).values()
    rates = [j.qdot(q_all[q], v_all[v]) for j, (q, v) in zip(tree.m.joints, places, strict=True)]
    return np.concatenate([np.zeros(0), *rates])[list(tree.free_q)]


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


def moved(tree: Tree, q: Array, x: Array) -> Array:
    """Coordinates after a small motion x in the velocities; quaternions stay unit."""
    return tree.normalised(q + coordinate_rates(tree, q, x))


def moved_joint(joint: Joint, q: Array, x: Array) -> Array:
    """Coordinates of a joint after a small motion x in its velocities; quaternions stay unit."""
    return joint.normalised(q + joint.qdot(q, x))


def product(line: Mapping[int, Any], v: Array) -> Any:
    """One row of J times v."""
    total: Any = 0.0
    for j, entry in line.items():
        total = total + entry * v[j]
    return total


def solved_velocities(
    lines: list[Line],
    right: Iterable[Any],
    known: Array,
    unknowns: Sequence[int],
    *,
    direct: bool = False,
) -> tuple[list[Any], list[Any]]:
    """The unknowns of J x = right, and the pivots; what the known velocities take goes right."""
    own = set(unknowns)
    outside = [{j: entry for j, entry in line.items() if j not in own} for line in lines]
    inside = [{j: entry for j, entry in line.items() if j in own} for line in lines]
    rights = [[b - product(line, known)] for b, line in zip(right, outside, strict=True)]
    found, pivots = solved_lines(inside, rights, direct=direct)
    return [found[j][0] for j in unknowns], pivots


def turning(
    lines: list[dict[int, Any]], v: Array, rates: Callable[[Array], Mapping[str, Any]]
) -> list[Expr]:
    """J' v: the rate of J v while v stays, by differentiating the graph along q' = q'(v).

    `rates` gives the rates of the coordinates by name, from symbols for v.
    """
    names = [f"_v[{i}]" for i in range(len(v))]
    still = np.array([variable(name) for name in names], dtype=object)
    moving = {name: as_expr(rate) for name, rate in rates(still).items()}
    products = [as_expr(product(line, still)) for line in lines]
    values = {name: as_expr(x) for name, x in zip(names, v, strict=True)}
    return substitute_all(directional(products, moving), values)
