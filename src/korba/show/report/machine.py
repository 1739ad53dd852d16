"""Sections on machines: the reduced model, how evenly it runs, masses and balance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...display import Table, number_told, tidy
from ...errors import StructureError
from ...machine.flywheel import Flywheel, flywheel
from ..plots.panels import labelled
from ..plots.plot import plot
from .blocks import Block, Folded, attempted, plotted
from .facts import Facts, of_motion

EVEN = (0.05, 0.02)
"""Irregularities for which flywheels are told."""
ROWS = 12
"""Positions of a motion in a table, and the end of it."""


@of_motion
def reduced(facts: Facts) -> Iterator[Block]:
    """Inertia and forces reduced to the coordinate that leads."""
    model = facts.reduction
    kind = "an inertia" if model.turns else "a mass"
    yield (
        f"The mechanism moves like one body with {kind} that depends on {model.coordinate}, "
        "under the forces below, taken along the motion above."
    )
    curves = plot(model, along=facts.moved, over=facts.over)
    yield plotted(curves, f"Reduced to {model.coordinate}")
    for note in model.notes:
        yield f"Note: {note}."
    x, at = facts.x
    some = slice(None, None, max(1, len(at) // ROWS))
    inertia, force = model.units
    kinds = {"inertia": inertia, "slope": f"{inertia}/{'rad' if model.turns else 'm'}"}
    table = {x: at}
    for name, column in model.along(facts.moved).columns.items():
        si = kinds.get(name, force)
        table[labelled(name, si, facts.shown)] = facts.shown.values(tidy(column), si)
    rows = [*zip(*(column[some].tolist() for column in table.values()), strict=True)]
    yield Folded("Table", (Table("", tuple(table), rows),))


@of_motion
def running(facts: Facts) -> Iterator[Block]:
    """The steady turn at the speed of the drive, and flywheels for more even ones."""
    if not facts.reduction.turns or not facts.exercise.cyclic:
        raise StructureError("This is for mechanisms with a drive that turns at constant speed.")
    speed = facts.speed
    wheels = {each: flywheel(facts.m, facts.single, each, speed=speed) for each in EVEN}
    first = wheels[EVEN[0]]
    shown = facts.shown
    mean = shown.told(speed, "rad/s", 5)
    if shown.unit("rad/s") != "rpm":
        mean += f" ({number_told(speed * 30 / np.pi, 4)} rpm)"
    if first.before is None:
        yield f"At a mean speed of {mean} it does not get through a turn without a flywheel."
    else:
        turn, delta = first.before, first.before.irregularity
        work, balancing = tidy([turn.surplus.work, turn.balancing], turn.energy)
        uneven = tidy(delta.delta, 1.0)
        yield (
            f"At a mean speed of {mean} it runs with an irregularity of {uneven:.4g}: "
            f"{shown.told(delta.slowest, 'rad/s', 5)} to {shown.told(delta.fastest, 'rad/s', 5)}. "
            f"The largest surplus of work is {shown.told(float(work), 'J', 4)}"
            + (
                f", and a constant {shown.told(float(balancing), 'N m', 4)} on {facts.single} "
                "balances the turn."
                if balancing
                else "."
            )
        )
    yield _flywheels(wheels, first)
    yield plotted(plot(first), f"Without, and with the flywheel for {EVEN[0]:g}")


def _flywheels(wheels: dict[float, Flywheel], first: Flywheel) -> Table:
    own = float(first.before.mean_inertia) if first.before else float("nan")
    rows = []
    for each, wheel in wheels.items():
        inertias = tidy([wheel.inertia, wheel.book], wheel.after.mean_inertia)
        reached = tidy(wheel.after.irregularity.delta, 1.0)
        rows.append((f"{each:g}", *map(float, inertias), float(reached)))
    heads = ("irregularity", "flywheel, kg m^2", "by the book's formula", "reached")
    beside = f"; the mechanism's own mean is {own:.4g} kg m^2" if np.isfinite(own) else ""
    return Table(f"Flywheels on {first.coordinate}{beside}", heads, rows)


@of_motion
def masses(facts: Facts) -> Iterator[Block]:
    """All masses, what they do to the frame, and counterweights."""
    total = sum(body.mass for body in facts.m.bodies)
    yield f"All bodies together: {facts.shown.told(total, 'kg')}."
    yield from attempted(lambda: _shaking(facts))
    yield from attempted(lambda: _balance(facts))


def _shaking(facts: Facts) -> Iterator[Block]:
    shaking = facts.shaking
    both = shaking.force, shaking.moment
    most = [np.linalg.norm(values, axis=-1).max() for values in both]
    kinds = {"force": "N", "moment about the origin": "N m"}
    told = tidy(np.transpose([most, shaking.rms]))
    rows = [
        (labelled(what, si, facts.shown), *facts.shown.values(own, si).tolist())
        for (what, si), own in zip(kinds.items(), told, strict=True)
    ]
    yield Table("Shaking of the frame over the motion", ("", "largest", "rms"), rows)


def _balance(facts: Facts) -> Iterator[Block]:
    if not facts.exercise.cyclic:
        return
    answer = facts.balance
    weights = answer.counterweights.values()
    products = tidy([np.linalg.norm(weight.product) for weight in weights])
    rows = [
        (
            weight.body,
            float(facts.shown.values(own, "kg m")),
            float(facts.shown.values(weight.mass, "kg")),
        )
        for weight, own in zip(weights, products, strict=True)
    ]
    if rows:
        units = (facts.shown.unit(si) for si in ("kg m", "kg"))
        heads = ("on", *map(", ".join, zip(("mass x radius", "mass"), units, strict=True)))
        yield Table("Counterweights that leave the least shaking force", heads, rows)
    before, after = tidy([answer.before.rms[0], answer.after.rms[0]])
    told = [facts.shown.told(float(x), "N", 4) for x in (before, after)]
    left = "none" if answer.full else told[1]
    yield f"With them the rms of the shaking force goes from {told[0]} to {left}."
