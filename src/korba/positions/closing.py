"""Closing loops from afar, with freedoms left over, and saying why they do not close.

Steps of least size (least_steps.py) lead towards smaller residuals, with lengths in typical
lengths. Where the residual settles above zero, the loops do not close: its rest r is the gap that
no motion can make smaller, and a link of length l along u would have to change by  r'r / (r'u)
(least_steps.py).

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

from ..errors import AssemblyError, StructureError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rates import moved
from ..kinematics.rows import Moving
from ..model.drawing import drawing
from ..spatial.rotation import Array
from ..system.system import Tie, ties
from ..system.tree import Tree
from .allowed import allowed
from .least_steps import JointPoints, least_steps, length_changes
from .loop_system import DENSE, LoopSystem

MOST_STAGES = 20_000
"""Stages, of 0.1 rad or 0.1 m each, in which loops with freedoms left over are led to values."""
OTHER_STARTS = 30
"""Random positions that are tried where a loop is half a turn away."""


def closed_by_least_steps(
    system: LoopSystem, q: Array, wanted: Array, t: float
) -> tuple[Array, float]:
    """The position reached, and its largest residual in typical lengths and radians."""
    clock = np.array([t, 0.0])

    def rows(q: Array) -> tuple[Array, Any]:
        return _scaled(system, q, wanted, clock)

    def stepped(q: Array, x: Array) -> Array:
        return np.asarray(moved(system.tree, q, x * system.units), dtype=float)

    return least_steps(rows, stepped, q, system.closed)


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
        q, gap = closed_by_least_steps(system, q, wanted, t)
        if gap > system.tolerance:
            return closed_by_least_steps(system, q, target, t)
    return q, gap


def truly_closed(system: LoopSystem, q: Array, wanted: Array, t: float) -> Array:
    """A closed position, or one near it where some of its loops are half a turn away.

    Raises an `AssemblyError` where there is none.
    """
    tied = ties(system.tree)
    turned = half_turned(system.tree, q, tied)
    if not turned:
        return q

    def holds(start: Array) -> Array | None:
        found, gap = closed_by_least_steps(system, start, wanted, t)
        closed = gap <= system.tolerance
        return found if closed and not half_turned(system.tree, found, tied) else None

    found = holds(_turned_on(system, q, turned))
    if found is not None:
        return found
    tries = [holds(start) for start in random_starts(system, wanted, OTHER_STARTS)]
    good = [each for each in tries if each is not None]
    if not good:
        raise _half_open(system, turned, wanted, t)
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


def _half_open(system: LoopSystem, joints: list[str], wanted: Array, t: float) -> AssemblyError:
    """The error of loops that close only up to half a turn."""
    lines = [f"mechanism {system.m.name!r} cannot be assembled{_where(system, wanted, t)}:"]
    lines += [
        f"  the loop through joint {name!r} closes only with its sides half a turn apart; ask for "
        "values nearer to the drawing"
        for name in joints
    ]
    return AssemblyError("\n".join(lines), dict.fromkeys(joints, float(np.pi)))


def _scaled(system: LoopSystem, q: Array, wanted: Array, clock: Array) -> tuple[Array, Any]:
    """Residuals and J without units; what is wanted weighs more than loops that cannot close."""
    return system.unitless(q, wanted, clock, weight=wanted_weights(system), sparse=True)


def wanted_weights(system: LoopSystem) -> Array:
    """Weights of rows: 1 of loops, more of what is wanted."""
    weight = np.ones(len(system.size))
    weight[len(weight) - system.wanted :] = 1e3
    return weight


def not_assembled(system: LoopSystem, q: Array, wanted: Array, t: float) -> AssemblyError:
    """The error of loops that stay open at the nearest position."""
    residual = system.residuals(q, wanted, np.array([t, 0.0]))
    gaps: dict[str, float] = {}
    for owner, value in zip(system.owners, residual, strict=True):
        gaps[owner] = float(np.hypot(gaps.get(owner, 0.0), value))
    worst = max(gaps, key=lambda name: gaps[name])
    lines = [f"mechanism {system.m.name!r} cannot be assembled{_where(system, wanted, t)}:"]
    loops = [tie.joint.name for tie in ties(system.tree)]
    lines += [
        f"  the loop through joint {name!r} stays open by {gaps[name]:.6g} m"
        for name in loops
        if gaps[name] > 1e-9 * system.scale
    ]
    rivals = fighting(system, q, wanted, t)
    lines += [f"  {line}" for line in ([] if rivals else _changes(system, q, residual))]
    lines += [f"  {_fight(rivals)}"] if rivals else []
    if worst not in loops and not rivals:
        lines.append(f"  {worst!r} misses its value by {gaps[worst]:.6g}")
    return AssemblyError("\n".join(lines), gaps)


def gap_at(system: LoopSystem, q: Array, wanted: Array, t: float) -> float:
    """Largest residual of a position, in typical lengths and radians."""
    return float(system.gap(q, wanted, np.array([t, 0.0])))


def refuse_open(system: LoopSystem, q: Array, residual: Array, t: Array) -> None:
    """An `AssemblyError` at the first of many driven positions whose residual is not closed.

    This is the one place that lets motions out: no verb hands out one that has not passed here.
    """
    largest = max(residual.max(initial=0.0), -residual.min(initial=0.0))
    if largest <= system.tolerance * system.size.min(initial=1.0):
        return
    gaps = np.max(np.abs(residual) / system.size, axis=-1, initial=0.0)
    far = np.abs(q / system.q_units).max(axis=-1, initial=1.0)
    if not np.all(gaps <= system.tolerance * far):
        k = int(np.argmax(~(gaps <= system.tolerance * far)))
        raise not_assembled(system, q[k], np.zeros(system.wanted), float(t[k]))


def fighting(system: LoopSystem, q: Array, wanted: Array, t: float) -> list[str]:
    """Drives and held coordinates that ask for different things of the same freedom.

    Combinations y of rows with y' J = 0 do not depend on the motion; those that the residual has a
    part in cannot be met, whoever stands in them. At a limit of the motion there are such y as
    well, but not in the drawing. A residual within rounding belongs to nobody.
    """
    if max(len(system.owners), system.tree.nv) > DENSE or not system.wanted:
        return []
    driven = slice(len(system.owners) - system.wanted, None)
    at_drawn = allowed(system, system.drawn, t).spare
    shared = np.linalg.norm(at_drawn[driven], axis=1) > 1e-9
    here = allowed(system, q, t)
    null, phi = here.spare, system.residuals(q, wanted, np.array([t, 0.0])) / here.sizes
    size = np.linalg.norm(phi)
    if size < 0.01 * system.tolerance or not np.linalg.norm(null.T @ phi) > 1e-3 * size:
        return []
    return list(dict.fromkeys(np.array(system.owners)[driven][shared].tolist()))


def fight_of_drives(system: LoopSystem, q: Array, t: float, step: float) -> AssemblyError | None:
    """The error of drives that a closed position at t cannot follow a `step` further; or None.

    Drives that agree at first and part slowly have opened the loops by their tolerance at t.
    """
    nothing = np.zeros(system.wanted)
    rivals = fighting(system, q, nothing, t + step) or fighting(system, q, nothing, t)
    if not rivals:
        return None
    name = f"mechanism {system.m.name!r} cannot move at t = {t:.6g} s:"
    return AssemblyError(f"{name}\n  {_fight(rivals)}", {})


def _fight(rivals: list[str]) -> str:
    """Who fights whom."""
    if len(rivals) == 1:
        return f"{rivals[0]!r} has no freedom: the loops hold it where it is"
    names = ", ".join(map(repr, rivals[:-1])) + f" and {rivals[-1]!r}"
    return (
        f"{names} fight each other: they ask for different positions of the same freedom; leave "
        "one of them out, or give them values that fit"
    )


def _where(system: LoopSystem, wanted: Array, t: float) -> str:
    if system.held:
        values = zip(system.held, wanted, strict=False)
        return " with " + ", ".join(f"{name} = {value:.6g}" for name, value in values)
    return f" at t = {t:g} s" if system.drives else ""


def _changes(system: LoopSystem, q: Array, residual: Array) -> list[str]:
    """Which link would have to be longer or shorter, and by how much."""
    tree, height = system.tree, system.height
    at = Moving(tree, np.asarray(all_coordinates(tree, q), dtype=float))
    found: list[tuple[float, str]] = []
    for k, tie in enumerate(ties(tree)):
        first = len(system.still) + k * height
        block = residual[first : first + height]
        R_WM = at.pose(tie.child).R @ tie.X_LM.R
        r = np.array([*block[1:], 0.0]) if system.m.plane else np.asarray(R_WM @ block[3:], float)
        if np.linalg.norm(r) > 1e-9 * system.scale:
            found += length_changes(_joint_points(system, at), r)
    texts = [text for _, text in sorted(found)[:4]]
    return (
        ["it would close if one of these lengths changed:", *(f"  {x}" for x in texts)]
        if texts
        else []
    )


def _joint_points(system: LoopSystem, at: Moving) -> JointPoints:
    """Joints of every body and where they are."""
    found: JointPoints = {}
    placed = drawing(system.m)
    for joint in system.m.joints:
        for body, X in ((joint.parent, placed.X_PF(joint)), (joint.child, placed.X_BM(joint))):
            p = np.asarray(at.body_pose(body).point(X.p), dtype=float)
            found.setdefault(body, []).append((joint.name, p))
    return found
