"""Small formulas of moving joints and of the rows of J, for a whole system or a piece of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..expr import Expr, variable
from ..expr.differentiate import directional
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..system.tree import Tree
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
