"""Options that several commands have: one name, one meaning, one text of help; many in groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..files.any_file import WRITERS
from ..model.mechanism import Mechanism
from .answers import Output, answered, assignments, free, is_name, read
from .completion import MECHANISMS, files, formulations, names
from .parameters import Text, choice, option, writes

PICTURES = (".svg", ".png", ".pdf", ".html")
"""Endings of files that hold plots."""
PLAYED = (".html", ".gif", ".mp4")
"""Endings of files that play a motion."""
TABLES = (".parquet", ".csv", ".npz")
"""Endings of files that hold a motion."""
THEMES = ("light", "dark")


def _there(file: Path, _: str) -> None:
    """A file that is there, or the name of a robot, which has no ending and no folder."""
    if file.is_dir():
        raise typer.BadParameter(f"File {str(file)!r} is a directory.")
    if not file.exists() and not is_name(file):
        raise typer.BadParameter(f"File {str(file)!r} does not exist.")


TEXTS = {
    "file": Text(
        "A .toml, .urdf, .sdf, .xml or .mjcf file, or a robot's name, such as panda.",
        "FILE",
        files(*MECHANISMS),
        _there,
    ),
    "floating": option(
        "A robot's base floats, or is fixed; else it is fixed in URDF, and as SDF says.",
        "--floating/--fixed",
    ),
    "as_json": option("Print the answer as JSON.", "--json"),
    "force": option("Overwrite files that are there."),
    "csv": writes("Write the table to this CSV file.", (".csv",)),
    "design": writes("Write the best design to this file.", WRITERS, "--out -o"),
    "theme": choice("light or dark.", THEMES),
    "page_theme": choice(
        "auto (as the reader's system has it), light or dark.", ("auto", *THEMES), "--theme"
    ),
    "coordinate": option(
        "The coordinate that leads; else that of the first drive.", "", names("joint")
    ),
    "formulation": option(
        "By name: korba crosscheck tells them.", "--formulation -f", formulations
    ),
    "friction": option("With dry friction."),
    "parameters": option(
        "Parameter that stays an input; may be repeated.", "--parameter", names("parameter")
    ),
    "q": option(
        "Start: A=0.3 or 'A=30 deg', repeated; or the name of a pose.", "", names("joint", "=")
    ),
    "v": option("Velocity at the start, such as A=1.5.", "", names("joint", "=")),
    "cycle": option("Positions over one turn, or swing, of the drives.", min=2),
    "until": option("End in seconds, instead of one turn."),
    "drive": option(
        "Coordinate to turn at 1 rad/s (or 1 m/s, or --speed), instead of the file's drives.",
        "",
        names("joint"),
    ),
    "speed": option("Speed of the coordinate, or of the first drive's: '200 rpm', or in rad/s."),
    "point": option(
        "Point to follow, coupler.tip or coupler:0.3,0.1; may be repeated.", "", names("point")
    ),
    "plot": option("Plot it to NAME-COMMAND.svg, with the name of FILE."),
    "picture": writes("Plot it to this .svg, .png, .pdf or .html file.", PICTURES),
    "degrees": option("Angles of plots; without it as the file has them.", "--degrees/--radians"),
    "over": option("Column along x of plots, such as A.", "", names("joint")),
    "hodographs": option(
        "Point (or joint, of forces) whose vector is plotted; may be repeated.",
        "--hodograph",
        names("point"),
    ),
    "columns": option("Column to plot, by name or pattern 'v_*'; may be repeated.", "--column"),
    "phase": option("Coordinate to plot its velocity over; may be repeated.", "", names("joint")),
    "whole": writes("Write the motion to this .parquet, .csv or .npz file.", TABLES, "--out -o"),
    "page": writes(
        "Write a page that plays the motion, .html, or a film, .gif or .mp4.", PLAYED, "--animate"
    ),
}
"""By the names of parameters; a command may give them texts of its own."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """The mechanism that is asked about."""

    file: Path
    floating: bool | None = None

    def read(self) -> Mechanism:
        """The mechanism of the file."""
        return read(self.file, self.floating)

    def beside(self, ending: str, file: Path | None = None) -> Path:
        """The file that was named, else one named after that of the mechanism."""
        return file or Path(f"{self.file.stem}{ending}")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How it is answered: for people, or as data."""

    as_json: bool = False

    def __call__(self, data: Mapping[str, Any], text: str, *files: Output) -> None:
        """Print it and write its files."""
        answered(data, text, self.as_json, files)

    def of(self, found: Any, *files: Output) -> None:
        """A result in its own words; with status 1 where it is not well."""
        data = found.to_dict()
        self(data, str(found), *files)
        if not data.get("ok", True):
            raise typer.Exit(1)


@dataclass(frozen=True, kw_only=True)
class WrittenAnswer(Answer):
    """The same, where files are written."""

    force: bool = False

    def free(self, *files: Path | None) -> None:
        """Files that are there are not overwritten unless asked."""
        free(self.force, *files)


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where a motion starts."""

    q: list[str] | None = None
    v: list[str] | None = None

    def of(self, m: Mechanism) -> dict[str, Any]:
        """q and v by name, or the name of a pose."""
        posed = self.q and len(self.q) == 1 and self.q[0] in {pose.name for pose in m.poses}
        q = self.q[0] if self.q and posed else assignments(self.q, "--q", "NAME=VALUE or a pose")
        return {"q": q, "v": assignments(self.v, "--v", "NAME=VALUE")}
