"""The equations of loops and drives, all at once, as straight-line programs.

    residuals   Phi(q, t)
    entries     the entries of J(q)
    newton      q + x with J x = -Phi, the step x, Phi             one step of Newton's method
    rates       v and a with  J v = f',  J a = f'' - J' v,  the rates of q, pivots of J, Phi
    slopes      dq/dp with  J x = -Phi_p: how positions change with the sizes that are inputs
    between     a cubic, two steps of Newton's method, and how large these were

The equations are traced once, and the programs made from them. Where named parameters are inputs,
every program takes their values `p` last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Program, array_of, program_of, symbols
from ..expr import Expr, constant, maximum
from ..expr.differentiate import jacobian_columns, jacobian_rows
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr, present, recorded
from ..kinematics.orthogonal import Line, matched
from ..kinematics.rates import coordinate_rates, moved, solved_velocities, turning
from ..kinematics.rows import Row, entries
from ..spatial.rotation import Array
from .loops import Loops


@dataclass(frozen=True, eq=False)
class WholeSystem:
    """The equations in symbols."""

    loops: Loops
    q: Array
    wanted: Array
    clock: Array
    rows: list[Row]
    lines: list[Line]
    order: list[Expr]
    """The operations in the order in which they were asked for."""

    @property
    def solvable(self) -> bool:
        """Whether every velocity has a row of its own, so that Newton steps can be written."""
        rows = [{j: x for j, x in line.items() if present(x)} for line in self.lines]
        owned = matched({i: row for i, row in enumerate(rows) if row})
        return len(owned) == self.loops.tree.nv

    def residuals(self) -> Program:
        """(q, wanted, clock) -> Phi."""
        return self._program(self._stacked("residual"), [], "q", "wanted", "clock")

    def entries(self) -> tuple[Program, Array, Array]:
        """(q, wanted, clock) -> the entries of J, and the rows and columns they stand in."""
        values = array_of(entry for line in self.lines for entry in line.values())
        pairs = [(i, j) for i, line in enumerate(self.lines) for j in line]
        rows, columns = np.array(pairs, dtype=int).reshape(-1, 2).T
        return self._program(values, [], "q", "wanted", "clock"), rows, columns

    def newton(self) -> Program:
        """(q, wanted, clock) -> q after one step, the step, Phi before it."""
        step, order = self._newton
        return self._program(step, order, "q", "wanted", "clock")

    @cached_property
    def _newton(self) -> tuple[tuple[Array, ...], list[Expr]]:
        with recorded() as order:
            residual = self._stacked("residual")
            x = self._solved(-residual)[0]
            q = moved(self.loops.formed, self.q, x)
        return (q, x, residual), order

    def slopes(self) -> Program:
        """(q, wanted, clock, p) -> dq/dp, one column for each size, at closed positions."""
        names = [f"p[{i}]" for i in range(len(self.loops.parameters))]
        with recorded() as order:
            gap = [as_expr(x) for x in self._stacked("residual")]
            steps = [self._solved(-array_of(c))[0] for c in jacobian_columns(gap, names)]
            columns = [coordinate_rates(self.loops.formed, self.q, x) for x in steps]
        return self._program(np.array(columns, dtype=object).T, order, "q", "wanted", "clock")

    def rates(self) -> Program:
        """(q, wanted, speed, clock) -> v, a, the rates of q, the pivots of J, and Phi."""
        results, order = self.rates_in_symbols()
        return self._program(results, order, "q", "wanted", "speed", "clock")

    def rates_in_symbols(self, direct: bool = False) -> tuple[tuple[Array, ...], list[Expr]]:
        """What `rates` computes, and the operations in the order in which they were asked for.

        `direct` solves pairs of equations directly (orthogonal.py), for positions that are known
        not to be singular.
        """
        tree, count, turn = self.loops.formed, self.loops.wanted, self.clock[1]

        def moving(still: Array) -> dict[str, Any]:
            rates = coordinate_rates(tree, self.q, still)
            return {f"q[{i}]": rate for i, rate in enumerate(rates)}

        with recorded() as order:
            rate, second = self._stacked("rate") * turn, self._stacked("acceleration")
            if count:
                rate[-count:] = rate[-count:] + symbols("speed", count)
            v, pivots = self._solved(rate, direct)
            bends = array_of(turning(self.lines, v, moving))
            a = self._solved(second * (turn * turn) - bends, direct)[0]
            own = coordinate_rates(tree, self.q, v)
        return (v, a, own, array_of(pivots), self._stacked("residual")), order

    def pivot_slopes(self) -> Program:
        """(q, wanted, speed, clock, p) -> the pivots of J, and their derivatives by q and by p."""
        (*_, pivots, _), order = self.rates_in_symbols()
        counts = {"q": self.loops.tree.nq, "p": len(self.loops.parameters)}
        names = [f"{key}[{i}]" for key, count in counts.items() for i in range(count)]
        with recorded() as more:
            rows = jacobian_rows([as_expr(x) for x in pivots], names)
        slopes = np.array(rows, dtype=object).reshape(len(pivots), len(names))
        results = pivots, slopes[:, : counts["q"]], slopes[:, counts["q"] :]
        return self._program(results, [*order, *more], "q", "wanted", "speed", "clock")

    def between(self) -> Program:
        """(cubic, u, wanted, clock) -> q at u on a cubic, first and last correction there."""
        tree = self.loops.tree
        c = symbols("cubic", 4 * tree.nq).reshape(4, tree.nq)
        u = symbols("u", 1)[0]
        with recorded() as order:
            q = tree.normalised(c[0] + u * (c[1] + u * (c[2] + u * c[3])))
            sizes = []
            for _ in range(2):
                q, x = self._step_at(q)
                sizes.append(array_of([largest(x, self.loops.units)]))
        return self._program((q, *sizes), order, "cubic", "u", "wanted", "clock")

    def _step_at(self, guess: Array) -> tuple[Array, Array]:
        """q after a Newton step from a guess, and the step."""
        q, x = self._newton[0][:2]
        places = {f"q[{i}]": as_expr(value) for i, value in enumerate(guess)}
        results = array_of(substitute_all([as_expr(each) for each in (*q, *x)], places))
        return results[: len(q)], results[len(q) :]

    def _stacked(self, key: str) -> Array:
        return array_of(x for row in self.rows for x in getattr(row, key))

    def _solved(self, right: Array, direct: bool = False) -> tuple[Array, list[Any]]:
        """x with J x = right, and the pivots."""
        none, count = np.zeros(self.loops.tree.nv), self.loops.tree.nv
        x, pivots = solved_velocities(self.lines, right, none, range(count), direct=direct)
        return array_of(x), pivots

    def _program(self, results: Any, order: list[Expr], *inputs: str) -> Program:
        tree, wanted = self.loops.tree, self.loops.wanted
        sizes = {"q": tree.nq, "wanted": wanted, "speed": wanted, "clock": 2}
        sizes |= {"cubic": 4 * tree.nq, "u": 1}
        name, chosen = self.loops.m.name or "the mechanism", [(key, sizes[key]) for key in inputs]
        if self.loops.parameters:
            chosen.append(("p", len(self.loops.parameters)))
        return program_of(chosen, results, name, [*self.order, *order])


def whole_system(loops: Loops) -> WholeSystem:
    """The equations of loops, held coordinates and drives."""
    q, clock = symbols("q", loops.tree.nq), symbols("clock", 2)
    wanted = symbols("wanted", loops.wanted)
    with recorded() as order:
        rows = loops.rows(q, wanted, clock[0])
    return WholeSystem(loops, q, wanted, clock, rows, entries(rows), order)


def largest(values: Array, units: Array) -> Any:
    """The largest of all |values| / units, in symbols."""
    found: Any = constant(0.0)
    for value, each in zip(values, units, strict=True):
        found = maximum(found, abs(as_expr(value)) / as_expr(each))
    return found
