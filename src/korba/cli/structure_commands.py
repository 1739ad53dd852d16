"""`korba mobility` and `groups`: what moves, and in which order it is solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import korba as kb

from ..structure.mobility import SPACES
from .answers import Output
from .commands import command
from .completion import files, names
from .options import Answer, Source, WrittenAnswer
from .parameters import choice, option


@command(
    "korba mobility four-bar.toml --graph graph.svg",
    kb.mobility,
    space=choice(
        "Space of the count: planar, spherical, spatial, detect or 1 ... 6.",
        [*SPACES, "detect", *map(str, range(1, 7))],
        of=lambda space: int(space) if space.isdigit() else space,
    ),
    graph=option("Draw the structure graph to this SVG file.", complete=files(".svg")),
)
def mobility(
    source: Source,
    *,
    graph: Path | None = None,
    theme: str = "light",
    answer: WrittenAnswer,
    **options: Any,
) -> None:
    """Say in how many ways a mechanism moves, and why."""
    answer.free(graph)
    found = kb.mobility(m := source.read(), **options)

    def drawn(path: Path) -> None:
        kb.draw(m, graph=True, theme=theme).save(path)

    answer.of(found, Output(graph, "the structure graph", drawn))


@command(
    "korba groups four-bar.toml --input A",
    kb.groups,
    inputs=option("Coordinate that is driven; may be repeated.", "--input -i", names("joint")),
)
def groups(source: Source, answer: Answer, **options: Any) -> None:
    """Split a mechanism into structural groups, in the order of solution."""
    answer.of(kb.groups(source.read(), **options))
