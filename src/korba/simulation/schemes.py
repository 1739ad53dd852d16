"""The methods by name: what each integrates, and how its state begins.

A scheme is a method compiled with the equations of one mechanism, and the way from (q, v) at the
start to the state and the base of that method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, compile_program
from ..codegen.routine import Routine, packed, packed_size, put, routine, unpacked
from ..errors import KorbaError
from ..spatial.rotation import Array
from ..verbs.store import compiled, kept
from . import canonical, right_hand_side
from .dop853 import DOP853
from .fixed_step import GAUSS, RK4
from .right_hand_side import Plant, Shape
from .runs import TASK_FORM, Method, Problem, Queue, Run, Tables, many, queue_form, run_form, single

METHODS = {method.name: method for method in (DOP853, RK4, GAUSS)}


@dataclass(frozen=True, eq=False)
class Equations:
    """What a method integrates: programs of the state, its parts, the length of its base."""

    programs: Callable[[], Mapping[str, Program]]
    shape: Shape
    base: int
    start: Callable[[Array, Array], tuple[Array, Array]]
    """(q, v), of one start or in rows -> the first parts of y, and the base."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """One method for one mechanism, compiled."""

    method: Method
    equations: Equations
    form: Run
    """Lengths of the parts of a run."""
    advance: Compiled
    """(run, task), streams (times, rows) -> run."""
    advance_many: Callable[[], Compiled]
    """The same of (queue, task, share), streams (times, starts, rows, ends), in lanes."""

    @cached_property
    def places(self) -> Run:
        """Where the parts of a run stand in its vector."""
        return unpacked(self.form, np.arange(packed_size(self.form)))

    @cached_property
    def queue_places(self) -> Queue:
        """Where the parts of a queue stand in its vector."""
        form = queue_form(self.form)
        return unpacked(form, np.arange(packed_size(form)))


def scheme_of(plant: Plant, method: str, formulation: str | None = None) -> Scheme:
    """The compiled scheme of that name, made at its first use."""
    key = plant.key(method, formulation)
    return kept(plant.m, key, lambda: _scheme(plant, method, formulation, key))


def _scheme(plant: Plant, method: str, formulation: str | None, key: tuple[Any, ...]) -> Scheme:
    own, made = METHODS[method], equations(plant, method, formulation)
    form = run_form(own, made.shape.size, made.base, plant.tree.nv * plant.takes_tau)
    name = f"{method} of {plant.tree.m.name or 'the mechanism'}"

    def problem(task: Any, times: Any, write: Any, each: Any = None) -> Problem:
        settles, shape = bool(plant.tree.quaternions), made.shape
        return Problem(made.programs(), shape.controlled, settles, task, times, write, each)

    def advance(state: Any, numbers: Any, times: Any, rows: Any) -> Any:
        task = unpacked(TASK_FORM, numbers)
        this = problem(task, times, lambda k, row: put(rows, k, row), task.times < 1)
        return packed(single(own, this, unpacked(form, state)))

    def advance_many(state: Any, numbers: Any, share: Any, times: Any, *streams: Any) -> Any:
        tables, queue = Tables(*streams, *share), unpacked(queue_form(form), state)
        this = problem(unpacked(TASK_FORM, numbers), times, lambda *_: None)  # said for each run
        return packed(many(own, this, tables, queue))

    def recorded() -> Routine:
        sizes = {"run": packed_size(form), "task": packed_size(TASK_FORM)}
        return routine(advance, sizes, name, ("times", "rows"))

    def recorded_many() -> Routine:
        sizes = {"queue": packed_size(queue_form(form)), "task": packed_size(TASK_FORM), "share": 2}
        return routine(advance_many, sizes, f"many {name}", ("times", "starts", "rows", "ends"))

    one = compiled(plant.m, (*key, "single"), recorded)
    return Scheme(own, made, form, one, lambda: compiled(plant.m, (*key, "many"), recorded_many))


def equations(plant: Plant, method: str, formulation: str | None) -> Equations:
    """What a method integrates: the equations of motion, or Hamilton's for the symplectic one."""
    if method != GAUSS.name:
        plain = cache(lambda: right_hand_side.programs(plant, formulation))
        return Equations(plain, right_hand_side.shape(plant), 0, _plain_start)
    if formulation is not None:
        raise KorbaError(
            "formulation: the symplectic method has equations of its own (Hamilton's); "
            "leave it out, or take another method"
        )
    momenta = cache(lambda: compile_program(canonical.starts_program(plant)))

    def start(q: Array, v: Array) -> tuple[Array, Array]:
        return canonical.start(plant, q, v) if q.ndim == 1 else momenta()(q, v)

    base = 4 * len(plant.tree.quaternions)
    return Equations(cache(lambda: canonical.programs(plant)), canonical.shape(plant), base, start)


def _plain_start(q: Array, v: Array) -> tuple[Array, Array]:
    return np.concatenate([q, v], axis=-1), np.zeros((*q.shape[:-1], 0))


def accelerations(plant: Plant, formulation: str | None, tau: Array, rows: Array) -> Array:
    """Accelerations at all rows, in one batch."""
    key = plant.key("slope", formulation)
    slope = compiled(plant.m, key, lambda: right_hand_side.slope_program(plant, formulation))
    rates = slope(rows[..., 1:], rows[..., :1], tau, np.zeros(0), check_finite=False)
    return rates[..., plant.tree.nq : plant.tree.nq + plant.tree.nv]


def refuse_unknown(method: object) -> None:
    """An error unless there is such a method."""
    if not isinstance(method, str) or method not in METHODS:
        raise KorbaError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
