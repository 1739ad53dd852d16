"""`korba crosscheck`: every formulation that takes a mechanism, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from ..verbs.crosscheck import crosscheck as compared
from ..working import at_terminal
from .commands import command
from .completion import formulations
from .options import Answer, Source
from .parameters import option


@command("korba crosscheck slider-crank.toml")
def crosscheck(
    source: Source,
    *,
    states: Annotated[int, option("How many random states.", min=1)] = 32,
    formulation: Annotated[
        list[str] | None,
        option(
            "Only this one, such as newton-euler; may be repeated.",
            "--formulation",
            "-f",
            complete=formulations,
        ),
    ] = None,
    answer: Answer,
) -> None:
    """Run every formulation that can take a mechanism, and compare their answers."""
    found = compared(
        source.read(),
        states=states,
        formulations=tuple(formulation) if formulation else None,
        progress=(lambda what: typer.echo(what, err=True)) if at_terminal() else None,
    )
    answer(found.to_dict(), str(found))
    if not found.agree:
        raise typer.Exit(1)
