"""Why loops do not close, in words: which stays open, by how much, and what would have to change.

Where the residual of steps of least size settles above zero its rest r is the gap that no motion
can make smaller, and a link of length l along u would have to change by  r'r / (r'u)
(least_steps.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import AssemblyError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..model.display_units import coordinates_told, display_units
from ..model.drawing import drawing
from ..spatial.rotation import Array
from ..system.system import ties
from .allowed import allowed
from .least_steps import JointPoints, length_changes
from .loop_system import DENSE, LoopSystem


def half_open(system: LoopSystem, joints: list[str], wanted: Array, t: float) -> AssemblyError:
    """The error of loops that close only up to half a turn."""
    lines = [f"mechanism {system.m.name!r} cannot be assembled{_where(system, wanted, t)}:"]
    lines += [
        f"  the loop through joint {name!r} closes only with its sides half a turn apart; ask for "
        "values nearer to the drawing"
        for name in joints
    ]
    return AssemblyError("\n".join(lines), dict.fromkeys(joints, float(np.pi)))


def not_assembled(system: LoopSystem, q: Array, wanted: Array, t: float) -> AssemblyError:
    """The error of loops that stay open at the nearest position."""
    residual = system.residuals(q, wanted, np.array([t, 0.0]))
    gaps: dict[str, float] = {}
    for owner, value in zip(system.owners, residual, strict=True):
        gaps[owner] = float(np.hypot(gaps.get(owner, 0.0), value))
    worst = max(gaps, key=lambda name: gaps[name])
    least = min(1e-9 * system.scale, gaps[worst])
    where = _where(system, wanted, t, 6 if gaps[worst] > 1e-6 * system.scale else 12)
    lines = [f"mechanism {system.m.name!r} cannot be assembled{where}:"]
    loops, shown = [tie.joint.name for tie in ties(system.tree)], display_units(system.m)
    lines += [
        f"  the loop through joint {name!r} stays open by {shown.told(gaps[name], 'm')}"
        for name in loops
        if gaps[name] >= least
    ]
    rivals = fighting(system, q, wanted, t)
    lines += [f"  {line}" for line in ([] if rivals else _changes(system, q, residual, least / 2))]
    lines += [f"  {_fight(rivals)}"] if rivals else []
    if worst not in loops and not rivals:
        lines.append(f"  {worst!r} misses its value by {gaps[worst]:.6g}")
    return AssemblyError("\n".join(lines), gaps)


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


def _where(system: LoopSystem, wanted: Array, t: float, digits: int = 6) -> str:
    if system.held:
        values = dict(zip(system.held, map(float, wanted), strict=False))
        return f" with {_told(system, values, digits)}"
    if not system.drives:
        return ""
    driven = {
        str(drive.coordinate): float(drive.motion(t)[0, 0])
        for drive in system.drives
        if drive.coordinate in system.tree.coordinates
    }
    return f" at t = {t:.{digits}g} s" + (f" ({_told(system, driven, digits)})" if driven else "")


def _told(system: LoopSystem, values: Mapping[str, float], digits: int) -> str:
    told = coordinates_told(system.m, values, digits)
    return ", ".join(f"{name} = {text}" for name, text in told.items())


def _changes(system: LoopSystem, q: Array, residual: Array, least: float) -> list[str]:
    """Which link would have to be longer or shorter, and by how much, where loops gape so much."""
    tree, height = system.tree, system.height
    at = Moving(tree, np.asarray(all_coordinates(tree, q), dtype=float))
    found: list[tuple[float, str]] = []
    for k, tie in enumerate(ties(tree)):
        first = len(system.still) + k * height
        block = residual[first : first + height]
        R_WM = at.pose(tie.child).R @ tie.X_LM.R
        r = np.array([*block[1:], 0.0]) if system.m.plane else np.asarray(R_WM @ block[3:], float)
        if np.linalg.norm(r) > least:
            found += length_changes(_joint_points(system, at), r, display_units(system.m))
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
