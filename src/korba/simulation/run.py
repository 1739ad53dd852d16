"""The verb `simulate`: from a mechanism and a start, or many, to a `Trajectory`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..codegen.callable.compiled import thread_count
from ..errors import KorbaError, SimulationError
from ..model.mechanism import Mechanism
from ..trajectory.progress import Progress
from ..trajectory.trajectory import FAILED, Trajectory
from ..verbs.states import coordinates, quantity, velocities
from . import arguments, stepping
from .plan import Plan, many_runs, one_run
from .prepared import prepared
from .schemes import refuse_unknown
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
    threads: int | None = None,
    raise_on_failure: bool = True,
) -> Trajectory:
    """The motion of a mechanism without loops from a state at `start` to the time `until`.

    `q` and `v` are arrays, or mappings from names (`{"A": "30 deg"}`, the rest as drawn and at
    rest). `tau` adds forces to the mechanism's own loads: an array, or a mapping from names to
    numbers, curves or expressions in coordinates, `v_<name>` and `t`. `times` asks for certain
    times (an array, or how many); without it every step is written down.

    Methods: "dop853", order 8, chooses its steps by `rtol` and `atol` (`step` is its first,
    `max_step` its longest); "rk4" and "symplectic", both of order 4, make steps of length `step`.
    The symplectic one keeps the energy of conservative motion for as long as it runs.

    Arrays with leading axes are many starts: `q` of shape (..., nq), `v` and `tau` of (..., nv), or
    names with arrays. They run side by side in the lanes of the processor's vectors (and on
    `threads` threads), each with its own steps, and give one trajectory with q of shape
    (..., len(times), nq); without `times` the start and the end.

    The columns `kinetic`, `potential`, `work` and `balance` are energies; the audit has the largest
    `energy` error. A run that fails raises a SimulationError with the `trajectory` so far, or
    returns it where `raise_on_failure` is False; an interrupted one is returned. `progress` shows a
    bar (by itself after a second, at a terminal), or is a function called with the time now and
    then.
    """
    begun = time.perf_counter()
    refuse_unknown(method)
    many = arguments.is_many(q, v, tau)
    span = arguments.times(start, until, 2 if many and times is None else times)
    asked = _Asked(method, formulation, gravity, tau, rtol, atol, step, max_step)
    plan = _planned(m, asked, span, begun)
    shown = Progress(progress, span.end - span.start, "simulating")
    try:
        moved = _moved(plan, (q, v), thread_count(threads) if many else 0, shown)
    finally:
        shown.close()
    if np.any(moved.status == FAILED) and raise_on_failure:
        raise SimulationError(f"mechanism {m.name!r}: {moved.message}", moved)
    return moved


class _Asked(NamedTuple):
    """What the user asks of a run, as it was given."""

    method: str
    formulation: str | None
    gravity: Any
    tau: Any
    rtol: Any
    atol: Any
    step: Any
    max_step: Any


def _planned(m: Mechanism, asked: _Asked, span: arguments.Times, begun: float) -> Plan:
    """All that a run needs besides where it starts."""
    own = prepared(m, asked.gravity)
    forces = arguments.forces(own.tree, asked.tau)
    plant = own.plant(forces)
    scheme = own.scheme(plant, asked.method, asked.formulation)
    if scheme.method.adaptive:
        tolerance = _tolerance(asked.rtol, asked.atol, asked.max_step)
        task = stepping.adaptive_task(span, tolerance, _step(asked.step))
    else:
        task = stepping.fixed_task(span, _needed_step(asked.step, asked.method))
    return Plan(own, forces, plant, scheme, asked.formulation, task, span, begun)


def _moved(plan: Plan, start: tuple[Any, Any], threads: int, shown: Progress) -> Trajectory:
    """The motion from one start, or on some threads from many."""
    tree = plan.own.tree
    if threads:
        return many_runs(plan, arguments.starts(tree, *start, plan.forces), threads, shown)
    return one_run(plan, (coordinates(tree, start[0]), velocities(tree, start[1])), shown)


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
