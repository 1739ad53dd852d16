"""A mechanism at a position of its drives, as the one time of a motion.

The drawing board starts from a position of the crank and its speed. A drive of constant speed has
both: it comes by a position x at the time

    t = (x - f(0)) / f'           of a drive f(t) = f(0) + f' t; turns by 2 pi / |f'| later again

Where the speed changes in time a position alone does not say how fast the drive is, and a motion is
asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...positions.follow import on_time
from ...positions.loop_system import LoopSystem
from ...solve.assemble import assemble
from ...solve.configuration import Configuration
from ...solve.motion import driven_loops, motion, moving
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory

Source = Trajectory | Mechanism | Configuration
"""What a question about one position is asked of."""
AT_ONCE = 1e-9
"""How far drives may be apart, in radians and typical lengths, that stand so at one time."""
TRIED = (1.0, 0.17320508, 0.41421356, 1.61803399)
"""Times at which a speed is looked at, in s: of no period that one would write."""


def standing(what: str, source: Source, at: Any = None) -> tuple[Trajectory, int]:
    """A motion and the index in it: those given, or a mechanism at a position of its drives.

    Without a position it is a motion's first time, and a mechanism at t = 0.
    """
    if isinstance(source, Trajectory):
        return source, 0 if at is None else at
    m = source if isinstance(source, Mechanism) else source.m
    if not m.drives:
        raise StructureError(
            f"{what}: mechanism {m.name!r} has no drive that says how fast it moves; give it one, "
            "such as kb.JointDrive('drive', 'A', position='60 rpm*t')"
        )
    if isinstance(source, Mechanism) and at is None:
        return motion(m, [0.0]), 0
    here = source if isinstance(source, Configuration) else assemble(m, at)
    system = driven_loops(m, 0.0)
    q = np.array(here.q, dtype=float)
    t = _time(what, system, q)
    turns = np.round(_misses(system, q, t) / (2 * np.pi)) * _turning(system)
    for name, turn in zip(_driven(system), turns, strict=True):
        if turn:
            q[system.tree.coordinates.index(name)] += 2 * np.pi * turn
    return moving(m, system, np.array([t]), q[None]), 0


def _time(what: str, system: LoopSystem, q: Array) -> float:
    """The first time at which all drives ask for the position q."""
    start, whole = _misses(system, q, 0.0), _turning(system)
    speeds = np.array([(_misses(system, q, t) - start) / t for t in TRIED])
    speed = speeds[0]
    if np.any(np.abs(speeds - speed) > AT_ONCE * (1 + np.abs(speed))):
        raise StructureError(
            f"{what}: a drive of {system.m.name!r} changes its speed in time, so that a position "
            "does not say how fast it is; give a motion, such as kb.motion(m, times), and an index"
        )
    runs = np.abs(speed) > AT_ONCE
    k = int(np.argmax(runs))
    t = float(-start[k] / speed[k]) if runs.any() else 0.0
    t = t % float(2 * np.pi / abs(speed[k])) if runs.any() and whole[k] else t
    left = start + t * speed
    left = np.where(whole, (left + np.pi) % (2 * np.pi) - np.pi, left)
    if np.any(np.abs(left) > AT_ONCE):
        raise StructureError(
            f"{what}: there is no time at which the drives of {system.m.name!r} stand so; give a "
            "motion, such as kb.motion(m, times), and an index"
        )
    return t


def _misses(system: LoopSystem, q: Array, t: float) -> Array:
    """How far the drives are beyond q at a time: f(t) - c(q)."""
    wanted, _, clock = on_time(system)(t)
    return -np.asarray(system.unitless(q, wanted, clock)[0][-system.wanted :], dtype=float)


def _driven(system: LoopSystem) -> list[str]:
    """The coordinate of every motion of the drives; of those that drive none it is empty."""
    return [drive.coordinate or "" for drive in system.m.drives for _ in drive.given]


def _turning(system: LoopSystem) -> Array:
    """Which of the drives turn a joint, so that a position comes again after a turn."""
    turns = {name for joint in system.m.joints if joint.turns_only for name in joint.coordinates()}
    return np.array([name in turns for name in _driven(system)], dtype=bool)
