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

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen import symbols
from ..codegen.repetition import CONSTANTS, Repeater, Repetition, Spot
from ..kinematics.orthogonal import Line
from ..kinematics.rates import moved_joint, solved_velocities, turning
from ..kinematics.rows import entries
from ..model.drive import Drive
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..system.numbers import apart
from ..system.tree import Slices, places_of
from .loops import Loops
from .pieces import Piece, pieces_of


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

    loops: Loops
    places: Slices
    given: list[Given]
    pieces: list[Piece]

    @property
    def joints(self) -> list[Joint]:
        """Joints that can move."""
        return [joint for joint in self.loops.m.joints if joint.nv]

    @property
    def solvable(self) -> bool:
        """Whether the pieces can be solved one after the other."""
        return len(self.given) + sum(len(x.unknowns) for x in self.pieces) == self.loops.tree.nv

    def residuals(self) -> Repetition:
        """(q, wanted, clock) -> Phi."""
        program = _Program(self, ("q", "wanted", "clock"))
        for item in self.given:
            program.given(item, lambda r, *_: [r], [Spot("out0", item.row)])
        for piece in self.pieces:
            program.piece(piece, _piece_residual, (), self._rows("out0", piece))
        return program.made(len(self.loops.owners))

    def newton(self) -> Repetition:
        """(q, wanted, clock) -> q after one step, the step, Phi before it."""
        program = _Program(self, ("q", "wanted", "clock"))
        for item in self.given:
            spots = [Spot("out1", item.v), Spot("out2", item.row)]
            program.given(item, lambda r, *_: [-r, r], spots)
        for piece in self.pieces:
            writes = [*self._owned("out1", piece), *self._rows("out2", piece)]
            program.piece(piece, _piece_step, ("out1",), writes)
        for joint in self.joints:
            program.joint(joint, moved_joint, "out1", "out0")
        tree, rows = self.loops.tree, len(self.loops.owners)
        return program.made(tree.nq, tree.nv, rows)

    def rates(self) -> Repetition:
        """(q, wanted, speed, clock) -> v, a, the rates of q, the pivots of J, and Phi."""
        program = _Program(self, ("q", "wanted", "speed", "clock"))
        for item in self.given:
            spots = [Spot("out0", item.v), Spot("out1", item.v), Spot("out4", item.row)]
            program.given(item, lambda r, v, a: [v, a, r], spots)
        for piece in self.pieces:
            own = [*self._owned("out0", piece), *self._owned("out1", piece)]
            writes = [*own, *self._rows("out4", piece)]
            program.piece(piece, _piece_rates, ("out0", "out1"), writes, "out3")
        for joint in self.joints:
            program.joint(joint, lambda joint, q, v: joint.qdot(q, v), "out0", "out2")
        tree, rows = self.loops.tree, len(self.loops.owners)
        return program.made(tree.nv, tree.nv, tree.nq, program.rest, rows)

    def entries(self) -> tuple[Repetition, Array, Array]:
        """(q, wanted, clock) -> the entries of J, and the rows and columns they stand in."""
        program = _Program(self, ("q", "wanted", "clock"))
        rows, columns = [item.row for item in self.given], [item.v for item in self.given]
        for k, item in enumerate(self.given):
            program.given(item, lambda *_: [1.0], [Spot("out0", k)])
        lines: dict[Hashable, list[Line]] = {}
        for piece in self.pieces:
            if piece.key not in lines:
                lines[piece.key] = entries(piece.rows(local_symbols("q", piece, "nq")))
            start, place = len(rows), piece.velocities(self.places)
            for (_, row, _), line in zip(self._rows("", piece), lines[piece.key], strict=True):
                rows += [row] * len(line)
                columns += [place[j] for j in line]
            spots = [Spot("out0", k) for k in range(start, len(rows))]
            program.piece(piece, _piece_entries, (), spots)
        return program.made(len(rows)), np.array(rows), np.array(columns)

    def _rows(self, array: str, piece: Piece) -> list[Spot]:
        first, height = len(self.loops.still), self.loops.height
        starts = [first + height * k for k in piece.members]
        return [Spot(array, start + i) for start in starts for i in range(height)]

    def _owned(self, array: str, piece: Piece) -> list[Spot]:
        place = piece.velocities(self.places)
        return [Spot(array, place[j]) for j in piece.unknowns]


def piece_system(loops: Loops) -> PieceSystem | None:
    """Loops in pieces, where nothing but coordinates is given; else None."""
    given, tree = _given(loops), loops.tree
    if tree.couplings or given is None:
        return None
    places = places_of(loops.m.joints)
    pieces = pieces_of(tree, {item.v for item in given}, places)
    return PieceSystem(loops, places, given, pieces)


def _given(loops: Loops) -> list[Given] | None:
    """Coordinates that are held, driven or still; None if something else is driven."""
    tree, still = loops.tree, loops.still_velocities
    place = {name: i for i, name in enumerate(tree.coordinates)}
    names = {j: name for name, j in tree.rates.items()}
    if any(drive.coordinate is None for drive in loops.drives):
        return None
    if len(still) < len(loops.still) or not all(tree.free_v[k] in names for k in still):
        return None
    found = [
        Given(place[names[tree.free_v[k]]], k, row, None, _zero, "still")
        for row, k in enumerate(still)
    ]
    wanted: list[tuple[str, Hashable, Callable[[Any], list[Any]]]]
    wanted = [(name, "held", _zero) for name in loops.held]
    wanted += [(str(drive.coordinate), drive.laws, _law(drive)) for drive in loops.drives]
    for k, (name, key, f) in enumerate(wanted):
        row = len(loops.owners) - loops.wanted + k
        found.append(Given(place[name], tree.rates[name], row, k, f, key))
    return found if len({item.v for item in found}) == len(found) else None


def _zero(_: Any) -> list[Any]:
    return [0.0, 0.0, 0.0]


def _law(drive: Drive) -> Callable[[Any], list[Any]]:
    """t -> f, f', f'' of a drive of one coordinate."""
    return lambda t: list(drive.motion(t)[0])


def local_symbols(name: str, piece: Piece, count: str) -> Array:
    """Symbols name0[0], ... of the coordinates or velocities of every joint of a piece."""
    found = [symbols(f"{name}{i}", getattr(joint, count)) for i, joint in enumerate(piece.joints)]
    return np.concatenate([np.zeros(0, dtype=object), *found])


class _Program(Repeater):
    """The rows of given coordinates, pieces and joints; results of unknown number go to a rest."""

    def __init__(self, system: PieceSystem, inputs: tuple[str, ...]) -> None:
        super().__init__()
        self.system, self.inputs, self.rest = system, inputs, 0
        self.more: dict[Hashable, int] = {}

    def given(self, item: Given, pick: Callable[..., list[Any]], writes: list[Spot]) -> None:
        """One given coordinate: what is picked of its residual, velocity and acceleration."""
        spots = {"q": Spot("in0", item.q), "clock": Spot(f"in{len(self.inputs) - 1}", 0)}
        if item.wanted is not None:
            spots |= {"wanted": Spot("in1", item.wanted), "speed": Spot("in2", item.wanted)}
        key = ("given", item.key, item.wanted is None)
        self._take(key, lambda: pick(*_given_values(item)), spots, writes)

    def piece(
        self,
        piece: Piece,
        formula: Callable[[Piece], list[Any]],
        known: tuple[str, ...],
        writes: list[Spot],
        rest: str = "",
    ) -> None:
        """One piece; results beyond `writes` go to the array `rest`."""
        spots = {"c": Spot(CONSTANTS, len(self.constants))}
        for i, joint in enumerate(piece.joints):
            q, v = self.system.places[joint.name]
            spots[f"q{i}"] = Spot("in0", q.start)
            for name, array in zip("va", known, strict=False):
                spots[f"{name}{i}"] = Spot(array, v.start)
        self.constants += piece.numbers
        self._take(("piece", piece.key), lambda: formula(piece), spots, writes, rest)

    def joint(self, joint: Joint, formula: Callable[..., Any], given: str, to: str) -> None:
        """One joint: from its coordinates and velocities to a new value of its coordinates."""
        q, v = self.system.places[joint.name]
        self._take(
            ("joint", apart(joint)[0]),
            lambda: list(formula(joint, symbols("q", joint.nq), symbols("v", joint.nv))),
            {"q": Spot("in0", q.start), "v": Spot(given, v.start)},
            [Spot(to, i) for i in range(q.start, q.stop)],
        )

    def _take(
        self,
        key: Hashable,
        formula: Callable[[], list[Any]],
        reads: dict[str, Spot],
        writes: list[Spot],
        rest: str = "",
    ) -> None:
        """A row; its step is traced where there is none yet."""

        def found(_: Any) -> dict[str, Any]:
            results = formula()
            self.more[key] = len(results) - len(writes)
            return dict(zip([*to, "rest"], [*results[: len(to)], results[len(to) :]], strict=True))

        to = {f"to{k}": spot for k, spot in enumerate(writes)}
        self.formula(key, found, {**reads, **to, "rest": Spot(rest, self.rest)})
        self.rest += self.more[key]

    def made(self, *results: int) -> Repetition:
        """The program with results of these sizes."""
        loops = self.system.loops
        sizes = {"q": loops.tree.nq, "clock": 2}
        inputs = [(name, sizes.get(name, loops.wanted)) for name in self.inputs]
        name = loops.m.name or "the mechanism"
        return self.repetition(name, inputs, tuple((size,) for size in results))


def _given_values(item: Given) -> tuple[Any, Any, Any]:
    """Residual, velocity and acceleration of a given coordinate."""
    clock = symbols("clock", 2)
    f, rate, second = item.f(clock[0])
    v, a = rate * clock[1], second * (clock[1] * clock[1])
    if item.wanted is None:
        return 0.0, v, a
    q, wanted, speed = (symbols(name, 1)[0] for name in ("q", "wanted", "speed"))
    return q - f - wanted, v + speed, a


def _piece_residual(piece: Piece) -> list[Any]:
    return [x for row in piece.rows(local_symbols("q", piece, "nq")) for x in row.residual]


def _piece_entries(piece: Piece) -> list[Any]:
    lines = entries(piece.rows(local_symbols("q", piece, "nq")))
    return [x for line in lines for x in line.values()]


def _piece_step(piece: Piece) -> list[Any]:
    rows = piece.rows(local_symbols("q", piece, "nq"))
    residual = [x for row in rows for x in row.residual]
    known = local_symbols("v", piece, "nv")
    x, _ = solved_velocities(entries(rows), [-each for each in residual], known, piece.unknowns)
    return [*x, *residual]


def _piece_rates(piece: Piece) -> list[Any]:
    q, v, a = (local_symbols(name, piece, "nq" if name == "q" else "nv") for name in "qva")
    rows = piece.rows(q)
    lines = entries(rows)
    v_own, pivots = solved_velocities(lines, [0.0] * len(lines), v, piece.unknowns)
    v[list(piece.unknowns)] = v_own
    bends = turning(lines, v, lambda still: _named_rates(piece, still))
    a_own, _ = solved_velocities(lines, [-each for each in bends], a, piece.unknowns)
    return [*v_own, *a_own, *(x for row in rows for x in row.residual), *pivots]


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
