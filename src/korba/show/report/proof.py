"""Sections on why the rest may be believed: formulations side by side, speed, audit, the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from ...display import Table
from ...errors import KorbaError
from ...files.toml_file import dumps
from .blocks import Block, Folded, Listing, Said
from .facts import QUICK, Facts
from .race import Race, races


def checked(facts: Facts) -> Iterator[Block]:
    """All formulations that take the mechanism, and how far they agree."""
    answer = facts.crosscheck
    word = "agree" if answer.agree else "DO NOT AGREE"
    names = {check.formulation for check in answer.checks}
    yield (
        f"{len(names)} formulations, {answer.states} random states: all answers {word}, to "
        f"{answer.worst:.1e} (the equations have a condition up to {answer.condition:.3g})."
    )
    heads = ("verb", "formulation", "difference", "mul", "add", "div", "sin cos", "ns a state")
    rows = [
        (
            check.verb,
            check.formulation,
            f"{check.difference:.1e}",
            check.multiplications,
            check.additions,
            check.divisions,
            check.trigonometric,
            f"{check.nanoseconds:.1f}",
        )
        for check in answer.checks
    ]
    yield Folded(f"All {len(rows)} answers", (Table("", heads, rows),))
    if names <= {*QUICK}:
        yield "Those that compile quickly; kb.crosscheck(m) runs all."


def speed(facts: Facts) -> Iterator[Block]:
    """The mechanism's own programs against NumPy."""
    rows = [_row(race) for race in races(facts.driven)]
    heads = ("program", "operations", "machine code, ns", "NumPy, ns", "times as fast", "agree to")
    yield Table("Time of one state in a batch, on one thread of this machine", heads, rows)


def _row(race: Race) -> tuple[Any, ...]:
    times = f"{race.compiled:.1f}", f"{race.numpy:.0f}", f"{race.numpy / race.compiled:.0f}"
    return (race.verb, race.counted, *times, f"{race.apart:.0e}")


MEASURES = {
    "residual": "largest residual of loops and drives, in typical lengths and rad",
    "singularity": "nearest to a dead point (0) or far from all (1)",
    "energy": "energy less work, beside what came and went",
    "path": "distance of the point from its path, m",
}
"""What the measures of a motion's audit are."""


def audit(facts: Facts) -> Iterator[Block]:
    """What was measured of the answers above, doubts about them, and what was refused."""
    rows: list[tuple[str, str]] = []
    said: list[Block] = []
    for measured in (_of_motion, _of_friction, _of_formulations):
        try:
            rows += measured(facts)
        except KorbaError as error:
            said.append(Said(str(error)))
    if rows:
        yield Table("", ("measured", ""), rows)
    yield from dict.fromkeys(said)
    with suppress(KorbaError):  # said above
        yield from (f"{doubt}." for doubt in facts.moved.audit.doubts)


def _of_motion(facts: Facts) -> Iterator[tuple[str, str]]:
    for k, x in facts.moved.audit.measures.items():
        yield f"motion: {MEASURES.get(k, k)}", f"{float(np.max(x)):.2g}"


def _of_friction(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.rough is not None and facts.rough.balance is not None:
        words = "forces with friction: powers balance, beside the largest, to"
        yield words, f"{facts.rough.balance.audit:.2g}"


def _of_formulations(facts: Facts) -> Iterator[tuple[str, str]]:
    yield "formulations: worst difference", f"{facts.crosscheck.worst:.2g}"


def file(facts: Facts) -> Iterator[Block]:
    """The mechanism's file, to make all this again."""
    yield "kb.load reads this file, and korba report FILE makes this report again."
    yield Folded(f"{facts.m.name or 'mechanism'}.toml", (Listing(dumps(facts.m)),))


def figures(facts: Facts) -> Iterator[tuple[str, str]]:
    """What one asks first, in a few words; what is refused is left out.

    Those of a motion that is not the mechanism's own say so.
    """
    for name, make in FIGURES.items():
        with suppress(KorbaError):
            if told := make(facts):
                assumed = name in OF_MOTION and facts.assumed
                yield f"{name}, motion assumed" if assumed else name, told


def _freedoms(facts: Facts) -> str:
    """The freedoms; where the formula counts others, how many and what it does not see."""
    own = facts.mobility
    told = f"{own.actual} freedom{'s' * (own.actual != 1)}"
    if own.actual == own.theoretical:
        return f"{told}, as counted"
    apart = own.actual - own.theoretical
    unseen = f"{apart} more than links and pairs count ({own.theoretical}): the geometry repeats"
    fewer = f"links and pairs count {own.theoretical}: {-apart} are blocked by the geometry"
    return f"{told}; {unseen if apart > 0 else fewer}"


def _sizes(facts: Facts) -> str:
    links, joints = len(facts.m.bodies), len(facts.m.joints)
    loops = len(facts.mobility.loops)
    return f"{links} bodies, {joints} joints, {loops or 'no'} loop{'s' * (loops != 1)}"


def _driven(facts: Facts) -> str:
    if not facts.m.drives or not facts.exercise.cyclic:
        return ""
    turns = facts.moved.units[facts.lead] == "rad"
    return f"{facts.lead} at {facts.shown.told(facts.speed, 'rad/s' if turns else 'm/s', 4)}"


def _reaction(facts: Facts) -> str:
    force = np.linalg.norm(facts.forces.force, axis=-1)
    k, i = np.unravel_index(int(np.nanargmax(force)), force.shape)
    told = f"{facts.shown.told(float(force[k, i]), 'N', 4)} in {facts.forces.joints[i]}"
    if facts.rough is not None:
        most = float(np.nanmax(np.linalg.norm(facts.rough.force, axis=-1)))
        told += f", {facts.shown.told(most, 'N', 4)} with friction"
    return told


def _driving(facts: Facts) -> str:
    forces = facts.rough or facts.forces
    if not forces.drives:
        return ""
    most = {name: float(np.nanmax(np.abs(x))) for name, x in forces.driving.items()}
    name = max(most, key=lambda each: most[each])
    return f"{forces.shown.told(most[name], forces.effort_units[name], 4)} by {name}"


def _audited(facts: Facts) -> str:
    """The first measure of the motion; loops that are not there say nothing."""
    told = str(facts.moved.audit).partition(";")[0]
    return "" if told.startswith("loops") and not facts.mobility.loops else told


def _agreed(facts: Facts) -> str:
    """How far formulations agree, or that they do not."""
    word = "agree to" if facts.crosscheck.agree else "DO NOT AGREE: apart by"
    return f"{word} {facts.crosscheck.worst:.0e}"


FIGURES: dict[str, Callable[[Facts], str]] = {
    "Mobility": _freedoms,
    "Size": _sizes,
    "Mass": lambda facts: facts.shown.told(sum(body.mass for body in facts.m.bodies), "kg", 4),
    "Driven": _driven,
    "Motion assumed": lambda facts: facts.assumed,
    "Largest reaction": _reaction,
    "Largest driving effort": _driving,
    "Audit": _audited,
    "Formulations": _agreed,
}
OF_MOTION = {"Largest reaction", "Largest driving effort"}
"""Those that another motion would change."""
