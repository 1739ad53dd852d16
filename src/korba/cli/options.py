"""Options that several commands have: one name, one meaning, one text of help; many in groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..files.any_file import WRITERS
from ..model.mechanism import Mechanism
from .answers import Output, answered, assignments, free, is_name, read
from .completion import MECHANISMS, files, formulations, names
from .parameters import choice, option, writes


def _there(file: Path) -> Path:
    """A file that is there, or the name of a robot, which has no ending and no folder."""
    if file.is_dir():
        raise typer.BadParameter(f"File {str(file)!r} is a directory.")
    if not file.exists() and not is_name(file):
        raise typer.BadParameter(f"File {str(file)!r} does not exist.")
    return file


MechanismFile = Annotated[
    Path,
    typer.Argument(
        callback=_there,
        metavar="FILE",
        help="A .toml, .urdf, .sdf, .xml or .mjcf file, or a robot's name, such as panda.",
        autocompletion=files(*MECHANISMS),
    ),
]
CsvFile = Annotated[
    Path | None, option("Write the table to this CSV file.", complete=files(".csv"))
]
DesignFile = Annotated[
    Path | None, writes("Write the best design to this file.", WRITERS, "--out", "-o")
]
Theme = Annotated[str, choice("light or dark.", lambda: ("light", "dark"))]
PageTheme = Annotated[
    str,
    choice(
        "auto (as the reader's system has it), light or dark.", lambda: ("auto", "light", "dark")
    ),
]
Points = Annotated[
    list[str] | None,
    option(
        "Point to follow, coupler.tip or coupler:0.3,0.1; may be repeated.",
        "--point",
        complete=names("point"),
    ),
]
Coordinate = Annotated[
    str | None,
    option("The coordinate that leads; else that of the first drive.", complete=names("joint")),
]
Sizes = Annotated[
    list[str] | None,
    option("Parameter that stays an input; may be repeated.", complete=names("parameter")),
]
Formulation = Annotated[
    str | None,
    option("By name: korba crosscheck tells them.", "--formulation", "-f", complete=formulations),
]
Friction = Annotated[bool, option("With dry friction.")]


@dataclass(frozen=True, kw_only=True)
class Source:
    """The mechanism that is asked about."""

    file: MechanismFile
    floating: Annotated[
        bool | None,
        option(
            "A robot's base floats, or is fixed; else it is fixed in URDF, and as SDF says.",
            "--floating/--fixed",
        ),
    ] = None

    def read(self) -> Mechanism:
        """The mechanism of the file."""
        return read(self.file, self.floating)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How it is answered: for people, or as data."""

    as_json: Annotated[bool, option("Print the answer as JSON.", "--json")] = False

    def __call__(self, data: Mapping[str, Any], text: str, *files: Output) -> None:
        """Print it and write its files."""
        answered(data, text, self.as_json, files)


@dataclass(frozen=True, kw_only=True)
class WrittenAnswer(Answer):
    """The same, where files are written."""

    force: Annotated[bool, option("Overwrite files that are there.")] = False

    def free(self, *files: Path | None) -> None:
        """Files that are there are not overwritten unless asked."""
        free(self.force, *files)


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where a motion starts."""

    q: Annotated[
        list[str] | None,
        option(
            "Start: A=0.3 or 'A=30 deg', repeated; or the name of a pose.",
            complete=names("joint", "="),
        ),
    ] = None
    v: Annotated[
        list[str] | None,
        option("Velocity at the start, such as A=1.5.", complete=names("joint", "=")),
    ] = None

    def of(self, m: Mechanism) -> dict[str, Any]:
        """q and v by name, or the name of a pose."""
        posed = self.q and len(self.q) == 1 and self.q[0] in {pose.name for pose in m.poses}
        q = self.q[0] if self.q and posed else assignments(self.q, "--q", "NAME=VALUE or a pose")
        return {"q": q, "v": assignments(self.v, "--v", "NAME=VALUE")}
