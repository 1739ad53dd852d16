"""`korba mobility` and `groups`: what moves, and in which order it is solved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..disk import write_text
from ..show.drawings.structure_graph import structure_graph
from ..structure.groups import groups as groups_of
from ..structure.mobility import SPACES
from ..structure.mobility import mobility as mobility_of
from .answers import Output, answered, free, one_of, read
from .commands import command
from .completion import among, files, names
from .options import AsJson, Floating, MechanismFile, Overwrite, Theme


@command("korba mobility four-bar.toml --graph graph.svg")
def mobility(
    file: MechanismFile,
    *,
    floating: Floating = None,
    as_json: AsJson = False,
    space: Annotated[
        str | None,
        typer.Option(
            help="Space of the count: planar, spherical, spatial, detect or 1 ... 6.",
            autocompletion=among(lambda: [*SPACES, "detect"]),
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            help="Draw the structure graph to this SVG file.", autocompletion=files(".svg")
        ),
    ] = None,
    theme: Theme = "light",
    force: Overwrite = False,
) -> None:
    """Say in how many ways a mechanism moves, and why."""
    free(force, graph)
    m = read(file, floating)
    one_of(space, [*SPACES, "detect", *map(str, range(1, 7))], "--space")
    answer = mobility_of(m, int(space) if space is not None and space.isdigit() else space)
    picture = partial(structure_graph, m, theme=theme)
    drawn = Output(graph, "the structure graph", lambda path: write_text(picture(), path))
    answered(answer.to_dict(), str(answer), as_json, [drawn])


@command("korba groups four-bar.toml --input A")
def groups(
    file: MechanismFile,
    floating: Floating = None,
    as_json: AsJson = False,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            help="Coordinate that is driven; may be repeated.",
            autocompletion=names("joint"),
        ),
    ] = None,
) -> None:
    """Split a mechanism into structural groups, in the order of solution."""
    answer = groups_of(read(file, floating), inputs or None)
    answered(answer.to_dict(), str(answer), as_json)
