"""Functions of one variable with their derivatives: motions f(t) of drivers, profiles rho(beta).

A law may be given as a number, an expression (also as text, "0.3 + 10*t"), a NumPy function, a
`Curve`, or points in two columns, which a cubic spline with two continuous derivatives joins.
Expressions and functions are differentiated exactly, splines piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..display import Displayed
from ..errors import StructureError
from ..expr import Expr, constant, derivative, evaluate, expression, variable, variables
from ..expr.node import as_expr
from ..model.curve import Curve

Function = Callable[..., Any]
"""(x, order) -> value or derivative."""


@dataclass(frozen=True, eq=False)
class Law(Displayed):
    """A function of one variable and its first three derivatives."""

    variable: str
    orders: tuple[Expr, ...]

    def __call__(self, x: float, order: int = 0) -> float:
        """Value, or derivative of the given order."""
        return _value(self, float(x), order)


@lru_cache(maxsize=1024)
def _value(given: Law, x: float, order: int) -> float:
    """The value; the iterations of one step ask for the same ones."""
    return float(evaluate([given.orders[order]], {given.variable: x})[0])


def law(given: Any, name: str = "t") -> Function:
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
