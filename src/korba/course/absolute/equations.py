"""All equations of a mechanism with every body free and every joint a tie.

    Phi(x, t) = [Phi^P(x); Phi^C(x, t)] = 0                                      (2.95), (3.49)
    Phi_x x' = -Phi_t,     Phi_x x'' = gamma                                     (3.52), (3.57)

x has the coordinates of all bodies (x, y and Theta in a plane), then those of the joints. Phi are
the rows of kinematics/rows.py, first of the joints, then of couplings, then of drives; Phi_x, Phi_t
and gamma = -Phi'' at x'' = 0 are found by differentiating their graph, so they hold on closed
mechanisms and on open ones alike. Where the book squares the length of an actuator (2.98), the
length itself stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...codegen import compile_program, evaluate_program, program_of
from ...codegen.program import symbols
from ...expr import Expr
from ...expr.differentiate import derivatives, directional
from ...expr.node import as_expr
from ...kinematics.rates import coordinate_rates, moved
from ...kinematics.rows import Moving, Row, coupled, driven, tied
from ...spatial.rotation import Array
from ...system.system import System


@dataclass(frozen=True, eq=False)
class Rows:
    """Some equations at a state: Phi, its derivatives by q and t, and gamma."""

    phi: Array
    phi_q: Array
    gamma: Array
    phi_t: Array


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of a loosened system as one program."""

    system: System
    compiled: bool = True
    """Whether it is worth compiling, or is asked for only a few positions."""

    def at(self, x: Any, v: Any = None, t: float = 0.0, *, running: float = 1.0) -> Rows:
        """Phi, Phi_x, gamma and Phi_t; time runs at `running`: 1, or 0 where it stands still."""
        tree = self.system.tree
        v = np.zeros(tree.nv) if v is None else v
        phi, entries, second, phi_t = self._program(x, v, [t, running], check_finite=False)
        phi_x = np.zeros((len(phi), tree.nv))
        phi_x[self._places] = entries
        return Rows(phi, phi_x, -second, phi_t)

    def moved(self, x: Array, step: Array) -> Array:
        """Coordinates after a small motion in the velocities."""
        if self.system.m.plane:
            return x + step
        return np.array(moved(self.system.tree, x, step), float)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """Whose equation every row is."""
        return tuple(row.owner for row in self._rows for _ in row.residual)

    @cached_property
    def _rows(self) -> list[Row]:
        system = self.system
        at, t = Moving(system.tree, symbols("x", system.tree.nq)), symbols("clock", 1)[0]
        rows = [tied(at, tie) for tie in system.ties]
        rows += [coupled(at, coupling) for coupling in system.couplings]
        return rows + [driven(at, drive, t) for drive in system.drives]

    @cached_property
    def _written(self) -> tuple[list[Expr], list[list[Expr]], list[Expr], list[Expr]]:
        """Phi, the columns of Phi_x, Phi'' at x'' = 0, and Phi_t."""
        tree = self.system.tree
        phi = [as_expr(x) for row in self._rows for x in row.residual]
        rates = coordinate_rates(tree, symbols("x", tree.nq), symbols("v", tree.nv))
        moving = {f"x[{i}]": as_expr(rate) for i, rate in enumerate(rates)}
        timed = {"clock[0]": symbols("clock", 2)[1]}
        change, phi_t = directional(phi, moving), directional(phi, timed)
        columns = [derivatives(change, f"v[{j}]") for j in range(tree.nv)]
        whole = [a + b for a, b in zip(change, phi_t, strict=True)]
        return phi, columns, directional(whole, moving | timed), phi_t

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """Rows and columns of the entries of Phi_x that are not always zero."""
        present = np.array([[e != ZERO for e in each] for each in self._written[1]], dtype=bool)
        columns, rows = np.nonzero(present.reshape(self.system.tree.nv, -1))
        return rows, columns

    @cached_property
    def _program(self) -> Callable[..., Any]:
        phi, columns, second, phi_t = self._written
        entries = [columns[j][i] for i, j in zip(*self._places, strict=True)]
        sizes = [("x", self.system.tree.nq), ("v", self.system.tree.nv), ("clock", 2)]
        program = program_of(sizes, (phi, entries, second, phi_t), self.system.m.name)
        return compile_program(program) if self.compiled else partial(evaluate_program, program)


ZERO = as_expr(0.0)
