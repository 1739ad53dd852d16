"""The equations of a mechanism's loops and drives as compiled programs.

Coordinates that are `held` and drives come last among the rows; the input `wanted` has the values
of the held coordinates and an addition to every drive (zero on the way the drives prescribe), and
`speed` is how fast these change. `clock` is the time and how fast it runs: 1, or 0 where it stands
still. Newton steps and rates are for systems that leave nothing free.

Programs are those of the whole system (equations.py); a large system is taken in pieces where it
can be (pieces.py), so that the work grows with the number of loops.

A step of path following is a routine: prediction, correction, the rates there, the way back. From a
position with its rate and bend, a step h along the path leads to

    q + h q' + h^2/2 q'',    three steps of Newton's method,    the new q' and q''

The measures tell how large the corrections were and how far the way back misses; whether that is
fair is decided in follow.py. Source: Gronowicz (2003), (2.147).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Compiled, compile_cached, compile_program, program_of, trace
from ..codegen.callable.numbered import Numbered
from ..codegen.routine import AnyProgram, Routine, call, packed, routine
from ..codegen.routine.following import led
from ..errors import ExpressionError, StructureError
from ..kinematics.rates import moved
from ..libraries import undisturbed
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.decisions import NumbersDecideError
from ..system.store import EQUATIONS, kept
from ..system.system import any_system, slipping
from .allowed import parted
from .dyad_program import Dyads, NumberedDyads, dyads_of
from .equations import WholeSystem, whole_system
from .loops import Loops, Still
from .one_structure import Apart, in_symbols, taken_apart
from .piece_programs import PieceSystem, piece_system


class Measures(NamedTuple):
    """What a step is judged by, in radians and typical lengths."""

    first: Any
    """The first correction."""
    last: Any
    residual: Any
    """The largest residual before the last correction."""
    back: Any
    """How far the way back misses."""
    move: Any
    """h q'."""
    bent: Any
    """h^2/2 q''."""
    speed: Any
    """The new q'."""
    low: Any
    """The smallest pivot of J."""
    high: Any
    """The largest pivot of J."""


def advance(loops: Loops, newton: AnyProgram, rates: AnyProgram) -> Routine:
    """(q, rate, bend, h, wanted, speed, clock[, p]) -> the new q, q', q'', and the measures."""
    tree, own, nq = loops.tree, loops.own, loops.tree.nq
    unit = trace(tree.normalised, {"q": nq})
    bent = trace(lambda a, secant: np.where(own >= 0, a[own], secant), {"a": tree.nv, "secant": nq})

    def function(q: Any, rate: Any, bend: Any, h: Any, *inputs: Any) -> tuple[Any, ...]:
        wanted, speed, clock, *p = inputs
        size, units, q_units = _measured_in(loops, *p)
        first_part, second_part = h * rate, 0.5 * h * h * bend
        new, corrections = q + first_part + second_part, []
        new = call(unit, new) if tree.quaternions else new
        for _ in range(3):
            new, x, residual = call(newton, new, wanted, clock, *p)
            corrections.append(np.max(np.abs(x) / units))
        _, a, new_rate, pivots, _ = call(rates, new, wanted, speed, clock, *p)
        new_bend = a if tree.nv == nq else call(bent, a, (new_rate - rate) / h)
        back = new - h * new_rate + 0.5 * h * h * new_bend - q
        changes = back, first_part, second_part, new_rate
        moves = [np.max(np.abs(change) / q_units) for change in changes]
        largest = np.max(np.abs(residual) / size)
        ends = (-np.max(-pivots), np.max(pivots)) if rates.sizes[3] else (1.0, 1.0)
        measures = Measures(corrections[0], corrections[-1], largest, *moves, *ends)
        return new, new_rate, new_bend, packed(measures)

    sizes: dict[str, int | None] = dict.fromkeys(("q", "rate", "bend"), nq)
    sizes |= {"h": None, "wanted": loops.wanted, "speed": loops.wanted, "clock": 2}
    sizes |= {"p": len(loops.parameters)} if loops.parameters else {}
    return routine(function, sizes, loops.m.name or "the mechanism")


def _measured_in(loops: Loops, *p: Any) -> tuple[Any, Any, Any]:
    """What residuals, velocities and coordinates are measured in, where a length is an input."""
    own = loops.size, loops.units, loops.q_units
    if loops.length is None:
        return own
    found = call(program_of([("p", len(loops.parameters))], own), *p)
    return found[0], found[1], found[2]


def leading(loops: Loops, newton: AnyProgram) -> Routine:
    """(start, here, target) -> the coordinates there, and the part of the way that was gone.

    Newton's method along straight ways of what is asked for (codegen/routine/following.py): values
    of what is held, or where sizes are inputs (wanted, clock, p). Where all numbers of a structure
    are, they stand still and come last.
    """
    count, sizes, whole = loops.wanted, len(loops.parameters), bool(loops.structure)
    total = count + 2 + sizes if sizes and not whole else count

    def function(start: Any, here: Any, target: Any, *p: Any) -> tuple[Any, Any]:
        def step(q: Any, asked: Any) -> tuple[Any, Any]:
            if total == count:
                return call(newton, q, asked, np.zeros(2), *p)[:2]
            parts = asked[:count], asked[count : count + 2], asked[count + 2 :]
            return call(newton, q, *parts)[:2]

        way = led(step, start, here, target, _measured_in(loops, *p)[1])
        return way.x, way.done

    inputs = {"start": loops.tree.nq, "here": total, "target": total}
    inputs |= {"p": sizes} if whole else {}
    return routine(function, inputs, loops.m.name or "the mechanism")


FUSED = 1000
"""Operations of the equations up to which several Newton steps are one program."""
DENSE = 300
"""Rows and unknowns up to which matrices are dense."""
MANY = 12
"""Loops from which a system is taken in pieces."""


STEPPED = 3000
"""Operations of a step from which on one state goes by the code for rows: ways have a code of their
own with both steps in it, and to compile them a third time takes longer than they are asked for."""


Machine = Compiled | Numbered
"""A program in machine code: of a mechanism alone, or shared with others of its structure."""


class LoopSystem(Loops):
    """Loops, held coordinates and drives of a mechanism, with the programs that solve them.

    Mechanisms of one structure share them (one_structure.py), unless sizes are named as inputs.
    """

    @cached_property
    def residuals(self) -> Machine:
        """(q, wanted, clock) -> Phi."""
        return self._machine("residuals", lambda: self._equations.residuals())  # noqa: PLW0108

    @cached_property
    def newton(self) -> Machine:
        """(q, wanted, clock) -> q after one step, the step, Phi before it."""
        return self._machine("newton", lambda: self._steps[0])

    @cached_property
    def rates(self) -> Machine:
        """(q, wanted, speed, clock) -> v, a, the rates of q, the pivots of J, and Phi."""
        return self._machine("rates", lambda: self._steps[1])

    def moved(self, q: Array, x: Array) -> Array:
        """Positions after small motions x, one or in rows; quaternions stay unit."""
        if (self.own >= 0).all():
            return np.asarray(q + x[..., self.own])
        return np.asarray(self._moved(q, x, check_finite=False))

    @cached_property
    def _moved(self) -> Machine:
        def made() -> AnyProgram:
            inputs = {"q": self.tree.nq, "x": self.tree.nv}
            inputs |= {"p": len(self.parameters)} if self.structure else {}
            return trace(lambda q, x, *_: moved(self.tree, q, x), inputs)

        return self._machine("_moved", made)

    @cached_property
    def slopes(self) -> Compiled:
        """(q, wanted, clock, p) -> dq/dp at closed positions."""
        return compile_program(self._whole.slopes())

    @cached_property
    def pivot_slopes(self) -> Compiled:
        """(q, wanted, speed, clock, p) -> the pivots of J, and their derivatives by q and by p."""
        return compile_program(self._whole.pivot_slopes())

    @cached_property
    def advance(self) -> Machine:
        """(q, rate, bend, h, wanted, speed, clock) -> see `advance` above."""
        return self._machine("advance", lambda: advance(self, *self._steps))

    @cached_property
    def led(self) -> Machine:
        """(start, here, target) -> see `leading` above; for rows of starts and targets alike."""
        return self._machine("led", lambda: leading(self, self._steps[0]))

    @cached_property
    def between(self) -> Machine | None:
        """(cubic, u, wanted, clock) -> see equations.py; None where it would be a long program."""
        if self.shared is not None:
            short = self.shared.system.between is not None
        else:
            short = self.pieces is None and len(self._whole.order) <= FUSED
        return self._machine("between", lambda: self._whole.between()) if short else None  # noqa: PLW0108

    def _machine(self, name: str, make: Callable[[], AnyProgram]) -> Machine:
        """A program: that of the structure with the numbers of the mechanism, or its own."""
        if self.shared is not None:
            return Numbered(getattr(self.shared.system, name), self.shared.numbers, make)
        if not self.structure:
            return compile_cached(None, make)
        rows = STEPPED if name in ("newton", "rates") else 0
        return compile_cached(f"{self.structure} {name}", make, rows=rows)

    @cached_property
    def shared(self) -> Shared | None:
        """The system of all mechanisms of its structure; None where it is not shared."""
        large = len(self.tree.closing) >= MANY
        return None if large or self.parameters else shared(self)

    def unitless(
        self,
        q: Any,
        wanted: Any,
        clock: Any,
        *,
        weight: Any = 1.0,
        sparse: bool = False,
        check_finite: bool = True,
    ) -> tuple[Array, Any]:
        """Phi and J in typical lengths and radians, shape (..., rows) and (..., rows, nv).

        `weight` multiplies rows. With `sparse` the J of one position is a sparse matrix where
        there are many unknowns.
        """
        residual = self.residuals(q, wanted, clock, check_finite=check_finite)
        program, rows, columns = self._entries
        scale = weight / self.size
        values = program(q, wanted, clock, check_finite=check_finite)
        values = values * (scale[rows] * self.units[columns])
        if sparse and self.tree.nv > DENSE:
            with undisturbed():
                from scipy.sparse import csr_matrix

            shape = len(self.owners), self.tree.nv
            return residual * scale, csr_matrix((values, (rows, columns)), shape=shape)
        J = np.zeros((*residual.shape, self.tree.nv))
        J[..., rows, columns] = values
        return residual * scale, J

    def matrix(self, q: Any, t: float = 0.0) -> Array:
        """J of all rows at positions (..., nq), by machine code."""
        program, rows, columns = self._entries
        values = program(q, np.zeros(self.wanted), np.array([t, 0.0]))
        J = np.zeros((*values.shape[:-1], len(self.owners), self.tree.nv))
        J[..., rows, columns] = values
        return J

    def residual(self, q: Any, wanted: Any, clock: Any) -> Any:
        """Largest residual, in typical lengths and radians, shape (...)."""
        residual = self.residuals(q, wanted, clock, check_finite=False)
        return np.max(np.abs(residual) / self.size, axis=-1, initial=0.0)

    @cached_property
    def solvable(self) -> bool:
        """Whether every velocity has a row of its own, so that Newton steps can be written."""
        if self.shared is not None:
            return self.shared.system.solvable
        return self._equations.solvable

    @cached_property
    def dyads(self) -> Dyads | None:
        """The system solved dyad by dyad without iteration, if it is made of them; else None."""
        if self.shared is not None:
            try:
                known = self.shared.system.dyads
            except NumbersDecideError:
                return dyads_of(self._whole)
            return known and NumberedDyads.of(known, self, self.shared.numbers)
        return dyads_of(self._whole) if self.pieces is None else None

    @cached_property
    def pieces(self) -> PieceSystem | None:
        """The system in pieces, if it is large and only coordinates are given; else None."""
        few = len(self.tree.closing) < MANY
        return None if few or self.parameters else piece_system(self)

    @property
    def _equations(self) -> PieceSystem | WholeSystem:
        return self.pieces or self._whole

    @cached_property
    def _whole(self) -> WholeSystem:
        return whole_system(self)

    @cached_property
    def _steps(self) -> tuple[AnyProgram, AnyProgram]:
        """A Newton step and the rates, by the pieces one after the other if that goes."""
        system = self.pieces if self.pieces is not None and self.solvable else self._whole
        return system.newton(), system.rates()

    @cached_property
    def _entries(self) -> tuple[Machine, Array, Array]:
        """(q, wanted, clock) -> the entries of J; the rows and columns they stand in."""
        if self.shared is not None:
            program, *places = self.shared.system._entries
            own = Numbered(program, self.shared.numbers, lambda: self._equations.entries()[0])
            return own, places[0], places[1]
        written, rows, columns = self._equations.entries()
        key = f"{self.structure} entries" if self.structure else None
        return compile_cached(key, lambda: written), rows, columns

    @cached_property
    def spare_drives(self) -> int:
        """How many rows of drives and held coordinates follow from the others in the drawing.

        Not asked of systems so large that a dense rank would take longer than the motion.
        """
        if not self.tree.nv < len(self.owners) <= DENSE:
            return 0
        J, own = self.matrix(self.drawn), len(self.owners) - self.wanted
        loops = parted(J[:own], self.units, self.size[:own]).rank
        return self.wanted - parted(J, self.units, self.size, self.wanted).rank + loops


def loop_system(
    m: Mechanism,
    held: tuple[str, ...] = (),
    *,
    drives: bool = True,
    parameters: tuple[str, ...] = (),
    still: tuple[Still, ...] = (),
) -> LoopSystem:
    """The loop equations of a mechanism, with its drives or without; kept with m.

    With named `parameters` its programs take their values as the last input, `p`. Idle freedoms
    may be kept `still`.
    """
    m = slipping(m)
    tree = any_system(m).tree
    own = tree.m.drives if drives else ()

    def made() -> LoopSystem:
        sized = any_system(m, parameters) if parameters else None
        return LoopSystem(tree, held, own, still, sized)

    return kept(m, ("loops", held, drives, parameters, still), made)


def with_sizes(m: Mechanism, system: LoopSystem, parameters: tuple[str, ...]) -> LoopSystem:
    """A system of a mechanism with named sizes as inputs of its programs.

    What moves idly is kept still along the screws of the mechanism's own design. Those of another
    design differ, but not by a right angle, so the same rows keep them still.
    """
    drives = bool(system.drives)
    return loop_system(m, system.held, drives=drives, parameters=parameters, still=system.still)


class Shared(NamedTuple):
    """A system that mechanisms share, and the numbers of one of them."""

    system: LoopSystem
    numbers: Array


def shared(own: LoopSystem) -> Shared | None:
    """The system of the structure of a mechanism's own one; None where it cannot be told."""
    for constants in (True, False):
        found = taken_apart(own, constants=constants)
        system = found and EQUATIONS.of(found.key, partial(_written, own, found))
        if found and system:
            return Shared(system, found.values)
    return None


def _written(own: LoopSystem, found: Apart) -> LoopSystem | None:
    """The equations of a structure; None where they cannot be written without numbers."""
    system = LoopSystem(*in_symbols(own, found))
    try:
        return system if system._whole else None
    except (ExpressionError, StructureError):
        return None
