"""`korba flywheel`: how evenly a machine runs, and the flywheel that makes it run evenly enough."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np

from ..errors import StructureError
from ..machine.cycle import Cycle, steady_cycle
from ..machine.flywheel import Flywheel
from ..machine.flywheel import flywheel as sized
from ..model.mechanism import Mechanism
from ..show.plots.plot import plot as drawn
from ..solve.cycle import cycle_time
from .answers import Output
from .commands import command
from .driven import Speed, speed_of
from .options import Coordinate, CsvFile, Source, WrittenAnswer
from .parameters import option
from .plots import Plots


@command("korba flywheel slider-crank.toml --irregularity 0.02")
def flywheel(
    source: Source,
    *,
    plots: Plots,
    coordinate: Coordinate = None,
    speed: Speed = None,
    irregularity: Annotated[
        float | None, option("What is asked for, such as 0.02; else what there is.")
    ] = None,
    inertia: Annotated[float, option("Flywheel that is there already, in kg m^2.", min=0.0)] = 0.0,
    csv: CsvFile = None,
    answer: WrittenAnswer,
) -> None:
    """Say how evenly a machine runs, and what flywheel it needs."""
    target = plots.target(source, "flywheel")
    answer.free(csv, target)
    m = source.read()
    name, mean = _asked(m, coordinate, None if speed is None else speed_of(speed))
    found: Flywheel | Cycle
    if irregularity is None:
        found = turn = steady_cycle(m, name, speed=mean, flywheel=inertia)
    else:
        found = sized(m, name, irregularity, speed=mean, flywheel=inertia)
        turn = found.after
    answer(
        _data(found),
        str(found),
        Output(csv, "one steady turn", lambda path: turn.motion().to_csv(path)),
        Output(target, "plots of the turn", lambda path: drawn(found, path, **plots.shown())),
    )


def _asked(m: Mechanism, coordinate: str | None, speed: float | None) -> tuple[str, float | None]:
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


def _data(answer: Flywheel | Cycle) -> dict[str, Any]:
    turn = (answer.before or answer.after) if isinstance(answer, Flywheel) else answer
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
    if isinstance(answer, Flywheel):
        flywheels = {"exact": answer.inertia, "book": answer.book, "wanted": answer.wanted}
        data |= {"flywheel": flywheels, "with_it": asdict(answer.after.irregularity)}
    return data
