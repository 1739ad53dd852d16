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
from ..door import public
from ..errors import StructureError
from ..expr import derivative, evaluate
from ..expr.differentiate import directional
from ..expr.node import as_expr, constant, variable
from ..spatial.rotation import Array
from .iterations import NewtonRun, newton, singular


@dataclass(frozen=True, eq=False)
class Ordered(Displayed):
    """Equations f(x, q) = 0 with what differentiating them gives."""

    f: Array
    A: Array
    B: Array
    """Entries are nodes of the graph."""
    names: tuple[str, ...]
    """Names of x, then of q, in the graph."""

    def values(self, entries: Array, x: Any, q: Any) -> Array:
        """A matrix or vector of the graph at numbers."""
        at = dict(zip(self.names, [*np.ravel(x), *np.ravel(q)], strict=True))
        numbers = [float(np.asarray(each)) for each in evaluate(list(entries.flat), at)]
        return np.reshape(numbers, entries.shape)

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
        speeds = [constant(float(v)) for v in (*xd, *np.ravel(qd))]
        moving = dict(zip(self.names, speeds, strict=True))
        A_rate, B_rate = (
            self.values(np.array(directional(list(M.flat), moving), object).reshape(M.shape), x, q)
            for M in (self.A, self.B)
        )
        right = -A_rate @ xd + B_rate @ np.asarray(qd) + B @ np.asarray(qdd)
        return xd, np.linalg.solve(A, right)


@public
def ordered(f: Callable[[Array, Array], Any], unknowns: int, drivers: int) -> Ordered:
    """The matrices of f(x, q) = 0, a NumPy function of the unknowns and the drivers."""
    x, q = ([f"{name}[{i}]" for i in range(n)] for name, n in (("x", unknowns), ("q", drivers)))
    arrays = (np.array([variable(name) for name in names], object) for names in (x, q))
    rows = [as_expr(e) for e in np.ravel(f(*arrays))]
    if len(rows) != unknowns:
        raise StructureError(
            f"f: expected {unknowns} equations, as many as unknowns, got {len(rows)}"
        )
    A = np.array([[derivative(row, name) for name in x] for row in rows], object)
    B = np.array([[-derivative(row, name) for name in q] for row in rows], object)
    return Ordered(np.array(rows, object), A, B, (*x, *q))
