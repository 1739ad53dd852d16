"""Efforts of drives to spare, split within limits: a small quadratic program in every lane.

With efforts y in their units, the least ones y_p, and the projector R on efforts that move the
mechanism (dynamics/load_distribution.py), the split is

    least |y|^2 / 2   with   R y = y_p,   lower <= y <= upper                              (1)

Its conditions need no list of limits that hold: with one number l for each drive,

    y = clip(R l),   R (clip(R l) - y_p) = 0                                               (2)

which is the gradient of a convex function, pieces of parabolas, set to zero:

    f(l) = sum h(R l) - y_p' R l,   h' = clip                                              (3)

Newton's method with a growing or shrinking term d on the diagonal finds its minimum in a few
steps: (R D R + 1 - R + d) dl = -gradient, D the drives inside their limits; a step that does not
lower f is not taken. f has no minimum where the limits leave no solution.

Source: Madsen, Nielsen & Pinar (1999), Bound constrained quadratic programming via piecewise
quadratic functions, Mathematical Programming 85.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...codegen import Program, trace
from ...codegen.routine import Routine, call, repeat, routine
from ...codegen.routine.constructs import both, choose, either, held
from ...dynamics.factored import solve_symmetric
from ...dynamics.kinetostatics import Equations
from ...dynamics.load_distribution import (
    drive_places,
    effort_units,
    motion_names,
    spare_drives,
    split,
)
from ...expr import less_equal, maximum, minimum
from ...spatial.rotation import Array
from ...system.system import System
from ..loops import refuse_undriven
from ..options import Options
from ..verb import Verb
from .distribution import limits_of
from .joint_frames import columns_of, row_of, told, undetermined

MOST = 100
"""Steps."""
SMALL, FAIR = 1e-13, 1e-9
"""The gradient beside the least efforts: where steps end, and what counts as a solution."""
FIRST, LEAST = 1e-6, 1e-14
"""d at the start and at the end."""


class State(NamedTuple):
    """The numbers of (2), f and its gradient there, d, and steps made."""

    dual: Any
    f: Any
    gradient: Any
    d: Any
    steps: Any


def split_programs(
    lower: Sequence[float], upper: Sequence[float]
) -> tuple[Program, Program, Program]:
    """(l, R, y_p) -> f and its gradient; (l, gradient, R, d) -> the next l; (l, R) -> y."""
    count = len(lower)

    def efforts(dual: Array, R: Array) -> tuple[Array, Array]:
        z = R.reshape(count, count) @ dual
        return z, np.array([clip(*each) for each in zip(z, lower, upper, strict=True)])

    def value(dual: Array, R: Array, y_p: Array) -> tuple[Array, Array]:
        z, y = efforts(dual, R)
        f = np.array([np.sum(y * (z - 0.5 * y)) - y_p @ z])  # h(z) = y (z - y/2)
        return f, R.reshape(count, count) @ (y - y_p)

    def step(dual: Array, gradient: Array, R: Array, d: Array) -> Array:
        z, y = efforts(dual, R)
        square = R.reshape(count, count)
        inside = np.array([less_equal(a, b) * less_equal(b, a) for a, b in zip(z, y, strict=True)])
        H = square @ (inside[:, None] * square) + np.eye(count) - square + d[0] * np.eye(count)
        return dual - solve_symmetric(H, gradient)

    sizes = {"dual": count, "R": count * count}
    return (
        trace(value, {**sizes, "y": count}),
        trace(step, {"dual": count, "gradient": count, "R": count * count, "d": 1}),
        trace(lambda dual, R: efforts(dual, R)[1], sizes),
    )


def clip(z: Any, lower: float, upper: float) -> Any:
    """z within limits, of which one may be infinite."""
    y = z if upper == np.inf else minimum(z, upper)
    return y if lower == -np.inf else maximum(y, lower)


def split_within(
    lower: Sequence[float], upper: Sequence[float], R: Any, y_p: Any
) -> tuple[Any, Any]:
    """y of (1), and whether it is a solution; with symbols this is recorded."""
    value, onward, efforts = split_programs(lower, upper)
    least = max(max(low, -high, 0.0) for low, high in zip(lower, upper, strict=True))
    size = maximum(np.max(np.abs(y_p)), least)  # efforts that limits ask for count as well

    def going(s: State) -> Any:
        return both(np.max(np.abs(s.gradient)) > SMALL * size, s.steps < MOST)

    def step(s: State) -> State:
        tried = call(onward, s.dual, s.gradient, R, s.d)
        f, gradient = call(value, tried, R, y_p)
        flatter = np.max(np.abs(gradient)) <= 0.5 * np.max(np.abs(s.gradient))
        better = either(flatter, f[0] <= s.f)
        lower_d, higher_d = maximum(0.1 * s.d, LEAST), 10.0 * s.d
        return choose(
            better,
            State(tried, f[0], gradient, lower_d, s.steps + 1),
            State(s.dual, s.f, s.gradient, higher_d, s.steps + 1),
        )

    f, gradient = call(value, y_p, R, y_p)
    end = repeat(step, State(y_p, f[0], gradient, FIRST, 0.0), while_=going)
    return call(efforts, end.dual, R), np.max(np.abs(end.gradient)) <= FAIR * size


def least_efforts(equations: Equations, seen_at: str | None) -> dict[str, Array]:
    """What a split is found with: results in a row, and what a unit of each effort changes in it.

    Then the least efforts and R in units of efforts, and what does not change. The row has forces,
    moments and efforts (joint_frames.py), or without joints to be seen efforts alone.
    """
    own = split(equations)
    efforts = equations.efforts(own.x)
    least = {"least": efforts / np.array(own.units), "R": np.ravel(own.R)}
    if seen_at is None:
        return {"row": efforts, "columns": own.X[list(drive_places(equations))], **least}
    row, columns = row_of(equations, own.x, seen_at), columns_of(equations, own.X, seen_at)
    same = {"point": told(equations, own.x, seen_at)["point"], **undetermined(equations, seen_at)}
    return {"row": row, "columns": columns, **least, **same}


def limited(
    verb: Verb[..., Any], system: System, options: Options, sizes: Mapping[str, int], least: Any
) -> Routine | None:
    """The routine that keeps efforts of drives to spare within limits; None without either.

    `least` is a formula of the verb's arguments that gives what `least_efforts` does. The routine
    returns the row with the split, the split, whether it is a solution, and what does not change.
    """
    given: Any = options
    limits = limits_of(system.m, given["distribution"].limits)
    if not limits or not system.drives or not spare_drives(system):
        return None
    verb.refuse(system)
    refuse_undriven(system)
    bounds = {name: (low, high) for name, low, high in limits}
    units = effort_units(system, dict(given["distribution"].weights))
    pairs = [bounds.get(name, (-np.inf, np.inf)) for name in motion_names(system.m)]
    lower, upper = ([each[k] / u for each, u in zip(pairs, units, strict=True)] for k in (0, 1))
    linear = verb.least(system, [options], least)
    count, results = len(units), linear.sizes[0]
    moved = trace(
        lambda row, columns, y, y_p: row + columns.reshape(results, count) @ (y - y_p),
        {"row": results, "columns": results * count, "y": count, "y_p": count},
    )
    scaled = trace(lambda y: y * np.array(units), {"y": count})

    def function(*arrays: Any) -> dict[str, Any]:
        known = dict(zip(linear.named, call(linear, *arrays), strict=True))
        row, columns, y_p, R = (known.pop(name) for name in ("row", "columns", "least", "R"))
        y, solved = split_within(lower, upper, held(R), held(y_p))
        split = {"row": call(moved, row, columns, y, y_p), "split": call(scaled, y)}
        return {**split, "solved": solved, **known}

    return routine(function, dict(sizes), system.m.name or "the mechanism")
