"""The verb `simulate`: from a mechanism and a start, or many, to a `Trajectory`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..codegen.callable.compiled import thread_count
from ..door import public
from ..errors import KorbaError, SimulationError
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..spatial.rotation import Array
from ..trajectory.audit import Effort
from ..trajectory.columns import columns_of
from ..trajectory.events import Events
from ..trajectory.progress import Progress
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED, Trajectory
from ..verbs.designs import design_values, sizes_of
from ..verbs.dynamics import Energy, energy
from ..verbs.states import quantity, refuse_other
from . import arguments, sundials
from .callers import Caller, callers
from .closed_starts import begun_with
from .energies import audit_of, energy_columns, largest_of, least_energy
from .event import switch_values
from .holds import first_modes
from .projection import gaps
from .queues import End
from .right_hand_side import Plant, plant_of, typical_length
from .runs import AT_EVENT, CROWDED, DONE, NO_CONVERGENCE, NOT_FINITE, Method, Task
from .schemes import METHODS, SUNDIALS, Scheme, accelerations, scheme_of
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
    events: Any = None,
    switches: Mapping[str, float] | None = None,
    stops: bool | float | Mapping[str, float] = False,
    friction: bool = False,
    progress: bool | Callable[[float], object] | None = None,
    threads: int | None = None,
    raise_on_failure: bool = True,
) -> Trajectory:
    """The motion of a mechanism from a state at `start` to the time `until`.

    `q` and `v` are arrays, or mappings from names (`{"A": "30 deg"}`, the rest as drawn and at
    rest); `q` may be the name of a pose. `tau` adds forces to the loads: an array, or a mapping
    from names to numbers, curves or expressions in coordinates, `v_<name>` and `t`. `times` asks
    for certain times (an array, or how many); without it every step is written down. Loops stay
    closed and drives are followed: joints not named in q and v follow those that are.

    Methods: "dop853", order 8, chooses its steps by `rtol` and `atol`, in rad and typical lengths
    (`step` is its first, `max_step` its longest), and so does "stiff", implicit, of order 5; "rk4"
    and "symplectic", of order 4, make steps of length `step`, the latter keeping energy for long.

    `events`, each a `kb.Event` or an expression such as "A - 30 deg", are found where they cross
    zero (`trajectory.events`). They may end the run, change the state, call a function, or throw
    `switches`: named numbers that expressions of `tau` and of events may use. With `stops` joints
    do not pass their limits (True, or the restitution of the impacts); with `friction` dry
    friction makes them slip and stick.

    Arrays with leading axes are many starts (`q` of shape (..., nq), `v` and `tau` of (..., nv)),
    arrays of named sizes in `parameters` many designs. They run side by side in vector lanes (and
    on `threads` threads) and give one trajectory with q of shape (..., len(times), nq).

    A run that fails raises a SimulationError with the `trajectory` so far, or returns it.
    """
    acting = {"gravity": gravity, "tau": tau, "damping": damping, "events": events}
    acting |= {"stops": stops, "friction": friction}
    steps = {"rtol": rtol, "atol": atol, "step": step, "longest": max_step}
    how = method, formulation, parameters or {}
    plan = _plan(m, (start, until, times), (q, v), how, acting, switches=switches, steps=steps)
    with closing(Progress(progress, plan.task.end - plan.task.start, "simulating")) as shown:
        moved = plan.followed(thread_count(threads), shown)
    if np.any(moved.ended == FAILED) and raise_on_failure:
        raise SimulationError(f"mechanism {m.name!r}: {moved.message}", moved)
    return moved


def _plan(
    m: Mechanism,
    span: tuple[Any, Any, Any],
    state: tuple[Any, Any],
    how: tuple[str, str | None, Mapping[str, Any]],
    acting: Mapping[str, Any],
    *,
    switches: Any,
    steps: Mapping[str, Any],
) -> Plan:
    """What is to be run: the arguments of `simulate`, checked, and its scheme."""
    begun, (method, formulation, parameters) = time.perf_counter(), how
    refuse_other("method", method, METHODS)
    thrown, sizes = switch_values(switches), tuple(parameters)
    plant, numbers = plant_of(m, **acting, switches=tuple(thrown), sizes=sizes)
    plant = plant if parameters else plant.of_family(method, formulation)
    p, (q, v), (start, until, times) = design_values(m, plant.sizes, parameters), state, span
    many = arguments.is_many(plant.tree, q=q, v=v, tau=acting["tau"]) or p.ndim > 1
    asked = arguments.times(start, until, 2 if many and times is None else times)
    if method == SUNDIALS.name:
        sundials.refuse_other(plant, many)
    scheme = scheme_of(plant, method, formulation)
    task = _task(asked, scheme.method, **steps)
    values = [*thrown.values(), *[0.0] * (len(plant.switches) - len(thrown))]
    given = {"p": p, "switches": np.array(values), "drawn": plant.drawn(p)}
    starts = begun_with(plant, (q, v), numbers, given, t=asked.start)
    modes = first_modes(plant.holds, starts.v)
    modes = np.hstack([starts.switches[..., : len(thrown)], modes])
    starts, calls = replace(starts, switches=modes), callers(acting["events"])
    return Plan(
        plant,
        scheme,
        formulation,
        task,
        asked.asked,
        starts,
        begun,
        many,
        calls,
        acting["friction"],
    )


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
    many: bool = False
    """Whether it is a batch."""
    calls: tuple[Callable[..., Any] | None, ...] = ()
    """Functions of the user, one for each event."""
    friction: bool = False

    def followed(self, threads: int, report: Report) -> Trajectory:
        """The motion, or the motions."""
        return self._many(threads, report) if self.many else self._one(report)

    def _one(self, report: Report) -> Trajectory:
        """The motion from one start."""
        made = self._followed(report)
        end, rows = End(*made.ends[0]), made.written
        happened = self._events(made)
        status, message = ending(end, self.task.end, happened)
        remarks = _stiff(int(end.steps), int(end.stiff))
        told: dict[str, Any] = {"remarks": remarks, "events": happened}
        return self._trajectory(rows[:, 0], rows, end, status, message, **told)

    def _many(self, threads: int, report: Report) -> Trajectory:
        """The motions from many starts, in lanes; a sentence on every run that did not finish."""
        made, shape = self._followed(report, threads), self.starts.shape
        happened = self._events(made)
        words = np.array([status_of(code) for code in made.end.status], dtype=str)
        stopped = {
            int(k): ending(End(*made.ends[k]), self.task.end, happened.of_run(int(k)))[1]
            for k in np.flatnonzero((words != FINISHED) | (made.end.status == AT_EVENT))
        }
        end = End(*(x.reshape(shape) for x in made.end))
        status = words.reshape(shape)
        message = _message(status, stopped, self.task.end)
        rows = np.asarray(made.rows)
        rows = rows.reshape(*shape, *rows.shape[1:])
        told: dict[str, Any] = {"endings": stopped, "events": happened}
        return self._trajectory(made.times, rows, end, status, message, **told)

    def _followed(self, report: Report, threads: int = 0) -> Runs:
        """All runs, made; currents and work are zero at the start."""
        starts, shape = self.starts, self.scheme.equations.shape
        q, v = (starts.q[0], starts.v[0]) if not starts.shape else (starts.q, starts.v)
        sizes = starts.p if starts.shape else starts.p[0]
        y, base = self.scheme.equations.start(q, v, sizes)
        nothing = np.zeros((len(starts.q), shape.currents + shape.works))
        table = np.hstack([np.atleast_2d(y), nothing, np.atleast_2d(base), starts.constants])
        first = np.hstack([starts.q, starts.v, nothing, starts.switches])
        table = np.ascontiguousarray(table)
        task = self.task._replace(length=typical_length(self.plant.m))
        made = runs_of(self.scheme, task, self.asked, table, first=first, threads=threads)
        if any(self.calls):
            made.asked = Caller(self.plant, self.calls, self._energy)
        if self.scheme.method is SUNDIALS:
            sundials.run(self.plant, self.formulation, made, report)
        else:
            followed(made, report)
        return made

    def _events(self, made: Runs) -> Events:
        """What happened when, of each run in order."""
        names, tree = self.plant.events, self.plant.tree
        if not names or not made.events:
            return Events(names, q=np.zeros((0, tree.nq)), v=np.zeros((0, tree.nv)))
        rows = np.concatenate(made.events)
        place, which = np.nonzero(rows[:, -len(names) :])
        rows = rows[place]
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        rows, which = rows[order], which[order]
        q, v = np.split(rows[:, 2:], [tree.nq, tree.nq + tree.nv], axis=1)[:2]
        return Events(names, which, rows[:, 1], q, v, rows[:, 0].astype(int))

    def _trajectory(
        self,
        t: Array,
        rows: Array,
        end: End,
        status: Any,
        message: str,
        *,
        events: Events,
        remarks: tuple[str, ...] = (),
        endings: Mapping[int, str] | None = None,
    ) -> Trajectory:
        """The motion in rows (..., times, columns)."""
        plant, starts = self.plant, self.starts
        m, tree, own = plant.m, plant.tree, plant.own_states
        first = [x.reshape(*starts.shape, x.shape[-1]) for x in (starts.q, starts.v, starts.p)]
        constants = starts.constants.reshape(*starts.shape, 1, plant.constants)
        works = int(self.scheme.equations.shape.works)
        parts = np.cumsum([tree.nq, tree.nv, len(own), works])
        q, v, currents, done, thrown = np.split(rows[..., 1:], parts, axis=-1)
        work = done[..., 0] if works else np.zeros(rows.shape[:-1])
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
            extra=columns_of(own, currents, ["A"] * len(own))
            | columns
            | columns_of(plant.switches, thrown, ["1"] * len(plant.switches)),
            ended=status,
            message=message,
            method=self.scheme.method.name,
            remarks=(*remarks, *(() if self.friction else friction_not_used(m))),
            audit=audit_of(columns, least_energy(m, plant.gravity, len(t)), self._gaps(rows)),
            effort=Effort(**counts, seconds=seconds),
            endings=endings or {},
            events=events,
            parameters=self._designs(first[2]),
        )

    def _gaps(self, rows: Array) -> Callable[[], Any] | None:
        """The largest gap of loops and drives of each run; None where there are none."""
        if not self.plant.constrained:
            return None
        constants = self.starts.constants.reshape(*self.starts.shape, 1, self.plant.constants)
        y, t = rows[..., 1 : 1 + self.scheme.equations.shape.size], rows[..., :1]
        return lambda: largest_of(gaps(self.plant, np.ascontiguousarray(y), t, constants))[()]

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
    return {DONE: FINISHED, AT_EVENT: FINISHED, STOPPED: INTERRUPTED}.get(int(code), FAILED)


def ending(run: End, end: float, events: Events) -> tuple[str, str]:
    """The status, and a sentence about it: why, until when, and the way out."""
    word, until = status_of(run.status), f"at t = {run.t:.9g} s of {end:g} s"
    if int(run.status) == AT_EVENT:
        return word, f"ended by event {events[-1].name!r} {until}"
    if int(run.status) == CROWDED:
        names = ", ".join(dict.fromkeys(repr(each.name) for each in events[-8:]))
        return word, (
            f"stopped {until}: event {names} happens again and again in no time, as when a bounce "
            "follows a bounce ever sooner; end the run there with terminal=True, or change the "
            "state so that it moves away"
        )
    if word == FINISHED:
        return word, f"finished at t = {end:g} s"
    if word == INTERRUPTED:
        return word, f"interrupted {until}; what was computed is kept"
    reasons = {
        NOT_FINITE: "the accelerations are no longer finite; look for a force that grows without "
        "bound, a massless body or a step that is too long",
        CRAWLS: f"{run.steps + run.rejected:.3g} steps came no further, the last of {run.h:.1e} s, "
        "so the rest would take ages; the system is very stiff or explodes: take method 'stiff', "
        "which bears stiffness (or 'symplectic' with a step), and look at springs and forces",
        FULL: f"{run.steps:.3g} steps fill the memory that one run may take; ask for certain "
        "times, such as times=1001, or take method 'stiff' if stiff springs make steps so short",
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
        f"the system is stiff: stability limits {stiff} of {steps} steps; method 'stiff' takes few "
        "steps where springs, dampers or a small inductance are that hard",
    )
