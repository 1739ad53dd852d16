"""The verb `simulate`: from a mechanism and a start, or many, to a `Trajectory`.

Energies and work are columns of the trajectory, and their balance its audit:

    balance = T + V - W  less its value at the start: zero where the motion is exact             (1)

W is the work of everything but gravity since the start: given forces, loads, damping.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..codegen.callable.compiled import thread_count
from ..door import public
from ..errors import KorbaError, SimulationError
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..spatial.rotation import Array
from ..trajectory.audit import Audit, Effort
from ..trajectory.columns import Column, columns_of
from ..trajectory.progress import Progress
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED, Trajectory
from ..verbs.designs import design_values, sizes_of
from ..verbs.dynamics import Energy, energy
from ..verbs.states import quantity, refuse_other
from ..verbs.systems import tree_system
from . import arguments
from .right_hand_side import Plant, plant_of, typical_length
from .runs import DONE, NO_CONVERGENCE, NOT_FINITE, End, Method, Task
from .schemes import METHODS, Scheme, accelerations, scheme_of
from .stepping import (
    CRAWLS,
    FULL,
    STOPPED,
    Runs,
    fixed_task,
    followed,
    refuse_many,
    runs_of,
    task_of,
)

Report = Callable[[float, float], Any]
TINY, FEW = 1e-9, 10
"""Of a typical energy, and of a typical length in a second: less is not told from rest. And rows
that may all miss where the energies went: with fewer, a hundredth of a typical energy counts too.
"""


@public
def simulate(
    m: Mechanism,
    until: Any = 10.0,
    *,
    q: Any = None,
    v: Any = None,
    start: Any = 0.0,
    tau: Any = None,
    times: Any = None,
    method: str = "dop853",
    rtol: float | str = 1e-8,
    atol: float | str = 1e-10,
    step: Any = None,
    max_step: Any = None,
    gravity: Any = None,
    damping: bool = True,
    formulation: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    threads: int | None = None,
    raise_on_failure: bool = True,
) -> Trajectory:
    """The motion of a mechanism without loops from a state at `start` to the time `until`.

    `q` and `v` are arrays, or mappings from names (`{"A": "30 deg"}`, the rest as drawn and at
    rest); `q` may be the name of a pose. A free joint has x, y, z, quaternion w, x, y, z in q, and
    in v angular velocity, then velocity, in the moving body's axes. `tau` adds forces to the loads:
    an array, or a mapping from names to numbers, curves or expressions in coordinates, `v_<name>`
    and `t`; `damping=False` leaves out damping of joints. `times` asks for certain times (an array,
    or how many); without it every step is written down.

    Methods: "dop853", order 8, chooses its steps by `rtol` and `atol`, in rad and typical lengths
    (`step` is its first, `max_step` its longest); "rk4" and "symplectic", of order 4, make steps of
    length `step`, the symplectic one keeping the energy of conservative motion for long.

    Arrays with leading axes are many starts: `q` of shape (..., nq), `v` and `tau` of (..., nv), or
    names with arrays; and so are designs, arrays of named sizes in `parameters`. They run side by
    side in vector lanes (and on `threads` threads), each with its own steps, and give one
    trajectory with q of shape (..., len(times), nq); without `times` the start and the end.

    The columns `kinetic`, `potential`, `work` and `balance` are energies, the audit has the largest
    error. A run that fails raises a SimulationError with the `trajectory` so far, or returns it if
    not `raise_on_failure`; an interrupted one is returned. `progress`: a bar, or f(time).
    """
    begun = time.perf_counter()
    refuse_other("method", method, METHODS)
    plant, numbers = plant_of(m, gravity, tau, damping=damping, sizes=tuple(parameters or ()))
    plant = plant if parameters else plant.of_family(method, formulation)
    p = design_values(m, plant.sizes, parameters or {})
    many = arguments.is_many(plant.tree, q=q, v=v, tau=tau) or p.ndim > 1
    span = arguments.times(start, until, 2 if many and times is None else times)
    scheme = scheme_of(plant, method, formulation)
    task = _task(span, scheme.method, rtol, atol, step=step, longest=max_step)
    starts = arguments.starts(tree_system(m).tree, q, v, numbers, p, drawn=plant.drawn(p))
    plan = Plan(plant, scheme, formulation, task, span.asked, starts, begun)
    with closing(Progress(progress, span.end - span.start, "simulating")) as shown:
        moved = plan.many(thread_count(threads), shown) if many else plan.one(shown)
    if np.any(moved.ended == FAILED) and raise_on_failure:
        raise SimulationError(f"mechanism {m.name!r}: {moved.message}", moved)
    return moved


def _task(
    span: arguments.Times, method: Method, rtol: Any, atol: Any, *, step: Any, longest: Any
) -> Task:
    """Steps by tolerance, or of one length."""
    if step is not None:
        step = _positive("step", step, "time")
    elif not method.adaptive:
        raise KorbaError(
            f"step: method {method.name!r} needs the length of its steps, such as 1e-3"
        )
    if not method.adaptive:
        return fixed_task(span, step)
    rtol, atol = _positive("rtol", rtol, "number"), _positive("atol", atol, "number")
    most = np.inf if longest is None else _positive("max_step", longest, "time")
    refuse_many("max_step", span, most)
    return task_of(span, step or 0.0, rtol=max(rtol, 100 * 2.0**-52), atol=atol, longest=most)


def _positive(name: str, given: Any, kind: str) -> float:
    value = quantity(name, given, kind)
    if not value > 0:
        wanted = {"number": "a small positive number", "time": "a time above 0, such as 1e-3 s"}
        raise KorbaError(f"{name}: expected {wanted[kind]}, got {given!r}")
    return value


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be run."""

    plant: Plant
    scheme: Scheme
    formulation: str | None
    task: Task
    asked: Array | None
    starts: arguments.Starts
    begun: float

    def one(self, report: Report) -> Trajectory:
        """The motion from one start."""
        made = self._followed(report)
        end, rows = End(*made.ends[0]), made.written
        status, message = ending(end, self.task.end)
        remarks = _stiff(int(end.steps), int(end.stiff))
        return self._trajectory(rows[:, 0], rows, end, status, message, remarks=remarks)

    def many(self, threads: int, report: Report) -> Trajectory:
        """The motions from many starts, in lanes; a sentence on every run that did not finish."""
        made, shape = self._followed(report, threads), self.starts.shape
        words = np.array([status_of(code) for code in made.end.status], dtype=str)
        stopped = {
            int(k): ending(End(*made.ends[k]), self.task.end)[1]
            for k in np.flatnonzero(words != FINISHED)
        }
        end = End(*(x.reshape(shape) for x in made.end))
        status = words.reshape(shape)
        message = _message(status, stopped, self.task.end)
        rows = np.asarray(made.rows)
        rows = rows.reshape(*shape, *rows.shape[1:])
        return self._trajectory(made.times, rows, end, status, message, endings=stopped)

    def _followed(self, report: Report, threads: int = 0) -> Runs:
        """All runs, made; currents and work are zero at the start."""
        starts, shape = self.starts, self.scheme.equations.shape
        q, v = (starts.q[0], starts.v[0]) if not starts.shape else (starts.q, starts.v)
        sizes = starts.p if starts.shape else starts.p[0]
        y, base = self.scheme.equations.start(q, v, sizes)
        nothing = np.zeros((len(starts.q), shape.currents + shape.works))
        table = np.hstack([np.atleast_2d(y), nothing, np.atleast_2d(base), starts.constants])
        first = np.hstack([starts.q, starts.v, nothing])
        table = np.ascontiguousarray(table)
        task = self.task._replace(length=typical_length(self.plant.m))
        made = runs_of(self.scheme, task, self.asked, table, first=first, threads=threads)
        followed(made, report)
        return made

    def _trajectory(
        self,
        t: Array,
        rows: Array,
        end: End,
        status: Any,
        message: str,
        *,
        remarks: tuple[str, ...] = (),
        endings: Mapping[int, str] | None = None,
    ) -> Trajectory:
        """The motion in rows (..., times, columns)."""
        plant, starts = self.plant, self.starts
        m, tree, own = plant.m, plant.tree, plant.own_states
        first = [x.reshape(*starts.shape, x.shape[-1]) for x in (starts.q, starts.v, starts.p)]
        constants = starts.constants.reshape(*starts.shape, 1, plant.constants)
        parts = np.cumsum([tree.nq, tree.nv, len(own)])
        q, v, currents, done = np.split(rows[..., 1:], parts, axis=-1)
        work = done[..., 0] if done.shape[-1] else np.zeros(rows.shape[:-1])
        p = np.broadcast_to(first[2][..., None, :], (*q.shape[:-1], len(plant.sizes)))
        columns = energy_columns(self._energy, (q, v, p), first, work)
        counted = ("steps", "rejected", "evaluations", "stiff")
        counts = {name: np.asarray(getattr(end, name)).astype(int)[()] for name in counted}
        seconds = time.perf_counter() - self.begun
        return Trajectory(
            m,
            t,
            q,
            v,
            lambda: accelerations(plant, self.formulation, constants, rows),
            extra=columns_of(own, currents, ["A"] * len(own)) | columns,
            ended=status,
            message=message,
            method=self.scheme.method.name,
            remarks=(*remarks, *friction_not_used(m)),
            audit=audit_of(columns, least_energy(m, plant.gravity, len(t))),
            effort=Effort(**counts, seconds=seconds),
            endings=endings or {},
            parameters=self._designs(first[2]),
        )

    def _designs(self, p: Array) -> dict[str, Array]:
        """Sizes in which the designs differ from the mechanism, shape (..., 1) each."""
        names = self.plant.sizes
        if np.all(p == sizes_of(self.plant.m, names)):
            return {}
        return {name: p[..., None, i] for i, name in enumerate(names)}

    def _energy(self, q: Array, v: Array, p: Array) -> Energy:
        """The energies of states of designs."""
        design = {name: p[..., i] for i, name in enumerate(self.plant.sizes)}
        return energy(self.plant.m, q, v, gravity=self.plant.gravity, parameters=design or None)


def status_of(code: float) -> str:
    """The status of a run in a word."""
    return {DONE: FINISHED, STOPPED: INTERRUPTED}.get(int(code), FAILED)


def ending(run: End, end: float) -> tuple[str, str]:
    """The status, and a sentence about it: why, until when, and the way out."""
    word, until = status_of(run.status), f"at t = {run.t:.9g} s of {end:g} s"
    if word == FINISHED:
        return word, f"finished at t = {end:g} s"
    if word == INTERRUPTED:
        return word, f"interrupted {until}; what was computed is kept"
    reasons = {
        NOT_FINITE: "the accelerations are no longer finite; look for a force that grows without "
        "bound, a massless body or a step that is too long",
        CRAWLS: f"{run.steps + run.rejected:.3g} steps came no further, the last of {run.h:.1e} s, "
        "so the rest would take ages; the system is very stiff or explodes: look at stiff springs "
        "and large forces, or take method 'symplectic', which bears stiffness, with a step",
        FULL: f"{run.steps:.3g} steps fill the memory that one run may take; ask for certain "
        "times, such as times=1001",
        NO_CONVERGENCE: f"an implicit step of {run.h:.3g} s does not converge; give a smaller "
        "step, or take method 'dop853'",
    }
    too_small = (
        f"the step fell to {run.h:.1e} s; the motion has a singularity or a jump there, or "
        "rtol and atol ask for more than double precision holds"
    )
    return word, f"stopped {until}: {reasons.get(int(run.status), too_small)}"


def _message(status: Array, stopped: Mapping[int, str], end: float) -> str:
    """How the runs of a batch ended, in a sentence; the first that failed is named."""
    failed = np.argwhere(status == FAILED)
    if not len(failed):
        finished = int(np.sum(status == FINISHED))
        return f"{finished} of {status.size} runs finished at t = {end:g} s"
    place = tuple(map(int, failed[0]))
    where = place[0] if len(place) == 1 else place
    number = int(np.ravel_multi_index(place, status.shape))
    return f"{len(failed)} of {status.size} runs failed, the first, {where}, {stopped[number]}"


def _stiff(steps: int, stiff: int) -> tuple[str, ...]:
    """What is said of steps that stability limits, where they are many."""
    if not (stiff > 20 and stiff > 0.2 * steps):
        return ()
    return (
        f"the system is stiff: stability limits {stiff} of {steps} steps; softer springs and "
        "dampers, or motors without their small inductance, would run faster",
    )


def energy_columns(
    of: Callable[..., Energy],
    motion: Sequence[Array],
    start: Sequence[Array],
    work: Array,
) -> dict[str, Column]:
    """Kinetic energy, potential energy of gravity, work, and (1), by `of`, the energy of a state.

    `start` is where (1) counts from; it need not be among the rows.
    """
    both = cache(lambda: _where_known(of, *motion))

    def balance() -> Array:
        kinetic, potential = _where_known(of, *start)
        return both().kinetic + both().potential - work - (kinetic + potential)[..., None]

    return {
        "kinetic": Column(lambda: both().kinetic, "J"),
        "potential": Column(lambda: both().potential, "J"),
        "work": Column(work, "J"),
        "balance": Column(balance, "J"),
    }


def _where_known(of: Callable[..., Energy], *state: Array) -> Energy:
    """Energies of states that were reached; nan for the others."""
    finite = [np.isfinite(x).all(axis=-1) for x in state]
    known = np.logical_and.reduce(finite)
    if known.all():
        return of(*state)
    energies = np.full((2, *known.shape), np.nan)
    energies[:, known] = of(*(x[known] for x in state))
    return Energy(*energies)


def least_energy(m: Mechanism, gravity: Any, rows: int) -> float:
    """Energy beside which errors are judged where a mechanism hardly moves at so many rows."""
    mass, length = sum(body.mass for body in m.bodies), typical_length(m)
    g = float(np.linalg.norm((m.gravity or 0.0) if gravity is None else gravity))
    return (TINY if rows > FEW else 1e-2) * mass * length * (g + TINY * length)


def audit_of(columns: dict[str, Column], least: float = 0.0) -> Audit:
    """Largest |balance| of each run, relative to the energies that came and went."""

    def largest() -> Any:
        kinetic, potential, work, balance = (
            columns[name].values for name in ("kinetic", "potential", "work", "balance")
        )
        size = _span(potential) + _largest(kinetic) + _largest(work) + least
        return np.divide(_largest(balance), size, out=np.zeros(size.shape), where=size > 0)[()]

    return Audit(energy=largest)


def _largest(x: Array) -> Array:
    return np.max(np.abs(x), axis=-1, initial=0.0, where=np.isfinite(x))


def _span(x: Array) -> Array:
    known = np.isfinite(x)
    high = np.max(x, axis=-1, initial=-np.inf, where=known)
    low = np.min(x, axis=-1, initial=np.inf, where=known)
    return np.where(known.any(axis=-1), high - low, 0.0)
