"""How a run ended, in sentences: why, until when, and the way out."""

from __future__ import annotations

import numpy as np

from ..kinematics.tree import Tree
from .driver import DONE, NO_CONVERGENCE, NOT_FINITE
from .solution import FAILED, FINISHED, INTERRUPTED
from .stepping import STOPPED, Workspace


def ending(code: int, work: Workspace) -> tuple[str, str]:
    """The status, and a sentence about it."""
    t, end = work.get("t"), work.times.end
    if code == DONE:
        return FINISHED, f"finished at t = {end:g} s"
    until = f"at t = {t:.9g} s of {end:g} s"
    if code == STOPPED:
        return INTERRUPTED, f"interrupted {until}; what was computed is kept"
    return FAILED, f"stopped {until}: {_reason(code, work, t)}"


def _reason(code: int, work: Workspace, t: float) -> str:
    slope = work.slope(t, "y", "stage")
    if code == NOT_FINITE or not np.all(np.isfinite(slope)):
        return (
            "the accelerations are no longer finite; look for a force that grows without bound, a "
            "massless body or a step that is too long"
        )
    if code == NO_CONVERGENCE:
        return (
            f"an implicit step of {work.get('h'):.3g} s does not converge; give a smaller step, or "
            "take method 'dop853'"
        )
    return (
        f"the step fell to {work.get('h'):.1e} s; the motion has a singularity or a jump there, or "
        "rtol and atol ask for more than double precision holds"
    )


def notes(tree: Tree, steps: int, stiff: int) -> tuple[str, ...]:
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
    return tuple(found)
