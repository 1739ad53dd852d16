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

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen import Program, trace
from ..dynamics.composite_body import forward_dynamics, mass_matrix
from ..dynamics.energy import kinetic_energy, potential_energy
from ..dynamics.factored import solve_symmetric
from ..dynamics.newton_euler import inverse_dynamics
from ..dynamics.recursions import damping
from ..expr import variable
from ..expr.differentiate import jacobian_rows
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..forces.loads import own_rates
from ..spatial.rotation import Array
from ..system.tree import Link, Tree
from ..verbs.systems import refuse_massless
from . import right_hand_side as plain
from .right_hand_side import Plant, Shape


def shape(plant: Plant) -> Shape:
    """The parts of (x, p, i, W)."""
    old = plain.shape(plant)
    return Shape(old.nv, old.nv, old.currents, old.works)


def start(plant: Plant, q: Array, v: Array) -> tuple[Array, Array]:
    """(x, p) and the base of one start."""
    x, base, p = _momenta(plant, q, v)
    return np.concatenate([x, p.astype(float)]), base


def _momenta(plant: Plant, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """x, base and p of (q, v), by numbers or symbols."""
    base = np.concatenate([np.zeros(0), *(q[places] for places in plant.tree.quaternions)])
    x = _origin(plant.tree, q)
    return x, base, np.asarray(_lowered(plant.tree, x, base, mass_matrix(plant.system, q) @ v))


def starts_program(plant: Plant) -> Program:
    """(q, v) -> (x, p) and the base, for many starts."""

    def formula(q: Array, v: Array) -> tuple[Array, Array]:
        x, base, p = _momenta(plant, q, v)
        return np.concatenate([x, p]), base

    return trace(formula, {"q": plant.tree.nq, "v": plant.tree.nv})


def programs(plant: Plant) -> dict[str, Program]:
    """The programs of the method."""
    refuse_massless(plant.system)
    made = shape(plant)
    bases = 4 * len(plant.tree.quaternions)
    sizes = plain.inputs(plant, made.size, bases)

    def slope(y: Array, t: Array, tau: Array, base: Array) -> Array:
        return _slope(plant, made.parts(y), t[0], tau, base)

    def row(y: Array, t: Array, tau: Array, base: Array) -> Array:
        del tau
        x, p, i = made.parts(y)
        q = _coordinates(plant.tree, x, base)
        v = _velocities(plant, q, x, p, base)
        return np.concatenate([t, q, v, i, y[made.controlled :]])

    def settle(y: Array, t: Array, tau: Array, base: Array) -> Any:
        del t, tau
        return _settled(plant.tree, made, y, base) if bases else y

    name = plant.tree.m.name or "the mechanism"
    made_of = {"slope": slope, "row": row, "settle": settle}
    return {key: trace(formula, sizes, name) for key, formula in made_of.items()}


def _slope(
    plant: Plant, state: tuple[Array, Array, Array], t: Any, tau: Array, base: Array
) -> Array:
    x, p, i = state
    tree = plant.tree
    q = _coordinates(tree, x, base)
    v = _velocities(plant, q, x, p, base)
    q_all, v_all = plain.all_joints(tree, q, v)
    pdot = _conservative(plant, x, p, v, base)
    if plain.shape(plant).works:
        pdot = pdot + _lowered(tree, x, base, _forces(plant, (q, v, i), t, tau))
    rates = [_raised(tree, x, base, v), pdot, own_rates(tree, q_all, v_all, t, i)]
    if plain.shape(plant).works:
        rates.append(np.array([plain.work_rate(plant, (q, v, i), t, tau)], dtype=object))
    return np.concatenate([np.asarray(rate, dtype=object) for rate in rates])


def _velocities(plant: Plant, q: Array, x: Array, p: Array, base: Array) -> Array:
    """v = M^-1 B'p  (2): the accelerations that forces B'p give at rest, without gravity."""
    rest = np.zeros(plant.tree.nv)
    pushed = _lifted(plant.tree, x, base, p)
    weightless = replace(plant.system, gravity=np.zeros(3))
    return forward_dynamics(weightless, q, rest, pushed)


def _conservative(plant: Plant, x: Array, p: Array, v: Array, base: Array) -> Array:
    """The first part of (3), by differentiating the graph."""
    held = np.array([variable(f"held[{k}]") for k in range(len(v))], dtype=object)
    q = _coordinates(plant.tree, x, base)
    function = kinetic_energy(plant.system.lean, q, held)
    function = function - potential_energy(plant.tree, q, plant.system.gravity)
    function = function - p @ _raised(plant.tree, x, base, held)
    (slopes,) = jacobian_rows([as_expr(function)], [str(each.value) for each in x])
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


def _origin(tree: Tree, q: Array) -> Array:
    """x at the beginning of a step: q, with 0 for quaternions."""
    x = np.zeros(tree.nv, dtype=q.dtype)
    for link, places, own in _links(tree):
        x[own] = (
            np.concatenate([q[places[:-4]], np.zeros(3)]) if link.joint.quaternion else q[places]
        )
    return x


def _coordinates(tree: Tree, x: Array, base: Array) -> Array:
    """q(x) by (1)."""
    q = np.zeros(tree.nq, dtype=object)
    k = 0
    for link, places, own in _links(tree):
        if link.joint.quaternion:
            q[places] = np.concatenate([x[own][:-3], _turned(base[k : k + 4], x[own][-3:])])
            k += 4
        else:
            q[places] = x[own]
    return q


def _turned(b: Array, x: Array) -> Array:
    """b (1, x/2), made unit."""
    half = x * 0.5
    length = np.sqrt(1.0 + half @ half)
    vector = b[0] * half + b[1:] + np.cross(b[1:], half)
    return np.concatenate([[b[0] - b[1:] @ half], vector]) / length


def _raised(tree: Tree, x: Array, base: Array, v: Array) -> Array:
    """xdot = B(x) v."""
    return _by_joint(tree, x, base, v, lambda B, part: B @ part)


def _lifted(tree: Tree, x: Array, base: Array, p: Array) -> Array:
    """B(x)' p."""
    return _by_joint(tree, x, base, p, lambda B, part: B.T @ part)


def _lowered(tree: Tree, x: Array, base: Array, Q: Array) -> Array:
    """B(x)^-T Q, as (B B')^-1 B Q."""
    return _by_joint(tree, x, base, Q, lambda B, part: solve_symmetric(B @ B.T, B @ part))


def _by_joint(
    tree: Tree, x: Array, base: Array, values: Array, act: Callable[[Array, Array], Array]
) -> Array:
    """A map of velocities or forces, joint by joint; joints without quaternions have B = 1."""
    found = np.array(values, dtype=object)
    q = _coordinates(tree, x, base)
    k = 0
    for link, places, own in _links(tree):
        if link.joint.quaternion:
            found[own] = act(_joint_map(link, q[places], x[own], base[k : k + 4]), found[own])
            k += 4
    return found


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
        vector = b[0] * u - b[1:] * w - np.cross(b[1:], u)
        columns.append(np.concatenate([rate[:-4], scale * (vector - half * scalar)]))
    return np.column_stack(columns)


def _settled(tree: Tree, made: Shape, y: Array, base: Array) -> tuple[Array, Array]:
    """The base moved to the quaternions reached, x to 0, and p carried over."""
    x, p, _ = made.parts(y)
    q = _coordinates(tree, x, base)
    pushed = _lifted(tree, x, base, p)
    q = tree.normalised(q)  # what rounding took off is put back
    new_base = np.concatenate([q[places] for places in tree.quaternions])
    new_x = _origin(tree, q)
    new_p = _lowered(tree, new_x, new_base, pushed)
    return np.concatenate([new_x, new_p, y[made.first + made.nv :]]), new_base


def _links(tree: Tree) -> list[tuple[Link, list[int], list[int]]]:
    """Links with the places of their independent coordinates and velocities."""
    q_place = {i: k for k, i in enumerate(tree.free_q)}
    v_place = {i: k for k, i in enumerate(tree.free_v)}
    return [
        (
            link,
            [q_place[i] for i in range(link.q.start, link.q.stop) if i in q_place],
            [v_place[i] for i in range(link.v.start, link.v.stop) if i in v_place],
        )
        for link in tree.links
    ]
