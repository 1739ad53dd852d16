"""Functions of one variable with their derivatives: motions f(t) of drivers, profiles rho(beta).

A law may be given as a number, an expression (also as text, "0.3 + 10*t"), a NumPy function, a
`Curve`, or points in two columns, which a cubic spline with two continuous derivatives joins.
Expressions and functions are differentiated exactly, splines piece by piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..expr import Expr, constant, derivative, evaluate, expression, variable, variables
from ..expr.node import as_expr
from ..model.curve import Curve


@dataclass(frozen=True, eq=False)
class Law(Displayed):
    """A function of one variable and its first three derivatives."""

    variable: str
    orders: tuple[Expr, ...]

    def __call__(self, x: float, order: int = 0) -> float:
        """Value, or derivative of the given order."""
        return float(evaluate([self.orders[order]], {self.variable: float(x)})[0])


@public
def law(given: Any, name: str = "t") -> Law | Curve:
    """A law in the variable `name` from whatever form it is given in; points of `beta` close."""
    if isinstance(given, Law | Curve):
        return given
    if isinstance(given, Expr | str):
        return _written(expression(given, "any", allow=(name,)), name)
    if callable(given):
        return _written(as_expr(given(variable(name))), name)
    points = np.asarray(given, dtype=float)
    if points.ndim == 0:
        return _written(constant(float(points)), name)
    if points.ndim != 2 or points.shape[1] != 2:
        raise StructureError(f"expected points in two columns, got the shape {points.shape}")
    curve = Curve(tuple(points[:, 0]), tuple(points[:, 1]), periodic=name == "beta")
    for fault in curve.faults():
        raise StructureError(str(fault))
    return curve


def _written(value: Expr, name: str) -> Law:
    """An expression with its derivatives."""
    others = variables(value) - {name}
    if others:
        raise StructureError(f"expected a function of {name} alone, found {', '.join(others)}")
    orders = [value]
    for _ in range(3):
        orders.append(derivative(orders[-1], name))
    return Law(name, tuple(orders))
