"""Semi-canonical motion step by step, as a routine: any explicit Runge-Kutta scheme.

    for every step from t_k over h, for every stage i:
        (q, p) = y + h sum_j A_ij K_j
        z of A(q) z = p, iterated from the z before               (canonical_state.py)
        K_i = (qdot, pdot) at (q, z, tau, t_k + c_i h)
    y_new = y + h sum_i b_i K_i, its quaternions made unit

Recorded it is compiled together with the mechanism's programs. With forces that are a function of
Python it runs as Python, and only the inner problem and the rates are compiled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..codegen import trace
from ..codegen.routine import (
    Routine,
    both,
    call,
    choose,
    get,
    packed,
    packed_size,
    put,
    repeat,
    routine,
    unpacked,
)
from ..display import Displayed
from ..dynamics.quadratic_program import Stop, not_converged
from ..errors import SimulationError
from ..simulation import tableau_dop853
from ..spatial.rotation import Array
from ..verbs.states import vector
from ..verbs.store import compiled
from .canonical_state import GOING, INNER, NOT_CONVERGED, NOT_FINITE, Machine, Solution, solved

SECONDS = 0.05
"""How long a call may last before the next makes no more steps; between them Python may stop."""
_OPERATIONS = 2e7  # of a first call


@dataclass(frozen=True)
class Scheme:
    """An explicit Runge-Kutta scheme: rows {stage: weight} of A, then b and c."""

    name: str
    A: tuple[dict[int, float], ...]
    b: dict[int, float]
    c: tuple[float, ...]


_SIXTHS = {0: 1 / 6, 1: 2 / 6, 2: 2 / 6, 3: 1 / 6}
SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("euler", ({},), {0: 1.0}, (0.0,)),
        Scheme("rk4", ({}, {0: 0.5}, {1: 0.5}, {2: 1.0}), _SIXTHS, (0.0, 0.5, 0.5, 1.0)),
        Scheme(
            "dop853", tuple(tableau_dop853.A[:12]), tableau_dop853.B, tuple(tableau_dop853.C[:12])
        ),
    )
}


@dataclass(frozen=True, eq=False)
class Plan(Displayed):
    """How to integrate: scheme, moments of time, end of the iterations."""

    scheme: Scheme
    t: Array
    stop: Stop


class Travel(NamedTuple):
    """Where a motion stands: the step, y = (q, p), and the velocities."""

    k: Any
    y: Any
    inner: Solution


class Streams(NamedTuple):
    """Moments of time, and the rows that are written."""

    t: Any
    ys: Any
    zs: Any
    counts: Any

    def note(self, k: Any, y: Any, z: Any) -> None:
        """Write a row."""
        put(self.ys, k, y)
        put(self.zs, k, z)


@dataclass(frozen=True, eq=False)
class Formulas:
    """Calls of programs, or with numbers functions."""

    solve: Callable[[Any, Any, Solution], Solution]
    """Velocities of y at a time, from those before."""
    rates: Callable[[Any, Any, Any], Any]
    """K of (y, z, t)."""
    unit: Callable[[Any], Any]
    """y with unit quaternions."""


def stepped(f: Formulas, scheme: Scheme, streams: Streams, s: Travel) -> Travel:
    """One step; rows are those at its beginning."""
    t, inner = get(streams.t, s.k), s.inner._replace(count=0.0)
    h = get(streams.t, s.k + 1) - t
    K: list[Any] = []
    for c, row in zip(scheme.c, scheme.A, strict=True):
        y, now = (s.y + h * _weighted(row, K) if row else s.y), t + c * h
        inner = f.solve(y, now, inner)
        if not K:
            streams.note(s.k, s.y, inner.z)
        K.append(f.rates(y, inner.z, now))
    put(streams.counts, s.k, inner.count)
    return Travel(s.k + 1, f.unit(s.y + h * _weighted(scheme.b, K)), inner)


def _weighted(row: dict[int, float], K: list[Any]) -> Any:
    return sum(weight * K[j] for j, weight in row.items())


def travelled(f: Formulas, scheme: Scheme, streams: Streams, ends: Any, s: Travel) -> Travel:
    """Steps up to the first of the ends; at the second, that of the motion, its row is written."""
    last, steps = ends
    s = repeat(
        lambda s: stepped(f, scheme, streams, s),
        s,
        while_=lambda s: both(s.k < last, s.inner.status <= GOING),
    )

    def finished() -> Travel:
        end = f.solve(s.y, s.inner.now, s.inner)
        streams.note(s.k, s.y, end.z)
        return s._replace(inner=end)

    return choose(both(s.k >= steps, s.inner.status <= GOING), finished, lambda: s)


Advance = Callable[[Array, Travel], Travel]
"""`travelled` from where a motion stands to the ends."""


def _form(made: Machine) -> Travel:
    nq, nv = made.tree.nq, made.tree.nv
    return Travel(None, nq + nv, Solution(nv, *[None] * 4))


def _recorded(made: Machine, scheme: Scheme) -> Routine:
    """The motion with constant forces as a routine."""
    nq, nv = made.tree.nq, made.tree.nv
    programs: dict[str, Any] = {name: made[name].program for name in (*INNER, "rates")}
    unit = partial(call, trace(made.tree.normalised, {"y": nq + nv}))

    def function(state: Any, stop: Any, ends: Any, tau: Any, *streams: Any) -> Any:
        def rates(y: Any, z: Any, now: Any) -> Any:
            return np.concatenate(call(programs["rates"], y[:nq], z, tau, now))

        f = Formulas(partial(solved, programs, Stop(*stop)), rates, unit)
        s = unpacked(_form(made), state)
        return packed(travelled(f, scheme, Streams(*streams), ends, s))

    sizes = {"state": packed_size(_form(made)), "stop": 3, "ends": 2, "tau": nv}
    return routine(function, sizes, f"semi-canonical {scheme.name}", Streams._fields)


def driven(made: Machine, plan: Plan, y: Array, z: Array, tau: Any) -> tuple[Array, Array, Array]:
    """Rows of y = (q, p), of the velocities z, and the iterations of every step."""
    steps = len(plan.t) - 1
    rows = (np.empty((steps + 1, len(y))), np.empty((steps + 1, len(z))), np.zeros(steps))
    by = _by_python if callable(tau) else _by_machine
    advance = by(made, plan, Streams(plan.t, *rows), tau)
    s = Travel(0.0, y, Solution(z, 0.0, 0.0, 0.0, float(GOING)))
    work = len(plan.scheme.b) * made.tree.nv * made["step"].operations.total
    at_once = max(1, int(_OPERATIONS / max(1, work)))
    while s.k < steps and s.inner.status == GOING:
        begun = time.perf_counter()
        s = advance(np.array([min(steps, s.k + at_once), steps], dtype=float), s)
        at_once *= 1 if time.perf_counter() - begun > SECONDS else 2
    _refuse_ended(s.inner, plan.stop)
    return rows[0], rows[1], rows[2].astype(np.int64)


def _refuse_ended(inner: Solution, stop: Stop) -> None:
    """An error where the inner problem has not been solved."""
    if inner.status == NOT_CONVERGED:
        raise not_converged(stop)
    if inner.status == NOT_FINITE:
        raise SimulationError(
            f"the motion is not finite any more after t = {inner.now:g} s; take a shorter step"
        )


def _by_machine(made: Machine, plan: Plan, streams: Streams, tau: Any) -> Advance:
    """In machine code, with constant forces."""
    forces = np.zeros(made.tree.nv) if tau is None else vector("tau", tau, made.tree.nv)
    key = (*made.key, "motion", plan.scheme.name)
    run = compiled(made.m, key, lambda: _recorded(made, plan.scheme))
    form, stop = _form(made), np.array(plan.stop, dtype=float)

    def advance(ends: Array, s: Travel) -> Travel:
        state = run(packed(s), stop, ends, forces, streams=tuple(streams), check_finite=False)
        return unpacked(form, state)

    return advance


def _by_python(made: Machine, plan: Plan, streams: Streams, tau: Any) -> Advance:
    """As Python, with forces by a function; the inner problem and the rates are machine code.

    Calls are plain ones, which go straight into machine code but refuse what is not finite.
    """
    inner, nq, stop = made.inner, made.tree.nq, np.array(plan.stop, dtype=float)

    def solve(y: Any, now: Any, s: Solution) -> Solution:
        end = s._replace(now=now, status=float(NOT_FINITE))
        if np.isfinite(y).all():
            z, numbers = inner(y, s.z, np.array([s.bound, s.count, now, s.status]), stop)
            end = Solution(z, *numbers.tolist())
        _refuse_ended(end, plan.stop)
        return end

    def rates(y: Any, z: Any, now: Any) -> Array:
        q = y[:nq]
        forces = vector("tau", tau(float(now), q.copy(), z.copy()), len(z))
        return np.concatenate(made["rates"](q, z, forces, np.array([now])))

    f = Formulas(solve, rates, made.tree.normalised)

    def advance(ends: Array, s: Travel) -> Travel:
        with np.errstate(all="ignore"):
            return travelled(f, plan.scheme, streams, ends, s)

    return advance
