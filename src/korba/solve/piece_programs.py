"""The programs of a system of loops in pieces: formulas traced once for pieces that are alike.

A program goes through the given coordinates, then through the pieces in the order of solution, then
through the joints. Every one is a step of a repetition (codegen/repetition.py) that reads its
coordinates, what was solved before and its own numbers:

    newton   J_u x_u = -Phi - J_k x_k                              u unknown, k known before
    rates    J_u v_u = -J_k v_k,   J_u a_u = -J_k a_k - J' v

So the time to trace and compile depends on how many kinds of pieces there are, and the time a
position takes grows with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen import program_of
from ..codegen.repetition import CONSTANTS, Place, Repetition, Step
from ..expr import Expr
from ..expr.node import as_expr, postorder, recorded
from ..kinematics.local_motion import moved_joint, product, turning
from ..kinematics.orthogonal import Line, solved_lines
from ..kinematics.rows import entries
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..verbs.repetition.classes import apart
from .pieces import Piece, Slices, symbols

Spot = tuple[str, int]
"""An array of the program, and an offset in it."""
Made = tuple[Sequence[Any], list[Expr]]
"""Results, and the order in which they were asked for."""


@dataclass(frozen=True, eq=False)
class Given:
    """A coordinate with a value f(t) of its own, plus an addition that is wanted."""

    q: int
    v: int
    row: int
    wanted: int | None
    """Place of what is wanted; None where the velocity is kept at zero."""
    f: Callable[[Any], list[Any]]
    """t -> f, f', f''."""
    key: Hashable


@dataclass(frozen=True, eq=False)
class PieceSystem:
    """Given coordinates and pieces: all that a mechanism's loops ask for."""

    name: str
    joints: tuple[Joint, ...]
    places: Slices
    given: tuple[Given, ...]
    pieces: tuple[Piece, ...]
    sizes: dict[str, int]
    """Of q, v, wanted and rows."""
    first: int
    """The first row of loops."""
    height: int

    def residuals(self) -> Repetition:
        """(q, wanted, clock) -> Phi."""
        program = _Program(self, ("q", "wanted", "clock"))
        for item in self.given:
            program.given(item, _given_residual, [("out0", item.row)])
        for piece in self.pieces:
            program.piece(piece, _piece_residual, (), self._rows("out0", piece))
        return program.repetition(((self.sizes["rows"],),))

    def newton(self) -> Repetition:
        """(q, wanted, clock) -> q after one step, the step, Phi before it."""
        program = _Program(self, ("q", "wanted", "clock"))
        for item in self.given:
            program.given(item, _given_step, [("out1", item.v), ("out2", item.row)])
        for piece in self.pieces:
            writes = [*self._owned("out1", piece), *self._rows("out2", piece)]
            program.piece(piece, _piece_step, ("out1",), writes)
        for joint in self.joints:
            program.joint(joint, moved_joint, "out1", "out0")
        return program.repetition(((self.sizes["q"],), (self.sizes["v"],), (self.sizes["rows"],)))

    def rates(self) -> Repetition:
        """(q, wanted, speed, clock) -> v, a, the rates of q, the pivots of J, and Phi."""
        program = _Program(self, ("q", "wanted", "speed", "clock"))
        for item in self.given:
            spots = [("out0", item.v), ("out1", item.v), ("out4", item.row)]
            program.given(item, _given_rates, spots)
        count = 0
        for piece in self.pieces:
            own = [*self._owned("out0", piece), *self._owned("out1", piece)]
            writes = [*own, *self._rows("out4", piece)]
            more = program.piece(piece, _piece_rates, ("out0", "out1"), writes, ("out3", count))
            count += more
        for joint in self.joints:
            program.joint(joint, _rate, "out0", "out2")
        sizes = self.sizes["v"], self.sizes["v"], self.sizes["q"], count, self.sizes["rows"]
        shapes = tuple((size,) for size in sizes)
        return program.repetition(shapes)

    def entries(self) -> tuple[Repetition, Array, Array]:
        """(q, wanted, clock) -> the entries of J, and the rows and columns they stand in."""
        program = _Program(self, ("q", "wanted", "clock"))
        rows, columns = [item.row for item in self.given], [item.v for item in self.given]
        for k, item in enumerate(self.given):
            program.given(item, _given_entry, [("out0", k)])
        lines: dict[Hashable, list[Line]] = {}
        for piece in self.pieces:
            if piece.key not in lines:
                lines[piece.key] = entries(piece.rows(local_symbols("q", piece, "nq")))
            start, place = len(rows), piece.velocities(self.places)
            for (_, row), line in zip(self._rows("", piece), lines[piece.key], strict=True):
                rows += [row] * len(line)
                columns += [place[j] for j in line]
            spots = [("out0", k) for k in range(start, len(rows))]
            program.piece(piece, _piece_entries, (), spots)
        return program.repetition(((len(rows),),)), np.array(rows), np.array(columns)

    def _rows(self, array: str, piece: Piece) -> list[Spot]:
        starts = [self.first + self.height * k for k in piece.members]
        return [(array, start + i) for start in starts for i in range(self.height)]

    def _owned(self, array: str, piece: Piece) -> list[Spot]:
        place = piece.velocities(self.places)
        return [(array, place[j]) for j in piece.unknowns]


def local_symbols(name: str, piece: Piece, count: str) -> Array:
    """Symbols name0[0], ... of the coordinates or velocities of every joint of a piece."""
    found = [symbols(f"{name}{i}", getattr(joint, count)) for i, joint in enumerate(piece.joints)]
    return np.concatenate([np.zeros(0, dtype=object), *found])


@dataclass
class _Program:
    """Steps, rows and constants as they come."""

    system: PieceSystem
    inputs: tuple[str, ...]
    kinds: dict[Hashable, tuple[int, int, tuple[str, ...]]] = field(default_factory=dict)
    """Number, count of results and inputs of every step by its key."""
    steps: list[Step] = field(default_factory=list)
    rows: list[tuple[int, ...]] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)

    def given(self, item: Given, formula: Callable[[Given], Made], writes: list[Spot]) -> None:
        """One given coordinate."""
        spots = {"q": ("in0", item.q), "clock": (f"in{len(self.inputs) - 1}", 0)}
        if item.wanted is not None:
            spots |= {"wanted": ("in1", item.wanted), "speed": ("in2", item.wanted)}
        self._take(("given", item.key, item.wanted is None), lambda: formula(item), spots, writes)

    def piece(
        self,
        piece: Piece,
        formula: Callable[[Piece], Made],
        known: tuple[str, ...],
        writes: list[Spot],
        rest: Spot | None = None,
    ) -> int:
        """One piece; results beyond `writes` go to `rest`. Returns how many these are."""
        spots = {"c": (CONSTANTS, len(self.constants))}
        for i, joint in enumerate(piece.joints):
            q, v = self.system.places[joint.name]
            spots[f"q{i}"] = "in0", q.start
            for name, array in zip("va", known, strict=False):
                spots[f"{name}{i}"] = array, v.start
        self.constants += piece.numbers
        return self._take(("piece", piece.key), lambda: formula(piece), spots, writes, rest)

    def joint(self, joint: Joint, formula: Callable[..., Any], given: str, found: str) -> None:
        """One joint: from its coordinates and velocities to a new value of its coordinates."""

        def made() -> Made:
            with recorded() as order:
                results = formula(joint, symbols("q", joint.nq), symbols("v", joint.nv))
            return list(results), order

        q, v = self.system.places[joint.name]
        spots = {"q": ("in0", q.start), "v": (given, v.start)}
        self._take(
            ("joint", apart(joint)[0]),
            made,
            spots,
            [(found, i) for i in range(q.start, q.stop)],
        )

    def _take(
        self,
        key: Hashable,
        made: Callable[[], Made],
        spots: dict[str, Spot],
        writes: list[Spot],
        rest: Spot | None = None,
    ) -> int:
        """A row; its step is traced where there is none yet."""
        if key not in self.kinds:
            self._trace(key, made, spots, (writes, rest))
        number, count, names = self.kinds[key]
        more = count - len(writes)
        if rest is not None:
            writes = [*writes, *((rest[0], rest[1] + k) for k in range(more))]
        offsets = [spots[name][1] for name in names]
        self.rows.append((number, *offsets, *(offset for _, offset in writes)))
        return more

    def _trace(
        self,
        key: Hashable,
        made: Callable[[], Made],
        spots: dict[str, Spot],
        targets: tuple[list[Spot], Spot | None],
    ) -> None:
        results, order = made()
        values = np.empty(len(results), dtype=object)
        values[:] = [as_expr(each) for each in results]
        sizes = _used(values)
        names = tuple(name for name in spots if name in sizes)
        program = program_of([(name, sizes[name]) for name in names], values, "", order)
        reads = tuple(Place(spots[name][0], k + 1) for k, name in enumerate(names))
        writes, rest = targets
        arrays = [array for array, _ in writes]
        arrays += [rest[0]] * (len(results) - len(writes)) if rest else []
        places = [(Place(array, 1 + len(names) + k), 0) for k, array in enumerate(arrays)]
        self.kinds[key] = len(self.steps), len(results), names
        self.steps.append(Step(program, reads, tuple(places)))

    def repetition(self, shapes: tuple[tuple[int, ...], ...]) -> Repetition:
        """The program."""
        sizes = {**self.system.sizes, "speed": self.system.sizes["wanted"], "clock": 2}
        inputs = tuple((name, sizes[name]) for name in self.inputs)
        body = tuple(self.steps), tuple(self.rows), tuple(self.constants)
        return Repetition(self.system.name, inputs, shapes, *body, 0, len(shapes) == 1)


def _used(values: Array) -> dict[str, int]:
    """Inputs that stand in the results, with the size they must have."""
    found: dict[str, int] = {}
    for e in postorder(values):
        if e.op == "variable":
            name, number = str(e.value)[:-1].split("[")
            found[name] = max(found.get(name, 0), int(number) + 1)
    return found


def _given_values(item: Given) -> tuple[Any, list[Any], Array]:
    """Residual, f, f', f'' and the clock of a given coordinate."""
    clock = symbols("clock", 2)
    f = item.f(clock[0])
    if item.wanted is None:
        return 0.0, f, clock
    return symbols("q", 1)[0] - f[0] - symbols("wanted", 1)[0], f, clock


def _given_residual(item: Given) -> Made:
    return [_given_values(item)[0]], []


def _given_step(item: Given) -> Made:
    residual = _given_values(item)[0]
    return [-residual, residual], []


def _given_rates(item: Given) -> Made:
    residual, f, clock = _given_values(item)
    speed = 0.0 if item.wanted is None else symbols("speed", 1)[0]
    return [f[1] * clock[1] + speed, f[2] * (clock[1] * clock[1]), residual], []


def _given_entry(_: Given) -> Made:
    return [1.0], []


def _piece_residual(piece: Piece) -> Made:
    with recorded() as order:
        rows = piece.rows(local_symbols("q", piece, "nq"))
    return [x for row in rows for x in row.residual], order


def _piece_entries(piece: Piece) -> Made:
    with recorded() as order:
        lines = entries(piece.rows(local_symbols("q", piece, "nq")))
    return [x for line in lines for x in line.values()], order


def _piece_step(piece: Piece) -> Made:
    with recorded() as order:
        rows = piece.rows(local_symbols("q", piece, "nq"))
        residual = [x for row in rows for x in row.residual]
        x, _ = _solved(piece, entries(rows), [-each for each in residual], "v")
    return [*x, *residual], order


def _piece_rates(piece: Piece) -> Made:
    with recorded() as order:
        q, v = local_symbols("q", piece, "nq"), local_symbols("v", piece, "nv")
        rows = piece.rows(q)
        lines = entries(rows)
        v_own, pivots = _solved(piece, lines, [0.0] * len(lines), "v")
        v[list(piece.unknowns)] = v_own
        bends = turning(lines, v, lambda still: _named_rates(piece, still))
        a_own, _ = _solved(piece, lines, [-each for each in bends], "a")
    residual = [x for row in rows for x in row.residual]
    return [*v_own, *a_own, *residual, *pivots], order


def _solved(
    piece: Piece, lines: list[Line], right: list[Any], name: str
) -> tuple[list[Any], list[Any]]:
    """The unknowns of a piece, and the pivots; what is known goes to the right."""
    known, own = local_symbols(name, piece, "nv"), set(piece.unknowns)
    outside = [{j: entry for j, entry in line.items() if j not in own} for line in lines]
    inside = [{j: entry for j, entry in line.items() if j in own} for line in lines]
    rights = [[b - product(line, known)] for b, line in zip(right, outside, strict=True)]
    found, pivots = solved_lines(inside, rights)
    return [found[j][0] for j in piece.unknowns], pivots


def _named_rates(piece: Piece, v: Array) -> dict[str, Any]:
    """Rates of the local coordinates by name."""
    found: dict[str, Any] = {}
    k = 0
    for i, joint in enumerate(piece.joints):
        if joint.nv:
            rates = joint.qdot(symbols(f"q{i}", joint.nq), v[k : k + joint.nv])
            found |= {f"q{i}[{n}]": rate for n, rate in enumerate(rates)}
        k += joint.nv
    return found


def _rate(joint: Joint, q: Array, v: Array) -> Array:
    return joint.qdot(q, v)
