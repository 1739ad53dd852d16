"""`korba simulate`: a mechanism in time, printed, written and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import typer

import korba as kb

from ..simulation.schemes import METHODS
from .answers import ended
from .commands import command
from .options import Source, Start, WrittenAnswer
from .parameters import choice, option
from .plots import MotionCurves, MotionFiles


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How steps are made."""

    texts: ClassVar = {
        "method": choice("One of {}.", METHODS),
        "step": option("Length of steps of rk4 and symplectic, in seconds."),
        "rtol": option("Relative tolerance of dop853 and stiff; else 1e-8."),
    }
    method: str = "dop853"
    step: float | None = None
    rtol: float | None = None


@dataclass(frozen=True, kw_only=True)
class OnTheWay:
    """What happens on the way."""

    texts: ClassVar = {
        "events": option("Find zeros, such as 'A - 30 deg'; may be repeated.", "--events -e"),
        "stops": option("Stop at limits of joints, with this restitution (0 to 1).", min=0, max=1),
    }
    events: list[str] | None = None
    stops: float | None = None
    friction: bool = False

    @property
    def happens(self) -> list[object]:
        """What `kb.simulate` is told of it."""
        if any(event.startswith("--") for event in self.events or ()):
            raise typer.BadParameter("expected an expression, 'A - 30 deg'", param_hint="--events")
        stops = [] if self.stops is None else [kb.Stops(self.stops)]
        return [*(self.events or ()), *["friction"] * self.friction, *stops]


@command(
    "korba simulate arm.toml --until 1 --animate fall.html",
    kb.simulate,
    until=option("End of the motion, in seconds.", kind=float),
    times=option("How many times to write, evenly; else every step.", kind=int | None),
)
def simulate(
    source: Source,
    *,
    start: Start,
    plots: MotionCurves,
    files: MotionFiles,
    steps: Steps,
    on_the_way: OnTheWay,
    answer: WrittenAnswer,
    **options: Any,
) -> None:
    """Let a mechanism move in time, and say where it arrives and what happens on the way."""
    happens = on_the_way.happens
    target = plots.target(source, "simulate")
    answer.free(files.csv, files.whole, target, files.page)
    m = source.read()
    moved = kb.simulate(
        m,
        **start.of(m),
        **options,
        method=kb.Method(steps.method, steps.step, steps.rtol),
        events=happens,
        raise_on_failure=False,
    )
    currents = (name for name in moved.names if name[:2] == "i_")
    names = ["t", *m.coordinates, *(f"v_{name}" for name in m.velocities), *currents]
    written = files.outputs(
        moved, names, target, lambda path: kb.plot(moved, path, **plots.shown()), plots.theme
    )
    answer(moved.to_dict() | {"audit": moved.audit.energy}, str(moved), *written)
    ended(str(moved.status))
