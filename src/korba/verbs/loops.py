"""What the verbs of dynamics ask of motions of mechanisms with loops, and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.multipliers import Constraints
from ..errors import StructureError
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..structure.undriven import undriven
from ..system.system import System
from .systems import any_system
from .verb import Given, verb

OPEN = 1e-6
"""Residual of loops, beside what moves, above which they are not closed."""


def refuse_undriven(system: System) -> None:
    """An error for loops with freedoms that no drive moves, so that no effort can be told."""
    if not system.ties:
        return
    report = mobility(system.in_numbers)
    if report.undriven:
        reasons = [reason.text for reason in report.reasons if "drive" in reason.text]
        raise StructureError(
            f"mechanism {system.m.name!r} has {report.undriven} freedom"
            f"{'s' * (report.undriven > 1)} that no drive moves, so the forces of a motion are not "
            f"determined; {undriven(system.m)} (kb.JointDrive). {' '.join(reasons)}".rstrip()
        )


@verb(closed=True)
def misfits(system: System, q: Any, v: Any, a: Any) -> tuple[Array, ...]:
    """Residuals of the loops in positions, velocities and accelerations, (..., rows) each."""
    loops = Constraints(system, q, driven=False)
    gap = np.array(loops.stacked("residual"))
    speed = _product(loops, v)
    return gap, speed, _product(loops, a) + np.array(loops.turning(v))


def _product(loops: Constraints, v: Any) -> Array:
    return np.array([sum(x * v[j] for j, x in line.items()) for line in loops.lines])


def refuse_broken(name: str, m: Mechanism, given: Given) -> None:
    """An error where q, v, or a where there is one, are none that the loops allow."""
    tree, scale = any_system(m).tree, drawing(m).scale
    q, v = (np.asarray(x, dtype=float) for x in given.arrays[:2])
    a = np.asarray(given.arrays[2], dtype=float) if name == "inverse_dynamics" else 0.0 * v
    gaps = misfits(m, q, v, a, parameters=dict(given.design) or None)
    rows = [1.0, scale, scale] if m.plane else [1.0] * 3 + [scale] * 3
    units = np.array([scale if kind == "length" else 1.0 for kind in tree.velocity_kinds])
    sizes = np.tile(rows, len(tree.closing))
    fast, faster = (np.abs(x / units).max(axis=-1, initial=0.0) for x in (v, a))
    beside = [1.0, fast, fast * fast + faster]
    words = ["positions", "velocities", "accelerations"][: 3 if name == "inverse_dynamics" else 2]
    for word, gap, size in zip(words, gaps, beside, strict=False):
        open_ = np.abs(gap / sizes).max(axis=-1, initial=0.0)
        if np.any(open_ > OPEN * np.maximum(size, np.finfo(float).tiny)):
            _refuse(name, m, word, np.abs(gap / sizes))


def _refuse(name: str, m: Mechanism, word: str, gap: Array) -> None:
    """The sentence, with the joint whose loop is most open."""
    height = 3 if m.plane else 6
    row = int(np.argmax(gap.reshape(-1, gap.shape[-1]).max(axis=0)))
    joint = any_system(m).tree.closing[row // height].name
    ways = {
        "positions": "take q from kb.assemble, kb.motion or kb.simulate",
        "velocities": "velocities of all joints belong together: take them from kb.motion or "
        "kb.simulate",
        "accelerations": "take a from kb.motion, kb.forward_dynamics or kb.simulate",
    }
    raise StructureError(
        f"{name}: the {word} break the loop that joint {joint!r} closes, by {gap.max():.2g} in "
        f"typical lengths and radians; {ways[word]}"
    )


def refuse_undetermined(m: Mechanism, a: Array) -> None:
    """An error where accelerations are not finite: the loops have lost rank there."""
    if not np.all(np.isfinite(a)):
        raise StructureError(
            f"forward_dynamics: mechanism {m.name!r} is at a singular position, where its loops "
            "leave more freedoms than elsewhere, so that accelerations are not determined; take "
            "a position beside it"
        )
