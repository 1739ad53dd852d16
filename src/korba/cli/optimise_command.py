"""`korba optimise`: the best design of a mechanism within bounds of its sizes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import typer

import korba as kb

from ..design.optimise import METHODS, SOLVERS
from ..design.ready import READY
from ..disk import opened
from ..errors import FileError
from .answers import Output, ended, read
from .commands import command
from .completion import files, names
from .options import WrittenAnswer
from .parameters import choice, option

PATH = "path of "
"""What a goal of points begins with."""


@command(
    "korba optimise four-bar.toml --bounds b=100mm:140mm --goal -size",
    kb.optimise,
    bounds=option(
        "A size and its ends: rod=100mm:200mm; may be repeated.", "", names("parameter", "=")
    ),
    goal=option(
        f"What there should be much of, `-` before it for little: {', '.join(READY)}; or "
        "`path of coupler.tip`, with --points."
    ),
    points=option(
        "A CSV file with the columns x, y, and z and t if wanted.",
        complete=files(".csv"),
        exists=True,
    ),
    constraints=option(
        "A constraint: 'size <= 300 mm', 'a + d <= b + c'; may be repeated.", "--keep"
    ),
    method=choice("One of {}.", METHODS),
    solver=choice("One of {}.", SOLVERS),
    count=option("How many designs are tried at first.", min=1),
    seed=option("Another one gives other starts.", min=0),
)
def optimise(
    file: Path,
    *,
    bounds: list[str],
    goal: str,
    points: Path | None = None,
    design: Path | None = None,
    answer: WrittenAnswer,
    **options: Any,
) -> None:
    """Find the best design of a mechanism: sizes between bounds, a goal, constraints."""
    answer.free(design)
    m = read(file)
    sizes = dict(map(_ends, bounds))
    best = kb.optimise(m, _goal(m, goal, points), sizes, **options)
    written = Output(design, "the best design", lambda path: kb.save(best.mechanism, path))
    answer(best.to_dict(), str(best), written)
    ended(best.status)


def _ends(text: str) -> tuple[str, tuple[str, str]]:
    """Name and ends of `rod=100mm:200mm`."""
    name, equals, rest = (part.strip() for part in text.partition("="))
    low, colon, high = (part.strip() for part in rest.partition(":"))
    if not (equals and colon and name and low and high):
        raise typer.BadParameter(f"expected NAME=FROM:TO, got {text!r}", param_hint="--bounds")
    return name, (low, high)


def _goal(m: kb.Mechanism, text: str, points: Path | None) -> Any:
    if text.startswith(PATH) != (points is not None):
        raise typer.BadParameter(
            "a goal `path of BODY.POINT` and --points FILE belong together", param_hint="--goal"
        )
    if points is None:
        return text
    rows = _columns(points)
    places = list(zip(*(rows[axis] for axis in "xyz" if axis in rows), strict=True))
    return kb.path_goal(m, text.removeprefix(PATH).strip(), places, rows.get("t"))


def _columns(path: Path) -> dict[str, list[float]]:
    """Columns of numbers by their names."""
    with opened(path) as file:
        try:
            table = list(csv.DictReader(file.read().decode("utf-8").splitlines()))
            names = [name for name in ("x", "y", "z", "t") if table and name in table[0]]
            columns = {name: [float(row[name]) for row in table] for name in names}
        except (UnicodeDecodeError, TypeError, ValueError, csv.Error) as error:
            raise FileError(f"{path}: expected rows of numbers ({error})") from error
    if not {"x", "y"} <= columns.keys():
        raise FileError(f"{path}: expected columns named x and y in the first line, and rows")
    return columns
