"""Hamilton's equations of a tree in coordinates (x, p) that are canonical within every step.

A symplectic method keeps its promise only in canonical coordinates. Where a joint's coordinates are
its velocities' integrals, x = q. A quaternion has no such coordinates for ever, but for one step it
has: with the quaternion b at the beginning of the step (the `base`) and Cayley's map

    q = b (1, x/2) / |(1, x/2)|,      xdot = B(x) v,      x = 0 at the beginning                (1)

In general, with xdot = B(x) v for all joints, and M the mass matrix,

    p = B^-T M v,      H = 1/2 (B'p)' M^-1 (B'p) + V,      v = M^-1 B'p,    xdot = B v          (2)
    pdot = d/dx [T(x, v) - V(x) - p'B(x) v]  at constant v and p,  + B^-T Q                     (3)

where Q are the forces on v that have no potential of gravity. (3) is -dH/dx: the derivative of
M^-1 at constant p is that of -T at constant v. After the step the base moves to the new quaternion
and x to 0, with p carried over by (2), which is a change of coordinates alone, and so canonical.
Source: Hairer, Lubich & Wanner (2006), Geometric Numerical Integration, sections VI.1 and VII.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Program, trace
from ..codegen.program import symbols
from ..dynamics.composite_body import forward_dynamics, mass_matrix
from ..dynamics.energy import kinetic_energy, potential_energy
from ..dynamics.factored import solve_symmetric
from ..dynamics.newton_euler import inverse_dynamics
from ..dynamics.recursions import damping
from ..expr.differentiate import jacobian_rows
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..forces.loads import own_rates
from ..spatial.rotation import Array, cross
from ..system.tree import Link, Tree
from ..verbs.designs import DESIGN
from ..verbs.systems import refuse_massless, tree_system
from . import right_hand_side as plain
from .right_hand_side import Plant, Shape


def shape(plant: Plant) -> Shape:
    """The parts of (x, p, i, W)."""
    old = plain.shape(plant)
    return Shape(old.nv, old.nv, old.currents, old.works)


def starts_program(plant: Plant) -> Program:
    """(q, v, sizes) -> (x, p) and the base."""

    def formula(q: Array, v: Array, _: Array) -> tuple[Array, Array]:
        base = np.concatenate([np.zeros(0), *(q[places] for places in plant.tree.quaternions)])
        x = _origin(plant.tree, q)
        p = Local(plant.tree, x, base).lowered(mass_matrix(plant.system, q) @ v)
        return np.concatenate([x, p]), base

    sizes = {"q": plant.tree.nq, "v": plant.tree.nv, DESIGN: len(plant.sizes)}
    return trace(formula, sizes)


def programs(plant: Plant) -> dict[str, Program]:
    """The programs of the method."""
    refuse_massless(tree_system(plant.m))
    made = shape(plant)
    bases = 4 * len(plant.tree.quaternions)
    sizes = plain.inputs(plant, made.size, bases)

    def slope(y: Array, t: Array, tau: Array, base: Array) -> Array:
        x, p, i = made.parts(y)
        at = Local(plant.tree, x, base)
        v = _velocities(plant, at, p)
        pdot, own = _conservative(plant, at, p, v), plain.all_joints(plant.tree, at.q, v)
        rates = [own_rates(plant.tree, *own, t[0], i)]
        if made.works:
            pdot = pdot + at.lowered(_forces(plant, (at.q, v, i), t[0], tau))
            rates.append(np.array([plain.work_rate(plant, (at.q, v, i), t[0], tau)], dtype=object))
        return np.concatenate([at.raised(v), pdot, *rates]).astype(object)

    def row(y: Array, t: Array, tau: Array, base: Array) -> Array:
        x, p, i = made.parts(y)
        at = Local(plant.tree, x, base)
        own = y[made.controlled :], plant.switched(tau)
        return np.concatenate([t, at.q, _velocities(plant, at, p), i, *own])

    def settle(y: Array, t: Array, tau: Array, base: Array) -> Any:
        del t, tau
        return _settled(plant.tree, made, y, base) if bases else y

    made_of = {"slope": slope, "row": row, "settle": settle}
    return {key: plain.traced(plant, formula, sizes) for key, formula in made_of.items()}


def _velocities(plant: Plant, at: Local, p: Array) -> Array:
    """v = M^-1 B'p  (2): the accelerations that forces B'p give at rest, without gravity."""
    weightless = replace(plant.system, gravity=np.zeros(3))
    return forward_dynamics(weightless, at.q, np.zeros(plant.tree.nv), at.lifted(p))


def _conservative(plant: Plant, at: Local, p: Array, v: Array) -> Array:
    """The first part of (3), by differentiating the graph."""
    held = symbols("held", len(v))
    function = kinetic_energy(plant.system.lean, at.q, held)
    function = function - potential_energy(plant.tree, at.q, plant.system.gravity)
    function = as_expr(function - p @ at.raised(held))
    (slopes,) = jacobian_rows([function], [str(each.value) for each in at.x])
    values = {str(name.value): value for name, value in zip(held, v, strict=True)}
    return np.array(substitute_all(slopes, values), dtype=object)


def _forces(plant: Plant, state: tuple[Array, Array, Array], t: Any, tau: Array) -> Array:
    """Q on the independent velocities: given forces, loads and damping.

    Wrenches on links come to the joints by inverse dynamics at rest, without gravity.
    """
    q, v, i = state
    q_all, v_all = plain.all_joints(plant.tree, q, v)
    loads = plain.acting(plant, t, i)(q_all, v_all)
    loads = replace(loads, tau=loads.tau - damping(plant.tree) * v_all)
    rest = np.zeros(plant.tree.nv)
    weightless = replace(plant.system, gravity=np.zeros(3), loads=lambda *_: loads)
    back = inverse_dynamics(weightless, q, rest, rest)
    return plain.given_forces(plant, q_all, v_all, t, tau) - back


@dataclass(frozen=True, eq=False)
class Local:
    """Coordinates x in a step that began at the quaternions `base`, and the maps B(x)."""

    tree: Tree
    x: Array
    base: Array

    @cached_property
    def q(self) -> Array:
        """By (1)."""
        q = np.zeros(self.tree.nq, dtype=object)
        for _, places, own, turn in _links(self.tree):
            x = self.x[own]
            q[places] = x if turn is None else [*x[:-3], *_turned(self.base[turn], x[-3:])]
        return q

    @cached_property
    def _maps(self) -> list[tuple[list[int], Array]]:
        """B of every joint with a quaternion, and where its velocities are; of others it is 1."""
        return [
            (own, _joint_map(link, self.q[places], self.x[own], self.base[turn]))
            for link, places, own, turn in _links(self.tree)
            if turn is not None
        ]

    def raised(self, v: Array) -> Array:
        """xdot = B(x) v."""
        return self._mapped(v, lambda B, part: B @ part)

    def lifted(self, p: Array) -> Array:
        """B(x)' p."""
        return self._mapped(p, lambda B, part: B.T @ part)

    def lowered(self, Q: Array) -> Array:
        """B(x)^-T Q, as (B B')^-1 B Q."""
        return self._mapped(Q, lambda B, part: solve_symmetric(B @ B.T, B @ part))

    def _mapped(self, values: Array, act: Callable[[Array, Array], Array]) -> Array:
        mapped = np.array(values, dtype=object)
        for own, B in self._maps:
            mapped[own] = act(B, mapped[own])
        return mapped


def _origin(tree: Tree, q: Array) -> Array:
    """x at the beginning of a step: q, with 0 for quaternions."""
    x = np.zeros(tree.nv, dtype=q.dtype)
    for _, places, own, turn in _links(tree):
        x[own] = q[places] if turn is None else [*q[places[:-4]], 0.0, 0.0, 0.0]
    return x


def _turned(b: Array, x: Array) -> Array:
    """b (1, x/2), made unit."""
    half = x * 0.5
    length = np.sqrt(1.0 + half @ half)
    vector = b[0] * half + b[1:] + cross(b[1:], half)
    return np.concatenate([[b[0] - b[1:] @ half], vector]) / length


def _joint_map(link: Link, q: Array, x: Array, b: Array) -> Array:
    """B of a joint with a quaternion, column by column.

    With the quaternion r = b^-1 q = c (1, x/2):  xdot = 2 (rdot_vector - (x/2) rdot_0) / r_0.
    """
    columns = []
    half = x[-3:] * 0.5
    scale = 2.0 * np.sqrt(1.0 + half @ half)
    for unit in np.eye(link.v.stop - link.v.start):
        rate = np.asarray(link.joint.qdot(q, unit))
        w, u = rate[-4], rate[-3:]
        scalar = b[0] * w + b[1:] @ u
        vector = b[0] * u - b[1:] * w - cross(b[1:], u)
        columns.append(np.concatenate([rate[:-4], scale * (vector - half * scalar)]))
    return np.column_stack(columns)


def _settled(tree: Tree, made: Shape, y: Array, base: Array) -> tuple[Array, Array]:
    """The base moved to the quaternions reached, x to 0, and p carried over."""
    x, p, _ = made.parts(y)
    at = Local(tree, x, base)
    q = tree.normalised(at.q)  # what rounding took off is put back
    new_base = np.concatenate([q[places] for places in tree.quaternions])
    new_x = _origin(tree, q)
    new_p = Local(tree, new_x, new_base).lowered(at.lifted(p))
    return np.concatenate([new_x, new_p, y[made.first + made.nv :]]), new_base


def _links(tree: Tree) -> Iterator[tuple[Link, list[int], list[int], slice | None]]:
    """Links with the places of their independent coordinates and velocities, and in the base."""
    q_place = {i: k for k, i in enumerate(tree.free_q)}
    v_place = {i: k for k, i in enumerate(tree.free_v)}
    first = 0
    for link in tree.links:
        turn = slice(first, first + 4) if link.joint.quaternions else None
        first += 4 if turn else 0
        places, own = (
            [place[i] for i in range(part.start, part.stop) if i in place]
            for part, place in ((link.q, q_place), (link.v, v_place))
        )
        yield link, places, own, turn
