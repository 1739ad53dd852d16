"""Small motions of any mechanism: its equations with multipliers, and their derivatives at a state.

    g = M a + h - tau - J' lambda = 0,     J v = f',     J a + J' v = f''                      (1)

J has the rows of loops and drives. All derivatives are made from the graph, and no elimination is
differentiated; g_q has lambda in it, the forces in the loops that turn with them. J is cut at the
rank that structure knows, so rows to spare do no harm. Coordinates are counted along small motions,
dq = S xi: along their velocities, q' = T v, and where pairs roll along the more velocities with
which they slip. What follows of it is in tangent.py and equilibrium.py.

Source: Gronowicz (2003), (4.198).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Compiled, Program, program_of, trace
from ..dynamics import composite_body, newton_euler
from ..dynamics.multipliers import Constraints, closing_efforts
from ..errors import StructureError
from ..kinematics.couplings import all_motion
from ..kinematics.rates import coordinate_rates, product
from ..model.force import refuse_own_states
from ..model.mechanism import Mechanism
from ..positions.allowed import parted
from ..positions.loop_system import LoopSystem, loop_system
from ..positions.loops import Loops, loops_of
from ..spatial.rotation import Array
from ..spatial.subspace import pseudo_inverse
from ..system.store import compiled, kept
from ..system.system import System, any_system, slipping
from ..system.tree import Tree
from ..verbs.options import gravity_key
from ..verbs.slopes import force_slopes
from ..verbs.states import drawn_coordinates
from ..verbs.systems import gravity_system, refuse_massless, under
from ..verbs.uses import by_columns
from ..wording import given


class Values(NamedTuple):
    """What holds at a state: (1) and its matrices."""

    force: Array
    """M a + h, shape (..., nv)."""
    J: Array
    gap: Array
    rate: Array
    """J v - f'."""
    asked: Array
    """f'' - J' v."""
    M: Array
    T: Array
    """Rates of q for a unit of each velocity, shape (..., nq, nv)."""
    S: Array
    """The same for a unit of each small motion: T, unless pairs roll."""


class Slopes(NamedTuple):
    """Derivatives at a state along all small motions, loops aside."""

    g_q: Array
    g_v: Array
    speed_q: Array
    """(J v)_q S."""
    turn_q: Array
    """(J a + J' v)_q S."""
    turn_v: Array
    rates_q: Array
    """(T v)_q S."""


class Counted(NamedTuple):
    """What motions are counted in: velocities of a tree, their units, and how many are free."""

    tree: Tree
    units: Array
    free: int

    @property
    def names(self) -> list[str]:
        """Of the independent velocities."""
        return [self.tree.velocities[i] for i in self.tree.free_v]


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """A mechanism under one gravity, with its drives among the rows or not."""

    m: Mechanism
    gravity: tuple[float, ...] | None
    driven: bool

    @cached_property
    def system(self) -> System:
        """The system, in its own gravity or another."""
        return gravity_system(self.m, self.gravity)

    @cached_property
    def loops(self) -> LoopSystem:
        """What closes positions."""
        return loop_system(self.m, drives=self.driven)

    @cached_property
    def rows(self) -> Loops:
        """The rows of velocities, and what they are measured in."""
        return loops_of(self.system, driven=self.driven)

    @property
    def units(self) -> Array:
        """Of every velocity: 1, or a typical length."""
        return self.rows.units

    @property
    def row_units(self) -> Array:
        """Of every row of J."""
        return self.rows.size

    @cached_property
    def bound(self) -> bool:
        """Whether there are rows at all."""
        return bool(self.system.ties or (self.driven and self.system.drives))

    @cached_property
    def rank(self) -> int:
        """Of J, where nothing is special."""
        return self._rank(self.system)

    def _rank(self, system: System) -> int:
        drawn = drawn_coordinates(system.tree)
        return Constraints(system, drawn, self.driven).rank if self.bound else 0

    @property
    def free(self) -> int:
        """Count of velocities that rows leave free."""
        return self.system.tree.nv - self.rank

    @property
    def names(self) -> list[str]:
        """Of the independent velocities."""
        return self.velocities.names

    @property
    def velocities(self) -> Counted:
        """What velocities are counted in."""
        return Counted(self.system.tree, self.units, self.free)

    @cached_property
    def motions(self) -> Counted:
        """What small motions of the coordinates are counted in: velocities, unless pairs roll."""
        if not self.system.rolls:
            return self.velocities
        slips = any_system(slipping(self.m))
        return Counted(slips.tree, self.loops.units, slips.tree.nv - self._rank(slips))

    def allowed(self, q: Array, N: Array) -> Array:
        """Small motions that loops and drives allow; N are the velocities that they leave."""
        if not self.system.rolls:
            return N
        loops, own = self.loops, self.motions
        rank = own.tree.nv - own.free
        return parted(loops.matrix(q), own.units, loops.size, loops.wanted, rank).N

    def values(self, q: Array, v: Any, a: Any, t: Any) -> Values:
        """(1) at states, any batch axes."""
        program = self._program("values", self._traced_values)
        return Values(*map(np.asarray, program(q, v, a, t)))

    def slopes(self, q: Array, v: Any, a: Any, multipliers: Any, t: Any) -> tuple[Array, ...]:
        """Derivatives of g, J v, J a + J' v and T v by q, then by v."""
        program = self._program("slopes", self._traced_slopes)
        return tuple(np.asarray(x) for x in program(q, v, a, multipliers, t))

    def along(self, x: Values, state: Sequence[Any], multipliers: Array) -> Slopes:
        """The derivatives along the velocities."""
        q, v, a, t = state
        by_q, by_v = self.slopes(q, v, a, multipliers, t)
        n, rows = self.system.tree.nv, len(self.row_units)
        cuts = np.cumsum([n, rows, rows])
        g_q, speed_q, turn_q, rates_q = np.split(by_q @ x.S, cuts, axis=-2)
        g_v, _, turn_v, _ = np.split(by_v, cuts, axis=-2)
        return Slopes(g_q, g_v, speed_q, turn_q, turn_v, rates_q)

    def _program(self, what: str, make: Any) -> Compiled:
        return compiled(self.m, ("small motions", what, self.gravity, self.driven), make)

    def _inputs(self) -> dict[str, int]:
        tree = self.system.tree
        return {"q": tree.nq, "v": tree.nv, "a": tree.nv}

    def _traced_values(self) -> Program:
        tree = self.system.tree

        def formula(q: Array, v: Array, a: Array, t: Array) -> tuple[Array, ...]:
            s = under(self.system, t=t[0])
            rows = Constraints(s, q, self.driven) if self.bound else None
            force = newton_euler.inverse_dynamics(s, q, v, a)
            force = force + closing_efforts(s, all_motion(tree, q, v, a))
            T, S = rates_of(tree, q), rates_of(self.motions.tree, q)
            M = composite_body.mass_matrix(s, q)
            if rows is None:
                return force, np.zeros((0, tree.nv)), *[np.zeros(0)] * 3, M, T, S
            J = np.zeros((len(rows.lines), tree.nv), dtype=object)
            for i, line in enumerate(rows.lines):
                J[i, list(line)] = list(line.values())
            gap, f = np.array(rows.stacked("residual")), np.array(rows.stacked("rate"))
            return force, J, gap, J @ v - f, np.array(rows.asked(v)), M, T, S

        return trace(formula, {**self._inputs(), "t": 1}, self.m.name)

    def _traced_slopes(self) -> Program:
        """(g, J v, J a + J' v, T v) by q and by v; g by what is known of trees, and the rest."""
        tree, inputs = self.system.tree, {**self._inputs(), "lambda": len(self.row_units), "t": 1}

        def opened(q: Array, v: Array, a: Array, _: Array, t: Array) -> Array:
            return newton_euler.inverse_dynamics(under(self.system, t=t[0]), q, v, a)

        def rest(q: Array, v: Array, a: Array, multipliers: Array, t: Array) -> Array:
            s = under(self.system, t=t[0])
            lines, bends = [], []
            if self.bound:
                rows = Constraints(s, q, self.driven)
                lines, bends = rows.lines, rows.turning(v)
            g = closing_efforts(s, all_motion(tree, q, v, a))
            for line, force in zip(lines, multipliers, strict=True):
                for j, entry in line.items():
                    g[j] = g[j] - entry * force
            speeds = [product(line, v) for line in lines]
            turns = [product(line, a) + bend for line, bend in zip(lines, bends, strict=True)]
            moved = coordinate_rates(tree, q, v)
            return np.array([*g, *speeds, *turns, *moved], dtype=object)

        value = trace(opened, inputs, self.m.name)
        options = {"gravity": self.gravity, "damping": True}
        by, order = force_slopes(self.system, options, value, ("q", "v"))
        more = by_columns(trace(rest, inputs, self.m.name), ("q", "v"))
        for name in ("q", "v"):
            more[name][: tree.nv] = more[name][: tree.nv] + by[name]
        return program_of(tuple(inputs.items()), (more["q"], more["v"]), self.m.name, order)

    def rolled(self, q: Array, x: Array) -> Array:
        """Velocities of a tree that rolls from those with which it slips, in rows: E^+ x."""
        if not self.system.rolls:
            return x
        rest = np.zeros(self.system.tree.nv)
        at = self.values(q, rest, rest, np.zeros(1))
        return x @ pseudo_inverse(pseudo_inverse(at.S) @ at.T).T

    def bent(self, q: Array) -> Array:
        """(S e_k)_q of every small motion, shape (..., n, nq, nq)."""
        tree = self.motions.tree

        def made() -> Program:
            value = trace(lambda q, e: coordinate_rates(tree, q, e), {"q": tree.nq, "e": tree.nv})
            return program_of(value.inputs, by_columns(value, ("q",))["q"], self.m.name)

        program = compiled(self.m, ("small motions", "bent"), made)
        return np.stack([program(q, e) for e in np.eye(tree.nv)], axis=-3)

    def parted(self, J: Array, *, strict: bool = True) -> tuple[Array, Array]:
        """J^+ and N: velocities that rows ask for, and those that they leave, cut at the rank."""
        own = parted(J, self.units, self.row_units, self.rows.wanted, self.rank)
        if strict and not np.all(own.regular):
            self.refuse_singular()
        return own.inverse, own.N

    def refuse_singular(self) -> None:
        """The sentence for positions at which loops lose rank."""
        raise StructureError(
            f"mechanism {self.m.name!r} is at a singular position, where its loops leave more "
            "freedoms than elsewhere, so that small motions are not determined; take a position "
            "beside it"
        )


def rates_of(tree: Tree, q: Array) -> Array:
    """Rates of q for a unit of each velocity of a tree."""
    return np.array([coordinate_rates(tree, q, e) for e in np.eye(tree.nv)], dtype=object).T


def small_motions(m: Mechanism, gravity: Any, driven: bool) -> SmallMotions:
    """The small motions of a mechanism, kept with it; mechanisms without any are refused."""
    key = gravity_key(gravity)

    def make() -> SmallMotions:
        refuse_massless(any_system(m))
        refuse_own_states(m.forces)
        own = SmallMotions(m, key, driven)
        if not own.system.tree.nv:
            raise StructureError(f"mechanism {m.name!r} has no freedom: it stands still anyway")
        if not own.free:
            way = (
                f"; {given('linearise', drives=False)} sets it free" if driven and m.drives else ""
            )
            raise StructureError(
                f"mechanism {m.name!r}: drives and loops leave it no freedom, so that it has no "
                f"motion of its own{way}"
            )
        return own

    return kept(m, ("small motions", key, driven), make)
