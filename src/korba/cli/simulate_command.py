"""`korba simulate`: a mechanism in time, printed, written and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..show.plots.plot import plot as plotted
from ..simulation.method import Method
from ..simulation.on_the_way import Stops
from ..simulation.run import simulate as simulated
from ..simulation.schemes import METHODS
from .answers import ended
from .commands import command
from .motion_files import MotionFiles
from .options import Friction, Source, Start, WrittenAnswer
from .parameters import choice, option
from .plots import MotionCurves

Stepping = Annotated[str, choice("One of {}.", lambda: METHODS)]


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How steps are made."""

    method: Stepping = "dop853"
    step: Annotated[float | None, option("Length of steps of rk4 and symplectic, in seconds.")] = (
        None
    )
    rtol: Annotated[float | None, option("Relative tolerance of dop853 and stiff; else 1e-8.")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class OnTheWay:
    """What happens on the way."""

    events: Annotated[
        list[str] | None,
        option("Find zeros, such as 'A - 30 deg'; may be repeated.", "--events", "-e"),
    ] = None
    stops: Annotated[
        float | None,
        option("Stop at limits of joints, with this restitution (0 to 1).", min=0, max=1),
    ] = None
    friction: Friction = False

    @property
    def happens(self) -> list[object]:
        """What `kb.simulate` is told of it."""
        if any(event.startswith("--") for event in self.events or ()):
            raise typer.BadParameter("expected an expression, 'A - 30 deg'", param_hint="--events")
        stops = [] if self.stops is None else [Stops(self.stops)]
        return [*(self.events or ()), *["friction"] * self.friction, *stops]


@command("korba simulate arm.toml --until 1 --animate fall.html")
def simulate(
    source: Source,
    *,
    start: Start,
    plots: MotionCurves,
    files: MotionFiles,
    until: Annotated[float, option("End of the motion, in seconds.")] = 10.0,
    times: Annotated[
        int | None, option("How many times to write, evenly; else every step.")
    ] = None,
    steps: Steps,
    on_the_way: OnTheWay,
    answer: WrittenAnswer,
) -> None:
    """Let a mechanism move in time, and say where it arrives and what happens on the way."""
    happens = on_the_way.happens
    target = plots.target(source, "simulate")
    answer.free(files.csv, files.out, target, files.page)
    m = source.read()
    moved = simulated(
        m,
        until,
        **start.of(m),
        times=times,
        method=Method(steps.method, steps.step, steps.rtol),
        events=happens,
        raise_on_failure=False,
    )
    currents = (name for name in moved.names if name[:2] == "i_")
    names = ["t", *m.coordinates, *(f"v_{name}" for name in m.velocities), *currents]
    written = files.outputs(
        moved, names, target, lambda path: plotted(moved, path, **plots.shown()), plots.theme
    )
    answer(moved.to_dict() | {"audit": moved.audit.energy}, str(moved), *written)
    ended(str(moved.status))
