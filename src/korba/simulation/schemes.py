"""The methods by name: what each integrates, and how its state begins.

A scheme is a method compiled with the equations of one mechanism, and the way from (q, v, currents)
at the start to the state and the base of that method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, compile_cached
from ..codegen.routine import Routine, packed, packed_size, put, routine, unpacked
from ..errors import KorbaError
from ..spatial.rotation import Array
from . import canonical, right_hand_side
from .dop853 import DOP853
from .fixed_step import GAUSS, RK4
from .right_hand_side import Plant, Shape
from .runs import TASK_FORM, Method, Problem, Run, run_form, single

METHODS = {method.name: method for method in (DOP853, RK4, GAUSS)}

Start = Callable[[Array, Array, Array], tuple[Array, Array]]
"""(q, v, currents) -> (y, base)."""


@dataclass(frozen=True, eq=False)
class Equations:
    """What a method integrates: programs of the state, its parts, the length of its base."""

    programs: Callable[[], Mapping[str, Program]]
    shape: Shape
    base: int
    start: Start


@dataclass(frozen=True, eq=False)
class Scheme:
    """One method for one mechanism, compiled."""

    method: Method
    shape: Shape
    form: Run
    """Lengths of the parts of a run."""
    places: Run
    """Where they stand in the vector of a run."""
    start: Start
    advance: Compiled
    """(run, task), streams (times, rows) -> run."""


def scheme(plant: Plant, method: str, formulation: str | None, key: str | None) -> Scheme:
    """The scheme of that name; `key` stands for the plant and the formulation."""
    own, made = METHODS[method], equations(plant, method, formulation)
    form = run_form(own, made.shape.size, made.base, plant.inputs)
    settles = bool(plant.tree.quaternions)

    def advance(state: Any, numbers: Any, times: Any, rows: Any) -> Any:
        task = unpacked(TASK_FORM, numbers)
        problem = Problem(
            made.programs(),
            made.shape.controlled,
            settles,
            task,
            times,
            write=lambda k, row: put(rows, k, row),
            each=task.times < 1,
        )
        return packed(single(own, problem, unpacked(form, state)))

    def recorded() -> Routine:
        sizes = {"run": packed_size(form), "task": packed_size(TASK_FORM)}
        return routine(advance, sizes, f"{method} of {plant.tree.m.name}", ("times", "rows"))

    own_key = None if key is None else f"{key}\n{method}"
    places = unpacked(form, np.arange(packed_size(form)))
    return Scheme(own, made.shape, form, places, made.start, compile_cached(own_key, recorded))


def equations(plant: Plant, method: str, formulation: str | None) -> Equations:
    """What a method integrates: the equations of motion, or Hamilton's for the symplectic one."""
    if method == GAUSS.name:
        if formulation is not None:
            raise KorbaError(
                "formulation: the symplectic method has equations of its own (Hamilton's); "
                "leave it out, or take another method"
            )
        base = 4 * len(plant.tree.quaternions)
        programs = cache(lambda: canonical.programs(plant))
        return Equations(programs, canonical.shape(plant), base, canonical.start(plant))

    @cache
    def plain() -> Mapping[str, Program]:
        return {
            "slope": right_hand_side.slope_program(plant, formulation),
            "settle": right_hand_side.settle_program(plant),
            "row": right_hand_side.row_program(plant),
        }

    shape = right_hand_side.shape(plant)

    def start(q: Array, v: Array, currents: Array) -> tuple[Array, Array]:
        return np.concatenate([q, v, currents, np.zeros(int(shape.works))]), np.zeros(0)

    return Equations(plain, shape, 0, start)


def refuse_unknown(method: object) -> None:
    """An error unless there is such a method."""
    if not isinstance(method, str) or method not in METHODS:
        raise KorbaError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
