"""`korba mobility` and `groups`: what moves, and in which order it is solved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from ..disk import write_text
from ..show.drawings.structure_graph import structure_graph
from ..structure.groups import groups as groups_of
from ..structure.mobility import SPACES
from ..structure.mobility import mobility as mobility_of
from .answers import Output
from .commands import command
from .completion import files, names
from .options import Answer, Source, Theme, WrittenAnswer
from .parameters import choice, option


def _spaces() -> list[str]:
    """What counts may be made in."""
    return [*SPACES, "detect", *map(str, range(1, 7))]


@command("korba mobility four-bar.toml --graph graph.svg")
def mobility(
    source: Source,
    *,
    space: Annotated[
        str | None,
        choice("Space of the count: planar, spherical, spatial, detect or 1 ... 6.", _spaces),
    ] = None,
    graph: Annotated[
        Path | None, option("Draw the structure graph to this SVG file.", complete=files(".svg"))
    ] = None,
    theme: Theme = "light",
    answer: WrittenAnswer,
) -> None:
    """Say in how many ways a mechanism moves, and why."""
    answer.free(graph)
    m = source.read()
    found = mobility_of(m, int(space) if space is not None and space.isdigit() else space)
    picture = partial(structure_graph, m, theme=theme)
    drawn = Output(graph, "the structure graph", lambda path: write_text(picture(), path))
    answer(found.to_dict(), str(found), drawn)


@command("korba groups four-bar.toml --input A")
def groups(
    source: Source,
    *,
    inputs: Annotated[
        list[str] | None,
        option(
            "Coordinate that is driven; may be repeated.",
            "--input",
            "-i",
            complete=names("joint"),
        ),
    ] = None,
    answer: Answer,
) -> None:
    """Split a mechanism into structural groups, in the order of solution."""
    found = groups_of(source.read(), inputs or None)
    answer(found.to_dict(), str(found))
