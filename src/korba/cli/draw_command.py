"""`korba draw`, `live` and `report`: the picture of a mechanism, and pages about it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import typer

import korba as kb

from ..errors import StructureError
from .answers import Output, assignments, read
from .commands import command
from .completion import names
from .driven import cycle_time, driven, moved
from .options import TEXTS, Source, WrittenAnswer
from .parameters import choice, option, writes
from .plots import SHOW, overlays_of

NAMES = ("joints", "bodies", "all", "numbers", "none")
"""What is written in a drawing."""
CURVE = option("Point whose curve is drawn, coupler.P.", "", names("point"))
STILL = {"dimensions", "centres", "drives"}
"""Overlays that need no motion."""
POSITIONS = 181
"""Positions of a cycle."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """In which position it is drawn."""

    texts: ClassVar = {
        "at": option(
            "Value of a coordinate, A='30 deg'; may be repeated.", "", names("joint", "=")
        ),
        "pose": option("Name of a pose of the file.", "", names("pose")),
        "time": option("When, in seconds, of the motion by its drives."),
    }
    at: list[str] | None = None
    pose: str | None = None
    time: float | None = None

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


@command(
    "korba draw four-bar.toml --ghosts 6 --path coupler.C",
    ghosts=option("How many other positions to show faintly.", min=0),
    path=CURVE,
    show=SHOW,
    masses=option("Show centres of mass."),
    named=choice("Names of joints, bodies, all; numbers of links; or none.", NAMES, "--names"),
    out=writes("The picture; else FILE's name.svg.", (".svg",), "--out -o"),
)
def draw(
    source: Source,
    *,
    place: Place,
    drive: str | None = None,
    ghosts: int = 0,
    path: list[str] | None = None,
    show: list[str] | None = None,
    masses: bool = False,
    named: str = "joints",
    theme: str = "light",
    out: Path | None = None,
    answer: WrittenAnswer,
) -> None:
    """Draw the mechanism in standard symbols, as SVG; also in its motion, with velocities, forces.

    --time, --ghosts, --path and most of --show are of the motion by its drives over a cycle.
    """
    overlays = overlays_of(show)
    moves = bool(place.time is not None or ghosts or path or overlays.keys() - STILL)
    values = place.values(moves)
    answer.free(target := source.beside(".svg", out))
    m = driven(source.read(), drive, None)
    shown, where = _in_motion(m, place.time) if moves else (m, values)
    more: dict[str, Any] = {"names": False if named == "none" else named, "theme": theme}
    more |= {"ghosts": ghosts, "paths": path or ()} if moves else {}
    picture = kb.draw(shown, where, masses=masses, **more, **overlays)
    answer({}, "", Output(target, "the drawing", picture.save))


def _in_motion(m: kb.Mechanism, time: float | None) -> tuple[kb.Trajectory, int]:
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


@command(
    "korba live four-bar.toml",
    kb.live,
    coordinate=TEXTS["coordinate"],
    path=CURVE,
    theme=TEXTS["page_theme"],
    out=writes("The page; else FILE's name-live.html.", (".html",), "--out -o"),
)
def live(source: Source, *, out: Path | None = None, answer: WrittenAnswer, **options: Any) -> None:
    """Write a page in which the mechanism lives: drag its crank, and sliders for its lengths."""
    answer.free(target := source.beside("-live.html", out))
    page = kb.live(source.read(), **options)
    answer({}, "", Output(target, "the mechanism, alive", page.save))


def _sections(asked: list[str] | None) -> tuple[str, ...] | str | None:
    """Those that a report is asked for."""
    return None if not asked else asked[0] if len(asked) == 1 else tuple(asked)


def _other(file: Path | None) -> kb.Mechanism | None:
    """The mechanism of another file."""
    return None if file is None else read(file)


@command(
    "korba report four-bar.toml",
    kb.report,
    theme=TEXTS["page_theme"],
    sections=option(
        "A section, or `short` for one page; may be repeated.",
        "--section",
        kind=list[str] | None,
        of=_sections,
    ),
    logo=option("A picture to stand above: .svg, .png or .jpg.", kind=Path | None),
    beside=option(
        "The file of another design, compared with this one.", kind=Path | None, of=_other
    ),
    out=writes("The page; else FILE's name.html.", (".html", ".pdf"), "--out -o"),
)
def report(
    source: Source, *, out: Path | None = None, answer: WrittenAnswer, **options: Any
) -> None:
    """Write all that Korba knows of the mechanism on one page, alive in it; or to a .pdf file."""
    answer.free(target := source.beside(".html", out))
    m = source.read()
    what = f"the report on {m.name!r}"
    answer({}, "", Output(target, what, lambda path: kb.report(m, path, **options)))
