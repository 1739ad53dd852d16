"""The verb `simulate`: from a mechanism and a start, or many, to a `Trajectory`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen.callable.compiled import thread_count
from ..door import public
from ..errors import KorbaError, SimulationError
from ..model.mechanism import Mechanism
from ..trajectory.progress import Progress
from ..trajectory.trajectory import FAILED, Trajectory
from ..verbs.states import quantity
from . import arguments
from .plan import Plan
from .right_hand_side import plant_of
from .runs import Method, Task
from .schemes import refuse_unknown, scheme_of
from .stepping import fixed_task, refuse_many, task_of


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
    plant, numbers = plant_of(m, gravity, tau)
    scheme = scheme_of(plant, method, formulation)
    task = _task(span, scheme.method, rtol, atol, step=step, longest=max_step)
    starts = arguments.starts(plant.tree, q, v, numbers)
    plan = Plan(plant, scheme, formulation, task, span.asked, starts, begun)
    shown = Progress(progress, span.end - span.start, "simulating")
    try:
        moved = plan.many(thread_count(threads), shown) if many else plan.one(shown)
    finally:
        shown.close()
    if np.any(moved.status == FAILED) and raise_on_failure:
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
