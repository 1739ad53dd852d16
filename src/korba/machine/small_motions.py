"""Small motions of any mechanism: its equations with multipliers, linear about a state.

    g = M a + h - tau - J' lambda = 0,     J v = f',     J a + J' v = f''                      (1)

J has the rows of loops and drives. Small motions follow the velocities that these allow. With J N =
0, and N so made that the named coordinates are x themselves,

    dq = N x,    dv = N y + D x,    da = N y' + P x + R y                                      (2)

in which D, P and R have zeros for the named coordinates and follow from (1) differentiated:

    J D = -(J v)_q N,    J P = -(J a + J' v)_q N - (J' v)_v D,    J R = -(J' v)_v N            (3)
    N'M N y' = N'(dtau - (g_q N + g_v D + M P) x - (g_v N + M R) y)                            (4)

g_q has lambda in it, the forces in the loops that turn with them. All derivatives are made from the
graph, and no elimination is differentiated. J is cut at the rank that structure knows, so rows to
spare do no harm. Quaternions are counted along their velocities: dq = T xi, where

    xi' = dv + C xi,    C xi = T^+ ((T v)_q T xi - (T xi)_q T v)                               (5)

Source: Gronowicz (2003), (4.198), linear; de Jalon & Bayo (1994), Kinematic and Dynamic Simulation
of Multibody Systems, chapter 5, for the null space of J.
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
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.options import gravity_key
from ..verbs.slopes import force_slopes
from ..verbs.states import drawn_coordinates
from ..verbs.store import compiled, kept
from ..verbs.systems import any_system, gravity_system, refuse_massless, under
from ..verbs.uses import by_columns

SINGULAR = 1e-8
"""Smallest singular value of the rows, beside the largest, at a position that is not singular."""
GOOD = 0.3
"""Part of the best that a coordinate may be worth to be taken because it comes first."""


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


class Slopes(NamedTuple):
    """Derivatives at a state along all velocities, loops aside."""

    g_q: Array
    g_v: Array
    speed_q: Array
    """(J v)_q T."""
    turn_q: Array
    """(J a + J' v)_q T."""
    turn_v: Array
    rates_q: Array
    """(T v)_q T."""


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
    def units(self) -> Array:
        """Of every velocity: 1, or a typical length."""
        scale = drawing(self.system.in_numbers).scale
        return np.array([scale if k == "length" else 1.0 for k in self.system.tree.velocity_kinds])

    @cached_property
    def row_units(self) -> Array:
        """Of every row of J."""
        return np.array(self._drawn.units) if self.bound else np.zeros(0)

    @cached_property
    def bound(self) -> bool:
        """Whether there are rows at all."""
        return bool(self.system.ties or (self.driven and self.system.drives))

    @cached_property
    def rank(self) -> int:
        """Of J, where nothing is special."""
        return self._drawn.rank if self.bound else 0

    @cached_property
    def _drawn(self) -> Constraints:
        return Constraints(self.system, drawn_coordinates(self.system.tree), self.driven)

    @property
    def free(self) -> int:
        """Count of velocities that rows leave free."""
        return self.system.tree.nv - self.rank

    @property
    def names(self) -> list[str]:
        """Of the independent velocities."""
        tree = self.system.tree
        return [tree.velocities[i] for i in tree.free_v]

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
        g_q, speed_q, turn_q, rates_q = np.split(by_q @ x.T, cuts, axis=-2)
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
            T = np.array([coordinate_rates(tree, q, e) for e in np.eye(tree.nv)], dtype=object).T
            M = composite_body.mass_matrix(s, q)
            if rows is None:
                return force, np.zeros((0, tree.nv)), *[np.zeros(0)] * 3, M, T
            J = np.zeros((len(rows.lines), tree.nv), dtype=object)
            for i, line in enumerate(rows.lines):
                J[i, list(line)] = list(line.values())
            gap, f = np.array(rows.stacked("residual")), np.array(rows.stacked("rate"))
            return force, J, gap, J @ v - f, np.array(rows.asked(v)), M, T

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

    def parted(self, J: Array, *, strict: bool = True) -> tuple[Array, Array]:
        """J^+ and N: velocities that rows ask for, and those that they leave, cut at the rank."""
        unitless = J / self.row_units[:, None] * self.units
        if not self.bound:
            none = np.zeros((*J.shape[:-2], self.system.tree.nv, 0))
            return none, np.broadcast_to(
                np.diag(self.units), (*J.shape[:-2], *[len(self.units)] * 2)
            )
        U, s, Vt = np.linalg.svd(unitless)
        least, most = s[..., self.rank - 1 : self.rank], s[..., :1]
        if strict and self.rank and not np.all(least > SINGULAR * most):
            self.refuse_singular()
        s_inverse = 1.0 / np.maximum(s[..., : self.rank], SINGULAR * most)
        back = np.swapaxes(Vt[..., : self.rank, :], -1, -2) * s_inverse[..., None, :]
        inverse = back @ np.swapaxes(U[..., : self.rank], -1, -2) / self.row_units
        N = self.units[:, None] * np.swapaxes(Vt[..., self.rank :, :], -1, -2)
        return self.units[:, None] * inverse, N

    def refuse_singular(self) -> None:
        """The sentence for positions at which loops lose rank."""
        raise StructureError(
            f"mechanism {self.m.name!r} is at a singular position, where its loops leave more "
            "freedoms than elsewhere, so that small motions are not determined; take a position "
            "beside it"
        )


def small_motions(m: Mechanism, gravity: Any, driven: bool) -> SmallMotions:
    """The small motions of a mechanism, kept with it; mechanisms without any are refused."""
    key = gravity_key(gravity)

    def make() -> SmallMotions:
        refuse_massless(any_system(m))
        own = SmallMotions(m, key, driven)
        if not own.system.tree.nv:
            raise StructureError(f"mechanism {m.name!r} has no freedom: it stands still anyway")
        if not own.free:
            way = "; drives=False sets it free" if driven and m.drives else ""
            raise StructureError(
                f"mechanism {m.name!r}: drives and loops leave it no freedom, so that it has no "
                f"motion of its own{way}"
            )
        return own

    return kept(m, ("small motions", key, driven), make)


def chosen_coordinates(own: SmallMotions, N: Array, names: Sequence[str] | None) -> list[int]:
    """Places of velocities that stand for all others at every state; named, or the first good ones.

    Each is the first one that adds nearly as much as any to those taken before, where it adds
    least. Joints of the tree come before those that close it.
    """
    tree, count = own.system.tree, own.free
    if names is not None:
        return _named(own, N, names)
    ties = {i for tie in own.system.ties for i in range(tie.v.start, tie.v.stop)}
    able = [k for k, i in enumerate(tree.free_v) if i not in ties]
    left = np.reshape(N / own.units[:, None], (-1, tree.nv, count)).copy()
    taken: list[int] = []
    for _ in range(count):
        worth = np.linalg.norm(left, axis=-1).min(axis=0, initial=np.inf)
        k = next(k for k in able if worth[k] >= GOOD * worth[able].max())
        if worth[k] < SINGULAR:
            own.refuse_singular()
        taken.append(k)
        along = left[:, k] / np.linalg.norm(left[:, k], axis=-1, keepdims=True)
        left -= (left @ along[..., None]) * along[:, None, :]
    return sorted(taken)


def _named(own: SmallMotions, N: Array, names: Sequence[str]) -> list[int]:
    """Places of named velocities, if they determine all others."""
    known, tree = own.names, own.system.tree
    rates = {name: tree.velocities[i] for name, i in tree.rates.items()}
    missing = [name for name in names if rates.get(name, name) not in known]
    if missing or len({*names}) != own.free:
        raise StructureError(
            f"coordinates: mechanism {own.m.name!r} has {own.free} freedoms, so as many names are "
            f"needed, of {', '.join(known)}; got {', '.join(map(repr, names)) or 'none'}"
        )
    places = [known.index(rates.get(name, name)) for name in names]
    unitless = N[..., places, :] / own.units[places][:, None]
    if not np.all(np.linalg.svd(unitless, compute_uv=False)[..., -1] > SINGULAR):
        raise StructureError(
            f"coordinates: {', '.join(names)} do not say how mechanism {own.m.name!r} moves at "
            "this position; name others, or leave them out"
        )
    return places


class Linear(NamedTuple):
    """A and B of small motions, which coordinates they are of, N and the accelerations."""

    A: Array
    B: Array
    places: list[int]
    N: Array
    a: Array


def linear(
    own: SmallMotions,
    state: tuple[Array, Array, Array],
    t: Array,
    names: Sequence[str] | None,
    *,
    still: bool = False,
) -> Linear:
    """The linear system about states (q, v) under forces tau; `still` stops the drives."""
    q, v, tau = state
    x = own.values(q, v, 0.0 * v, t)
    inverse, N = own.parted(x.J)
    places = chosen_coordinates(own, N, names)
    N = N @ np.linalg.inv(N[..., places, :])
    asked = 0.0 * x.asked if still else x.asked
    a, multipliers = accelerations(x, inverse, N, asked, tau)
    s = own.along(x, (q, v, a, t), multipliers)

    def particular(right: Array) -> Array:
        """X of J X = right with zeros for the named coordinates."""
        X = inverse @ right
        return X - N @ X[..., places, :]

    D = particular(-(s.speed_q @ N))  # (3)
    P = particular(-(s.turn_q @ N) - s.turn_v @ D)
    R = particular(-(s.turn_v @ N))
    NT = np.swapaxes(N, -1, -2)
    inertia, n = NT @ x.M @ N, own.free
    by_x = -np.linalg.solve(inertia, NT @ (s.g_q @ N + s.g_v @ D + x.M @ P))  # (4)
    by_y = -np.linalg.solve(inertia, NT @ (s.g_v @ N + x.M @ R))
    by_tau = np.linalg.solve(inertia, NT)
    turn = (_turned(own, x, s, q, v) @ N)[..., places, :]  # (5)
    one = np.broadcast_to(np.eye(n), turn.shape)
    top, bottom = np.concatenate([turn, one], axis=-1), np.concatenate([by_x, by_y], axis=-1)
    A = np.concatenate([top, bottom], axis=-2)
    return Linear(A, np.concatenate([0.0 * by_tau, by_tau], axis=-2), places, N, a)


def accelerations(
    x: Values, inverse: Array, N: Array, asked: Array, tau: Array
) -> tuple[Array, Array]:
    """a and lambda of (1)."""
    a = (inverse @ asked[..., None])[..., 0]
    NT, rest = np.swapaxes(N, -1, -2), x.force - tau + (x.M @ a[..., None])[..., 0]
    free = np.linalg.solve(NT @ x.M @ N, NT @ rest[..., None])
    a = a - (N @ free)[..., 0]
    needed = x.force - tau + (x.M @ a[..., None])[..., 0]
    return a, (np.swapaxes(inverse, -1, -2) @ needed[..., None])[..., 0]


def _turned(own: SmallMotions, x: Values, s: Slopes, q: Array, v: Array) -> Array:
    """C of (5), shape (..., nv, nv): zero without quaternions."""
    tree = own.system.tree
    C = np.zeros((*q.shape[:-1], tree.nv, tree.nv))
    if not tree.quaternions or not np.any(v):
        return C
    still, none = np.zeros(tree.nv), np.zeros(len(own.row_units))
    rates = (x.T @ v[..., None])[..., 0]
    inverse = np.linalg.pinv(x.T)
    for k, e in enumerate(np.eye(tree.nv)):
        other = own.slopes(q, np.broadcast_to(e, v.shape), still, none, np.zeros(1))[0]
        other = other[..., -tree.nq :, :]
        C[..., k] = (inverse @ (s.rates_q[..., k] - (other @ rates[..., None])[..., 0])[..., None])[
            ..., 0
        ]
    return C
