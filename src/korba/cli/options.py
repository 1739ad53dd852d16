"""Options that several commands have: one name, one meaning, one text of help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .answers import known, one_of
from .completion import MECHANISMS, among, files, formulations, names

TABLES = (".parquet", ".csv", ".npz")
"""Endings of files that hold a motion."""
PLAYED = (".html", ".gif", ".mp4")
"""Endings of files that play a motion."""
PICTURES = (".svg", ".png", ".pdf", ".html")
"""Endings of files that hold plots."""

MechanismFile = Annotated[
    Path,
    typer.Argument(
        exists=True,
        dir_okay=False,
        metavar="FILE",
        help="A .toml, .urdf, .sdf, .xml or .mjcf file.",
        autocompletion=files(*MECHANISMS),
    ),
]
Floating = Annotated[
    bool | None,
    typer.Option(
        "--floating/--fixed",
        help="A robot's base floats, or is fixed; else it is fixed in URDF, and as SDF says.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]

CsvFile = Annotated[
    Path | None,
    typer.Option("--csv", help="Write the table to this CSV file.", autocompletion=files(".csv")),
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write the motion to this .parquet, .csv or .npz file.",
        autocompletion=files(*TABLES),
    ),
]
PictureFile = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        help="Plot it to this .svg, .png, .pdf or .html file.",
        autocompletion=files(*PICTURES),
    ),
]
Plotted = Annotated[
    bool, typer.Option("--plot", help="Plot it to NAME-COMMAND.svg, with the name of FILE.")
]
PageFile = Annotated[
    Path | None,
    typer.Option(
        "--animate",
        help="Write a page that plays the motion, .html, or a film, .gif or .mp4.",
        autocompletion=files(*PLAYED),
    ),
]
OwnPage = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="The page; else FILE's name.html.",
        autocompletion=files(".html", ".pdf"),
    ),
]
DesignFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write the best design to this file.",
        autocompletion=files(".toml", ".urdf", ".xml"),
    ),
]
LivePage = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="The page; else FILE's name-live.html.", autocompletion=files(".html")
    ),
]
WatchedPage = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Write the page to this .html file, too.", autocompletion=files(".html")
    ),
]


def _themes(*themes: str) -> Any:
    """What a theme may be: completed, and wrong usage if it is another."""

    def checked(value: str) -> str:
        one_of(value, themes, "--theme")
        return value

    return {"callback": checked, "autocompletion": among(lambda: themes)}


Theme = Annotated[str, typer.Option("--theme", help="light or dark.", **_themes("light", "dark"))]
PageTheme = Annotated[
    str,
    typer.Option(
        "--theme",
        help="auto (as the reader's system has it), light or dark.",
        **_themes("auto", "light", "dark"),
    ),
]

Over = Annotated[
    str,
    typer.Option(
        "--over", help="Column along x of plots, such as A.", autocompletion=names("joint")
    ),
]
Degrees = Annotated[bool, typer.Option("--degrees", help="Angles of plots in degrees.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="Column to plot, by name or pattern 'v_*'; may be repeated."),
]
Phase = Annotated[
    list[str] | None,
    typer.Option(
        "--phase",
        help="Coordinate to plot its velocity over; may be repeated.",
        autocompletion=names("joint"),
    ),
]
Hodograph = Annotated[
    list[str] | None,
    typer.Option(
        "--hodograph",
        help="Point (or joint, of forces) whose vector is plotted; may be repeated.",
        autocompletion=names("point"),
    ),
]
Points = Annotated[
    list[str] | None,
    typer.Option(
        "--point",
        help="Point to follow, coupler.tip or coupler:0.3,0.1; may be repeated.",
        autocompletion=names("point"),
    ),
]

Coordinate = Annotated[
    str | None,
    typer.Option(
        "--coordinate",
        help="The coordinate that leads; else that of the first drive.",
        autocompletion=names("joint"),
    ),
]
StartCoordinates = Annotated[
    list[str] | None,
    typer.Option(
        "--q",
        help="Start: A=0.3 or 'A=30 deg', repeated; or the name of a pose.",
        autocompletion=names("joint", "="),
    ),
]
StartVelocities = Annotated[
    list[str] | None,
    typer.Option(
        "--v", help="Velocity at the start, such as A=1.5.", autocompletion=names("joint", "=")
    ),
]
Sizes = Annotated[
    list[str] | None,
    typer.Option(
        "--size",
        help="Parameter that stays an input; may be repeated.",
        autocompletion=names("parameter"),
    ),
]
Formulation = Annotated[
    str | None,
    typer.Option(
        "--formulation",
        "-f",
        help="By name: korba crosscheck tells them.",
        autocompletion=formulations,
    ),
]


def picture_file(file: Path, verb: str, plot: bool, picture: Path | None) -> Path | None:
    """Where to plot: the file that was named, or with --plot one named after FILE and the verb."""
    if picture is None:
        return Path(f"{file.stem}-{verb}.svg") if plot else None
    known(picture, PICTURES, "--picture")
    return picture
