"""The equations of a mechanism's loops and drives as compiled programs.

    gaps     Phi(q, t) and J(q)                    for whoever solves with them numerically
    newton   q + x with J x = -Phi, the step x, Phi    one step of Newton's method
    rates    v and a with  J v = f',  J a = f'' - J' v,  the rates of q, pivots of J, Phi

Coordinates that are `held` and drives come last among the rows; the input `wanted` has the values
of the held coordinates and an addition to every drive (zero on the way the drives prescribe), and
`speed` is how fast these change. `clock` is the time and how fast it runs: 1, or 0 where it stands
still. Newton steps and rates are for systems that leave nothing free.

The equations are traced once and these programs made from them; a large system is taken in pieces
where it can be (pieces.py), so that the work grows with the number of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen import Compiled, compile_program, program_of, symbols
from ..expr.node import Expr, recorded
from ..kinematics.couplings import all_coordinates
from ..kinematics.orthogonal import Line, matched, present, solved_lines
from ..kinematics.rates import coordinate_rates, moved, turning
from ..kinematics.rows import Row, entries, equations
from ..model.drawing import drawing
from ..model.drive import Drive
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.store import kept
from ..verbs.systems import any_system
from .fused import advance, between
from .idle import Still, still_row, still_velocity
from .piece_programs import Given, PieceSystem
from .pieces import pieces_of, places_of

if TYPE_CHECKING:
    from scipy import sparse

CLOSED = 1e-13
"""Residual of closed loops near the origin."""
FUSED = 1000
"""Operations of the equations up to which whole steps are one program."""
DENSE = 300
"""Rows and unknowns up to which matrices are dense."""
MANY = 12
"""Loops from which a system is taken in pieces."""


@dataclass(frozen=True, eq=False)
class _Written:
    """The equations in symbols."""

    q: Array
    wanted: Array
    clock: Array
    rows: list[Row]
    lines: list[Line]
    order: list[Expr]
    """The operations in the order in which they were asked for."""


@dataclass(frozen=True, eq=False)
class LoopSystem:
    """Loops, held coordinates and drives of a mechanism."""

    tree: Tree
    held: tuple[str, ...]
    drives: tuple[Drive, ...]
    still: tuple[Still, ...] = ()
    """Idle freedoms kept still, such as the spin of a roller."""

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.tree.m

    @cached_property
    def scale(self) -> float:
        """A typical length of the mechanism."""
        return drawing(self.m).scale

    @cached_property
    def closed(self) -> float:
        """Residual of closed loops, in typical lengths and radians: what rounding leaves."""
        farthest = max(float(np.abs(X.p).max()) for X in drawing(self.m).X_WM.values())
        return max(CLOSED, 4 * float(np.finfo(float).eps) * farthest / self.scale)

    @property
    def tolerance(self) -> float:
        """Residual above which a position is open, in typical lengths and radians."""
        return 1e3 * self.closed

    @cached_property
    def spare_drives(self) -> int:
        """How many rows of drives and held coordinates follow from the others in the drawing.

        Not asked of systems so large that a dense rank would take longer than the motion.
        """
        if not self.tree.nv < len(self.owners) <= DENSE:
            return 0
        J = self.gaps(self.drawn, np.zeros(self.wanted), np.zeros(2))[1] / self.size[:, None]
        loops = J[: len(J) - self.wanted]
        ranks = [int(np.linalg.matrix_rank(A, rtol=1e-9)) for A in (J, loops)]
        return self.wanted - (ranks[0] - ranks[1])

    @cached_property
    def drawn(self) -> Array:
        """The independent coordinates of the drawing."""
        placed = drawing(self.m)
        q_all = np.concatenate([np.zeros(0), *(placed.q[joint.name] for joint in self.m.joints)])
        return np.asarray(q_all[list(self.tree.free_q)], dtype=float)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """Whose equation every row is."""
        closing = {joint.name for joint in self.tree.closing}
        loops = [joint.name for joint in self.m.joints if joint.name in closing]
        drives = [drive.name for drive in self.drives for _ in range(drive.count)]
        return (
            *["idle"] * len(self.still),
            *(name for name in loops for _ in range(self._height)),
            *self.held,
            *drives,
        )

    @property
    def _height(self) -> int:
        """Rows of a loop."""
        return 3 if self.m.plane else 6

    @cached_property
    def still_velocities(self) -> tuple[int, ...]:
        """Velocities that are zero because a link with no other freedom is kept still."""
        alone = [still_velocity(self.tree, still) for still in self.still]
        return tuple(k for k in alone if k is not None)

    @property
    def wanted(self) -> int:
        """Count of rows that are not loops: held coordinates and drives."""
        return len(self.held) + sum(drive.count for drive in self.drives)

    @cached_property
    def size(self) -> Array:
        """What every residual is measured in: the typical length, or 1 rad."""
        loop = [1.0, *[self.scale] * 2] if self.m.plane else [1.0] * 3 + [self.scale] * 3
        loops = loop * len(self.tree.closing)
        return np.array([*[1.0] * len(self.still), *loops, *[1.0] * self.wanted])

    @cached_property
    def units(self) -> Array:
        """What every velocity is measured in: the typical length, or 1 rad."""
        return np.array([self.scale if x == "length" else 1.0 for x in self.tree.velocity_kinds])

    @cached_property
    def q_units(self) -> Array:
        """The same for every coordinate."""
        return np.array([self.scale if x == "length" else 1.0 for x in self.tree.coordinate_kinds])

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
        if self.pieces is not None:
            return compile_program(self.pieces.residuals())
        return self._compiled(lambda at: _stack(at.rows, "residual"), "q", "wanted", "clock")

    @cached_property
    def _pattern(self) -> tuple[Array, Array]:
        """Rows and columns of the entries of J."""
        if self.pieces is not None:
            return self._piece_entries[1:]
        pairs = [(i, j) for i, line in enumerate(self._written.lines) for j in line]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        return np.array(rows, dtype=int), np.array(columns, dtype=int)

    @cached_property
    def _entries(self) -> Compiled:
        """(q, wanted, clock) -> the entries of J."""
        if self.pieces is not None:
            return compile_program(self._piece_entries[0])

        def written(at: _Written) -> Any:
            return np.array([entry for line in at.lines for entry in line.values()], dtype=object)

        return self._compiled(written, "q", "wanted", "clock")

    @cached_property
    def newton(self) -> Compiled:
        """(q, wanted, clock) -> q after one step, the step, Phi before it."""
        if self.pieces is not None and self.in_order:
            return compile_program(self.pieces.newton())

        return self._compiled(lambda _: self._newton, "q", "wanted", "clock")

    @cached_property
    def _newton(self) -> tuple[Array, ...]:
        at = self._written
        residual = _stack(at.rows, "residual")
        x = self._solved(at.lines, -residual)[0]
        return moved(self.tree, at.q, x), x, residual

    @cached_property
    def rates(self) -> Compiled:
        """(q, wanted, speed, clock) -> v, a, the rates of q, the pivots of J, and Phi."""
        if self.pieces is not None and self.in_order:
            return compile_program(self.pieces.rates())
        return self._compiled(lambda _: self._rates, "q", "wanted", "speed", "clock")

    @cached_property
    def small(self) -> bool:
        """Whether whole steps along a path are worth a program of their own."""
        return self.pieces is None and len(self._written.order) <= FUSED

    @cached_property
    def solvable(self) -> bool:
        """Whether every velocity has a row of its own, so that Newton steps can be written."""
        if self.pieces is not None:
            return self.in_order
        lines = enumerate(self._written.lines)
        rows = {i: {j: x for j, x in line.items() if present(x)} for i, line in lines}
        return len(matched({i: row for i, row in rows.items() if row})) == self.tree.nv

    @cached_property
    def advance(self) -> Compiled:
        """(q, rate, bend, h, wanted, speed, clock) -> see fused.py."""
        inputs = "q", "rate", "bend", "h", "wanted", "speed", "clock"
        return self._compiled(lambda _: advance(self, self._newton, self._rates), *inputs)

    @cached_property
    def between(self) -> Compiled:
        """(cubic, u, wanted, clock) -> see fused.py."""
        return self._compiled(
            lambda _: between(self, self._newton), "cubic", "u", "wanted", "clock"
        )

    @cached_property
    def _rates(self) -> tuple[Array, ...]:
        at = self._written
        rate = _stack(at.rows, "rate") * at.clock[1]
        second = _stack(at.rows, "acceleration") * (at.clock[1] * at.clock[1])
        if self.wanted:
            rate[-self.wanted :] = rate[-self.wanted :] + symbols("speed", self.wanted)
        v, pivots = self._solved(at.lines, rate)
        a = self._solved(at.lines, second - self._turning(at, v))[0]
        own = coordinate_rates(self.tree, at.q, v)
        return v, a, own, np.array(pivots, dtype=object), _stack(at.rows, "residual")

    def _turning(self, at: _Written, v: Array) -> Array:
        """J' v."""

        def moving(still: Array) -> dict[str, Any]:
            rates = coordinate_rates(self.tree, at.q, still)
            return {f"q[{i}]": rate for i, rate in enumerate(rates)}

        return np.array(turning(at.lines, v, moving), dtype=object)

    def _solved(self, lines: list[Line], right: Array) -> tuple[Array, list[Any]]:
        """x with J x = right, and the pivots."""
        known, pivots = solved_lines(lines, [[value] for value in right])
        x = np.zeros(self.tree.nv, dtype=object)
        for j, (value,) in known.items():
            x[j] = value
        return x, pivots

    @cached_property
    def pieces(self) -> PieceSystem | None:
        """The system in pieces, if it is large and only coordinates are given; else None."""
        given = self._given()
        if len(self.tree.closing) < MANY or self.tree.couplings or given is None:
            return None
        places = places_of(self.m.joints)
        found = pieces_of(self.tree, {item.v for item in given}, places)
        sizes = {"q": self.tree.nq, "v": self.tree.nv, "rows": len(self.owners)}
        sizes |= {"wanted": self.wanted, "speed": self.wanted, "clock": 2}
        first, name = len(self.still), self.m.name or "the mechanism"
        all_joints = tuple(joint for joint in self.m.joints if joint.nv)
        return PieceSystem(
            name, all_joints, places, tuple(given), tuple(found), sizes, first, self._height
        )

    @property
    def in_order(self) -> bool:
        """Whether the pieces can be solved one after the other."""
        if self.pieces is None:
            return False
        owned = sum(len(piece.unknowns) for piece in self.pieces.pieces)
        return owned + len(self.pieces.given) == self.tree.nv

    @cached_property
    def _piece_entries(self) -> tuple[Any, Array, Array]:
        if self.pieces is None:
            raise AssertionError("a system that is not in pieces")
        return self.pieces.entries()

    def _given(self) -> list[Given] | None:
        """Coordinates that are held, driven or still; None if something else is driven."""
        if any(drive.coordinate is None for drive in self.drives):
            return None
        place = {name: i for i, name in enumerate(self.tree.coordinates)}
        names = {j: name for name, j in self.tree.rates.items()}
        still = self.still_velocities
        if len(still) < len(self.still) or not all(self.tree.free_v[k] in names for k in still):
            return None
        found = [
            Given(place[names[self.tree.free_v[k]]], k, row, None, _zero, "still")
            for row, k in enumerate(still)
        ]
        first = len(self.owners) - self.wanted
        wanted: list[tuple[str, Hashable, Callable[[Any], list[Any]]]]
        wanted = [(name, "held", _zero) for name in self.held]
        wanted += [(str(d.coordinate), d.laws, _law(d)) for d in self.drives]
        for k, (name, key, f) in enumerate(wanted):
            item = Given(place[name], self.tree.rates[name], first + k, k, f, key)
            found.append(item)
        return found if len({item.v for item in found}) == len(found) else None

    def _rows(self, q: Array, wanted: Array | None, t: Any) -> list[Row]:
        """All rows; the additions to the drives taken off their residuals."""
        values = np.zeros(len(self.held)) if wanted is None else wanted[: len(self.held)]
        held = dict(zip(self.held, values, strict=True))
        q_all = all_coordinates(self.tree, q)
        still = [still_row(self.tree, q_all, each) for each in self.still]
        rows = [*still, *equations(self.tree, q, t, held, self.drives)]
        if wanted is None or not self.drives:
            return rows
        start = len(self.held)
        for k in range(len(rows) - len(self.drives), len(rows)):
            count = len(rows[k].residual)
            rows[k] = replace(rows[k], residual=rows[k].residual - wanted[start : start + count])
            start += count
        return rows

    @cached_property
    def _written(self) -> _Written:
        q, wanted = symbols("q", self.tree.nq), symbols("wanted", self.wanted)
        clock = symbols("clock", 2)
        with recorded() as order:
            rows = self._rows(q, wanted, clock[0])
        return _Written(q, wanted, clock, rows, entries(rows), order)

    def _compiled(self, formula: Callable[[_Written], Any], *inputs: str) -> Compiled:
        sizes = dict.fromkeys(("q", "rate", "bend"), self.tree.nq)
        sizes |= {"wanted": self.wanted, "speed": self.wanted, "clock": 2}
        sizes |= {"h": 1, "u": 1, "cubic": 4 * self.tree.nq}
        with recorded() as order:
            results = formula(self._written)
        chosen, name = [(key, sizes[key]) for key in inputs], self.m.name or "the mechanism"
        return compile_program(program_of(chosen, results, name, [*self._written.order, *order]))


def loop_system(m: Mechanism, held: tuple[str, ...] = (), *, drives: bool = True) -> LoopSystem:
    """The loop equations of a mechanism, with its drives or without; kept with m."""
    tree = any_system(m).tree
    own = tree.m.drives if drives else ()
    return kept(m, ("loops", held, drives), lambda: LoopSystem(tree, held, own))


def _zero(_: Any) -> list[Any]:
    return [0.0, 0.0, 0.0]


def _law(drive: Drive) -> Callable[[Any], list[Any]]:
    """t -> f, f', f'' of a drive of one coordinate."""
    return lambda t: list(drive.motion(t)[0])


def _stack(rows: list[Row], key: str) -> Array:
    return np.concatenate([np.zeros(0), *(getattr(row, key) for row in rows)]).astype(object)
