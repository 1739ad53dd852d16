"""The equations of a mechanism's loops and drives as compiled programs.

    gaps     Phi(q, t) and J(q)                    for whoever solves with them numerically
    newton   q + x with J x = -Phi, the step x, Phi    one step of Newton's method
    rates    v and a with  J v = f',  J a = f'' - J' v,  the rates of q, the pivots of J

Coordinates that are `held` and drives come last among the rows; the input `wanted` has the values
of the held coordinates and an addition to every drive (zero on the way the drives prescribe), and
`speed` is how fast these change. `clock` is the time and how fast it runs: 1, or 0 where it stands
still. Newton steps and rates are for systems that leave nothing free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen import Compiled, compile_program, trace
from ...expr.differentiate import directional
from ...expr.evaluate import substitute_all
from ...expr.node import Expr, as_expr, variable
from ...kinematics.closure import Row, equations
from ...kinematics.couplings import all_coordinates, velocity_map
from ...kinematics.orthogonal import Line, solved_lines
from ...kinematics.placement import typical_length
from ...kinematics.tree import Tree, tree_of
from ...model.drawing import drawing
from ...model.drive import Drive
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False)
class LoopSystem:
    """Loops, held coordinates and drives of a mechanism."""

    tree: Tree
    held: tuple[str, ...]
    drives: tuple[Drive, ...]
    still: tuple[int, ...] = ()
    """Velocities kept at zero: idle freedoms, such as the spin of a roller."""

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.tree.m

    @cached_property
    def scale(self) -> float:
        """A typical length of the mechanism."""
        return typical_length([X.p for X in drawing(self.m).X_WM.values()])

    @cached_property
    def drawn(self) -> Array:
        """The independent coordinates of the drawing."""
        placed = drawing(self.m)
        q_all = np.concatenate([np.zeros(0), *(placed.q[joint.name] for joint in self.m.joints)])
        return np.asarray(q_all[list(self.tree.free_q)], dtype=float)

    @cached_property
    def _plan(self) -> tuple[tuple[str, int], ...]:
        """Owner and count of every block of rows."""
        return tuple((row.owner, len(row.residual)) for row in self._rows(self.drawn, None, 0.0))

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """Whose equation every row is."""
        return tuple(owner for owner, count in self._plan for _ in range(count))

    @property
    def wanted(self) -> int:
        """Count of rows that are not loops: held coordinates and drives."""
        loops = len(self.tree.closing) * (3 if self.m.plane else 6)
        return len(self.owners) - len(self.still) - loops

    @cached_property
    def size(self) -> Array:
        """What every residual is measured in: the typical length, or 1 rad."""
        loop = [1.0, *[self.scale] * 2] if self.m.plane else [1.0] * 3 + [self.scale] * 3
        loops = loop * len(self.tree.closing)
        return np.array([*[1.0] * len(self.still), *loops, *[1.0] * self.wanted])

    @cached_property
    def units(self) -> Array:
        """What every velocity is measured in: the typical length, or 1 rad."""
        kinds = {
            rate: kind
            for joint in self.m.joints
            for rate, kind in zip(joint.velocities(), _velocity_kinds(joint), strict=True)
        }
        names = [self.tree.velocities[i] for i in self.tree.free_v]
        return np.array([self.scale if kinds[name] == "length" else 1.0 for name in names])

    @cached_property
    def q_units(self) -> Array:
        """The same for every coordinate."""
        kinds = {
            name: kind
            for joint in self.m.joints
            for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
        }
        names = [self.tree.coordinates[i] for i in self.tree.free_q]
        return np.array([self.scale if kinds[name] == "length" else 1.0 for name in names])

    @cached_property
    def own(self) -> Array:
        """Place in v of the rate of every coordinate that is its own velocity, else -1."""
        place = {i: k for k, i in enumerate(self.tree.free_v)}
        names = [self.tree.coordinates[i] for i in self.tree.free_q]
        return np.array([place.get(self.tree.rates.get(name, -1), -1) for name in names], dtype=int)

    def gaps(
        self, q: Any, wanted: Any, clock: Any, *, check_finite: bool = True
    ) -> tuple[Array, Array]:
        """Phi and J, shape (..., rows) and (..., rows, nv); for many unknowns use `jacobian`."""
        residual = self.residuals(q, wanted, clock, check_finite=check_finite)
        values = self._entries(q, wanted, clock, check_finite=check_finite)
        J = np.zeros((*residual.shape, self.tree.nv))
        J[(..., *self._pattern)] = values
        return residual, J

    def jacobian(self, q: Array, wanted: Array, clock: Array) -> sparse.csr_matrix:
        """J at one position, as a sparse matrix."""
        from scipy import sparse

        values = self._entries(q, wanted, clock)
        shape = (len(self.owners), self.tree.nv)
        return sparse.csr_matrix((values, self._pattern), shape=shape)

    @cached_property
    def residuals(self) -> Compiled:
        """(q, wanted, clock) -> Phi."""

        def written(q: Array, wanted: Array, clock: Array) -> Any:
            return _stack(self._rows(q, wanted, clock[0]), "residual")

        return self._compiled(written, "q", "wanted", "clock")

    @cached_property
    def _pattern(self) -> tuple[Array, Array]:
        """Rows and columns of the entries of J."""
        lines = _lines(self._rows(self.drawn, None, 0.0))
        pairs = [(i, j) for i, line in enumerate(lines) for j in line]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        return np.array(rows, dtype=int), np.array(columns, dtype=int)

    @cached_property
    def _entries(self) -> Compiled:
        """(q, wanted, clock) -> the entries of J."""

        def written(q: Array, wanted: Array, clock: Array) -> Any:
            lines = _lines(self._rows(q, wanted, clock[0]))
            return np.array([entry for line in lines for entry in line.values()], dtype=object)

        return self._compiled(written, "q", "wanted", "clock")

    @cached_property
    def newton(self) -> Compiled:
        """(q, wanted, clock) -> q after one step, the step, Phi before it."""

        def written(q: Array, wanted: Array, clock: Array) -> Any:
            rows = self._rows(q, wanted, clock[0])
            residual = _stack(rows, "residual")
            x = self._solved(_lines(rows), -residual)[0]
            return moved(self.tree, q, x), x, residual

        return self._compiled(written, "q", "wanted", "clock")

    @cached_property
    def rates(self) -> Compiled:
        """(q, wanted, speed, clock) -> v, a, the rates of q, and the pivots of J."""
        return self._compiled(self._rates, "q", "wanted", "speed", "clock")

    def _rates(self, q: Array, wanted: Array, speed: Array, clock: Array) -> Any:
        rows = self._rows(q, wanted, clock[0])
        lines = _lines(rows)
        rate = _stack(rows, "rate") * clock[1]
        second = _stack(rows, "acceleration") * (clock[1] * clock[1])
        if self.wanted:
            rate[-self.wanted :] = rate[-self.wanted :] + speed
        v, pivots = self._solved(lines, rate)
        a = self._solved(lines, second - self._turning(lines, q, v))[0]
        return v, a, rates_of(self.tree, q, v), np.array(pivots, dtype=object)

    def _turning(self, lines: list[Line], q: Array, v: Array) -> Array:
        """J' v: the rate of J v while v stays, by differentiating the graph along q' = q'(v)."""
        names = [f"_v[{i}]" for i in range(self.tree.nv)]
        still = np.array([variable(name) for name in names], dtype=object)
        moving = {f"q[{i}]": as_expr(s) for i, s in enumerate(rates_of(self.tree, q, still))}
        products = [_product(line, still) for line in lines]
        values = {name: as_expr(x) for name, x in zip(names, v, strict=True)}
        return np.array(substitute_all(directional(products, moving), values), dtype=object)

    def _solved(self, lines: list[Line], right: Array) -> tuple[Array, list[Any]]:
        """x with J x = right, and the pivots."""
        known, pivots = solved_lines(lines, [[value] for value in right])
        x = np.zeros(self.tree.nv, dtype=object)
        for j, (value,) in known.items():
            x[j] = value
        return x, pivots

    def _rows(self, q: Array, wanted: Array | None, t: Any) -> list[Row]:
        """All rows; the additions to the drives taken off their residuals."""
        values = np.zeros(len(self.held)) if wanted is None else wanted[: len(self.held)]
        held = dict(zip(self.held, values, strict=True))
        still = [_still(k) for k in self.still]
        rows = [*still, *equations(self.tree, q, t, held, self.drives)]
        if wanted is None or not self.drives:
            return rows
        start = len(self.held)
        for k in range(len(rows) - len(self.drives), len(rows)):
            count = len(rows[k].residual)
            rows[k] = replace(rows[k], residual=rows[k].residual - wanted[start : start + count])
            start += count
        return rows

    def _compiled(self, formula: Callable[..., Any], *inputs: str) -> Compiled:
        sizes = {"q": self.tree.nq, "wanted": self.wanted, "speed": self.wanted, "clock": 2}
        chosen = {name: sizes[name] for name in inputs}
        return compile_program(trace(formula, chosen, self.m.name or "the mechanism"))


def loop_system(m: Mechanism, held: tuple[str, ...] = (), *, drives: bool = True) -> LoopSystem:
    """The loop equations of a mechanism, with its drives or without."""
    tree = tree_of(m)
    return LoopSystem(tree, held, tree.m.drives if drives else ())


def _still(k: int) -> Row:
    """A velocity kept at zero."""
    zero = np.zeros(1)
    return Row("idle", zero, {k: np.ones(1)}, zero, zero)


def rates_of(tree: Tree, q: Array, v: Array) -> Array:
    """Rates of the independent coordinates."""
    q_all = all_coordinates(tree, q)
    v_all = velocity_map(tree, q_all) @ v
    found, i, k = [np.zeros(0)], 0, 0
    for joint in tree.m.joints:
        if joint.nv:
            found.append(joint.qdot(q_all[i : i + joint.nq], v_all[k : k + joint.nv]))
        i, k = i + joint.nq, k + joint.nv
    return np.concatenate(found)[list(tree.free_q)]


def moved(tree: Tree, q: Array, x: Array) -> Array:
    """Coordinates after a small motion x in the velocities; quaternions stay unit."""
    found = np.array(q + rates_of(tree, q, x), dtype=object)
    place = {tree.coordinates[i]: k for k, i in enumerate(tree.free_q)}
    for joint in tree.m.joints:
        if joint.nq > joint.nv:
            last = [place[name] for name in joint.coordinates()[-4:]]
            found[last] = found[last] / np.sqrt(found[last] @ found[last])
    return found


def _lines(rows: list[Row]) -> list[Line]:
    """The entries of every row of J, by velocity."""
    found: list[Line] = []
    for row in rows:
        found += [{j: row.J[j][i] for j in sorted(row.J)} for i in range(len(row.residual))]
    return found


def _product(line: Line, v: Array) -> Expr:
    """One row of J times v."""
    total: Any = 0.0
    for j, entry in line.items():
        total = total + entry * v[j]
    return as_expr(total)


def _stack(rows: list[Row], key: str) -> Array:
    return np.concatenate([getattr(row, key) for row in rows]).astype(object)


def _velocity_kinds(joint: Joint) -> list[str]:
    """Kinds of a joint's velocities: those of its coordinates, a quaternion's are angles."""
    kinds = list(joint.coordinate_kinds)
    return kinds if joint.nq == joint.nv else [*["angle"] * 3, *kinds[: joint.nv - 3]]
