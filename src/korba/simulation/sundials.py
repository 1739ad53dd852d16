"""Runs by CVODE of SUNDIALS: variable order and step, for stiff systems of many freedoms.

The slope and its Jacobian are compiled; the integrator is that of scikit-sundae, the extra
`sundials`, which calls them from Python. So it is slower for each step than method "stiff", and
pays where that one's elimination would be long. Source: Hindmarsh et al. (2005), SUNDIALS: Suite of
Nonlinear and Differential/Algebraic Equation Solvers, ACM Transactions on Mathematical Software 31.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..codegen import Program, program_of
from ..errors import KorbaError
from ..expr.differentiate import jacobian_columns
from ..expr.node import recorded
from ..libraries import library
from ..spatial.rotation import Array
from ..system.store import compiled
from . import right_hand_side
from .queues import End
from .right_hand_side import Plant
from .runs import DONE, TOO_SMALL, Task
from .stepping import STOPPED, Runs

MOST_STEPS = 10**6
"""Steps between two times."""


def refuse_other(plant: Plant, many: bool) -> None:
    """An error for what this way does not take."""
    if plant.constrained:
        raise KorbaError(
            "method: 'sundials' is for trees that move freely; with loops or drives take 'stiff', "
            "'dop853' or 'rk4'"
        )
    if many or plant.events or plant.switches:
        raise KorbaError(
            "method: 'sundials' makes one run at a time, without events, stops and friction; take "
            "method 'stiff', which has all of them"
        )


def _library() -> Any:
    return library(
        "sksundae.cvode",
        "method: 'sundials' needs scikit-sundae: pip install 'korba[sundials]', or take "
        "method 'stiff'",
    )


def jacobian_program(plant: Plant, formulation: str | None) -> Program:
    """The derivatives of the slope by the state."""
    slope = right_hand_side.slope_program(plant, formulation)
    names = [f"y[{i}]" for i in range(len(slope.outputs))]
    with recorded() as record:
        J = np.array(jacobian_columns(slope.outputs, names), dtype=object).T
    return program_of(slope.inputs, J, slope.name, [*slope.nodes, *record])


def functions(
    plant: Plant, formulation: str | None, tau: Array
) -> tuple[Callable[..., None], Callable[..., None]]:
    """The slope and its Jacobian as CVODE calls them: what they find is put in an array."""
    makers = {
        "slope": partial(right_hand_side.slope_program, plant, formulation),
        "slope by y": partial(jacobian_program, plant, formulation),
    }
    slope, jacobian = (
        compiled(plant.m, plant.key(what, formulation), make, plant.sizes)
        for what, make in makers.items()
    )
    base = np.zeros(0)

    def rates(t: float, y: Array, out: Array) -> None:
        out[:] = slope(y, np.array([t]), tau, base, check_finite=False)

    def by_state(t: float, y: Array, _: Array, out: Array) -> None:
        out[:] = jacobian(y, np.array([t]), tau, base, check_finite=False)

    return rates, by_state


def run(
    plant: Plant, formulation: str | None, made: Runs, report: Callable[[float, float], Any]
) -> None:
    """Follow the one run of `made` to its end, or until the user interrupts."""
    task, size = made.task, right_hand_side.shape(plant).size
    y, tau = made.starts[0, :size], made.starts[0, size:]
    rates, by_state = functions(plant, formulation, tau)
    solver = _library().CVODE(rates, jacfn=by_state, **_options(plant, task, size))
    solver.init_step(task.start, y)
    rows = [made.blocks[0][0]] if made.rows is None else list(made.rows[0, : int(task.written)])
    targets = [task.end] if made.rows is None else list(made.times[len(rows) :])
    status, t, steps, evaluations = DONE, task.start, 0, 0
    try:
        for target in targets:
            while t < target:
                how = "onestep" if made.rows is None else "normal"
                found = solver.step(target, method=how, tstop=_bound(made, t))
                t, evaluations, steps = float(found.t), int(found.nfev), steps + 1
                if not found.success:
                    status, targets = TOO_SMALL, []
                    break
                if made.rows is None or t >= target:
                    state = plant.tree.normalised(np.asarray(found.y))
                    rows.append(np.concatenate([[t], state]))
                report(t - task.start, t)
            if status != DONE:
                break
    except KeyboardInterrupt:
        status = STOPPED
    table = np.array(rows)
    made.rows = table[None]
    numbers = End(status, t, 0.0, len(table), steps, 0, evaluations, 0)
    made.ends[0] = np.array(numbers, dtype=float)


def _bound(made: Runs, t: float) -> float:
    """The end of the panel of time after the one at hand."""
    later = made.marks[made.marks > t]
    return float([*later, made.task.end][min(1, len(later))])


def _options(plant: Plant, task: Task, size: int) -> dict[str, Any]:
    """Tolerances of the state, lengths in typical lengths; the work follows, and counts little."""
    atol = np.full(size, float(task.atol))
    atol[list(right_hand_side.lengths(plant.tree))] *= task.length
    atol[right_hand_side.shape(plant).controlled :] = 1e30
    return {
        "rtol": float(task.rtol),
        "atol": atol,
        "first_step": float(task.step),
        "max_step": float(task.longest) if np.isfinite(task.longest) else 0.0,
        "max_num_steps": MOST_STEPS,
    }
