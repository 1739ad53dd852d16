"""Sections on machines: the reduced model, how evenly it runs, masses and balance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...display import Table, tidy
from ...errors import StructureError
from ...machine.flywheel import Flywheel, flywheel
from ..plots.plot import plot
from .blocks import Block, Folded, Picture, attempted
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
    curves = plot(model, along=facts.moved, over=facts.over, degrees=True)
    yield Picture(curves.svg(), f"Reduced to {model.coordinate}")
    for note in model.notes:
        yield f"Note: {note}."
    x, at = facts.x
    some = slice(None, None, max(1, len(at) // ROWS))
    table = {x: at, **model.along(facts.moved).columns}
    columns = [tidy(column)[some] for column in table.values()]
    rows = [tuple(map(float, row)) for row in zip(*columns, strict=True)]
    yield Folded("Table", (Table("", tuple(table), rows),))


@of_motion
def running(facts: Facts) -> Iterator[Block]:
    """The steady turn at the speed of the drive, and flywheels for more even ones."""
    if not facts.reduction.turns or not facts.exercise.cyclic:
        raise StructureError("This is for mechanisms with a drive that turns at constant speed.")
    speed = facts.speed
    wheels = {each: flywheel(facts.m, facts.single, each, speed=speed) for each in EVEN}
    first = wheels[EVEN[0]]
    mean = f"{speed:.5g} rad/s ({speed * 30 / np.pi:.4g} rpm)"
    if first.before is None:
        yield f"At a mean speed of {mean} it does not get through a turn without a flywheel."
    else:
        turn, delta = first.before, first.before.irregularity
        work, balancing = tidy([turn.surplus.work, turn.balancing], turn.energy)
        uneven = tidy(delta.delta, 1.0)
        yield (
            f"At a mean speed of {mean} it runs with an irregularity of {uneven:.4g}: "
            f"{delta.slowest:.5g} to {delta.fastest:.5g} rad/s. The largest surplus of work is "
            f"{work:.4g} J"
            + (
                f", and a constant {balancing:.4g} N m on {facts.single} balances the turn."
                if balancing
                else "."
            )
        )
    yield _flywheels(wheels, first)
    yield Picture(
        plot(first, degrees=True).svg(), f"Without, and with the flywheel for {EVEN[0]:g}"
    )


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
    yield f"All bodies together: {total:.6g} kg."
    yield from attempted(lambda: _shaking(facts))
    yield from attempted(lambda: _balance(facts))


def _shaking(facts: Facts) -> Iterator[Block]:
    shaking = facts.shaking
    both = shaking.force, shaking.moment
    most = [np.linalg.norm(values, axis=-1).max() for values in both]
    kinds = "force, N", "moment about the origin, N m"
    told = tidy(np.transpose([most, shaking.rms]))
    rows = [(what, *map(float, own)) for what, own in zip(kinds, told, strict=True)]
    yield Table("Shaking of the frame over the motion", ("", "largest", "rms"), rows)


def _balance(facts: Facts) -> Iterator[Block]:
    if not facts.exercise.cyclic:
        return
    answer = facts.balance
    weights = answer.counterweights.values()
    products = tidy([np.linalg.norm(weight.product) for weight in weights])
    rows = [
        (weight.body, float(own), weight.mass)
        for weight, own in zip(weights, products, strict=True)
    ]
    if rows:
        heads = ("on", "mass x radius, kg m", "mass, kg")
        yield Table("Counterweights that leave the least shaking force", heads, rows)
    before, after = tidy([answer.before.rms[0], answer.after.rms[0]])
    left = "none" if answer.full else f"{after:.4g} N"
    yield f"With them the rms of the shaking force goes from {before:.4g} N to {left}."
