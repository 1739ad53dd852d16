"""The methods by name: what each integrates, and how its state begins.

A scheme is a method compiled with the equations of one mechanism, and the way from (q, v) at the
start to the state and the base of that method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from ..codegen import Program, evaluate_program
from ..codegen.routine import AnyProgram, Routine, packed, packed_size, routine, unpacked
from ..errors import KorbaError
from ..spatial.rotation import Array
from ..system.store import compiled, kept
from . import canonical, right_hand_side
from .contact import Reach
from .event_programs import event_programs, watching
from .explicit import explicit
from .fixed_step import GAUSS
from .holds import Stop
from .pace import timed
from .queues import Queue, Tables, many, queue_form
from .right_hand_side import Plant, Shape
from .rosenbrock import STIFF
from .runs import TASK_FORM, Integrator, Problem, Run, Task
from .tableau import RK4
from .tableau_dop853 import DOP853

NO_SIZES: Array = np.zeros(0)


def _elsewhere(p: Problem, s: Run) -> Run:
    raise NotImplementedError(f"steps at t = {s.t} are not made here")


SUNDIALS = Integrator("sundials", 0, _elsewhere, _elsewhere, adaptive=True)
"""The one whose steps are made elsewhere (sundials.py)."""
METHODS = {
    method.name: method
    for method in (
        explicit(DOP853),
        explicit(RK4),
        GAUSS,
        STIFF,
        SUNDIALS,
    )
}
"""The integrators, by the names of methods."""


@dataclass(frozen=True, eq=False)
class Equations:
    """What a method integrates: programs of the state, its parts, the length of its base."""

    programs: Callable[[], Mapping[str, AnyProgram]]
    shape: Shape
    base: int
    start: Callable[..., tuple[Array, Array]]
    """(q, v, sizes), of one start or in rows -> the first parts of y, and the base."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """One method for one mechanism, compiled."""

    method: Integrator
    equations: Equations
    form: Queue
    """Lengths of the parts of a queue."""
    advance: Any
    """(queue, task, share), streams (times, starts, rows, ends, events) -> queue.

    Compiled, or None where steps are made elsewhere.
    """

    event_row: int = 0
    """Numbers that are written down of an event; 0 where there are none."""

    @cached_property
    def places(self) -> Queue:
        """Where the parts of a queue stand in its vector."""
        return unpacked(self.form, np.arange(self.size))

    @cached_property
    def size(self) -> int:
        """Numbers of a state."""
        return packed_size(self.form)


def scheme_of(plant: Plant, method: str, formulation: str | None = None) -> Scheme:
    """The compiled scheme of that name, made at its first use."""
    key = plant.key(method, formulation)
    own = (*key, plant.sizes)
    return kept(plant.m, own, lambda: _scheme(plant, method, formulation, key))


def _scheme(plant: Plant, method: str, formulation: str | None, key: tuple[Any, ...]) -> Scheme:
    own, made = METHODS[method], equations(plant, method, formulation)
    settles = bool(plant.tree.quaternions) or (plant.constrained and plant.drift.projects)

    def programs() -> dict[str, AnyProgram]:
        found = dict(made.programs())
        if plant.events:
            formula = right_hand_side.acceleration_formula(plant, formulation)
            found |= event_programs(plant, found["row"], formula)
        more = own.programs(lambda: right_hand_side.slope_program(plant, formulation))
        return {**found, **more}

    def problem(task: Task, times: Any) -> Problem:
        lengths, events = right_hand_side.lengths(plant.tree), watching(plant)
        energy = right_hand_side.typical_energy(plant) if plant.system.drives else 0.0
        more: dict[str, Any] = {"watching": events, "paced": own.adaptive and timed(plant)}
        controlled = made.shape.controlled
        return Problem(programs(), controlled, settles, task, times, lengths, energy, **more)

    row = 2 + right_hand_side.shape(plant).size + len(plant.switches) + len(plant.events)
    return compiled_scheme(
        own,
        made,
        problem,
        (plant.constants, len(plant.events), row if plant.events else 0),
        lambda recorded: compiled(plant.m, key, recorded, plant.sizes),
        name=f"{method} of {plant.tree.m.name or 'the mechanism'}",
    )


def compiled_scheme(
    method: Integrator,
    made: Equations,
    problem: Callable[[Task, Any], Problem],
    counts: tuple[int, int, int],
    compiling: Callable[[Callable[[], Routine]], Any] | None,
    *,
    name: str,
) -> Scheme:
    """The scheme of a problem: what stays between events, events, and what is noted of one.

    Where nothing compiles it, it runs as Python.
    """
    tau, events, event_row = counts
    form = queue_form(method, made.shape.size, made.base, tau, events)

    def advance(state: Any, numbers: Any, share: Any, times: Any, *streams: Any) -> Any:
        tables = Tables(*streams, *share)
        this = problem(unpacked(TASK_FORM, numbers), times)
        return packed(many(method, this, tables, unpacked(form, state)))

    def recorded() -> Routine:
        sizes = {"queue": packed_size(form), "task": packed_size(TASK_FORM), "share": 3}
        return routine(advance, sizes, name, ("times", "starts", "rows", "ends", "events"))

    def as_python(state: Array, numbers: Array, share: Array, *, streams: Any, **_: Any) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(advance(state, numbers, share, *streams))

    if method is SUNDIALS:
        return Scheme(method, made, form, None, event_row)
    ready = as_python if compiling is None else compiling(recorded)
    return Scheme(method, made, form, ready, event_row)


def equations(plant: Plant, method: str, formulation: str | None) -> Equations:
    """What a method integrates: the equations of motion, or Hamilton's for the symplectic one."""
    if method != GAUSS.name:
        plain = cache(lambda: right_hand_side.programs(plant, formulation))
        return Equations(plain, right_hand_side.shape(plant), 0, plain_start)
    if plant.constrained:
        raise KorbaError(
            "method: the symplectic method is for trees that move freely; with loops or drives "
            "take 'dop853' or 'rk4'"
        )
    if plant.system.rolls or any(len(j.quaternions) > 1 for j in plant.tree.m.joints):
        raise KorbaError(
            "method: the symplectic method is for motions that Hamilton's equations give, and what "
            "rolls, or hangs on a rod in space, has none here; take 'dop853' or 'rk4'"
        )
    if formulation is not None:
        raise KorbaError(
            "formulation: the symplectic method has equations of its own (Hamilton's); "
            "leave it out, or take another method"
        )
    if plant.holds or any(watch.changes or watch.calls for watch in plant.watches):
        raise KorbaError(
            "events: the symplectic method finds events and ends at them, but its momenta take no "
            "jumps; take method 'dop853' or 'rk4' where an event changes something"
        )
    momenta = cache(lambda: canonical.starts_program(plant))

    def start(q: Array, v: Array, sizes: Array = NO_SIZES) -> tuple[Array, Array]:
        return evaluate_program(momenta(), q, v, sizes)

    base = 4 * len(plant.tree.quaternions)
    return Equations(cache(lambda: canonical.programs(plant)), canonical.shape(plant), base, start)


def plain_start(q: Array, v: Array, _: Array = NO_SIZES) -> tuple[Array, Array]:
    """(q, v) as the state itself."""
    return np.concatenate([q, v], axis=-1), np.zeros((*q.shape[:-1], 0))


def accelerations(plant: Plant, formulation: str | None, tau: Array, rows: Array) -> Array:
    """Accelerations at all rows, in one batch; their last columns are the switches."""
    make = partial(right_hand_side.slope_program, plant, formulation)
    rates = _at_rows(plant, plant.key("slope", formulation), make, tau, rows)
    return rates[..., plant.tree.nq : plant.tree.nq + plant.tree.nv]


def pulls(plant: Plant, formulation: str | None, tau: Array, rows: Array) -> dict[str, Array]:
    """The pull of every rope at all rows."""
    stops = [hold for hold in plant.holds if isinstance(hold, Stop)]
    own = [k for k, stop in enumerate(stops) if isinstance(stop.distance, Reach)]
    if not own:
        return {}
    made = right_hand_side.shape(plant)
    formula = right_hand_side.acceleration_formula(plant, formulation)

    def written(y: Array, t: Array, tau: Array, base: Array) -> Array:
        del base
        at = right_hand_side.held_under(plant, formula, made.parts(y), t[0], tau)[0]
        return at.forces[own]

    sizes = right_hand_side.inputs(plant, made.size)
    make = partial(right_hand_side.traced, plant, written, sizes)
    found = _at_rows(plant, plant.key("pulls", formulation), make, tau, rows)
    return {stops[k].name: found[..., i] for i, k in enumerate(own)}


def _at_rows(plant: Plant, key: Any, make: Callable[[], Program], tau: Array, rows: Array) -> Array:
    """A program of the state at all rows, whose last columns are the switches."""
    if count := len(plant.switches):
        fixed = np.broadcast_to(tau, (*rows.shape[:-1], plant.constants))[..., :-count]
        rows, switches = rows[..., :-count], rows[..., -count:]
        tau = np.ascontiguousarray(np.concatenate([fixed, switches], axis=-1))
    program = compiled(plant.m, key, make, plant.sizes)
    y = np.ascontiguousarray(rows[..., 1:])
    return np.asarray(program(y, rows[..., :1], tau, np.zeros(0), check_finite=False))
