"""Motion in coordinates and momenta, without accelerations and without solving for them.

Any explicit Runge-Kutta scheme runs on the semi-canonical system, one inner problem a stage:

    qdot = z,   A(q) z = p,   pdot = dL/dq(q, z) + Q(q, z, t)                               (2.8)

with z started from that of the stage before. With one stage it is the paper's scheme,

    q_new = q + h z,    p_new = p + h (dL/dq + Q)                                           (3.1)

Quaternions are brought back to unit length after each step, and coordinates that drives give are
where these say at every stage (canonical_drives.py). Steps are a routine, which is compiled
together with the mechanism's programs. With forces that are a function of Python it runs as Python,
and only the inner problem and the rates are compiled. Source: Dunskaya & Pyatnitsky (1996).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
from ..door import public
from ..dynamics.quadratic_program import Stop, not_converged
from ..errors import SimulationError, StructureError
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..simulation.explicit import weighted
from ..simulation.tableau import EULER, RK4, Tableau
from ..simulation.tableau_dop853 import DOP853
from ..spatial.rotation import Array
from ..system.store import compiled
from ..trajectory.audit import Effort
from ..trajectory.columns import Column, columns_of, units_of
from ..trajectory.trajectory import Trajectory
from ..verbs.dynamics import forward_dynamics
from ..verbs.states import refuse_other, state, vector
from .canonical_state import (
    GOING,
    INNER,
    NOT_CONVERGED,
    NOT_FINITE,
    Machine,
    Solution,
    VelocitySolver,
    machine,
    solved,
    solver_of,
)

TOLERANCE = 1e-10
MOST_STEPS = 10**8
"""Every step is written down."""
SECONDS = 0.05
"""How long a call may last before the next makes no more steps; between them Python may stop."""
_OPERATIONS = 2e7  # of a first call


SCHEMES = {tableau.name: tableau for tableau in (EULER, RK4, DOP853)}


@public
def semi_canonical(
    m: Mechanism,
    until: float | str,
    *,
    step: float | str,
    q: Any,
    v: Any = None,
    p: Any = None,
    tau: Any = None,
    scheme: str = "rk4",
    solver: str | VelocitySolver = "conjugate",
    gravity: Any = None,
    a: Mapping[str, Any] | None = None,
    L0: Any = None,
) -> Trajectory:
    """The motion of a tree from t = 0, from (q, v) or (q, p), in steps of equal length.

    `tau` holds the forces of the joints, or gives them as tau(t, q, v). `scheme` is "euler" (the
    paper's), "rk4" or "dop853" (order 8); `solver` is "conjugate", "minimal-residual" or a
    `VelocitySolver`, which says when its iterations end. The momenta are the columns `p_<joint>`,
    beside `kinetic`, `potential` and their sum `hamiltonian`; `effort` has the iterations,
    multiplications and additions of every step. Coordinates that drives give follow them; where v
    is none that they allow, they change it by an impulse at the start.
    `a` and `L0` add  a(q)'v + L_0(q)  to the Lagrangian, as in `semi_canonical_state`.

    A charge in a magnetic field of 2 T goes round in pi s:

    >>> import korba as kb
    >>> x = kb.Prismatic("x", "ground", "slide", at=(0, 0), axis=(1, 0))
    >>> y = kb.Prismatic("y", "slide", "charge", at=(0, 0), axis=(0, 1))
    >>> bodies = [kb.Body("slide"), kb.Body("charge", 1.0, inertia=1)]
    >>> m = kb.Mechanism("charge", bodies, [x, y], plane="xy", gravity=(0, 0, 0))
    >>> a = {"x": "-y", "y": "x"}
    >>> run = kb.papers.semi_canonical(m, 3.14159265, step=0.01, q=[0, 0], v=[1, 0], a=a)
    >>> run.v[-1].round(6)
    array([1., 0.])
    """
    asked = solver_of(solver)
    made = machine(m, asked.name, gravity, (a, L0))
    nv = made.tree.nv
    place = state(made.tree, "q", q, many=False)
    if (v is None) == (p is None):
        raise StructureError("give either the velocities v or the momenta p at the start")
    times = _times(quantity("until", until, "time"), quantity("step", step, "time"))
    refuse_other("scheme", scheme, SCHEMES)
    given = state(made.tree, "v", v, many=False)
    place, z = made["lead"](place, given, np.zeros(1))
    momentum = vector("p", p, nv) if v is None else made.momenta(place, given, np.zeros(1))
    ends = made.stop(asked, TOLERANCE)
    ys, zs, counts = driven(
        made, scheme, times, ends, (np.concatenate([place, momentum]), z), tau=tau
    )
    moved = _motion(made, len(SCHEMES[scheme].b), times, (ys, zs), counts)
    return replace(moved, accelerations=lambda: _accelerations(made, moved, tau, gravity))


def _accelerations(made: Machine, moved: Trajectory, tau: Any, gravity: Any) -> Array:
    """By the equations of motion, which this method does without."""
    forces = np.zeros(moved.v.shape) if tau is None else tau
    if callable(tau):
        forces = [tau(*row) for row in zip(moved.t, moved.q, moved.v, strict=True)]
    if made.terms.key:
        forces = forces + made["gyroscopic"](moved.q, moved.v, moved.t[:, None])
    return forward_dynamics(moved.mechanism, moved.q, moved.v, forces, t=moved.t, gravity=gravity)


def _motion(
    made: Machine, stages: int, times: Array, rows: tuple[Array, Array], counts: Array
) -> Trajectory:
    """Rows of (q, p) and z with their energies and what they took."""
    m, (ys, zs) = made.m, rows
    q, p = np.split(ys, [made.tree.nq], axis=1)
    clock = times[:, None]
    if made.led:
        p = made.momenta(q, zs, clock)
    Az = made.shifted(np.hstack([q, p]), clock)[:, made.tree.nq :]
    stage, iteration = _work(made["once"], made["start"], made["rates"]), _work(made["step"])
    multiplications, additions = (stages * stage[k] + counts * iteration[k] for k in (0, 1))
    kinetic = Column(0.5 * np.einsum("ki,ki->k", Az, zs), "J")
    potential = Column(lambda: np.ravel(made["potential"](q, clock)), "J")
    names, units = [f"p_{name}" for name in m.velocities], units_of(made.tree, "p")
    return Trajectory(
        m,
        times,
        q,
        zs,
        np.zeros(0),
        extra={
            **columns_of(names, p, units),
            "kinetic": kinetic,
            "potential": potential,
            "hamiltonian": Column(lambda: kinetic.values + potential.values, "J"),
        },
        method="semi-canonical",
        remarks=friction_not_used(m),
        effort=Effort(
            steps=len(counts),
            iterations=counts,
            multiplications=multiplications,
            additions=additions,
        ),
    )


def _work(*programs: Any) -> tuple[int, int]:
    """Multiplications with divisions, and additions, of some programs."""
    found = [program.operations for program in programs]
    return sum(f.multiplications + f.divisions for f in found), sum(f.additions for f in found)


def _times(until: float, step: float) -> Array:
    """Moments from 0 to `until`; the last step is shorter where the steps do not fit."""
    if not (step > 0 and until > 0):
        raise StructureError(f"step and until: expected times above 0, got {step:g} and {until:g}")
    if until / step > MOST_STEPS:
        raise StructureError(
            f"step: {until / step:.3g} steps of {step:g} s make {until:g} s, and at most "
            f"{MOST_STEPS:g} are kept; take longer steps, or a part of the time"
        )
    count = int(np.ceil(until / step - 1e-9))
    return np.append(np.arange(count) * step, until)


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


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps by calls of programs, or with numbers by functions."""

    scheme: Tableau
    streams: Streams
    solve: Callable[[Any, Any, Solution], Solution]
    """Velocities of y at a time, from those before."""
    rates: Callable[[Any, Any, Any], Any]
    """K of (y, z, t)."""
    unit: Callable[[Any], Any]
    """y with unit quaternions."""
    lead: Callable[[Any, Any, Any], tuple[Any, Any]] | None
    """y and velocities of (y, z, t), with what drives give; None where there are none."""

    def at(self, y: Any, now: Any, inner: Solution) -> tuple[Any, Solution]:
        """y and its velocities at a time."""
        if self.lead is not None:
            y, z = self.lead(y, inner.z, now)
            inner = inner._replace(z=z)
        return y, self.solve(y, now, inner)

    def note(self, k: Any, y: Any, z: Any) -> None:
        """Write a row."""
        put(self.streams.ys, k, y)
        put(self.streams.zs, k, z)

    def step(self, s: Travel) -> Travel:
        """One step; rows are those at its beginning.

        (q, p) = y + h sum_j A_ij K_j,   K_i = (qdot, pdot),   y_new = y + h sum_i b_i K_i
        """
        t, inner = get(self.streams.t, s.k), s.inner._replace(count=0.0)
        h = get(self.streams.t, s.k + 1) - t
        K: list[Any] = []
        for c, row in zip(self.scheme.c, self.scheme.A, strict=True):
            y, now = (s.y + h * weighted(row, K) if row else s.y), t + c * h
            y, inner = self.at(y, now, inner)
            if not K:
                self.note(s.k, y, inner.z)
            K.append(self.rates(y, inner.z, now))
        put(self.streams.counts, s.k, inner.count)
        return Travel(s.k + 1, self.unit(s.y + h * weighted(self.scheme.b, K)), inner)

    def on(self, ends: Any, s: Travel) -> Travel:
        """Steps up to the first of the ends; at the second, the last of all, its row is written."""
        last, steps = ends
        s = repeat(self.step, s, while_=lambda s: both(s.k < last, s.inner.status <= GOING))

        def finished() -> Travel:
            y, end = self.at(s.y, get(self.streams.t, s.k), s.inner)
            self.note(s.k, y, end.z)
            return s._replace(inner=end)

        return choose(both(s.k >= steps, s.inner.status <= GOING), finished, lambda: s)


Advance = Callable[[Array, Travel], Travel]
"""`Steps.on` from where a motion stands to the ends."""


def driven(
    made: Machine, scheme: str, t: Array, stop: Stop, start: tuple[Array, Array], *, tau: Any
) -> tuple[Array, Array, Array]:
    """Rows of y = (q, p), of the velocities z, and the iterations of every step."""
    (y, z), steps = start, len(t) - 1
    rows = (np.empty((steps + 1, len(y))), np.empty((steps + 1, len(z))), np.zeros(steps))
    by = _by_python if callable(tau) else _by_machine
    advance = by(made, scheme, stop, Streams(t, *rows), tau)
    s = Travel(0.0, y, Solution(z, 0.0, 0.0, 0.0, float(GOING)))
    work = len(SCHEMES[scheme].b) * made.tree.nv * made["step"].operations.total
    at_once = max(1, int(_OPERATIONS / max(1, work)))
    while s.k < steps and s.inner.status == GOING:
        begun = time.perf_counter()
        s = advance(np.array([min(steps, s.k + at_once), steps], dtype=float), s)
        at_once *= 1 if time.perf_counter() - begun > SECONDS else 2
    _refuse_ended(s.inner, stop)
    return rows[0], rows[1], rows[2].astype(np.int64)


def _refuse_ended(inner: Solution, stop: Stop) -> None:
    """An error where the inner problem has not been solved."""
    if inner.status == NOT_CONVERGED:
        raise not_converged(stop)
    if inner.status == NOT_FINITE:
        raise SimulationError(
            f"the motion is not finite any more after t = {inner.now:g} s; take a shorter step"
        )


def _by_machine(made: Machine, scheme: str, stop: Stop, streams: Streams, tau: Any) -> Advance:
    """In machine code, with constant forces."""
    nq, nv = made.tree.nq, made.tree.nv
    form = Travel(None, nq + nv, Solution(nv, *[None] * 4))

    def recorded() -> Routine:
        programs: dict[str, Any] = {name: made[name].program for name in (*INNER, "rates")}
        unit = partial(call, trace(made.tree.normalised, {"y": nq + nv}))

        def function(state: Any, stop: Any, ends: Any, tau: Any, *streams: Any) -> Any:
            def rates(y: Any, z: Any, now: Any) -> Any:
                return np.concatenate(call(programs["rates"], y[:nq], z, tau, now))

            def lead(y: Any, z: Any, now: Any) -> tuple[Any, Any]:
                q, z = call(made["lead"].program, y[:nq], z, now)
                return np.concatenate([q, y[nq:]]), z

            def solve(y: Any, now: Any, s: Solution) -> Solution:
                if made.terms:
                    y = call(made["shift"].program, y, now)
                return solved(programs, Stop(*stop), y, now, s)

            own = Steps(
                SCHEMES[scheme], Streams(*streams), solve, rates, unit, lead if made.led else None
            )
            return packed(own.on(ends, unpacked(form, state)))

        sizes = {"state": packed_size(form), "stop": 3, "ends": 2, "tau": nv}
        return routine(function, sizes, f"semi-canonical {scheme}", Streams._fields)

    forces = np.zeros(nv) if tau is None else vector("tau", tau, nv)
    run, given = compiled(made.m, (*made.key, "motion", scheme), recorded), np.array(stop, float)

    def advance(ends: Array, s: Travel) -> Travel:
        state = run(packed(s), given, ends, forces, streams=tuple(streams), check_finite=False)
        return unpacked(form, state)

    return advance


def _by_python(made: Machine, scheme: str, stop: Stop, streams: Streams, tau: Any) -> Advance:
    """As Python, with forces by a function; the inner problem and the rates are machine code.

    Calls are plain ones, which go straight into machine code but refuse what is not finite.
    """
    nq, ends_at = made.tree.nq, np.array(stop, dtype=float)

    def solve(y: Any, now: Any, s: Solution) -> Solution:
        end = s._replace(now=now, status=float(NOT_FINITE))
        if np.isfinite(y).all():
            y = made.shifted(y, np.array([now]))
            z, numbers = made.inner(y, s.z, np.array([s.bound, s.count, now, s.status]), ends_at)
            end = Solution(z, *numbers.tolist())
        _refuse_ended(end, stop)
        return end

    def rates(y: Any, z: Any, now: Any) -> Array:
        q = y[:nq]
        forces = vector("tau", tau(float(now), q.copy(), z.copy()), len(z))
        return np.concatenate(made["rates"](q, z, forces, np.array([now])))

    def lead(y: Any, z: Any, now: Any) -> tuple[Array, Array]:
        q, z = made["lead"](y[:nq], z, np.array([now]))
        return np.concatenate([q, y[nq:]]), z

    own = Steps(
        SCHEMES[scheme], streams, solve, rates, made.tree.normalised, lead if made.led else None
    )

    def advance(ends: Array, s: Travel) -> Travel:
        with np.errstate(all="ignore"):
            return own.on(ends, s)

    return advance
