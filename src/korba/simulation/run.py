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
from ..errors import SimulationError, StructureError
from ..model.mechanism import Mechanism
from ..progress import Progress
from ..system.system import any_system
from ..trajectory.trajectory import FAILED, Trajectory
from ..verbs.designs import design_values
from ..verbs.generated import written_by
from . import arguments, sundials
from .arguments import span_of
from .callers import callers
from .closed_starts import begun_with
from .contact import refuse_inside, refuse_longer
from .first_modes import first_modes
from .fixed_step import GAUSS
from .method import Method, method_of
from .on_the_way import OnTheWay, on_the_way
from .phases import Carried, Parts, Phase, Phases, joined, parts_of
from .plan import Plan, Report
from .right_hand_side import plant_of
from .schemes import SUNDIALS, scheme_of
from .written_run import run_routine

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
    tau: Any = None,
    times: Any = None,
    method: str | Method = "dop853",
    events: Any = None,
    gravity: Any = None,
    parameters: Mapping[str, Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    raise_on_failure: bool = True,
) -> Trajectory:
    """The motion of a mechanism from a state at t = 0 to the time `until`, or (from, until).

    `q` and `v` are arrays, or mappings from names (`{"A": "30 deg"}`, the rest as drawn and at
    rest); `q` may be the name of a pose. `tau` adds forces to the loads: an array, or a mapping
    from names to numbers, curves or expressions in coordinates, `v_<name>` and `t`. `times` asks
    for certain times (an array, or how many); without it every step is written down. Joints not
    named in q and v follow those that are; loops stay closed, by projection.

    `method` is "dop853" (explicit, of order 8) or "stiff" (implicit, of order 5), whose steps are
    chosen by tolerances, or a `kb.Method`, which says more: tolerances, lengths of steps,
    `kb.Method("rk4", step=1e-3)`, formulation, stabilisation, threads.

    `events`, each an expression such as "A - 30 deg" or a `kb.Event`, are found where they cross
    zero (`trajectory.events`). They may end the run, change the state, call a function, or throw
    switches: named numbers (`kb.Switch`) that expressions of `tau` and of events may use. "stops"
    among them (or `kb.Stops`) keeps joints within their limits, each `kb.Contact` is a distance
    that stays above zero, and with "friction" dry friction makes joints slip and stick.

    Arrays with leading axes are many starts (`q` of shape (..., nq), `v` and `tau` of (..., nv)),
    arrays of named sizes in `parameters` many designs. They run side by side in vector lanes and
    give one trajectory with q of shape (..., len(times), nq).

    A run that fails raises a SimulationError with the `trajectory` so far, or returns it.
    """
    parts, asked_events = parts_of(m, on_the_way(events, m.coordinates))
    how, sizes = method_of(method), parameters or {}
    asked = Asked((*span_of(until), times), (q, v), asked_events, how, tau, gravity, sizes)
    plan = _plan(parts.mechanism, asked)
    if parts.by_event and (plan.many or how.integrator in {GAUSS, SUNDIALS}):
        raise StructureError(
            "events: loads and drives are switched in one run at a time, by methods 'dop853', "
            "'rk4' and 'stiff'; elsewhere let laws of forces use switches"
        )
    with closing(Progress(progress, plan.task.end - plan.task.start, "simulating")) as shown:
        if parts.by_event:
            moved = _phased(parts, plan, asked, shown)
        else:
            moved = plan.followed(thread_count(how.threads), shown)
    if np.any(moved.ended == FAILED) and raise_on_failure:
        raise SimulationError(f"mechanism {m.name!r}: {moved.message}", moved)
    return moved


@dataclass(frozen=True, eq=False)
class Asked:
    """The arguments of `simulate`."""

    span: tuple[Any, Any, Any]
    """Start, end, and the times that are asked for."""
    state: tuple[Any, Any]
    events: OnTheWay
    method: Method
    tau: Any
    gravity: Any
    parameters: Mapping[str, Any]


def _phased(parts: Parts, plan: Plan, asked: Asked, report: Report) -> Trajectory:
    """One run after the other, events switching loads and drives between them."""
    begin, until, times = plan.task.start, plan.task.end, plan.asked

    def phase(m: Mechanism, last: Carried | None) -> Phase:
        own = plan
        if last is not None:
            left = None if times is None else times[times > last.t]
            span = last.t, until, left if left is None or left.size else [until]
            events = asked.events.switched({x: last.values[x] for x in asked.events.switches})
            here = replace(asked, span=span, state=(last.q, last.v), events=events)
            own = _plan(m, here, last.values)
        run, end = own.phase(lambda _, t, said="": report(t - begin, t, said))
        if last is not None and (times is None or not np.any(times > last.t)):
            run = run[1:]
        q, v, p = own.starts.q[0], own.starts.v[0], own.starts.p[0]
        return Phase(run, float(sum(own._energy(q, v, p))), end)

    return joined(parts.m, Phases(parts, phase).followed(), plan.plant.gravity)


def _plan(m: Mechanism, asked: Asked, carried: Mapping[str, float] | None = None) -> Plan:
    """What is to be run: the arguments of `simulate`, checked, and its scheme."""
    begun, going, method = time.perf_counter(), carried or {}, asked.method
    formulation, thrown = method.formulation, asked.events.switches
    plant, numbers = plant_of(
        m,
        asked.gravity,
        asked.tau,
        sizes=tuple(asked.parameters),
        events=asked.events,
        stabilisation=method.stabilisation,
        rests=method.integrator not in {GAUSS, SUNDIALS},
    )
    plant = plant if asked.parameters else plant.of_family(method.name, formulation)
    p, (q, v) = design_values(m, plant.sizes, asked.parameters), asked.state
    many = arguments.is_many(plant.tree, q=q, v=v, tau=asked.tau) or p.ndim > 1
    start, until, times = asked.span
    span = arguments.times(start, until, 2 if many and times is None else times)
    if method.integrator is SUNDIALS:
        sundials.refuse_other(plant, many)
    scheme = scheme_of(plant, method.name, formulation)
    task = method.task(span)
    values = [*thrown.values(), *[0.0] * (len(plant.switches) - len(thrown))]
    given = {"p": p, "switches": np.array(values), "drawn": plant.drawn(p)}
    starts = begun_with(plant, (q, v), numbers, given, t=span.start)
    if not asked.parameters:
        refuse_inside(any_system(m).tree, asked.events.contacts, starts.q[:FEW], starts.v[:FEW])
        refuse_longer(any_system(m).tree, starts.q[:FEW])
    currents = (*(going.get(x, start) for x, start in plant.own_starts.items()),)
    if plant.switches:
        modes = np.array(starts.switches)
        for k, name in enumerate(plant.switches):
            if name.startswith("rests_") and name in going:
                modes[..., k] = going[name]
        starts = replace(starts, switches=modes)
        modes = first_modes(plant, formulation, starts, currents, span.start)
        starts = replace(starts, switches=modes)
    return Plan(
        plant,
        scheme,
        formulation,
        task,
        span.asked,
        starts,
        begun,
        many,
        callers(asked.events.events),
        asked.events.friction,
        method.remarks,
        currents,
    )
