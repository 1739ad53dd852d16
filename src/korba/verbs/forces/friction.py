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

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...codegen import Program, program_of, symbols, trace
from ...codegen.routine import Routine, call, routine
from ...codegen.routine.growing import grown
from ...dynamics.kinetostatics import Equations, GivenMotion, besides, solved_for
from ...expr import less_equal, maximum
from ...expr.differentiate import jacobian_columns
from ...expr.node import as_expr
from ...forces.friction import (
    BEGINS,
    Rubbing,
    contact_forces,
    friction_efforts,
    guided,
    rough_joints,
)
from ...forces.powers import rates
from ...kinematics.orthogonal import solved_lines
from ...kinematics.rows import in_rows
from ...model.joint import Friction, Joint
from ...spatial.pose import in_axes
from ...spatial.rotation import Array
from ...system.system import System, Tie
from ..designs import DESIGN
from .joint_frames import Seen, columns_of, row_of, told

LEAST = 1e-3
"""Unit of an effort beside the largest of its position."""
ROUNDING, QUIET = 1e-13, 1e-14
"""Efforts that are none: beside the largest force, and in N or N m."""


class Linear(NamedTuple):
    """What friction is solved with, at a motion."""

    x: Array
    """x_0 of (1)."""
    X: Array
    geometry: Array
    """Of joints with friction."""
    v: Array
    going: Array
    row: Array
    """Results without friction, and what is told of freedoms without drives."""
    columns: Array
    """What a unit of each effort of friction changes in them."""
    point: Array
    rates: Array
    """For powers (forces/powers.py)."""


def linear(given: GivenMotion, equations: Equations, seen: Seen, external: Any) -> Linear:
    """All that (2) takes, and what follows from its solution."""
    x = given.x
    rough = rough_joints(equations.at.tree.m)
    ties = [tie for tie in equations.ties if tie.joint.name in rough]
    places = [i for tie in ties for i in range(tie.v.start, tie.v.stop)]
    rows = [equations.at.first + i for i in places]
    x_0, X = solved_for(equations, rows)
    parts = [np.ravel(part) for tie in ties for part in _geometry(equations, tie)]
    own = np.array([x.v[i] for i in places], dtype=object)
    coming = np.array([x.a[i] for i in places], dtype=object)
    free = besides(equations, x_0)
    more = [
        besides(equations, column, [-1.0 * (i == k) for i in range(len(equations.b))])
        for k, column in zip(rows, X.T, strict=True)
    ]
    changes = np.array(more, dtype=object).reshape(len(more), len(free)).T
    return Linear(
        x_0,
        X,
        np.concatenate([np.zeros(0), *parts]),
        own,
        own + BEGINS * coming,
        np.concatenate([row_of(equations, x_0, seen), free]),
        np.concatenate([columns_of(equations, X, seen), changes]),
        told(equations, x_0, seen)["point"],
        np.concatenate(rates(given.system, equations, x, given.t, external)),
    )


def _geometry(equations: Equations, tie: Tie) -> Iterator[Array]:
    """Twists of a joint's velocities and its vectors in the axes of its rows; in space, these."""
    at, q = equations.at, equations.at.tie_coordinates(tie)
    S, vectors = tie.joint.motion_subspace(q), tie.joint.friction_vectors(q)
    R = (at.pose(tie.child) @ tie.X_LM).R
    if len(at.space) == 6:
        yield from (S, *vectors)
        if guided(tie.joint):
            yield R
    else:
        yield from (in_rows(at, R, in_axes(R, S)), *(R @ vector for vector in vectors))


class Part(NamedTuple):
    """A joint with friction, and the places of its unknowns, geometry and efforts."""

    joint: Joint
    data: Friction
    x: slice
    geometry: slice
    own: slice


class Rough:
    """The joints with friction of a system, and where their numbers stand."""

    def __init__(self, system: System) -> None:
        self.space = list(system.space)
        self.parts: list[Part] = []
        self.geometry = self.efforts = 0
        size, rough = len(self.space), rough_joints(system.m)
        for n, joint in enumerate(system.m.joints):
            if joint.name in rough:
                vectors = 3 * len(joint.friction_vectors(joint.drawn_coordinates))
                turn = 9 if size == 6 and guided(joint) else 0
                stop = self.geometry + size * joint.nv + vectors + turn
                own = slice(self.efforts, self.efforts + joint.nv)
                x, geometry = slice(size * n, size * n + size), slice(self.geometry, stop)
                self.parts.append(Part(*rough[joint.name], x, geometry, own))
                self.geometry, self.efforts = stop, own.stop

    def phi(self, e: Array, x: Array, geometry: Array, *moving: Array) -> Array:
        """Efforts of friction under the wrenches x, of the joints with it as they go."""
        efforts = [friction_efforts(self.at(p, x, geometry, (*moving, e))) for p in self.parts]
        return np.concatenate([np.zeros(0), *efforts])

    def contacts(self, e: Array, x: Array, geometry: Array, *moving: Array) -> Array:
        """N1 and N2 of every guide with friction, in world axes, one after the other."""
        forces: list[Any] = []
        for part in self.parts:
            if guided(part.joint):
                pair = contact_forces(self.at(part, x, geometry, (*moving, e)))
                R = geometry[part.geometry][-9:].reshape(3, 3) if len(self.space) == 6 else None
                forces += [c for N in pair for c in (N if R is None else R @ N)]
        return np.array(forces, dtype=object)

    def at(self, part: Part, x: Array, geometry: Array, moving: tuple[Array, ...]) -> Rubbing:
        """A joint at a position, with zeros for what a plane leaves out."""
        nv, size, own = part.joint.nv, len(self.space), geometry[part.geometry]
        D, F = np.zeros((6, nv), dtype=object), np.zeros(6, dtype=object)
        D[self.space] = own[: size * nv].reshape(size, nv)
        F[self.space] = x[part.x]
        vectors = own[size * nv :].reshape(-1, 3)
        v, going, own = (each[part.own] for each in moving)
        return Rubbing(part.joint, part.data, D, tuple(vectors), v, going, F, own)


def newton_program(rough: Rough, unknowns: int, given: Mapping[str, int]) -> Program:
    """(e, s, x_0, X, geometry, v, ...) -> e after a step of Newton's method on (2), and it."""
    count = rough.efforts
    inputs = {"e": count, "s": 1, **given}
    e, s, x, X, *how = (symbols(name, size) for name, size in inputs.items())
    phi = rough.phi(e, x + X.reshape(unknowns, count) @ e, *how[:3])
    rest = [as_expr(e[k] - s[0] * phi[k]) for k in range(count)]
    slopes = jacobian_columns(rest, [str(one.value) for one in e])
    J = np.array(slopes, dtype=object).reshape(count, count).T
    lines = [dict(enumerate(row)) for row in J]
    steps = solved_lines(lines, [[-r] for r in rest])[0]
    step = np.array([steps[k][0] for k in range(count)], dtype=object)
    return program_of(tuple(inputs.items()), (e + step, step), "friction")


def with_friction(system: System, sizes: Mapping[str, int], first: Program) -> Routine:
    """The routine from a verb's inputs to its results with friction in all joints.

    `first` gives `Linear`. Sizes that are inputs are inputs of all that depends on data of
    friction, too.
    """
    rough, (unknowns, *_, results, _, _, _) = Rough(system), first.sizes
    count = rough.efforts
    design = {DESIGN: sizes[DESIGN]} if DESIGN in sizes else {}
    moving = {"geometry": rough.geometry, "v": count, "going": count, **design}
    given = {"x": unknowns, "X": unknowns * count, **moving}
    newton = newton_program(rough, unknowns, given)
    begun = trace(lambda x, *how: _begun(rough, x, how[:3]), {"x": unknowns, **moving})
    touching = trace(
        lambda e, x, X, *how: rough.contacts(e, x + X.reshape(unknowns, count) @ e, *how[:3]),
        {"e": count, **given},
    )
    moved = trace(
        lambda e, row, columns: row + columns.reshape(results, count) @ e,
        {"e": count, "row": results, "columns": results * count},
    )

    def function(*arrays: Any) -> dict[str, Any]:
        at = Linear(*call(first, *arrays))
        how = (at.geometry, at.v, at.going, *(arrays[-1:] if design else ()))
        tangent, units, pressed = call(begun, at.x, *how)

        def step(e: Any, s: Any) -> Any:
            return call(newton, e, s, at.x, at.X, *how)

        way = grown(step, tangent, units)
        e = pressed[0] * way.x
        return {
            "row": call(moved, e, at.row, at.columns),
            "smooth": at.row,
            "point": at.point,
            "friction": e,
            "speeds": at.v,
            "contacts": call(touching, e, at.x, at.X, *how),
            "rates": at.rates,
            "solved": maximum(way.done, 1.0 - pressed[0]),
        }

    return routine(function, dict(sizes), system.m.name or "the mechanism")


def _begun(rough: Rough, x: Array, how: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Efforts under the forces without friction; a unit for each: its own, or of the largest; and
    whether anything presses at all: more than rounding beside x, and than QUIET.
    """
    phi = rough.phi(np.zeros(rough.efforts), x, *how)
    largest = _largest(phi, 1e-30)
    units = [maximum(np.abs(effort), LEAST * largest) for effort in phi]
    least = maximum(ROUNDING * _largest(x, 0.0), QUIET)
    pressed = 1.0 - less_equal(largest, least)
    return phi, np.array(units, dtype=object), np.array([pressed], dtype=object)


def _largest(values: Array, least: float) -> Any:
    largest: Any = least
    for value in values:
        largest = maximum(largest, np.abs(value))
    return largest
