"""Motion in coordinates and momenta, without accelerations and without solving for them.

Any explicit Runge-Kutta scheme runs on the semi-canonical system, one inner problem a stage:

    qdot = z,   A(q) z = p,   pdot = dL/dq(q, z) + Q(q, z, t)                               (2.8)

with z started from that of the stage before. With one stage it is the paper's scheme,

    q_new = q + h z,    p_new = p + h (dL/dq + Q)                                           (3.1)

Quaternions are brought back to unit length after each step. Source: Dunskaya & Pyatnitsky (1996).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.audit import Effort
from ..trajectory.columns import Column, columns_of, units_of
from ..trajectory.notes import friction_not_used
from ..trajectory.trajectory import Trajectory
from ..verbs.dynamics import forward_dynamics
from ..verbs.states import quantity, refuse_other, vector
from .canonical_run import SCHEMES, Plan, driven
from .canonical_state import Machine, machine

STOPS = ("step", "residual")
MOST_STEPS = 10**8
"""Every step is written down."""


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
    solver: str = "conjugate",
    tolerance: float = 1e-10,
    stop: str = "step",
    limit: int | None = None,
    gravity: Any = None,
) -> Trajectory:
    """The motion of a tree from t = 0, from (q, v) or (q, p), in steps of equal length.

    `tau` holds the forces of the joints, or gives them as tau(t, q, v). `scheme` is "euler" (the
    paper's), "rk4" or "dop853" (order 8); `solver` is "conjugate" or "minimal-residual", which
    stops when its step is below the tolerance or, with stop="residual", when |A z - p| says so by
    the greatest gamma met so far. `limit` bounds the iterations of one inner problem. The momenta
    are the columns `p_<joint>`, beside `kinetic`, `potential` and their sum `hamiltonian`; `effort`
    has the iterations, multiplications and additions of every step.
    """
    made = machine(m, solver, gravity)
    nq, nv = made.tree.nq, made.tree.nv
    place = vector("q", q, nq)
    if (v is None) == (p is None):
        raise StructureError("give either the velocities v or the momenta p at the start")
    times = _times(quantity("until", until, "time"), quantity("step", step, "time"))
    refuse_other("stop", stop, STOPS)
    refuse_other("scheme", scheme, SCHEMES)
    z = np.zeros(nv) if v is None else vector("v", v, nv)
    momentum = vector("p", p, nv) if v is None else made["product"](place, z)
    plan = Plan(SCHEMES[scheme], times, made.stop(tolerance, limit, stop == STOPS[1]))
    ys, zs, counts = driven(made, plan, np.concatenate([place, momentum]), z, tau)
    moved = _motion(m, made, plan, (ys, zs), counts)
    return replace(moved, accelerations=lambda: _accelerations(moved, tau, gravity))


def _accelerations(moved: Trajectory, tau: Any, gravity: Any) -> Array:
    """By the equations of motion, which this method does without."""
    forces = np.zeros(moved.v.shape) if tau is None else tau
    if callable(tau):
        forces = [tau(*row) for row in zip(moved.t, moved.q, moved.v, strict=True)]
    return forward_dynamics(moved.mechanism, moved.q, moved.v, forces, t=moved.t, gravity=gravity)


def _motion(
    m: Mechanism, made: Machine, plan: Plan, rows: tuple[Array, Array], counts: Array
) -> Trajectory:
    """Rows of (q, p) and z with their energies and what they took."""
    ys, zs = rows
    q, p = np.split(ys, [made.tree.nq], axis=1)
    stage, iteration = _work(made["once"], made["start"], made["rates"]), _work(made["step"])
    stages = len(plan.scheme.b)
    multiplications, additions = (stages * stage[k] + counts * iteration[k] for k in (0, 1))
    kinetic = Column(0.5 * np.einsum("ki,ki->k", p, zs), "J")
    potential = Column(lambda: np.array([float(made["potential"](row)) for row in q]), "J")
    names, units = [f"p_{name}" for name in m.velocities], units_of(made.tree, "p")
    return Trajectory(
        m,
        plan.t,
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
