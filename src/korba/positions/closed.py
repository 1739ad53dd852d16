"""Positions with their loops closed: by steps of least size, from one start or from many.

Steps of least size (least_steps.py) lead towards smaller residuals, with lengths in typical
lengths, freedoms left over or not. Where the residual settles above zero the loops do not close,
and open_loops.py says why.

Residuals of rotations are sines of the angle between both sides of a loop (rows.py), so they vanish
at half a turn too. The trace of the rotation between the sides tells them apart,

    trace R = 1 + 2 cos(angle):    3 where the loop is closed, -1 half a turn away          (1)

There the joint's own angle is turned on by half a turn; if it has none, or that does not help,
loops are closed from random positions and the nearest one that holds counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import StructureError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..model.drawing import drawing
from ..spatial.rotation import Array
from ..system.system import Tie, ties
from ..system.tree import Tree
from .allowed import allowed
from .least_steps import NEARBY, Pace, boxed, least_steps_of_lanes
from .loop_system import DENSE, LoopSystem
from .open_loops import half_open

MOST_STAGES = 20_000
"""Stages, of 0.1 rad or 0.1 m each, in which loops with freedoms left over are led to values."""
OTHER_STARTS = 30
"""Random positions that are tried where a loop is half a turn away."""
HEAVY = 1e3
"""Weight of what is wanted, beside loops that may not close."""


def closed(
    system: LoopSystem, q: Array, wanted: Any = None, t: float = 0.0, pace: Pace = NEARBY
) -> tuple[Array, Any]:
    """The positions reached from one, shape (nq,), or from many in rows, and their largest
    residuals in typical lengths and radians.

    Without `wanted` values held coordinates and drives have nothing added.
    """
    if not len(system.owners):
        return q, np.zeros(len(q)) if np.ndim(q) > 1 else 0.0
    start, own = np.atleast_2d(q), np.zeros(system.wanted) if wanted is None else wanted
    weight, clock = np.ones(len(system.size)), np.array([t, 0.0])
    weight[len(weight) - system.wanted :] = HEAVY

    def rows(q: Array, _: Array) -> tuple[Array, Any]:
        if system.tree.nv <= DENSE:
            inputs = np.tile(own, (len(q), 1)), np.tile(clock, (len(q), 1))
            return system.unitless(q, *inputs, weight=weight, check_finite=False)
        lanes = [system.unitless(each, own, clock, weight=weight, sparse=True) for each in q]
        return np.array([phi for phi, _ in lanes]), boxed(J for _, J in lanes)

    def moved(q: Array, x: Array, _: Array) -> Array:
        return system.moved(q, x * system.units)

    found, gap = least_steps_of_lanes(rows, moved, start, system.rounding, pace=pace)
    return (found, gap) if np.ndim(q) > 1 else (found[0], float(gap[0]))


def closed_in_stages(
    system: LoopSystem, q: Array, ends: tuple[Array, Array], t: float
) -> tuple[Array, float]:
    """The same on a straight way from what a position has to what is wanted."""
    here, target = ends
    longest = float(np.max(np.abs(target - here), initial=0.0))
    stages = max(1, int(np.ceil(min(longest, 1e9) / 0.1)))
    if stages > MOST_STAGES:
        raise StructureError(
            f"mechanism {system.m.name!r}: what is asked for is {longest:.3g} rad or m away from "
            f"the drawing, more than the {0.1 * MOST_STAGES:g} up to which loops are led; ask for "
            "values nearer to the drawing"
        )
    gap = 0.0
    for k in range(1, stages + 1):
        wanted = target if k == stages else here + (target - here) * (k / stages)
        q, gap = closed(system, q, wanted, t)
        if gap > system.tolerance:
            return closed(system, q, target, t)
    return q, gap


def walked(system: LoopSystem, q: Array, stride: float, rng: np.random.Generator) -> Array:
    """Closed positions at random, each a stride from one of q (count, nq) along what loops allow.

    What does not close near the end of its stride stays: so they are on the branch of q.
    """
    N = allowed(system, q).N
    x = (N @ rng.normal(size=(len(q), N.shape[-1], 1)))[..., 0]
    ahead = system.moved(q, stride * x)
    there, gap = closed(system, ahead)
    away = np.abs((there - ahead) / system.q_units).max(axis=-1, initial=0.0)
    return np.where(((gap <= system.tolerance) & (away < stride))[:, None], there, q)


def truly_closed(system: LoopSystem, q: Array, wanted: Array, t: float) -> Array:
    """A closed position, or one near it where some of its loops are half a turn away.

    Raises an `AssemblyError` where there is none.
    """
    tied = ties(system.tree)
    turned = half_turned(system.tree, q, tied)
    if not turned:
        return q

    def holds(start: Array) -> Array | None:
        found, gap = closed(system, start, wanted, t)
        good = gap <= system.tolerance and not half_turned(system.tree, found, tied)
        return found if good else None

    found = holds(_turned_on(system, q, turned))
    if found is not None:
        return found
    tries = [holds(start) for start in random_starts(system, wanted, OTHER_STARTS)]
    good = [each for each in tries if each is not None]
    if not good:
        raise half_open(system, turned, wanted, t)
    return min(good, key=lambda each: float(np.abs(each - q).max(initial=0.0)))


def half_turned(tree: Tree, q: Array, tied: Sequence[Tie] | None = None) -> list[str]:
    """Joints whose loop closes only up to half a turn, by (1); `tied` spares finding the ties."""
    at = Moving(tree, np.asarray(all_coordinates(tree, q), dtype=float))
    tied = ties(tree) if tied is None else tied
    return [tie.joint.name for tie in tied if tie_trace(at, tie) < 2.0]


def tie_trace(at: Moving, tie: Tie) -> Any:
    """(1) of a tie."""
    R_WM = at.pose(tie.child).R @ tie.X_LM.R
    wanted = at.pose(tie.parent).R @ tie.X_LF.R @ tie.joint.pose(at.q_all[tie.q]).R
    return np.sum(wanted * R_WM)


def random_starts(system: LoopSystem, wanted: Array, starts: int, seed: int = 0) -> Array:
    """Random coordinates of all joints, held ones as wanted; with seed 0 the drawing first."""
    rng, first = np.random.default_rng(seed), 0 if seed else 1
    tree, names = system.tree, system.names
    points = np.array([X.p for X in drawing(system.m).X_WM.values()]).reshape(-1, 3)
    reach = float(np.ptp(points, axis=0).max()) / 2 if len(points) else 0.0
    reach = reach or system.scale
    q = np.repeat(system.drawn[None], starts, axis=0)
    for k, kind in enumerate(tree.coordinate_kinds):
        if kind == "angle":
            q[first:, k] += rng.uniform(-np.pi, np.pi, starts - first)
        elif kind == "length":
            q[first:, k] += rng.normal(0.0, reach, starts - first)
        else:
            q[first:, k] = rng.normal(size=starts - first)
    q = tree.normalised(q)
    still = system.still_velocities
    idle = [k for k, place in enumerate(system.own) if place >= 0 and place in still]
    q[:, idle] = system.drawn[idle]
    q[:, [names.index(name) for name in system.held]] = wanted[: len(system.held)]
    return q


def _turned_on(system: LoopSystem, q: Array, joints: list[str]) -> Array:
    """Own angles of joints turned on by half a turn, towards zero."""
    place = {system.tree.coordinates[i]: k for k, i in enumerate(system.tree.free_q)}
    q = q.copy()
    for joint in (system.m.joint(name) for name in joints):
        for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True):
            if kind == "angle" and name in place:
                q[place[name]] -= np.copysign(np.pi, q[place[name]])
    return q


def residual_at(system: LoopSystem, q: Array, wanted: Array, t: float) -> float:
    """Largest residual of a position, in typical lengths and radians."""
    return float(system.residual(q, wanted, np.array([t, 0.0])))
