"""The methods by name: what each integrates, and how its state begins.

A scheme is a method compiled with the equations of one mechanism, and the way from (q, v, currents)
at the start to the state and the base of that method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, compile_program
from ..codegen.routine import Routine, packed, packed_size, put, routine, unpacked
from ..errors import KorbaError
from ..spatial.rotation import Array
from . import canonical, right_hand_side
from .dop853 import DOP853
from .fixed_step import GAUSS, RK4
from .right_hand_side import Plant, Shape
from .runs import (
    TASK_FORM,
    Method,
    Problem,
    Queue,
    Run,
    Tables,
    many,
    nowhere,
    queue_form,
    run_form,
    single,
)

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
    starts: Callable[[Array, Array], tuple[Array, Array]]
    """Rows of (q, v) -> rows of the first parts of y, and of the base."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """One method for one mechanism, compiled."""

    method: Method
    equations: Equations
    form: Run
    """Lengths of the parts of a run."""
    places: Run
    """Where they stand in the vector of a run."""
    advance: Compiled
    """(run, task), streams (times, rows) -> run."""
    record_many: Callable[[], Compiled]

    @cached_property
    def advance_many(self) -> Compiled:
        """(queue, task, share), streams (times, starts, rows, ends) -> queue, in lanes."""
        return self.record_many()

    @cached_property
    def queue_places(self) -> Queue:
        """Where the parts of a queue stand in its vector."""
        form = queue_form(self.form)
        return unpacked(form, np.arange(packed_size(form)))


def scheme(
    plant: Plant,
    method: str,
    formulation: str | None,
    compiled: Callable[[str, Callable[[], Routine]], Compiled],
) -> Scheme:
    """The scheme of that name; `compiled` keeps a routine of some kind under all that is given."""
    own, made = METHODS[method], equations(plant, method, formulation)
    form = run_form(own, made.shape.size, made.base, plant.inputs)
    name = f"{method} of {plant.tree.m.name or 'the mechanism'}"

    def problem(task: Any, times: Any, write: Any, each: Any = None) -> Problem:
        settles = bool(plant.tree.quaternions)
        shape = made.shape
        return Problem(made.programs(), shape.controlled, settles, task, times, write, each)

    def advance(state: Any, numbers: Any, times: Any, rows: Any) -> Any:
        task = unpacked(TASK_FORM, numbers)
        this = problem(task, times, lambda k, row: put(rows, k, row), task.times < 1)
        return packed(single(own, this, unpacked(form, state)))

    def advance_many(state: Any, numbers: Any, share: Any, times: Any, *streams: Any) -> Any:
        tables, queue = Tables(*streams, *share), unpacked(queue_form(form), state)
        this = problem(unpacked(TASK_FORM, numbers), times, nowhere)
        return packed(many(own, this, tables, queue))

    def recorded() -> Routine:
        sizes = {"run": packed_size(form), "task": packed_size(TASK_FORM)}
        return routine(advance, sizes, name, ("times", "rows"))

    def recorded_many() -> Routine:
        sizes = {"queue": packed_size(queue_form(form)), "task": packed_size(TASK_FORM), "share": 2}
        return routine(advance_many, sizes, f"many {name}", ("times", "starts", "rows", "ends"))

    places = unpacked(form, np.arange(packed_size(form)))
    in_lanes = partial(compiled, "many", recorded_many)
    return Scheme(own, made, form, places, compiled("single", recorded), in_lanes)


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
        momenta = cache(lambda: compile_program(canonical.starts_program(plant)))
        return Equations(
            programs,
            canonical.shape(plant),
            base,
            canonical.start(plant),
            lambda q, v: momenta()(q, v),  # noqa: PLW0108  (compiled when needed)
        )

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

    def starts(q: Array, v: Array) -> tuple[Array, Array]:
        return np.hstack([q, v]), np.zeros((len(q), 0))

    return Equations(plain, shape, 0, start, starts)


def refuse_unknown(method: object) -> None:
    """An error unless there is such a method."""
    if not isinstance(method, str) or method not in METHODS:
        raise KorbaError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
