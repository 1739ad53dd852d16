"""`korba draw`, `live` and `report`: the picture of a mechanism, and pages about it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..disk import write_text
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..show.drawings.draw import draw as drawn
from ..show.pages.live import live as living
from ..show.report.report import report as written
from ..trajectory.trajectory import Trajectory
from .answers import Output, assignments
from .commands import command
from .completion import names
from .driven import Driven, cycle_time, driven, moved
from .options import Coordinate, PageTheme, Source, Theme, WrittenAnswer
from .overlays import Overlays, overlays_of
from .parameters import choice, option, writes

NAMES = ("joints", "bodies", "all", "numbers", "none")
"""What is written in a drawing."""
CURVE = "Point whose curve is drawn, coupler.P."
STILL = {"dimensions", "centres", "drives"}
"""Overlays that need no motion."""
POSITIONS = 181
"""Positions of a cycle."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """In which position it is drawn."""

    at: Annotated[
        list[str] | None,
        option("Value of a coordinate, A='30 deg'; may be repeated.", complete=names("joint", "=")),
    ] = None
    pose: Annotated[str | None, option("Name of a pose of the file.", complete=names("pose"))] = (
        None
    )
    time: Annotated[float | None, option("When, in seconds, of the motion by its drives.")] = None

    def values(self, moves: bool) -> Any:
        """What coordinates are, by name, or the pose; of a motion neither."""
        values, when = assignments(self.at, "--at", "A='30 deg'"), self.time
        if when is not None and not isfinite(when):
            raise typer.BadParameter(
                f"expected a number of seconds, got {when}", param_hint="--time"
            )
        if self.at and self.pose:
            raise typer.BadParameter("give one of them", param_hint="--at, --pose")
        if moves and (self.at or self.pose):
            raise typer.BadParameter(
                "the picture is of a motion; --time says when", param_hint="--at, --pose"
            )
        return values or self.pose


@command("korba draw four-bar.toml --ghosts 6 --path coupler.C")
def draw(
    source: Source,
    *,
    place: Place,
    drive: Driven = None,
    ghosts: Annotated[int, option("How many other positions to show faintly.", min=0)] = 0,
    path: Annotated[list[str] | None, option(CURVE, complete=names("point"))] = None,
    show: Overlays = None,
    masses: Annotated[bool, option("Show centres of mass.")] = False,
    named: Annotated[
        str,
        choice(
            "Names of joints, bodies, all; numbers of links; or none.", lambda: NAMES, "--names"
        ),
    ] = "joints",
    theme: Theme = "light",
    out: Annotated[
        Path | None, writes("The picture; else FILE's name.svg.", (".svg",), "--out", "-o")
    ] = None,
    answer: WrittenAnswer,
) -> None:
    """Draw the mechanism in standard symbols, as SVG; also in its motion, with velocities, forces.

    --time, --ghosts, --path and most of --show are of the motion by its drives over a cycle.
    """
    overlays = overlays_of(show)
    moves = bool(place.time is not None or ghosts or path or overlays.keys() - STILL)
    values = place.values(moves)
    target = _target(source, out, ".svg", answer)
    m = driven(source.read(), drive, None)
    shown, where = _in_motion(m, place.time) if moves else (m, values)
    more: dict[str, Any] = {"names": False if named == "none" else named, "theme": theme}
    more |= {"ghosts": ghosts, "paths": path or ()} if moves else {}
    picture = drawn(shown, where, masses=masses, **more, **overlays)
    answer({}, "", Output(target, "the drawing", lambda path: write_text(picture, path)))


def _in_motion(m: Mechanism, time: float | None) -> tuple[Trajectory, int]:
    """A cycle by the drives, and the number of the position at a time."""
    when = time or 0.0
    try:
        end = max(cycle_time(m, "say with --time until when it moves"), when)
    except StructureError:
        if not (m.drives and when > 0):
            raise
        end = when
    done, stopped = moved(m, np.unique([*np.linspace(0.0, end, POSITIONS), when]))
    if when > done.t[-1]:
        raise StructureError(f"--time {when:g}: {stopped}")
    return done, int(np.searchsorted(done.t, when))


@command("korba live four-bar.toml")
def live(
    source: Source,
    *,
    coordinate: Coordinate = None,
    path: Annotated[str, option(CURVE, complete=names("point"))] = "",
    theme: PageTheme = "auto",
    out: Annotated[
        Path | None, writes("The page; else FILE's name-live.html.", (".html",), "--out", "-o")
    ] = None,
    answer: WrittenAnswer,
) -> None:
    """Write a page in which the mechanism lives: drag its crank, and sliders for its lengths."""
    target = _target(source, out, "-live.html", answer)
    page = living(source.read(), coordinate, path=path, theme=theme)
    answer({}, "", Output(target, "the mechanism, alive", lambda file: write_text(page, file)))


@command("korba report four-bar.toml")
def report(
    source: Source,
    *,
    theme: PageTheme = "auto",
    out: Annotated[
        Path | None, writes("The page; else FILE's name.html.", (".html", ".pdf"), "--out", "-o")
    ] = None,
    answer: WrittenAnswer,
) -> None:
    """Write all that Korba knows of the mechanism on one page, alive in it; or to a .pdf file."""
    target = _target(source, out, ".html", answer)
    m = source.read()
    what = f"the report on {m.name!r}"
    answer({}, "", Output(target, what, lambda path: written(m, path, theme=theme)))


def _target(source: Source, out: Path | None, ending: str, answer: WrittenAnswer) -> Path:
    """The file to write, which is not there yet unless it may be."""
    target = out or Path(f"{source.file.stem}{ending}")
    answer.free(target)
    return target
