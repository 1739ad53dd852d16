"""The verb `simulate`: from a mechanism and a start to a `Solution`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import KorbaError, SimulationError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.progress import Progress
from ..verbs.states import coordinates, quantity, velocities
from . import arguments, endings, stepping
from .arguments import Forces, Times
from .prepared import Prepared, prepared
from .right_hand_side import Plant
from .runs import Task
from .schemes import Scheme, refuse_unknown
from .solution import FAILED, Effort, Solution
from .stepping import Tolerance


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
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: Any = None,
    max_step: Any = None,
    gravity: Any = None,
    formulation: str | None = None,
    progress: bool | Callable[[float], object] | None = None,
    raise_on_failure: bool = True,
) -> Solution:
    """The motion of a mechanism without loops from a state at `start` to the time `until`.

    `q` and `v` are arrays, or mappings from names (`{"A": "30 deg"}`, the rest as drawn and at
    rest). `tau` adds forces to the mechanism's own loads: an array, or a mapping from names to
    numbers, curves or expressions in coordinates, `v_<name>` and `t`. `times` asks for certain
    times (an array, or how many); without it every step is written down.

    Methods: "dop853", order 8, chooses its steps by `rtol` and `atol` (`step` is its first,
    `max_step` its longest); "rk4" and "symplectic", both of order 4, make steps of length `step`.
    The symplectic one keeps the energy of conservative motion for as long as it runs.

    A run that fails raises a SimulationError with the `solution` so far, or returns it where
    `raise_on_failure` is False; an interrupted one is returned. `progress` shows a bar (by itself
    after a second, at a terminal), or is a function called with the time now and then.
    """
    begun = time.perf_counter()
    refuse_unknown(method)
    span = arguments.times(start, until, times)
    own = prepared(m, gravity)
    forces = arguments.forces(own.tree, tau)
    plant = own.plant(forces)
    scheme = own.scheme(plant, method, formulation)
    state = (coordinates(own.tree, q), velocities(own.tree, v))
    if scheme.method.adaptive:
        task = stepping.adaptive_task(span, _tolerance(rtol, atol, max_step), _step(step))
    else:
        task = stepping.fixed_task(span, _needed_step(step, method))
    run = _begun(_Plan(own, forces, plant, scheme, formulation), state, span, task)
    shown = Progress(progress, span.end - span.start, "simulating")
    try:
        code = stepping.followed(run.made, shown)
    finally:
        shown.close()
    solution = _solution(run, code, begun)
    if solution.status == FAILED and raise_on_failure:
        raise SimulationError(f"mechanism {m.name!r}: {solution.message}", solution)
    return solution


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is to be run."""

    own: Prepared
    forces: Forces
    plant: Plant
    scheme: Scheme
    formulation: str | None


@dataclass(frozen=True, eq=False)
class _Run:
    """A plan on its way."""

    plan: _Plan
    made: stepping.Progress
    state: tuple[Array, Array]
    """q and v at the start."""


def _begun(plan: _Plan, state: tuple[Array, Array], span: Times, task: Task) -> _Run:
    """A run at its start; currents and work begin at zero."""
    currents, nothing = np.zeros(len(plan.plant.own_states)), np.zeros(int(plan.scheme.shape.works))
    tau = np.zeros(0) if plan.forces.numbers is None else plan.forces.numbers
    start = stepping.start_of(plan.scheme, *plan.scheme.start(*state, currents), tau)
    row = np.concatenate([[span.start], *state, currents, nothing])
    return _Run(plan, stepping.begun(plan.scheme, task, span.asked, start, row), state)


def _solution(run: _Run, code: int, begun: float) -> Solution:
    plan, rows, end = run.plan, run.made.written, run.made.run
    tree, own = plan.plant.tree, plan.plant.own_states
    parts = np.cumsum([tree.nq, tree.nv, len(own)])
    q, v, currents, done = np.split(rows[:, 1:], parts, axis=1)
    steps, rejected, evaluations, stiff = map(
        int, (end.steps, end.rejected, end.evaluations, end.stiff)
    )
    status, message = endings.ending(code, end, run.made.task.end)
    return Solution(
        mechanism=plan.own.m,
        method=plan.scheme.method.name,
        t=rows[:, 0],
        q=q,
        v=v,
        currents=currents,
        work=done[:, 0] if done.shape[1] else np.zeros(len(rows)),
        status=status,
        message=message,
        effort=Effort(steps, rejected, evaluations, stiff, time.perf_counter() - begun),
        notes=endings.notes(tree, rows, steps, stiff),
        gravity=plan.own.gravity,
        own_states=own,
        rates=lambda: plan.own.accelerations(plan.plant, plan.forces, rows, plan.formulation),
        start=run.state,
    )


def _tolerance(rtol: Any, atol: Any, max_step: Any) -> Tolerance:
    found = {name: quantity(name, x, "number") for name, x in (("rtol", rtol), ("atol", atol))}
    for name, value in found.items():
        if not value > 0:
            raise KorbaError(f"{name}: expected a small positive number, got {value!r}")
    longest = _step(max_step, "max_step")
    return Tolerance(max(found["rtol"], 100 * 2.0**-52), found["atol"], longest or np.inf)


def _step(value: Any, name: str = "step") -> float | None:
    if value is None:
        return None
    found = quantity(name, value, "time")
    if not found > 0:
        raise KorbaError(f"{name}: expected a time above 0, such as 1e-3 s, got {value!r}")
    return found


def _needed_step(value: Any, method: str) -> float:
    found = _step(value)
    if found is None:
        raise KorbaError(f"step: method {method!r} needs the length of its steps, such as 1e-3")
    return found
