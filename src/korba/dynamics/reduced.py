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
bound. A freedom that moves nothing else, such as the spin of a rod on two balls, starts with none
of its momentum and keeps that: one row more of J says so.

Source: Gronowicz (2003), section 4.4.2.2, for any joints and in space too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..kinematics.couplings import AllMotion, all_coordinates, all_motion, all_velocities
from ..kinematics.orthogonal import Line, matched, present
from ..kinematics.rates import coordinate_rates, solved_velocities, turning
from ..kinematics.rows import Moving, entries, equations, independent
from ..kinematics.sweep import swept
from ..kinematics.velocity import link_twists
from ..model.drawing import drawing
from ..positions.allowed import allowed
from ..positions.loops import Loops
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, skew
from ..system.system import Loads, System
from ..system.tree import Tree
from ..wording import named
from .energy import kinetic_energy
from .newton_euler import body_wrench, outward
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
    lines = [*idle_lines(system, q, coordinate), *entries(_rows(tree, q, coordinate))]

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


def idle_lines(system: System, q: Any, coordinate: str) -> list[Line]:
    """For each idle freedom: its momentum is zero, xi' I V = 0 over the links."""
    tree = system.tree
    lines = entries(_rows(tree, q, coordinate))
    owned = matched(
        {i: {j: x for j, x in line.items() if present(x)} for i, line in enumerate(lines)}
    )
    if len(owned) == tree.nv:
        return []
    if system.parameters:
        raise StructureError(
            f"mechanism {system.m.name!r} has a freedom that moves nothing else, and what keeps it "
            f"still is made for one design; take the designs one by one with {named('redimension')}"
        )
    at = Moving(tree, all_coordinates(tree, q))
    return [_momentum_line(at, xi) for xi in idle_twists(tree, coordinate)]


def _momentum_line(at: Moving, xi: Array) -> Line:
    """Momentum along a motion that has the twists xi of the links, in the links' own frames."""
    links = zip(at.tree.links, xi, strict=True)
    wrenches = [body_wrench(link, skew(V[:3]), V[3:]) for link, V in links]
    momenta = np.array([[*n, *f] for f, n in wrenches], dtype=float)
    momenta = momenta if np.any(momenta) else xi
    columns: dict[int, Any] = {}
    for number in np.flatnonzero(np.any(momenta, axis=1)):
        X = at.X_WL[number]
        share = in_axes(X.R, momenta[number] / np.abs(momenta).max())
        for i, column in at.twist_columns(int(number), X.p).items():
            columns[i] = columns.get(i, 0.0) + np.array([share @ column], dtype=object)
    return {i: entry[0] for i, entry in independent(at.tree, at.q_all, columns).items()}


def idle_twists(tree: Tree, coordinate: str) -> list[Array]:
    """Motions of the drawing that are left with the coordinate held: twists of links (links, 6)."""
    whole = np.concatenate([*drawing(tree.m).q.values()]).astype(float)
    q = whole[list(tree.free_q)]
    free = allowed(Loops(tree, (coordinate,), ()), q).N.T
    q_all = np.asarray(all_coordinates(tree, q), dtype=float)
    motions = [np.asarray(all_velocities(tree, q_all, v), dtype=float) for v in free]
    twists = [np.array(link_twists(tree, q_all, v), dtype=float) for v in motions]
    return [np.where(np.abs(V) < 1e-12 * np.abs(V).max(), 0.0, V) for V in twists]


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
