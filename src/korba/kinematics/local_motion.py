"""Small formulas of moving joints and of the rows of J, for a whole system or a piece of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..expr import Expr, variable
from ..expr.differentiate import directional
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..system.tree import Tree
from .orthogonal import Line, solved_lines
from .rates import coordinate_rates


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
    lines: list[Line], right: Iterable[Any], known: Array, unknowns: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """The unknowns of J x = right, and the pivots; what the known velocities take goes right."""
    own = set(unknowns)
    outside = [{j: entry for j, entry in line.items() if j not in own} for line in lines]
    inside = [{j: entry for j, entry in line.items() if j in own} for line in lines]
    rights = [[b - product(line, known)] for b, line in zip(right, outside, strict=True)]
    found, pivots = solved_lines(inside, rights)
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
