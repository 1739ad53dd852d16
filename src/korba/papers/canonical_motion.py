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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..codegen import trace
from ..codegen.routine import call, choose, packed, routine
from ..door import public
from ..dynamics.quadratic_program import Stop, not_converged
from ..errors import SimulationError, StructureError
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..simulation.explicit import explicit
from ..simulation.first_order import FirstOrder
from ..simulation.runs import DONE
from ..simulation.stepping import FULL, STOPPED
from ..simulation.tableau import EULER, RK4
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


SCHEMES = {tableau.name: replace(tableau, error=()) for tableau in (EULER, RK4, DOP853)}
"""Their steps have one length."""


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
    span = quantity("until", until, "time"), quantity("step", step, "time")
    _refuse_span(*span)
    refuse_other("scheme", scheme, SCHEMES)
    given = state(made.tree, "v", v, many=False)
    place, z = made["lead"](place, given, np.zeros(1))
    momentum = vector("p", p, nv) if v is None else made.momenta(place, given, np.zeros(1))
    stepping = Stepping(made, scheme, made.stop(asked, TOLERANCE), tau)
    rows = stepping.followed(np.concatenate([place, momentum]), z, span)
    moved = _motion(made, len(SCHEMES[scheme].b), rows)
    return replace(moved, accelerations=lambda: _accelerations(made, moved, tau, gravity))


def _accelerations(made: Machine, moved: Trajectory, tau: Any, gravity: Any) -> Array:
    """By the equations of motion, which this method does without."""
    forces = np.zeros(moved.v.shape) if tau is None else tau
    if callable(tau):
        forces = [tau(*row) for row in zip(moved.t, moved.q, moved.v, strict=True)]
    if made.terms.key:
        forces = forces + made["gyroscopic"](moved.q, moved.v, moved.t[:, None])
    return forward_dynamics(moved.mechanism, moved.q, moved.v, forces, t=moved.t, gravity=gravity)


def _motion(made: Machine, stages: int, rows: Rows) -> Trajectory:
    """Rows with their energies and what they took."""
    times, ys, zs, counts = rows
    m = made.m
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


def _refuse_span(until: float, step: float) -> None:
    """An error for no steps, and for more than are kept."""
    if not (step > 0 and until > 0):
        raise StructureError(f"step and until: expected times above 0, got {step:g} and {until:g}")
    if until / step > MOST_STEPS:
        raise StructureError(
            f"step: {until / step:.3g} steps of {step:g} s make {until:g} s, and at most "
            f"{MOST_STEPS:g} are kept; take longer steps, or a part of the time"
        )


class Rows(NamedTuple):
    """Times, (q, p) and velocities at them, and the iterations of every step."""

    t: Array
    y: Array
    z: Array
    counts: Array


@dataclass(frozen=True, eq=False)
class Stepping:
    """The semi-canonical system as a problem of the runner: y = (q, p), with z carried along.

    The base has z, the greatest gamma, iterations so far, and how the inner problem ended.
    """

    made: Machine
    scheme: str
    stop: Stop
    tau: Any

    @property
    def plain(self) -> bool:
        """Whether forces are a function of Python, so that all but the inner problem is."""
        return callable(self.tau)

    @cached_property
    def first_order(self) -> FirstOrder:
        """What is stepped; what stays are given forces, and when iterations end."""
        made, nv = self.made, self.made.tree.nv
        key = (*made.key, "motion", self.scheme)
        return FirstOrder(
            f"semi-canonical {self.scheme}",
            made.tree.nq + nv,
            self._programs,
            None if self.plain else lambda recorded: compiled(made.m, key, recorded),
            constants=nv + len(self.stop),
            base=nv + 3,
            method=explicit(SCHEMES[self.scheme]),
        )

    def followed(self, y: Array, z: Array, span: tuple[float, float]) -> Rows:
        """The motion from y, with z near its velocities, over a span in steps of one length."""
        made, nv, until = self.made, len(z), span[0]
        forces = np.zeros(nv) if self.tau is None or self.plain else vector("tau", self.tau, nv)
        start = y, np.array([*z, 0.0, 0.0, GOING]), np.array([*forces, *self.stop], dtype=float)
        run = self.first_order.stepped(start, *span, first=np.concatenate([y, z, [0.0, 0.0]]))
        rows, base = run.written, run.states[self.first_order.scheme.places.run.base.astype(int)]
        self._refuse_ended(base[-1], rows[-1, 0])
        if run.end.status[0] == STOPPED:
            raise KeyboardInterrupt
        if run.end.status[0] == FULL:
            raise SimulationError(
                f"rows of {len(rows)} steps fill the memory that one run may take; take longer "
                "steps, or a part of the time"
            )
        if run.end.status[0] != DONE:
            self._refuse_ended(NOT_FINITE, rows[-1, 0])
        t, y, z, bound, count = np.split(rows, np.cumsum([1, len(y), nv, 1]), axis=1)
        t[-1] = until
        q, z = made["lead"](y[:, :-nv], z, t)
        y = np.hstack([q, y[:, -nv:]])
        numbers = np.hstack([bound, 0.0 * count, t, 0.0 * count])
        z, end = made.inner(made.shifted(y, t), z, numbers, start[2][nv:])
        self._refuse_ended(np.max(end[:, -1]), until)
        return Rows(t[:, 0], y, z, np.diff(count[:, 0]).astype(np.int64))

    def _refuse_ended(self, status: float, t: float) -> None:
        """An error where the inner problem has not been solved."""
        if status == NOT_CONVERGED:
            raise not_converged(self.stop)
        if status == NOT_FINITE:
            raise SimulationError(
                f"the motion is not finite any more after t = {t:g} s; take a shorter step"
            )

    def _programs(self) -> dict[str, Any]:
        """The slope, unit quaternions after a step, and rows."""
        made, nq, nv = self.made, self.made.tree.nq, self.made.tree.nv
        sizes = self.first_order.inputs

        def part(name: str) -> Any:
            return made[name] if self.plain else made[name].program

        inner = {name: part(name) for name in INNER}

        def solve(y: Any, t: Any, s: Solution, stop: Any) -> Solution:
            y = call(part("shift"), y, t) if made.terms else y
            if not self.plain:
                return solved(inner, Stop(*stop), y, t[0], s)
            z, numbers = made.inner(y, s.z, np.array([s.bound, s.count, t[0], s.status]), stop)
            return Solution(z, *numbers.tolist())

        def forces(q: Any, z: Any, t: Any, tau: Any) -> Any:
            if not self.plain:
                return tau[:nv]
            return vector("tau", self.tau(float(t[0]), q.copy(), z.copy()), nv)

        def slope(y: Any, t: Any, tau: Any, base: Any) -> tuple[Any, Any]:
            if self.plain and not np.isfinite(y).all():
                return np.nan * y, np.array([*base[:-1], NOT_FINITE])
            q, z = y[:nq], base[:nv]
            if made.led:
                q, z = call(part("lead"), q, z, t)
                y = packed([q, y[nq:]])
            s = solve(y, t, Solution(z, base[nv], base[nv + 1], t[0], base[nv + 2]), tau[nv:])
            known = np.sqrt(choose(s.status <= GOING, 1.0, -1.0))
            if self.plain:
                self._refuse_ended(s.status, float(t[0]))
            found = packed(call(part("rates"), q, s.z, forces(q, s.z, t, tau), t))
            return found * known, packed([s.z, s.bound, s.count, s.status])

        def settle(y: Any, *_: Any) -> Any:
            return packed([call(trace(made.tree.normalised, {"q": nq}), y[:nq]), y[nq:]])

        def row(y: Any, t: Any, _: Any, base: Any) -> Any:
            return packed([t, y, base[: nv + 2]])

        formulas = (slope, row, *((settle,) if made.tree.quaternions else ()))
        if self.plain:
            return {f.__name__: f for f in formulas}
        return {f.__name__: routine(f, sizes, f.__name__) for f in formulas}
