"""Back to closed loops: positions and velocities after a step, and at the start.

A step of an integrator opens loops by its error. Newton's method closes them along the shortest
way in the coordinates, and velocities change by what takes the least kinetic energy
(dynamics/gauss.py):

    q += x,   J x = -Phi      as often as the residual asks for it                              (1)
    v  = the nearest to v with J v = f'                                                    (2)

Drives in time are rows as well. A state whose loops cannot be closed becomes nan, which ends a run.
Source: Eich-Soellner & Führer (1998), Numerical Methods in Multibody Dynamics, section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Compiled, Program, evaluate_program
from ..codegen.program import program_of
from ..codegen.routine import AnyProgram, Routine, both, call, choose, repeat, routine
from ..dynamics.composite_body import mass_matrix
from ..dynamics.multipliers import (
    Constraints,
    allowed,
    closing_step,
    nearest_velocities,
    shortest_metric,
)
from ..errors import StructureError
from ..expr import constant, maximum, minimum
from ..expr.node import as_expr
from ..kinematics.rates import moved
from ..model.drawing import drawing
from ..spatial.rotation import Array
from ..system.store import compiled, kept
from ..system.system import any_system, slipping
from ..verbs.designs import sizes_of
from ..verbs.states import drawn_coordinates
from ..wording import named
from .right_hand_side import Plant, inputs, shape, traced

NEAR = 1e-8
"""Residual, in typical lengths and radians, from which one step more leaves rounding alone."""
SINGULAR = 1e-2
"""Part of its usual value below which a pivot tells of a singular position nearby."""
ROUGH = 0.3
"""Residual that a start may have."""
MOST = 8
"""Steps of Newton's method."""


class Near(NamedTuple):
    """A state on its way to closed loops, the residual it had, steps made."""

    y: Any
    residual: Any
    steps: Any


def closer(plant: Plant, held: Sequence[int] = ()) -> Program:
    """(y, t, tau, base) -> y after a step of (1), and the largest residual before it.

    Joints `held`, by the places of their velocities, stay where they are.
    """
    made, whole, stay = shape(plant), plant.system, held
    if whole.rolls:
        whole = any_system(slipping(plant.m), plant.sizes)
        names = {place: name for name, place in plant.tree.rates.items()}
        own = [names[plant.tree.free_v[k]] for k in held]
        stay = [whole.tree.free_v.index(whole.tree.velocity_of(name)) for name in own]

    def written(y: Array, t: Array, *_: Array) -> tuple[Array, Array]:
        q, rest = y[: made.first], y[made.first :]
        s = replace(whole, t=t[0])
        x, residual = closing_step(s, q, stay)
        largest: Any = constant(0.0)
        for each, size in zip(residual, Constraints(s, q).units, strict=True):
            largest = maximum(largest, abs(as_expr(each)) / float(size))
        return np.concatenate([moved(s.tree, q, x), rest]), np.array([largest], dtype=object)

    return traced(plant, written, inputs(plant, made.size))


def along(plant: Plant, held: Sequence[int] = ()) -> Program:
    """(y, t, tau, base) -> y with the velocities of (2), some of them `held`."""
    made = shape(plant)

    def written(y: Array, t: Array, *_: Array) -> Array:
        q, v = made.parts(y)[:2]
        v = nearest_velocities(replace(plant.system, t=t[0]), q, v, held)
        return np.concatenate([q, v, y[made.first + made.nv :]])

    return traced(plant, written, inputs(plant, made.size))


def tangent(plant: Plant) -> Program:
    """(y, t, tau, error) -> the part of a small change of y that loops and drives let stand."""
    made = shape(plant)

    def written(y: Array, t: Array, _: Array, error: Array) -> Array:
        q = y[: made.first]
        dq, dv = made.parts(error)[:2]
        s = replace(plant.system, t=t[0])
        if made.first == made.nv:
            dq = allowed(s, q, dq, shortest_metric(s))
        dv = allowed(s, q, dv, mass_matrix(s, q))
        return np.concatenate([dq, dv, error[made.first + made.nv :]])

    return traced(plant, written, inputs(plant, made.size, made.size))


def settling(plant: Plant, held: Sequence[int] = ()) -> Routine:
    """(y, t, tau, base) -> y with closed loops and velocities that they allow.

    Joints and velocities `held`, by the places of the velocities, stay as they are.
    """
    near = max(NEAR, drawing(plant.m).digits)
    nearer, allowed = _once(plant, "closer", closer, held), _once(plant, "along", along, held)

    def function(y: Any, t: Any, tau: Any, base: Any) -> Any:
        def step(s: Near) -> Near:
            y, residual = call(nearer, s.y, t, tau, base)
            return Near(y, residual[0], s.steps + 1)

        def going(s: Near) -> Any:
            return both(s.residual > near, s.steps < MOST)

        end = repeat(step, Near(y, 1.0, 0.0), while_=going)
        closed = call(allowed, end.y, t, tau, base)
        return closed * np.sqrt(choose(end.residual <= near, 1.0, -1.0))  # nan where they stay open

    return routine(function, inputs(plant, shape(plant).size), "projection")


def _once(
    plant: Plant, what: str, make: Callable[..., Program], held: Sequence[int] = ()
) -> Program:
    """A program that several routines of a run call, traced once."""
    key = ("traced", *plant.key(f"{what} {tuple(held)}", None), plant.sizes)
    return kept(plant.m, key, lambda: make(plant, held))


def beside_singular(plant: Plant, slope: Program, project: Routine) -> AnyProgram:
    """(y, t, tau, base) -> dy/dt, near singular positions at the state with its loops closed.

    There loops lose rank, and what opens them by the error of a stage divides by nearly nothing;
    on closed loops accelerations stay smooth. The least pivot, in parts of its usual value, is one
    more number of the program: cheaper than a look at all of them outside.
    """
    count, usual = shape(plant).size, usual_pivots(plant, slope)
    rates: Array = np.array(slope.outputs[:count], dtype=object)
    if not usual.size:
        return program_of(slope.inputs, rates, slope.name, slope.nodes)
    parts = [x * (1.0 / size) for x, size in zip(slope.outputs[count:], usual, strict=True)]
    judged = program_of(slope.inputs, (rates, reduce(minimum, parts)), slope.name, slope.nodes)

    def function(y: Any, t: Any, tau: Any, base: Any) -> Any:
        rates, least = call(judged, y, t, tau, base)

        def closed() -> Any:
            return call(judged, call(project, y, t, tau, base), t, tau, base)[0]

        return choose(least > SINGULAR, lambda: rates, closed)

    return routine(function, inputs(plant, count), "slope")


def usual_pivots(plant: Plant, program: Program) -> Array:
    """The pivots, which a program gives second, in the drawing, where it is not singular itself."""
    y, tau = np.zeros(shape(plant).size), np.zeros(plant.constants)
    y[: plant.tree.nq] = drawn_coordinates(any_system(plant.m).tree)
    first = plant.constants - len(plant.switches) - len(plant.sizes)
    tau[first : first + len(plant.sizes)] = sizes_of(plant.m, plant.sizes)
    with np.errstate(all="ignore"):
        pivots = np.nan_to_num(evaluate_program(program, y, np.zeros(1), tau, np.zeros(0))[1])
    return np.maximum(pivots, 1e-3 * pivots.max(initial=1e-300))


def residuals(plant: Plant, y: Array, t: Array, tau: Array) -> Array:
    """The largest residual of loops and drives of every state."""
    program = _compiled(plant, "residual", closer)
    return np.asarray(program(y, t, tau, np.zeros(0), check_finite=False)[1][..., 0])


def _compiled(plant: Plant, what: str, make: Any) -> Compiled:
    return compiled(plant.m, plant.key(what, None), partial(make, plant), plant.sizes)


def closed_start(
    plant: Plant, q: Array, v: Array, t: float, tau: Array, *, named: Sequence[int] = ()
) -> tuple[Array, Array, dict[int, str]]:
    """The coordinates and velocities nearest to given ones that loops and drives allow.

    Velocities `named`, by their places, are held and the others follow from them. Of many starts
    those too far from closed loops are nan, with a reason each; it is an error if all are.
    """
    made = shape(plant)
    rest = np.zeros((*q.shape[:-1], made.size - made.first - made.nv))
    rough = np.concatenate([q, v, rest], axis=-1)
    times = np.full((*q.shape[:-1], 1), float(t))
    program = _compiled(plant, f"start {tuple(named)}", partial(starting, named=named))
    y, residuals = program(rough, times, tau, np.zeros(0), check_finite=False)
    lost = _open(plant, residuals[..., 0], y, t, tau)
    y[list(lost)] = np.nan
    return y[..., : made.first], y[..., made.first : made.first + made.nv], lost


def _open(plant: Plant, residual: Array, y: Array, t: float, tau: Array) -> dict[int, str]:
    """Why starts are too far from closed loops, by their number; an error where all are."""
    lost = np.flatnonzero(~((residual <= ROUGH) & np.isfinite(y).all(axis=-1)))
    if not len(lost):
        return {}
    far = [
        f"by {x:.2g}, in typical lengths and radians" * bool(np.isfinite(x)) for x in residual.flat
    ]
    if len(far) == 1:
        raise StructureError(
            f"mechanism {plant.m.name!r}: the coordinates given for the start at t = {t:g} s leave "
            f"loops or drives open {far[0] or 'beyond all numbers'}, too far to be closed from "
            f"there; take q from {named('assemble')}, or give by name the coordinates of as many "
            "joints as there are freedoms"
        )
    first = plant.constants - len(plant.switches) - len(plant.sizes)
    reasons = {}
    for k in map(int, lost):
        own = zip(plant.sizes, tau[k, first:], strict=False)
        sizes = ", ".join(f"{size} = {x:.6g}" for size, x in own)
        reasons[k] = (
            f"cannot start at t = {t:g} s{sizes and ' with ' + sizes}: its loops or drives stay "
            f"open{far[k] and ' ' + far[k]}; give another q, or leave it out"
        )
    if len(lost) == len(y):
        raise StructureError(
            f"mechanism {plant.m.name!r}: none of {len(y)} runs can start; the first {reasons[0]}"
        )
    return reasons


def settled(plant: Plant, y: Array, t: Array, tau: Array) -> Array:
    """States with their loops closed, in rows."""
    program = _compiled(plant, "start ()", starting)
    return np.asarray(program(y, t[:, None], tau, np.zeros(0), check_finite=False)[0])


def starting(plant: Plant, named: Sequence[int] = ()) -> Routine:
    """(y, t, tau, base) -> the state that a run begins with near y, and how open y is."""
    nearer, project = _once(plant, "closer", closer), settling(plant)

    def function(y: Any, t: Any, tau: Any, base: Any) -> Any:
        residual, closed = call(nearer, y, t, tau, base)[1], call(project, y, t, tau, base)
        if named:
            follows = call(following(plant, named), y, t, tau, closed)
            closed = call(project, follows, t, tau, base)
        return closed, residual

    return routine(function, inputs(plant, shape(plant).size), "start")


def following(plant: Plant, named: Sequence[int]) -> Program:
    """(y, t, tau, closed) -> the closed state with some velocities of y, the others the least."""
    made = shape(plant)

    def written(y: Array, t: Array, _: Array, closed: Array) -> Array:
        q, given = made.parts(closed)[0], made.parts(y)[1]
        s = replace(plant.system, t=t[0])
        bound, M = Constraints(s, q), mass_matrix(s, q)
        held = {j: given[j] for j in named}
        v = bound.nearest(M, bound.stacked("rate"), np.zeros(made.nv), held)[0]
        return np.concatenate([q, v, y[made.first + made.nv :]])

    return traced(plant, written, inputs(plant, made.size, made.size))
