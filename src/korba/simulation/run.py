"""The verb `simulate`: from a mechanism and a start, or many, to a `Trajectory`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen.callable.compiled import thread_count
from ..door import public
from ..errors import KorbaError, SimulationError, StructureError
from ..model.mechanism import Mechanism
from ..system.system import any_system
from ..trajectory.progress import Progress
from ..trajectory.trajectory import FAILED, Trajectory
from ..verbs.designs import design_values
from ..verbs.generated import written_by
from ..verbs.states import quantity, refuse_other
from . import arguments, sundials
from .callers import callers
from .closed_starts import begun_with
from .contact import refuse_inside
from .event import switch_values
from .first_modes import first_modes
from .phases import Carried, Parts, Phase, Phases, joined, parts_of
from .plan import Plan, Report
from .right_hand_side import plant_of
from .runs import Integrator, Task
from .schemes import METHODS, SUNDIALS, scheme_of
from .stepping import fixed_task, refuse_many, task_of
from .written_run import run_routine

TIGHTEST = 100 * 2.0**-52
"""The least relative tolerance."""
FEW = 100
"""Starts of a batch whose contacts are looked at."""


@written_by(run_routine)
@public
def simulate(
    m: Mechanism,
    until: Any = 10.0,
    *,
    q: Any = None,
    v: Any = None,
    t: Any = 0.0,
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
    contacts: Any = None,
    friction: bool = False,
    stabilisation: str | Mapping[str, float] = "projection",
    progress: bool | Callable[[float], object] | None = None,
    threads: int | None = None,
    raise_on_failure: bool = True,
) -> Trajectory:
    """The motion of a mechanism from a state at `t` to the time `until`.

    `q` and `v` are arrays, or mappings from names (`{"A": "30 deg"}`, the rest as drawn and at
    rest); `q` may be the name of a pose. `tau` adds forces to the loads: an array, or a mapping
    from names to numbers, curves or expressions in coordinates, `v_<name>` and `t`. `times` asks
    for certain times (an array, or how many); without it every step is written down. Joints not
    named in q and v follow those that are; loops stay closed, by projection or by `stabilisation`.

    Methods: "dop853", order 8, chooses its steps by `rtol` and `atol`, in rad and typical lengths
    (`step` is its first, `max_step` its longest), and so does "stiff", implicit, of order 5; "rk4"
    and "symplectic", of order 4, make steps of length `step`, the latter keeping energy for long.

    `events`, each a `kb.Event` or an expression such as "A - 30 deg", are found where they cross
    zero (`trajectory.events`). They may end the run, change the state, call a function, or throw
    `switches`: named numbers that expressions of `tau` and of events may use. With `stops` joints
    do not pass their limits (True, or the restitution of the impacts), `contacts` (`kb.Contact`)
    are distances that stay above zero; with `friction` dry friction makes joints slip and stick.

    Arrays with leading axes are many starts (`q` of shape (..., nq), `v` and `tau` of (..., nv)),
    arrays of named sizes in `parameters` many designs. They run side by side in vector lanes (and
    on `threads` threads) and give one trajectory with q of shape (..., len(times), nq).

    A run that fails raises a SimulationError with the `trajectory` so far, or returns it.
    """
    parts, events, switches = parts_of(m, events, switches)
    acting = {"gravity": gravity, "tau": tau, "damping": damping, "events": events, "stops": stops}
    acting |= {"contacts": contacts, "friction": friction, "stabilisation": stabilisation}
    steps = {"rtol": rtol, "atol": atol, "step": step, "longest": max_step}
    asked = {"how": (method, formulation, parameters or {}), "acting": acting, "steps": steps}
    how = progress, threads, raise_on_failure
    return _followed(parts, (t, until, times), (q, v), asked | {"switches": switches}, how)


def _followed(
    parts: Parts, span: tuple[Any, Any, Any], state: tuple[Any, Any], asked: Any, how: Any
) -> Trajectory:
    """The motion, with a bar; or an error where it fails."""
    progress, threads, raises = how
    plan = _plan(parts.mechanism, span, state, **asked)
    single = not plan.many and asked["how"][0] in {"dop853", "rk4", "stiff"}
    if parts.by_event and not single:
        raise StructureError(
            "events: loads and drives are switched in one run at a time, by methods 'dop853', "
            "'rk4' and 'stiff'; elsewhere let laws of forces use switches"
        )
    with closing(Progress(progress, plan.task.end - plan.task.start, "simulating")) as shown:
        if parts.by_event:
            moved = _phased(parts, plan, asked, shown)
        else:
            moved = plan.followed(thread_count(threads), shown)
    if np.any(moved.ended == FAILED) and raises:
        raise SimulationError(f"mechanism {parts.m.name!r}: {moved.message}", moved)
    return moved


def _phased(parts: Parts, plan: Plan, asked: Mapping[str, Any], report: Report) -> Trajectory:
    """One run after the other, events switching loads and drives between them."""
    begin, until, times = plan.task.start, plan.task.end, plan.asked

    def phase(m: Mechanism, last: Carried | None) -> Phase:
        own = plan
        if last is not None:
            left = None if times is None else times[times > last.t]
            span = last.t, until, left if left is None or left.size else [until]
            more = {"switches": {x: last.values[x] for x in asked["switches"] or {}}}
            own = _plan(m, span, (last.q, last.v), **{**asked, **more}, carried=last.values)
        run, end = own.phase(lambda _, t, said="": report(t - begin, t, said))
        if last is not None and (times is None or not np.any(times > last.t)):
            run = run[1:]
        q, v, p = own.starts.q[0], own.starts.v[0], own.starts.p[0]
        return Phase(run, float(sum(own._energy(q, v, p))), end)

    return joined(parts.m, Phases(parts, phase).followed(), plan.plant.gravity)


def _plan(
    m: Mechanism,
    span: tuple[Any, Any, Any],
    state: tuple[Any, Any],
    how: tuple[str, str | None, Mapping[str, Any]],
    acting: Mapping[str, Any],
    *,
    switches: Any,
    steps: Mapping[str, Any],
    carried: Mapping[str, float] | None = None,
) -> Plan:
    """What is to be run: the arguments of `simulate`, checked, and its scheme."""
    begun, going, (method, formulation, parameters) = time.perf_counter(), carried or {}, how
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
    if acting["contacts"] is not None and not parameters:
        refuse_inside(any_system(m).tree, acting["contacts"], starts.q[:FEW])
    modes, currents = np.array(starts.switches), (*(going.get(x, 0.0) for x in plant.own_states),)
    for k, name in enumerate(plant.switches):
        if name.startswith("rests_") and name in going:
            modes[..., k] = going[name]
    starts, calls = replace(starts, switches=modes), callers(acting["events"])
    modes = first_modes(plant, formulation, starts, currents, asked.start)
    starts = replace(starts, switches=modes)
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
        _rounding(steps["rtol"], scheme.method),
        currents,
    )


def _task(
    span: arguments.Times, method: Integrator, rtol: Any, atol: Any, *, step: Any, longest: Any
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
    return task_of(span, step or 0.0, rtol=max(rtol, TIGHTEST), atol=atol, longest=most)


def _rounding(rtol: Any, method: Integrator) -> tuple[str, ...]:
    """What is said of a tolerance that double precision does not hold."""
    if not method.adaptive or quantity("rtol", rtol, "number") >= TIGHTEST:
        return ()
    return (f"rtol = {rtol} is below what double precision holds; {TIGHTEST:.1e} was taken",)


def _positive(name: str, given: Any, kind: str) -> float:
    value = quantity(name, given, kind)
    if not value > 0:
        wanted = {"number": "a small positive number", "time": "a time above 0, such as 1e-3 s"}
        raise KorbaError(f"{name}: expected {wanted[kind]}, got {given!r}")
    return value
