"""`korba demo`: the main job on an embedded example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import demo as demonstration
from .commands import command


@command
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for what is written.")] = Path(
        "out"
    ),
) -> None:
    """Show the main job on an embedded example."""
    for line in demonstration.run(out):
        typer.echo(line)
