"""Any mechanism written as equations f(x, q) = 0: the ordered matrices of Gronowicz 3.3.2.

q are the drivers, x the unknowns, as many as there are equations:

    A = df/dx,   B = -df/dq,   A x' = B q'                                                 (3.43)
    x'' = A^-1 (-A' x' + B' q' + B q'')                                                    (3.46)

A, B and their rates come from differentiating the graph of f, which is a plain NumPy function of
two arrays; B has as many columns as there are drivers (the print counts them by the equations).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..errors import StructureError
from ..expr import derivative, evaluate
from ..expr.differentiate import directional
from ..expr.node import Expr, as_expr, constant, variable
from ..spatial.rotation import Array
from .newton import NewtonRun, newton, singular


@dataclass(frozen=True, eq=False)
class Ordered(Displayed):
    """Equations f(x, q) = 0 with what differentiating them gives."""

    f: list[Expr]
    A: list[list[Expr]]
    B: list[list[Expr]]
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """Names of x and of q in the graph."""

    def values(self, rows: Any, x: Any, q: Any) -> Array:
        """Entries of a matrix or vector of the graph at numbers."""
        at = dict(zip(self.names[0] + self.names[1], [*np.ravel(x), *np.ravel(q)], strict=True))
        flat = [entry for row in rows for entry in (row if isinstance(row, list) else [row])]
        found = np.array([float(np.asarray(each)) for each in evaluate(flat, at)])
        return found.reshape(len(rows), -1) if isinstance(rows[0], list) else found

    def position(self, q: Any, start: Any, *, tolerance: float = 1e-14) -> NewtonRun:
        """x at drivers q, by Newton's method from a start."""
        return newton(
            lambda x: self.values(self.f, x, q),
            lambda x: self.values(self.A, x, q),
            start,
            tolerance=tolerance,
        )

    def rates(self, x: Any, q: Any, qd: Any, qdd: Any) -> tuple[Array, Array]:
        """x' and x'' by (3.43) and (3.46)."""
        A, B = self.values(self.A, x, q), self.values(self.B, x, q)
        if singular(A):
            raise StructureError("singular configuration: the determinant of A is zero")
        xd = np.linalg.solve(A, B @ np.asarray(qd, dtype=float))
        A_rate, B_rate = (self.rate_of(each, (x, q), (xd, qd)) for each in (self.A, self.B))
        right = -A_rate @ xd + B_rate @ np.asarray(qd) + B @ np.asarray(qdd)
        return xd, np.linalg.solve(A, right)

    def rate_of(self, rows: list[list[Expr]], at: Any, rates: Any) -> Array:
        """A' or B' while x and q change at rates."""
        names = self.names[0] + self.names[1]
        values = [*np.ravel(rates[0]), *np.ravel(rates[1])]
        moving = {name: constant(float(v)) for name, v in zip(names, values, strict=True)}
        flat = directional([entry for row in rows for entry in row], moving)
        width = len(rows[0])
        nested = [flat[i : i + width] for i in range(0, len(flat), width)]
        return self.values(nested, *at)


def ordered(f: Callable[[Array, Array], Any], unknowns: int, drivers: int) -> Ordered:
    """The matrices of f(x, q) = 0, a NumPy function of the unknowns and the drivers."""
    x = [variable(f"x[{i}]") for i in range(unknowns)]
    q = [variable(f"q[{i}]") for i in range(drivers)]
    rows = [as_expr(e) for e in np.ravel(f(np.array(x, object), np.array(q, object)))]
    if len(rows) != unknowns:
        raise StructureError(
            f"f: expected {unknowns} equations, as many as unknowns, got {len(rows)}"
        )
    names = tuple(f"x[{i}]" for i in range(unknowns)), tuple(f"q[{i}]" for i in range(drivers))
    A = [[derivative(row, name) for name in names[0]] for row in rows]
    B = [[-derivative(row, name) for name in names[1]] for row in rows]
    return Ordered(rows, A, B, names)
