"""How a run ended, in sentences: why, until when, and the way out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..spatial.rotation import Array
from ..system.tree import Tree
from .runs import DONE, NO_CONVERGENCE, NOT_FINITE, End
from .solution import FAILED, FINISHED, INTERRUPTED
from .stepping import STOPPED


def status(code: float) -> str:
    """The status of a run in a word."""
    return {DONE: FINISHED, STOPPED: INTERRUPTED}.get(int(code), FAILED)


def ending(run: End, end: float) -> tuple[str, str]:
    """The status, and a sentence about it."""
    word, until = status(run.status), f"at t = {run.t:.9g} s of {end:g} s"
    if word == FINISHED:
        return word, f"finished at t = {end:g} s"
    if word == INTERRUPTED:
        return word, f"interrupted {until}; what was computed is kept"
    return word, f"stopped {until}: {_reason(run.status, run.h)}"


def _reason(code: float, h: float) -> str:
    if code == NOT_FINITE:
        return (
            "the accelerations are no longer finite; look for a force that grows without bound, a "
            "massless body or a step that is too long"
        )
    if code == NO_CONVERGENCE:
        return (
            f"an implicit step of {h:.3g} s does not converge; give a smaller step, or "
            "take method 'dop853'"
        )
    return (
        f"the step fell to {h:.1e} s; the motion has a singularity or a jump there, or "
        "rtol and atol ask for more than double precision holds"
    )


def notes(tree: Tree, rows: Array, steps: int, stiff: int) -> tuple[str, ...]:
    """What the user should know besides."""
    found = []
    if stiff > 20 and stiff > 0.2 * steps:
        found.append(
            f"the system is stiff: stability limits {stiff} of {steps} steps; softer springs and "
            "dampers, or motors without their small inductance, would run faster"
        )
    rough = [joint.name for joint in tree.m.joints if joint.friction is not None]
    if rough:
        found.append(f"dry friction is not part of the motion yet (joints {', '.join(rough)})")
    return (*found, *_passed(tree, rows))


def _passed(tree: Tree, rows: Array) -> Iterator[str]:
    """Coordinates that went beyond the limits of their joints, and when first."""
    place = {tree.coordinates[i]: k for k, i in enumerate(tree.free_q, start=1)}
    for joint in tree.m.joints:
        for name, lower, upper in zip(joint.coordinates(), *joint.limits, strict=True):
            if name not in place:
                continue
            beyond = (rows[:, place[name]] < lower) | (rows[:, place[name]] > upper)
            if beyond.any():
                yield (
                    f"{name} passed its limits {lower:g} to {upper:g}, seen first at "
                    f"t = {rows[np.argmax(beyond), 0]:.6g} s; limits do not stop the motion yet"
                )
