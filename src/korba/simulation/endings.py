"""How a run ended, in sentences: why, until when, and the way out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.notes import friction_not_used
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED
from .runs import DONE, NO_CONVERGENCE, NOT_FINITE, End
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


def message_of(status: Array, stopped: Mapping[int, str], end: float) -> str:
    """How the runs of a batch ended, in a sentence; the first that failed is named."""
    failed = np.argwhere(status == FAILED)
    if not len(failed):
        finished = int(np.sum(status == FINISHED))
        return f"{finished} of {status.size} runs finished at t = {end:g} s"
    place = tuple(map(int, failed[0]))
    where = place[0] if len(place) == 1 else place
    number = int(np.ravel_multi_index(place, status.shape))
    return f"{len(failed)} of {status.size} runs failed, the first, {where}, {stopped[number]}"


def remarks(m: Mechanism, steps: int, stiff: int) -> tuple[str, ...]:
    """What the user should know besides."""
    if not (stiff > 20 and stiff > 0.2 * steps):
        return friction_not_used(m)
    return (
        f"the system is stiff: stability limits {stiff} of {steps} steps; softer springs and "
        "dampers, or motors without their small inductance, would run faster",
        *friction_not_used(m),
    )
