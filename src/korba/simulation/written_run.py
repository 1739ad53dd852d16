"""A whole run as one routine, for generated code and for the GPU: from a start to an end.

    (q, v, tau, p, t, step, steps)                   steps of one length: "rk4", "symplectic"
    (q, v, tau, p, t, until, rtol, atol, longest)    steps by tolerance: "dop853", "stiff"
        -> q, v, and (t, status, steps, rejected) at the end

No step by tolerance is longer than `longest`. `kb.simulate` looks at what depends on the time
before a run and cuts it into panels (pace.py); written code does not, so that a load which comes
and goes wants a `longest` shorter than it lasts, or calls that end where it begins. tau and p are
there where forces are given as numbers and where sizes are inputs, states of loads
such as the currents of motors (i, in and out) where there are any. Loops are closed after each
step, as `kb.simulate` does it: the same attempts of the same methods. Who wants the motion calls
it from time to time to time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..codegen.routine import Routine, call, packed, routine
from ..errors import StructureError
from ..expr import minimum
from ..model.mechanism import Mechanism
from ..verbs.designs import DESIGN
from ..verbs.options import names_of
from ..verbs.states import refuse_other
from . import canonical, right_hand_side
from .contact import refuse_ropes
from .fixed_step import GAUSS
from .method import Method, method_of
from .pace import timed
from .queues import followed
from .right_hand_side import Plant, plant_of, typical_length
from .runs import DONE, FRESH, NO_CONVERGENCE, NOT_FINITE, TOO_SMALL, Integrator, Problem, Run, Task
from .schemes import METHODS, SUNDIALS, equations

MOST_ATTEMPTS = 1e7
"""Attempts of a run with steps by tolerance; where they do not reach its end its status is 0."""
WRITTEN = {name: method for name, method in METHODS.items() if method is not SUNDIALS}
OPTIONS = ("method", "tau", "gravity", "parameters")
"""Options of `kb.simulate` that a written run takes; its numbers are inputs."""
STATUS = (
    f"{DONE} at the end, 0 if attempts ran out, {TOO_SMALL} the step fell to nothing, "
    f"{NOT_FINITE} no longer finite, {NO_CONVERGENCE} no convergence"
)


def run_routine(
    m: Mechanism, method: str | Method = "rk4", parameters: Any = None, **options: Any
) -> tuple[Routine, Mapping[str, str]]:
    """The routine of a run, and what its inputs and results mean."""
    for name in options:
        if name not in OPTIONS:
            raise StructureError(
                f"simulate: {name!r} is not written into code; the options of a run that is are "
                f"{', '.join(OPTIONS)}, and its numbers (q, v, t, ...) are inputs"
            )
    how = method_of(method)
    refuse_other("method", how.name, WRITTEN)
    if how.numbers:
        raise StructureError(
            f"simulate: {how.numbers[0]!r} of the method is not written into code: step, rtol, "
            "atol and the longest step are inputs of it; leave "
            f"{' and '.join(map(repr, how.numbers))} out"
        )
    refuse_ropes(m, "simulate, written into code")
    sizes, drift = names_of("parameters", parameters), how.stabilisation
    plant, _ = plant_of(m, sizes=sizes, stabilisation=drift, **options)
    return _routine(plant, how.integrator, how.formulation), _about(plant, how.integrator)


def _sizes(plant: Plant, method: Integrator) -> dict[str, int | None]:
    """The inputs."""
    tree, currents = plant.tree, len(plant.own_states)
    sizes: dict[str, int | None] = {"q": tree.nq, "v": tree.nv}
    sizes |= {"i": currents} if currents else {}
    sizes |= {"tau": tree.nv} if plant.takes_tau else {}
    sizes |= {DESIGN: len(plant.sizes)} if plant.sizes else {}
    last = ("t", "until", "rtol", "atol", "longest") if method.adaptive else ("t", "step", "steps")
    return sizes | dict.fromkeys(last)


def _about(plant: Plant, method: Integrator) -> dict[str, str]:
    """What inputs and results mean."""
    end = f"t, status ({STATUS}), steps, rejected"
    last = {"i": ", ".join(plant.own_states), "t": "when it starts, s"}
    last |= {"until": "when it ends, s", "step": "length of a step, s", "steps": "how many"}
    last |= {"rtol": "tolerance, relative", "atol": "tolerance, in rad and typical lengths"}
    brief = "; what acts for a short time wants it shorter than that" if timed(plant) else ""
    last |= {"longest": f"longest step, s{brief}"}
    outs = ["q", "v", end, *(["i"] if plant.own_states else [])]
    return last | {f"out{k}": text for k, text in enumerate(outs)}


def _routine(plant: Plant, method: Integrator, formulation: str | None) -> Routine:
    """The routine of a plant."""
    made, sizes = equations(plant, method.name, formulation), _sizes(plant, method)
    nq, nv, currents = plant.tree.nq, plant.tree.nv, len(plant.own_states)
    programs = dict(made.programs())
    programs |= method.programs(lambda: right_hand_side.slope_program(plant, formulation))
    settles = bool(plant.tree.quaternions) or (plant.constrained and plant.drift.projects)
    lengths = right_hand_side.lengths(plant.tree)
    nothing = np.zeros(0)

    def function(*given: Any) -> Any:
        of = dict(zip(sizes, given, strict=True))
        tau = packed([of[key] for key in ("tau", DESIGN) if key in of] or nothing)
        y, base = [of["q"], of["v"]], nothing
        if method is GAUSS:
            y, base = call(
                canonical.starts_program(plant), of["q"], of["v"], of.get(DESIGN, nothing)
            )
        work = [np.zeros(1)] if made.shape.works else []
        y = packed([y, *([of["i"]] if currents else []), *work])
        p = Problem(programs, made.shape.controlled, settles, _task(plant, of), None, lengths)
        empty = Run(*[0.0] * len(Run._fields))
        empty = empty._replace(status=float(FRESH), sides=nothing, rates=nothing)
        fresh = empty._replace(y=y, base=base, tau=tau, memory=[y] * method.memory)
        left = MOST_ATTEMPTS if method.adaptive else of["steps"]
        run, _ = followed(method, p, method.begin(p, fresh), left)
        row = call(programs["row"], run.y, run.t, run.tau, run.base)
        end = packed([run.t, run.status, run.steps, run.rejected])
        q, v = row[1 : 1 + nq], row[1 + nq : 1 + nq + nv]
        return (q, v, end, row[1 + nq + nv : 1 + nq + nv + currents]) if currents else (q, v, end)

    return routine(function, sizes, f"{method.name} of {plant.m.name or 'the mechanism'}")


def _task(plant: Plant, of: Mapping[str, Any]) -> Task:
    """What is asked of the run, by its inputs."""
    start = of["t"]
    if "steps" in of:
        end = start + of["steps"] * of["step"]
        return Task(start, end, 0.0, 0.0, 0.0, step=of["step"], steps=of["steps"])
    shortest = 2.0**-52 * 1e-3 * (of["until"] - start)
    tolerances = {"rtol": of["rtol"], "atol": of["atol"], "length": typical_length(plant.m)}
    longest = minimum(of["longest"], of["until"] - start)
    return Task(start, of["until"], shortest, 0.0, 0.0, longest=longest, **tolerances)
