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
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ...codegen import Program, trace
from ...codegen.routine import Routine, call, routine
from ...codegen.routine.growing import grown
from ...dynamics.kinetostatics import Equations, GivenMotion, besides, solved_for
from ...expr import less_equal, maximum
from ...forces.powers import rates
from ...forces.rough import RoughJoint, law, newton_step, rough_joints
from ...kinematics.rows import in_rows
from ...model.joint import Joint
from ...model.rubbing import BEGINS, Rubbing, contact_forces, guided
from ...spatial.pose import in_axes
from ...spatial.rotation import Array
from ...system.system import System, Tie
from ..designs import DESIGN
from .joint_frames import columns_of, row_of, told

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


def linear(given: GivenMotion, equations: Equations, seen_at: str, external: Any) -> Linear:
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
        np.concatenate([row_of(equations, x_0, seen_at), free]),
        np.concatenate([columns_of(equations, X, seen_at), changes]),
        told(equations, x_0, seen_at)["point"],
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


class Layout:
    """Where the numbers of joints with friction stand among unknowns and geometry."""

    def __init__(self, system: System) -> None:
        self.space, self.joints = list(system.space), rough_joints(system.m)
        self.places: list[tuple[RoughJoint, slice, slice]] = []
        """Of each joint those of its unknowns and of its geometry."""
        self.geometry, size = 0, len(self.space)
        for n, joint in enumerate(system.m.joints):
            if joint.name in self.joints:
                start, vectors = self.geometry, joint.friction_vectors(joint.drawn_coordinates)
                self.geometry += size * joint.nv + 3 * len(vectors) + 9 * self.turned(joint)
                places = slice(size * n, size * n + size), slice(start, self.geometry)
                self.places.append((self.joints[joint.name], *places))

    def turned(self, joint: Joint) -> bool:
        """Whether its two contacts are told in axes of its own, and have to be turned."""
        return len(self.space) == 6 and guided(joint)

    def rubbing(
        self, e: Array, x: Array, geometry: Array, v: Array, going: Array
    ) -> Iterator[Rubbing]:
        """Each joint at a position, with zeros for what a plane leaves out."""
        for (joint, data, own), unknowns, place in self.places:
            numbers, count = geometry[place], len(self.space) * joint.nv
            D, F = np.zeros((6, joint.nv), dtype=object), np.zeros(6, dtype=object)
            D[self.space] = numbers[:count].reshape(-1, joint.nv)
            F[self.space] = x[unknowns]
            vectors = tuple(numbers[count:].reshape(-1, 3))
            yield Rubbing(joint, data, D, vectors, v[own], going[own], F, e[own])

    def contacts(self, *at: Array) -> Array:
        """N1 and N2 of every guide with friction, in world axes, one after the other."""
        forces: list[Any] = []
        for r in self.rubbing(*at):
            if guided(r.joint):
                pair = contact_forces(r)
                R = np.array(r.vectors[-3:]) if self.turned(r.joint) else np.eye(3)
                forces += [c for N in pair for c in R @ N]
        return np.array(forces, dtype=object)


def with_friction(system: System, sizes: Mapping[str, int], first: Program) -> Routine:
    """The routine from a verb's inputs to its results with friction in all joints.

    `first` gives `Linear`. Sizes that are inputs are inputs of all that depends on data of
    friction, too.
    """
    layout, (unknowns, *_, results, _, _, _) = Layout(system), first.sizes
    count = sum(joint.nv for joint, _, _ in layout.joints.values())
    design = {DESIGN: sizes[DESIGN]} if DESIGN in sizes else {}
    moving = {"geometry": layout.geometry, "v": count, "going": count, **design}
    given = {"x": unknowns, "X": unknowns * count, **moving}

    def wrenches(e: Array, x: Array, X: Array) -> Array:
        return x + X.reshape(unknowns, count) @ e

    def onward(e: Array, s: Array, x: Array, X: Array, *how: Array) -> tuple[Array, Array]:
        def residual(e: Array) -> Array:
            return e - s[0] * law(layout.rubbing(e, wrenches(e, x, X), *how[:3]))

        step = newton_step(residual, e)
        return e + step, step

    newton = trace(onward, {"e": count, "s": 1, **given}, "friction")
    begun = trace(lambda x, *how: _begun(layout, count, x, how[:3]), {"x": unknowns, **moving})
    touching = trace(
        lambda e, x, X, *how: layout.contacts(e, wrenches(e, x, X), *how[:3]), {"e": count, **given}
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


def _begun(
    layout: Layout, count: int, x: Array, how: Sequence[Array]
) -> tuple[Array, Array, Array]:
    """Efforts under the forces without friction; a unit for each: its own, or of the largest; and
    whether anything presses at all: more than rounding beside x, and than QUIET.
    """
    phi = law(layout.rubbing(np.zeros(count), x, *how))
    largest = _largest(phi, 1e-30)
    units = [maximum(np.abs(effort), LEAST * largest) for effort in phi]
    least = maximum(ROUNDING * _largest(x, 0.0), QUIET)
    pressed = 1.0 - less_equal(largest, least)
    return phi, np.array(units, dtype=object), np.array([pressed], dtype=object)


def _largest(values: Array, least: float) -> Any:
    return reduce(maximum, map(np.abs, values), least)
