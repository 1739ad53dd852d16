"""`korba flywheel`: how evenly a machine runs, and the flywheel that makes it run evenly enough."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

from ..errors import StructureError
from ..solve.cycle import cycle_time
from .answers import Output
from .commands import command
from .driven import speed_of
from .options import Source, WrittenAnswer
from .parameters import option
from .plots import Plots


@command(
    "korba flywheel slider-crank.toml --irregularity 0.02",
    irregularity=option("What is asked for, such as 0.02; else what there is."),
    inertia=option("Flywheel that is there already, in kg m^2.", min=0.0),
)
def flywheel(
    source: Source,
    *,
    plots: Plots,
    coordinate: str | None = None,
    speed: str | None = None,
    irregularity: float | None = None,
    inertia: float = 0.0,
    csv: Path | None = None,
    answer: WrittenAnswer,
) -> None:
    """Say how evenly a machine runs, and what flywheel it needs."""
    target = plots.target(source, "flywheel")
    answer.free(csv, target)
    m = source.read()
    name, mean = _asked(m, coordinate, None if speed is None else speed_of(speed))
    found: kb.results.Flywheel | kb.results.Cycle
    if irregularity is None:
        found = turn = kb.steady_cycle(m, name, speed=mean, flywheel=inertia)
    else:
        found = kb.flywheel(m, name, irregularity, speed=mean, flywheel=inertia)
        turn = found.after
    answer(
        _data(found),
        str(found),
        Output(csv, "one steady turn", lambda path: turn.motion().save(path)),
        Output(target, "plots of the turn", lambda path: kb.plot(found, path, **plots.shown())),
    )


def _asked(
    m: kb.Mechanism, coordinate: str | None, speed: float | None
) -> tuple[str, float | None]:
    """The coordinate and its mean speed, from the first drive where they are not given."""
    lead = m.drives[0].coordinate if m.drives else None
    if coordinate is None and not lead:
        known = ", ".join(m.coordinates)
        raise StructureError(
            f"mechanism {m.name!r} has no drive that turns a coordinate; name one with "
            f"--coordinate, there are {known}"
        )
    name = coordinate or str(lead)
    if speed is None and name == lead:
        speed = 2 * np.pi / cycle_time(m, "give the mean speed with --speed")
    return name, speed


def _data(answer: kb.results.Flywheel | kb.results.Cycle) -> dict[str, Any]:
    turn = (answer.before or answer.after) if isinstance(answer, kb.results.Flywheel) else answer
    data: dict[str, Any] = {
        "ok": True,
        "coordinate": turn.reduction.coordinate,
        "exact": asdict(turn.irregularity),
        "book": asdict(turn.book),
        "surplus_of_work": turn.surplus.work,
        "mean_inertia": turn.mean_inertia,
        "balancing": turn.balancing,
        "time": turn.time,
        "notes": list(turn.reduction.notes),
    }
    if isinstance(answer, kb.results.Flywheel):
        flywheels = {"exact": answer.inertia, "book": answer.book, "wanted": answer.wanted}
        data |= {"flywheel": flywheels, "with_it": asdict(answer.after.irregularity)}
    return data
