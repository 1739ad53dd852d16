"""`korba draw`, `live` and `report`: the picture of a mechanism, and pages about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..files.disk import write_text
from ..show.draw import draw as drawn
from ..show.live import live as living
from ..show.overlays import OVERLAYS
from ..show.report.report import report as written
from ..solve.motion import motion
from .answers import Output, answered, assignments, free, read
from .commands import command
from .completion import among, files, names
from .options import AsJson, Coordinate, MechanismFile, Overwrite, OwnPage, Theme

AT_REST = frozenset(["dimensions", "centres", "drives"])
"""Overlays that need no motion."""
STEPS = 100
"""Of the motion to a time, so that the branch is followed."""
ReportTheme = Annotated[
    str, typer.Option(help="auto (as the reader's system has it), light or dark.")
]


@command
def draw(
    file: MechanismFile,
    *,
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Value of a coordinate, A='30 deg'; may be repeated.",
            autocompletion=names("joint", "="),
        ),
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(help="Name of a pose of the file.", autocompletion=names("pose")),
    ] = None,
    masses: Annotated[bool, typer.Option("--masses", help="Show centres of mass.")] = False,
    show: Annotated[
        list[str] | None,
        typer.Option(
            help="Lay over it dimensions, velocities, centres, reactions, ...; of some only: "
            "velocities=B,C. May be repeated.",
            autocompletion=among(lambda: OVERLAYS),
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="At this time of the motion of the drives, in s.")
    ] = None,
    named: Annotated[
        str,
        typer.Option("--names", help="Names of joints, bodies, all; numbers of links; or none."),
    ] = "joints",
    theme: Theme = "light",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The picture; else FILE's name.svg.", autocompletion=files(".svg")
        ),
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Draw the mechanism in standard symbols, as SVG."""
    values = assignments(at, "--at", "A='30 deg'")
    target = _target(file, out, ".svg", force=force)
    overlays = dict(map(_overlay, show or ()))
    m, place = read(file), values or pose
    if time is None and m.drives and not place and overlays.keys() - AT_REST:
        time = 0.0
    source = m if time is None else motion(m, np.linspace(0.0, time, 1 + int(STEPS * bool(time))))
    picture = drawn(
        source,
        place if time is None else -1,
        masses=masses,
        names=False if named == "none" else named,
        theme=theme,
        **overlays,
    )
    made = Output(target, "the drawing", lambda path: write_text(picture, path))
    answered({}, "", as_json, [made])


@command
def live(
    file: MechanismFile,
    *,
    coordinate: Coordinate = None,
    path: Annotated[
        str,
        typer.Option(help="Point whose curve is drawn, coupler.P.", autocompletion=names("point")),
    ] = "",
    theme: Theme = "light",
    out: OwnPage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a page in which the mechanism lives: drag its crank, and sliders for its lengths."""
    target = _target(file, out, ".html", force=force)
    page = living(read(file), coordinate, path=path, theme=theme)
    made = Output(target, "the mechanism, alive", lambda file: write_text(page, file))
    answered({}, "", as_json, [made])


@command
def report(
    file: MechanismFile,
    *,
    theme: ReportTheme = "auto",
    out: OwnPage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write all that Korba knows of the mechanism on one page, alive in it; or to a .pdf file."""
    target = _target(file, out, ".html", force=force)
    m = read(file)
    made = Output(target, f"the report on {m.name!r}", lambda path: written(m, path, theme=theme))
    answered({}, "", as_json, [made])


def _overlay(given: str) -> tuple[str, Any]:
    """`velocities`, or `velocities=B,C`."""
    name, _, chosen = given.partition("=")
    several = [each.strip() for each in chosen.split(",") if each.strip()]
    one = several[0] if len(several) == 1 else several
    return name.strip().replace("-", "_"), one or True


def _target(file: Path, out: Path | None, ending: str, *, force: bool) -> Path:
    """The file to write, which is not there yet unless `force`."""
    target = Path(file.with_suffix(ending).name) if out is None else out
    free(force, target)
    return target
