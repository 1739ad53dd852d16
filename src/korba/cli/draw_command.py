"""`korba draw`, `live` and `report`: the picture of a mechanism, and pages about it."""

from __future__ import annotations

from collections.abc import Sequence
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
from .answers import Output, answered, assignments, free, known, one_of, read
from .commands import command
from .completion import among, files, names
from .driven import Driven, cycle_time, driven, moved
from .options import (
    AsJson,
    Coordinate,
    Floating,
    LivePage,
    MechanismFile,
    Overwrite,
    OwnPage,
    PageTheme,
    Theme,
)
from .overlays import Overlays, overlays_of

NAMES = ("joints", "bodies", "all", "numbers", "none")
"""What is written in a drawing."""
At = Annotated[
    list[str] | None,
    typer.Option(
        help="Value of a coordinate, A='30 deg'; may be repeated.",
        autocompletion=names("joint", "="),
    ),
]
Pose = Annotated[
    str | None, typer.Option(help="Name of a pose of the file.", autocompletion=names("pose"))
]
Time = Annotated[float | None, typer.Option(help="When, in seconds, of the motion by its drives.")]
Ghosts = Annotated[int, typer.Option(min=0, help="How many other positions to show faintly.")]
Ways = Annotated[
    list[str] | None,
    typer.Option(help="Point whose curve is drawn, coupler.P.", autocompletion=names("point")),
]
Named = Annotated[
    str,
    typer.Option(
        "--names",
        help="Names of joints, bodies, all; numbers of links; or none.",
        autocompletion=among(lambda: NAMES),
    ),
]
OwnPicture = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="The picture; else FILE's name.svg.", autocompletion=files(".svg")
    ),
]
STILL = {"dimensions", "centres", "drives"}
"""Overlays that need no motion."""
POSITIONS = 181
"""Positions of a cycle."""


@command("korba draw four-bar.toml --ghosts 6 --path coupler.C")
def draw(
    file: MechanismFile,
    *,
    floating: Floating = None,
    at: At = None,
    pose: Pose = None,
    time: Time = None,
    drive: Driven = None,
    ghosts: Ghosts = 0,
    path: Ways = None,
    show: Overlays = None,
    masses: Annotated[bool, typer.Option("--masses", help="Show centres of mass.")] = False,
    named: Named = "joints",
    theme: Theme = "light",
    out: OwnPicture = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Draw the mechanism in standard symbols, as SVG; also in its motion, with velocities, forces.

    --time, --ghosts, --path and most of --show are of the motion by its drives over a cycle.
    """
    values = assignments(at, "--at", "A='30 deg'")
    overlays = overlays_of(show)
    one_of(named, NAMES, "--names")
    if time is not None and not isfinite(time):
        raise typer.BadParameter(f"expected a number of seconds, got {time}", param_hint="--time")
    if at and pose:
        raise typer.BadParameter("give one of them", param_hint="--at, --pose")
    moves = time is not None or ghosts or path or overlays.keys() - STILL
    if moves and (at or pose):
        raise typer.BadParameter(
            "the picture is of a motion; --time says when", param_hint="--at, --pose"
        )
    target = _target(file, out, ".svg", force=force)
    m = driven(read(file, floating), drive, None)
    source, where = _in_motion(m, time) if moves else (m, values or pose)
    more: dict[str, Any] = {"names": False if named == "none" else named, "theme": theme}
    more |= {"ghosts": ghosts, "paths": path or ()} if moves else {}
    picture = drawn(source, where, masses=masses, **more, **overlays)
    made = Output(target, "the drawing", lambda path: write_text(picture, path))
    answered({}, "", as_json, [made])


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
    file: MechanismFile,
    *,
    floating: Floating = None,
    coordinate: Coordinate = None,
    path: Annotated[
        str,
        typer.Option(help="Point whose curve is drawn, coupler.P.", autocompletion=names("point")),
    ] = "",
    theme: PageTheme = "auto",
    out: LivePage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a page in which the mechanism lives: drag its crank, and sliders for its lengths."""
    target = _target(file, out, "-live.html", force=force)
    page = living(read(file, floating), coordinate, path=path, theme=theme)
    made = Output(target, "the mechanism, alive", lambda file: write_text(page, file))
    answered({}, "", as_json, [made])


@command("korba report four-bar.toml")
def report(
    file: MechanismFile,
    *,
    floating: Floating = None,
    theme: PageTheme = "auto",
    out: OwnPage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write all that Korba knows of the mechanism on one page, alive in it; or to a .pdf file."""
    target = _target(file, out, ".html", (".html", ".pdf"), force=force)
    m = read(file, floating)
    made = Output(target, f"the report on {m.name!r}", lambda path: written(m, path, theme=theme))
    answered({}, "", as_json, [made])


def _target(
    file: Path, out: Path | None, ending: str, endings: Sequence[str] = (), *, force: bool
) -> Path:
    """The file to write, which is not there yet unless `force`; `endings` are those it may have."""
    known(out, endings or (Path(f"x{ending}").suffix,), "--out")
    target = Path(f"{file.stem}{ending}") if out is None else out
    free(force, target)
    return target
