"""A mechanism of one freedom as one body: its inertia seen from one of its coordinates x.

The loops, and x itself, give the velocities of all joints for x' = 1, and with x'' = 0 their
accelerations; at any other speed v = N x' and a = N x'' + c x'^2:

    J N = e_x,    J c = -J' N                                                          (1)

Kinetic energy of the mechanism and of one mass or moment of inertia I(x) agree (4.109, 4.110), and
the power of what the motion at x' = 1 takes is that of the energy T = I/2:

    I = 2 T(q, N)                                                                      (2)
    I' = dI/dx = 2 sum over the links of  F(N, c) . V(N)                               (3)

where F is what the motion of a link takes and V its twist. So nothing is differentiated by
differences. Where x does not govern the mechanism, at a dead centre, J is singular and I has no
bound. A freedom that moves nothing else, such as the spin of a rod on two balls, has one row more
of J (idle.py).

Source: Gronowicz (2003), section 4.4.2.2, for any joints and in space too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kinematics.couplings import AllMotion, all_motion
from ..kinematics.orthogonal import Line
from ..kinematics.rates import coordinate_rates, solved_velocities, turning
from ..kinematics.rows import entries, equations
from ..kinematics.sweep import swept
from ..kinematics.velocity import link_twists
from ..spatial.rotation import Array
from ..system.system import Loads, System
from ..system.tree import Tree
from .energy import kinetic_energy
from .idle import idle_lines
from .newton_euler import outward
from .recursions import link_values


class Ratios(NamedTuple):
    """Velocities and accelerations of all independent joints for x' = 1, x'' = 0."""

    N: Array
    c: Array
    pivots: Array
    """Of the equations (1): one of them vanishes at a dead centre."""


def ratios(system: System, q: Any, coordinate: str) -> Ratios:
    """(1); in a tree all other independent joints stand still."""
    tree = system.tree
    one = np.zeros(tree.nv)
    one[tree.free_v.index(tree.velocity_of(coordinate))] = 1.0
    if not system.ties:
        return Ratios(one, np.zeros(tree.nv), np.ones(1))
    lines = [*idle_lines(system, q, (coordinate,)), *entries(_rows(tree, q, coordinate))]

    def moving(still: Array) -> dict[str, Any]:
        return {f"q[{i}]": rate for i, rate in enumerate(coordinate_rates(tree, q, still))}

    ahead = [0.0] * (len(lines) - 1) + [1.0]
    N, pivots = _solved(lines, ahead)
    c, _ = _solved(lines, [-bend for bend in turning(lines, N, moving)])
    return Ratios(N, c, np.array(pivots or [1.0], dtype=object))  # none: all rows are numbers


def _rows(tree: Tree, q: Any, coordinate: str) -> Any:
    """The rows of all loops, and that of the coordinate."""
    return equations(tree, q, 0.0, {coordinate: 0.0}, ())


def _solved(lines: list[Line], right: list[Any]) -> tuple[Array, list[Any]]:
    count = max(j for line in lines for j in line) + 1
    x, pivots = solved_velocities(lines, right, np.zeros(count), range(count))
    return np.array(x, dtype=object), pivots


def inertia(tree: Tree, q: Any, x: Ratios) -> tuple[Any, Any]:
    """(2) and (3): the reduced inertia, or mass, and its derivative by the coordinate."""
    motion = all_motion(tree, q, x.N, x.c)
    twists = link_twists(tree, motion.q, motion.v)
    takes = _taken(tree, motion)
    slope: Any = sum((F @ V for F, V in zip(takes, twists, strict=True)), start=0.0)
    return 2.0 * kinetic_energy(tree, q, x.N), 2.0 * slope


def _taken(tree: Tree, x: AllMotion) -> list[Array]:
    """What the motion of every link takes, in its own frame about its origin."""
    nothing = Loads(np.zeros(len(tree.velocities)), {})
    given = link_values(tree, {"q": x.q, "v": x.v, "a": x.a}, nothing)
    return [own["F"] for own in swept(tree, [outward(np.zeros(3))], given)]
