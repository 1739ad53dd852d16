"""Forces in all joints with friction: solved together, in lanes, or a verdict that it jams.

The equations of all bodies are linear in the joints' wrenches x and in the efforts e of friction,

    x = x_0 + X e                                                                            (1)

and friction gives the efforts from the wrenches, e = phi(x). So Newton's method solves

    e = s phi(x_0 + X e)                                                                     (2)

in the efforts alone, one for each velocity of a joint with friction, for s from 0 to 1: friction is
let grow, and where the whole way cannot be gone the mechanism jams in this motion. The part s that
it reaches tells how far it is from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Program, program_of, symbols, trace
from ..codegen.routine import Routine, call, routine
from ..codegen.routine.following import led
from ..dynamics.kinetostatics import Equations, solved_for
from ..expr import maximum, sign
from ..expr.differentiate import jacobian_columns
from ..expr.node import as_expr
from ..forces.friction import (
    coefficient,
    friction_efforts,
    guide_forces,
    rough_joints,
    slides,
)
from ..kinematics.orthogonal import solved_lines
from ..kinematics.rows import in_rows
from ..model.joint import Friction, Joint
from ..spatial.pose import in_axes
from ..spatial.rotation import Array
from ..system.system import System, Tie

WITH_FRICTION = ("rest", "points", "efforts", "speeds", "contacts", "done")
"""What the routine returns: forces, moments and efforts of drives in one row, then the others."""
LEAST = 1e-3
"""Unit of an effort beside the largest of its position."""


def joint_columns(equations: Equations, tie: Tie) -> Array:
    """Twists of a joint's own velocities in the axes of its rows."""
    at = equations.at
    S = tie.joint.motion_subspace(at.tie_coordinates(tie))
    if len(at.space) == 6:
        return S
    R = (at.pose(tie.child) @ tie.X_LM).R
    return in_rows(at, R, in_axes(R, S))


def prepared(equations: Equations) -> tuple[Array, Array, Array, list[int]]:
    """x_0, X, the columns of the joints with friction, and the places of their velocities."""
    rough = rough_joints(equations.at.tree.m)
    places = [
        i
        for tie in equations.ties
        if tie.joint.name in rough
        for i in range(tie.v.start, tie.v.stop)
    ]
    x, X = solved_for(equations, [equations.at.first + i for i in places])
    own = [joint_columns(equations, tie) for tie in equations.ties if tie.joint.name in rough]
    columns = np.concatenate([np.zeros(0), *(np.asarray(D).ravel() for D in own)])
    return x, X, columns, places


class Part(NamedTuple):
    """A joint with friction, and the places of its unknowns, columns and efforts."""

    joint: Joint
    data: Friction
    x: slice
    columns: slice
    own: slice


class Rough:
    """The joints with friction of a system, and where their numbers stand."""

    def __init__(self, system: System) -> None:
        self.space = list(system.space)
        self.parts: list[Part] = []
        self.columns = self.efforts = 0
        size, rough = len(self.space), rough_joints(system.m)
        for n, (name, nv) in enumerate((joint.name, joint.nv) for joint in system.m.joints):
            if name in rough:
                columns = slice(self.columns, self.columns + size * nv)
                own = slice(self.efforts, self.efforts + nv)
                self.parts.append(
                    Part(*rough[name], slice(size * n, size * n + size), columns, own)
                )
                self.columns, self.efforts = columns.stop, own.stop

    def phi(self, x: Array, columns: Array, v: Array) -> Array:
        """Efforts of friction under the wrenches x; v are the velocities of the joints with it."""
        found = [
            friction_efforts(p.joint, p.data, v[p.own], *self._at(p, x, columns))
            for p in self.parts
        ]
        return np.concatenate([np.zeros(0), *found])

    def contacts(self, x: Array, columns: Array, v: Array) -> Array:
        """N1 and N2 of every slide with friction, in the axes of the rows, one after the other."""
        found = []
        for p in self.parts:
            D, F = self._at(p, x, columns)
            for k in slides(p.joint):
                rate = v[p.own][k]
                lever = coefficient(p.data, np.abs(rate)) * (p.data.half_height or 0.0)
                pair = guide_forces(p.joint.contact_distance, D[3:, k], F, sign(rate) * lever)
                found += [*pair.first, *pair.second]
        return np.array(found, dtype=object)

    def _at(self, part: Part, x: Array, columns: Array) -> tuple[Array, Array]:
        """Columns and wrench of a joint, with zeros for what a plane leaves out."""
        D, F = np.zeros((6, part.joint.nv), dtype=object), np.zeros(6, dtype=object)
        D[self.space] = columns[part.columns].reshape(len(self.space), -1)
        F[self.space] = x[part.x]
        return D, F


def newton_program(rough: Rough, unknowns: int) -> Program:
    """(e, s, x_0, X, columns, v) -> e after a step of Newton's method on (2), and the step."""
    count = rough.efforts
    inputs = {
        "e": count,
        "s": 1,
        "x": unknowns,
        "X": unknowns * count,
        "columns": rough.columns,
        "v": count,
    }
    e, s, x, X, columns, v = (symbols(name, size) for name, size in inputs.items())
    phi = rough.phi(x + X.reshape(unknowns, count) @ e, columns, v)
    rest = [as_expr(e[k] - s[0] * phi[k]) for k in range(count)]
    slopes = jacobian_columns(rest, [str(one.value) for one in e])
    J = np.array(slopes, dtype=object).reshape(count, count).T
    lines = [dict(enumerate(row)) for row in J]
    steps = solved_lines(lines, [[-r] for r in rest])[0]
    step = np.array([steps[k][0] for k in range(count)], dtype=object)
    return program_of(tuple(inputs.items()), (e + step, step), "friction")


def with_friction(system: System, sizes: Mapping[str, int], first: Program) -> Routine:
    """The routine from a verb's inputs to its results with friction in all joints.

    `first` gives x_0, X, columns and velocities of the joints with friction, the results without
    friction in one row, what a unit of each effort changes in them, and points.
    """
    rough, unknowns, results = Rough(system), first.sizes[0], first.sizes[4]
    count = rough.efforts
    newton = newton_program(rough, unknowns)
    given = {"x": unknowns, "columns": rough.columns, "v": count}
    sized = trace(lambda x, columns, v: _units(rough.phi(x, columns, v)), given)
    touching = trace(
        lambda e, x, X, columns, v: rough.contacts(x + X.reshape(unknowns, count) @ e, columns, v),
        {"e": count, "x": unknowns, "X": unknowns * count, "columns": rough.columns, "v": count},
    )
    moved = trace(
        lambda e, rest, more: rest + more.reshape(results, count) @ e,
        {"e": count, "rest": results, "more": results * count},
    )

    def function(*arrays: Any) -> Any:
        x, X, columns, v, rest, more, points = call(first, *arrays)
        units = call(sized, x, columns, v)

        def step(e: Any, s: Any) -> Any:
            return call(newton, e, s, x, X, columns, v)

        way = led(step, 0.0 * units, 0.0, 1.0, units, strict=False)
        contacts = call(touching, way.x, x, X, columns, v)
        return call(moved, way.x, rest, more), points, way.x, v, contacts, way.done

    return routine(function, dict(sizes), system.m.name or "the mechanism")


def _units(phi: Array) -> Array:
    """A size for each effort: its own without friction, or a part of the largest."""
    sizes = [np.abs(effort) for effort in phi]
    largest: Any = 1e-30
    for size in sizes:
        largest = maximum(largest, size)
    return np.array([maximum(size, LEAST * largest) for size in sizes], dtype=object)
