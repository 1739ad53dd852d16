"""How a run ended, in a word and a sentence: why, until when, and the way out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..expr.node import postorder
from ..forces.loads import without_direction
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..trajectory.events import Events
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED
from ..wording import given, named
from .jumps import loads_that_jump
from .queues import End
from .right_hand_side import Plant
from .runs import (
    AT_EVENT,
    CROWDED,
    DONE,
    NO_CONVERGENCE,
    NO_VALUE,
    NOT_CLOSED,
    NOT_FINITE,
    TOO_SMALL,
)
from .stepping import CRAWLS, FULL, STOPPED, outlook


def status_of(code: float) -> str:
    """The status of a run in a word."""
    return {DONE: FINISHED, AT_EVENT: FINISHED, STOPPED: INTERRUPTED}.get(int(code), FAILED)


def ending(
    run: End, end: float, events: Events, plant: Plant, q: Array | None = None
) -> tuple[str, str]:
    """The status, and a sentence about it: why, until when, and the way out.

    `q` are the last coordinates that are known.
    """
    word, until = status_of(run.status), f"at t = {run.t:.9g} s of {end:g} s"
    if int(run.status) == AT_EVENT:
        return word, f"ended by event {events[-1].name!r} {until}"
    if int(run.status) == CROWDED:
        names = ", ".join(dict.fromkeys(repr(each.name) for each in events[-8:]))
        return word, (
            f"stopped {until}: event {names} happens again and again in no time, as when a bounce "
            "follows a bounce ever sooner; end the run there with "
            f"{given('Event', terminal=True)}, or change the state so that it moves away"
        )
    if word == FINISHED:
        return word, f"finished at t = {end:g} s"
    if word == INTERRUPTED:
        return word, f"interrupted {until}; what was computed is kept{_slow(run, end)}"
    reasons = {
        NOT_FINITE: "the accelerations are no longer finite; look for a force that grows without "
        "bound, a massless body, friction that jams or a step that is too long",
        NOT_CLOSED: "loops or drives cannot be closed after a step; give a shorter step, or take "
        "method 'dop853'",
        NO_VALUE: f"{_without_value(plant)} has no value any more, so it cannot be told when it "
        "happens; write it so that it is a number wherever the motion goes",
        CRAWLS: f"{run.steps + run.rejected:.3g} steps came no further, the last of {run.h:.1e} s, "
        "so the rest would take ages; the system is very stiff or explodes: take method 'stiff', "
        "which bears stiffness (or 'symplectic' with a step), and look at springs and forces",
        FULL: f"{run.steps:.3g} steps fill the memory that one run may take; ask for certain "
        f"times, such as {given('simulate', times=1001)}, or take method 'stiff' if stiff springs "
        "make steps so short",
        NO_CONVERGENCE: f"an implicit step of {run.h:.3g} s does not converge; give a smaller "
        "step, or take method 'dop853'",
    }
    too_small = (
        f"the step fell to {run.h:.1e} s; the motion has a singularity or a jump there, or "
        "rtol and atol ask for more than double precision holds"
    )
    why = reasons.get(int(run.status), too_small)
    if int(run.status) in {TOO_SMALL, NOT_FINITE, NOT_CLOSED}:
        why += _driven_too_far(plant)
    if int(run.status) in {TOO_SMALL, NOT_FINITE} and q is not None:
        why = f"{why}.{told}" if (told := without_direction(plant.m, plant.tree, q)) else why
    if int(run.status) in {TOO_SMALL, CRAWLS, NO_CONVERGENCE, CROWDED}:
        why += _jumps(plant)
    return word, f"stopped {until}: {why}"


def _without_value(plant: Plant) -> str:
    """The events whose expressions may have no value: those with roots, logarithms, quotients."""
    partial = {"sqrt", "log", "arcsin", "arccos", "div", "pow"}
    able = {
        watch.name: str(watch.when)
        for watch in plant.watches
        if any(node.op in partial for node in postorder([watch.when]))
    } or {watch.name: str(watch.when) for watch in plant.watches}
    return "the expression of event " + ", or of ".join(f"{k!r} ({x})" for k, x in able.items())


def _jumps(plant: Plant) -> str:
    """What loads that jump may have to do with steps that fall to nothing."""
    names = [plant.tree.velocities[i] for i in plant.tree.free_v]
    jumping = loads_that_jump(plant.m, names, plant.laws)
    if not jumping:
        return ""
    return (
        f". The law of {', of '.join(jumping)} jumps: it holds a speed whose sign it asks for if "
        "it acts on that speed itself; where it acts on others alone, or asks for the sign of a "
        "sum, it cannot be decided what holds, so write tanh(v/0.001) in the place of sign(v)"
    )


def _driven_too_far(plant: Plant) -> str:
    """What drives may have to do with a run that cannot go on."""
    known = () if plant.system.ties else plant.tree.coordinates
    drives = ", ".join(
        repr(drive.name) for drive in plant.system.drives if drive.coordinate not in known
    )
    if not drives:
        return ""
    if not plant.system.ties:
        return f". Drives {drives} may ask for what no position gives, beyond a dead point"
    report = mobility(plant.m)
    driven, moved = report.drives, report.velocities - report.undriven
    if driven > moved:
        return (
            f". Drives {drives} ask for {driven} motions where loops leave {moved}, so they fight "
            "each other; leave some of them out"
        )
    return (
        f". Drives {drives} may ask for a position that the loops do not reach, beyond a dead "
        f"point ({named('motion')} tells where)"
    )


def _slow(run: End, end: float) -> str:
    """The outlook of a run that was interrupted."""
    said = outlook(float(run.steps), float(run.stiff), float(run.t) / end if end > 0 else 0.0)
    return f" ({said})" if said else ""


def message_of(status: Array, stopped: Mapping[int, str], end: float) -> str:
    """How the runs of a batch ended, in a sentence; the first that failed is named."""
    failed = np.argwhere(status == FAILED)
    if not len(failed):
        finished = int(np.sum(status == FINISHED))
        said = f"{finished} of {status.size} runs finished at t = {end:g} s"
        ended = int(np.sum(status == INTERRUPTED))
        return f"{said}, {ended} were interrupted" if ended else said
    place = tuple(map(int, failed[0]))
    where = place[0] if len(place) == 1 else place
    number = int(np.ravel_multi_index(place, status.shape))
    return f"{len(failed)} of {status.size} runs failed, the first, {where}, {stopped[number]}"


def stiff_remarks(steps: int, stiff: int) -> tuple[str, ...]:
    """What is said of steps that stability limits, where they are many."""
    if not (stiff > 20 and stiff > 0.2 * steps):
        return ()
    return (
        f"the system is stiff: stability limits {stiff} of {steps} steps; method 'stiff' takes few "
        "steps where springs, dampers or a small inductance are that hard",
    )
