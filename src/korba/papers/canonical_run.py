"""Semi-canonical motion step by step, as a routine: any explicit Runge-Kutta scheme.

    for every step from t_k over h, for every stage i:
        (q, p) = y + h sum_j A_ij K_j
        z of A(q) z = p, iterated from the z before               (quadratic_program.py)
        K_i = (qdot, pdot) at (q, z, tau, t_k + c_i h)
    y_new = y + h sum_i b_i K_i, its quaternions made unit

Recorded it is compiled together with the mechanism's programs. With forces that are a function of
Python it runs as Python, and only the inner problem is compiled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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
    either,
    get,
    negated,
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
from ..expr import maximum
from ..spatial.rotation import Array
from ..verbs.states import vector
from ..verbs.store import compiled
from .canonical_state import Machine

PROGRAMS = ("once", "start", "step", "rates")
"""Those of the machine that a step needs."""
GOING, NOT_CONVERGED, NOT_FINITE = range(3)
SECONDS = 0.05
"""How long a call may last before the next makes no more steps."""
_OPERATIONS = 2e7  # of a first call
HUGE = 1.7976931348623157e308


@dataclass(frozen=True)
class Scheme:
    """An explicit Runge-Kutta scheme: rows {stage: weight} of A, then b and c."""

    name: str
    A: tuple[dict[int, float], ...]
    b: dict[int, float]
    c: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Plan(Displayed):
    """How to integrate: scheme, moments of time, end of the iterations."""

    scheme: Scheme
    t: Array
    stop: Stop


class Travel(NamedTuple):
    """Where a motion stands: the step, y = (q, p), velocities, the greatest gamma, the time."""

    k: Any
    y: Any
    z: Any
    bound: Any
    now: Any
    status: Any


class Limits(NamedTuple):
    """When iterations end, at which step this call does, and how many there are."""

    tolerance: Any
    limit: Any
    after: Any
    last: Any
    steps: Any


class Streams(NamedTuple):
    """Moments of time, and the rows that are written."""

    t: Any
    ys: Any
    zs: Any
    counts: Any


@dataclass(frozen=True, eq=False)
class Formulas:
    """Programs, or with numbers functions, by PROGRAMS and `unit`; the forces tau(t, q, z).

    `solve(limits, y, travel)` gives what `solved` does.
    """

    programs: Mapping[str, Any]
    nq: int
    forces: Callable[[Any, Any, Any], Any]
    solve: Callable[..., tuple[Travel, Any]]

    def __call__(self, name: str, *arrays: Any) -> Any:
        """The results of one of the programs."""
        return call(self.programs[name], *arrays)


Advance = Callable[[Travel, Limits], Travel]


class _Iterate(NamedTuple):
    """The state of an iteration (quadratic_program.py), the greatest gamma, iterations made."""

    x: Any
    bound: Any
    count: Any


def solved(programs: Mapping[str, Any], limits: Limits, y: Any, s: Travel) -> tuple[Travel, Any]:
    """The velocities of y = (q, p), from those that were there, and the iterations it took."""
    tolerance, nv = limits.tolerance, len(s.z)
    held = call(programs["once"], y[:-nv])
    x = call(programs["start"], held, s.z, y[-nv:])

    def better(i: _Iterate) -> _Iterate:
        x = call(programs["step"], held, i.x)
        return _Iterate(x, maximum(i.bound, x[-1]), i.count + 1)

    def ended(i: _Iterate) -> Any:
        square, travel = i.x[-3], i.x[-2]
        near = both(np.sqrt(square) * i.bound <= tolerance, i.bound > 0)
        near = both(near, i.count >= limits.after)
        return either(near, either(square <= 0, travel < tolerance * tolerance))

    def known(i: _Iterate) -> Any:
        return both(i.x[-3] <= HUGE, i.x[-2] <= HUGE)

    def going(i: _Iterate) -> Any:
        more = both(negated(ended(i)), both(known(i), i.count < limits.limit))
        return both(more, s.status <= GOING)

    end = repeat(better, _Iterate(x, maximum(s.bound, x[-1]), 0.0), while_=going)
    reason = choose(
        known(end), choose(ended(end), float(GOING), float(NOT_CONVERGED)), float(NOT_FINITE)
    )
    status = choose(s.status > GOING, s.status, reason)
    return s._replace(z=end.x[:nv], bound=end.bound, status=status), end.count


def stepped(f: Formulas, scheme: Scheme, limits: Limits, streams: Streams, s: Travel) -> Travel:
    """One step; rows are those at its beginning."""
    t, w, iterations = get(streams.t, s.k), s, 0.0
    K: list[Any] = []
    h = get(streams.t, s.k + 1) - t
    for c, row in zip(scheme.c, scheme.A, strict=True):
        y = s.y + h * _weighted(row, K) if row else s.y
        now = t + c * h
        w, count = f.solve(limits, y, w._replace(now=choose(w.status > GOING, w.now, now)))
        if not K:
            _note(streams, s.k, s.y, w.z)
        q = y[: f.nq]
        K.append(np.concatenate(f("rates", q, w.z, f.forces(now, q, w.z), now)))
        iterations = iterations + count
    put(streams.counts, s.k, iterations)
    y = f("unit", s.y + h * _weighted(scheme.b, K))
    return w._replace(k=s.k + 1, y=y)


def _weighted(row: dict[int, float], K: list[Any]) -> Any:
    return sum(weight * K[j] for j, weight in row.items())


def _note(streams: Streams, k: Any, y: Any, z: Any) -> None:
    put(streams.ys, k, y)
    put(streams.zs, k, z)


def travelled(f: Formulas, scheme: Scheme, limits: Limits, streams: Streams, s: Travel) -> Travel:
    """Steps as far as the limits say; the last row is written after the last step."""
    s = repeat(
        lambda s: stepped(f, scheme, limits, streams, s),
        s,
        while_=lambda s: both(s.k < limits.last, s.status <= GOING),
    )

    def finished() -> Travel:
        end, _ = f.solve(limits, s.y, s)
        _note(streams, s.k, s.y, end.z)
        return end

    return choose(both(s.k >= limits.steps, s.status <= GOING), finished, lambda: s)


def _form(made: Machine) -> Travel:
    return Travel(None, made.nq + made.nv, made.nv, None, None, None)


def _unit(made: Machine, y: Array) -> Array:
    """The state with quaternions made unit."""
    y = np.array(y)
    for k in made.quaternions:
        y[k : k + 4] = y[k : k + 4] / np.sqrt(y[k : k + 4] @ y[k : k + 4])
    return y


def _recorded(made: Machine, scheme: Scheme) -> Routine:
    """The motion with constant forces as a routine."""
    programs: dict[str, Any] = {name: getattr(made, name).program for name in PROGRAMS}
    programs["unit"] = trace(partial(_unit, made), {"y": made.nq + made.nv})

    def function(state: Any, limits: Any, tau: Any, *streams: Any) -> Any:
        solve = partial(solved, programs)
        f = Formulas(programs, made.nq, lambda *_: tau, solve)
        s = unpacked(_form(made), state)
        return packed(travelled(f, scheme, Limits(*limits), Streams(*streams), s))

    sizes = {"state": packed_size(_form(made)), "limits": len(Limits._fields), "tau": made.nv}
    return routine(function, sizes, f"semi-canonical {scheme.name}", Streams._fields)


def _recorded_inner(made: Machine) -> Routine:
    """The inner problem alone as a routine."""
    programs = {name: getattr(made, name).program for name in PROGRAMS[:3]}

    def function(y: Any, z: Any, numbers: Any, limits: Any) -> tuple[Any, Any]:
        s = Travel(0.0, y, z, numbers[0], 0.0, numbers[1])
        end, count = solved(programs, Limits(*limits), y, s)
        return end.z, packed((end.bound, end.status, count))

    sizes = {"y": made.nq + made.nv, "z": made.nv, "numbers": 2, "limits": len(Limits._fields)}
    return routine(function, sizes, "the inner problem")


def driven(made: Machine, plan: Plan, y: Array, z: Array, tau: Any) -> tuple[Array, Array, Array]:
    """Rows of y = (q, p), of the velocities z, and the iterations of every step."""
    steps, stop = len(plan.t) - 1, plan.stop
    rows = (np.empty((steps + 1, len(y))), np.empty((steps + 1, len(z))), np.zeros(steps))
    streams = Streams(plan.t, *rows)
    by = _by_python if callable(tau) else _by_machine
    advance = by(made, plan.scheme, streams, tau)
    s, at_once = Travel(0.0, y, z, 0.0, 0.0, float(GOING)), _first_steps(made, plan.scheme)
    while s.k < steps and s.status == GOING:
        begun = time.perf_counter()
        last = min(steps, s.k + at_once)
        s = advance(s, Limits(stop.tolerance, stop.limit, stop.after, last, steps))
        at_once *= 1 if time.perf_counter() - begun > SECONDS else 2
    if s.status == NOT_CONVERGED:
        raise not_converged(stop)
    if s.status == NOT_FINITE:
        raise SimulationError(
            f"the motion is not finite any more after t = {s.now:g} s; take a shorter step"
        )
    return rows[0], rows[1], rows[2].astype(np.int64)


def _first_steps(made: Machine, scheme: Scheme) -> int:
    """Steps of the first call, some hundredths of a second: between calls Python may stop a run."""
    work = len(scheme.b) * made.nv * made.step.operations.total
    return max(1, int(_OPERATIONS / max(1, work)))


def _by_machine(made: Machine, scheme: Scheme, streams: Streams, tau: Any) -> Advance:
    """In machine code, with constant forces."""
    forces = np.zeros(made.nv) if tau is None else vector("tau", tau, made.nv)
    key = (*made.key, "motion", scheme.name)
    run = compiled(made.m, key, lambda: _recorded(made, scheme))

    def advance(s: Travel, limits: Limits) -> Travel:
        numbers = np.array(limits, dtype=float)
        found = run(packed(s), numbers, forces, streams=tuple(streams), check_finite=False)
        return unpacked(_form(made), found)

    return advance


def _by_python(made: Machine, scheme: Scheme, streams: Streams, tau: Any) -> Advance:
    """As Python, with forces by a function; the inner problem is machine code."""
    inner = compiled(made.m, (*made.key, "inner"), lambda: _recorded_inner(made))

    def forces(t: Any, q: Any, z: Any) -> Array:
        return vector("tau", tau(float(t), np.array(q), np.array(z)), made.nv)

    functions: dict[str, Any] = {
        "rates": partial(made.rates, check_finite=False),
        "unit": partial(_unit, made),
    }

    def solve(limits: Limits, y: Any, s: Travel) -> tuple[Travel, Any]:
        numbers, bounds = np.array([s.bound, s.status]), np.array(limits, dtype=float)
        z, (bound, status, count) = inner(y, s.z, numbers, bounds, check_finite=False)
        return s._replace(z=z, bound=bound, status=status), count

    f = Formulas(functions, made.nq, forces, solve)

    def advance(s: Travel, limits: Limits) -> Travel:
        with np.errstate(all="ignore"):
            return travelled(f, scheme, limits, streams, s)

    return advance
