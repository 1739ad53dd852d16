"""The best design: sizes within bounds for which an objective is best and constraints are kept.

Every design is a lane of one program, and gradients go through the loops by implicit
differentiation (slopes.py). A design whose loops cannot be assembled, that jams on its way (a
branch or circuit defect) or meets points in another order has no value, or a bad one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..files.toml_file import redimension
from ..model.display_units import display_units
from ..model.mechanism import Mechanism
from ..progress import Progress
from ..trajectory.trajectory import FINISHED, INTERRUPTED
from ..verbs.designs import size_units, sizes_of, sizes_told
from ..verbs.states import increasing_times, refuse_other
from .designs import bounds_of
from .goals import Measure, constraints_of, objective_of
from .path_goal import SAMPLES, PathGoal
from .problem import Problem
from .solvers import evolution, local, many_starts
from .sweep import cycle
from .written import written

METHODS = ("starts", "local", "evolution")
SOLVERS = ("least_squares", "SLSQP", "trust-constr")


@dataclass(frozen=True, eq=False)
class Optimum(Displayed):
    """The best design that was found."""

    mechanism: Mechanism
    """With the best sizes, in the units in which they were written."""
    parameters: Mapping[str, float]
    """In SI, by name: to as many digits as the value asks for."""
    value: float
    """The objective: the sum of squares of distances, or the answer to the question."""
    objective: str
    method: str
    evaluations: int
    """Designs that were moved."""
    gradients: int
    """Those of them with derivatives by all sizes."""
    seconds: float
    status: str = FINISHED
    at_bounds: tuple[str, ...] = field(default=())
    """Sizes at an end of their range: a wider one may be better."""
    units: Mapping[str, str] = field(default_factory=dict)
    """In SI, by the names of sizes and of the objective; "" where none is known."""
    of: Mechanism | None = field(default=None, repr=False)
    """The mechanism as it was given: people read sizes in its units."""

    def __str__(self) -> str:
        sizes = sizes_told(self.of or self.mechanism, self.parameters, self.units)
        shown = display_units(self.of or self.mechanism)
        value = f"{self.objective} {shown.told(self.value, self.units.get(self.objective, ''))}"
        name = self.mechanism.name or "mechanism"
        lines = [
            f"{name!r}: {value} with {sizes}",
            f"  {self.method}, {self.status}: {self.evaluations} designs moved, {self.gradients} "
            f"with gradients, {self.seconds:.3g} s",
        ]
        if self.at_bounds:
            lines.append(f"  at an end of their range: {', '.join(self.at_bounds)}")
        return "\n".join(lines)


@public
def optimise(
    m: Mechanism,
    objective: Any,
    parameters: Mapping[str, Any],
    *,
    constraints: Sequence[str] = (),
    times: Any = None,
    method: str = "starts",
    solver: str | None = None,
    count: int = 2000,
    seed: int = 0,
    progress: bool | Callable[[float], object] | None = None,
) -> Optimum:
    """The best design of a mechanism within bounds of its sizes.

    The objective is `kb.path_goal(...)`, a point on its way through given points; a question of
    `kb.sweep`, of which there should be much, or with `-` before it little; or a function of the
    motion of many designs that gives each a number to be small. `parameters` has the lower and
    upper end of each. Constraints are texts: "transmission angle >= 40 deg", "size <= 300 mm",
    "singularity >= 0.05" (away from dead points), or between sizes, "a + d <= b + c".

    Methods: "starts" judges `count` designs spread over the bounds in one batch and follows the
    best; "local" goes from the mechanism's own sizes; "evolution" is SciPy's differential
    evolution with `count` designs, whole generations in one batch. The end is always local, by
    gradients: `solver` is "least_squares" (through points without constraints), "SLSQP" or
    "trust-constr". An interrupt gives the best so far.

    >>> best = kb.optimise(m, "transmission angle", {"b": ("90 mm", "150 mm")}, count=50)
    >>> best.at_bounds, round(best.value, 6)
    (('b',), 0.712172)
    """
    begun = time.perf_counter()
    problem = _problem(m, objective, parameters, constraints, times)
    refuse_other("optimise: method", method, METHODS)
    if solver is not None:
        refuse_other("optimise: solver", solver, SOLVERS)
    if count < 1 or seed < 0:
        raise StructureError(f"optimise: count and seed: expected 1 or more, got {count}, {seed}")
    shown = Progress(progress, float(count), "optimising", "designs")

    def told(best: float) -> None:
        shown(float(min(count, problem.evaluations)), best)

    status = FINISHED
    try:
        if method == "local":
            own = (sizes_of(m, problem.names) - problem.low) / (problem.high - problem.low)
            local(problem, np.clip(own, 0.0, 1.0), solver, told)
        elif method == "starts":
            many_starts(problem, count, seed, solver, told)
        else:
            evolution(problem, count, seed, solver, told)
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        shown.close()
    return _optimum(problem, method, status, time.perf_counter() - begun)


def _problem(
    m: Mechanism, objective: Any, sizes: Mapping[str, Any], constraints: Sequence[str], times: Any
) -> Problem:
    low, high = bounds_of(m, sizes, "optimise")
    names, goal = tuple(sizes), objective_of(m, objective)
    asked = constraints_of(m, constraints, names)
    if isinstance(goal, PathGoal) and goal.times is None and times is None:
        turn = cycle(m)
        t = np.linspace(turn[0], turn[-1], SAMPLES + 1)
    elif isinstance(goal, PathGoal) and times is None and not asked.measures:
        t = np.asarray(goal.times)
    else:
        t = cycle(m) if times is None else increasing_times(times, 2)
    problem = Problem(m, names, low, high, goal, asked, t)
    own = np.clip((sizes_of(m, names) - low) / (high - low), 0.0, 1.0)
    problem.costs(own[None])  # what cannot be asked is refused before anything is tried
    return problem


def _optimum(problem: Problem, method: str, status: str, seconds: float) -> Optimum:
    value, x = problem.best
    if x is None:
        raise StructureError(
            f"optimise: none of {problem.evaluations} designs can be assembled, comes to the end "
            "of the motion and keeps the constraints; widen the bounds, take more starts (count), "
            "or draw the mechanism in its other assembly mode"
        )
    texts, p = written(problem, x, value)
    value = float(problem.judged(((p - problem.low) / (problem.high - problem.low))[None])[0])
    goal = problem.goal
    name = f"{goal.body}.{goal.point} through points" if isinstance(goal, PathGoal) else goal.name
    units = size_units(problem.m, problem.names)
    units |= {name: "m^2" if isinstance(goal, PathGoal) else goal.question.unit}
    told = value * goal.factor if isinstance(goal, Measure) else value
    ends = [n for n, at in zip(problem.names, x, strict=True) if not 1e-9 < at < 1 - 1e-9]
    return Optimum(
        redimension(problem.m, **texts),
        dict(zip(problem.names, p.tolist(), strict=True)),
        float(told),
        name,
        method,
        problem.evaluations,
        problem.gradients,
        seconds,
        status,
        tuple(ends),
        units,
        problem.m,
    )
