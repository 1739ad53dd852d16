"""`korba crosscheck`: every formulation that takes a mechanism, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from ..trajectory.progress import at_terminal
from ..verbs.crosscheck import crosscheck as compared
from .answers import answered, read
from .commands import command
from .completion import formulations
from .options import AsJson, Floating, MechanismFile


@command("korba crosscheck slider-crank.toml")
def crosscheck(
    file: MechanismFile,
    floating: Floating = None,
    as_json: AsJson = False,
    states: Annotated[int, typer.Option(min=1, help="How many random states.")] = 32,
    formulation: Annotated[
        list[str] | None,
        typer.Option(
            "--formulation",
            "-f",
            help="Only this one, such as newton-euler; may be repeated.",
            autocompletion=formulations,
        ),
    ] = None,
) -> None:
    """Run every formulation that can take a mechanism, and compare their answers."""
    answer = compared(
        read(file, floating),
        states=states,
        formulations=tuple(formulation) if formulation else None,
        progress=(lambda what: typer.echo(what, err=True)) if at_terminal() else None,
    )
    answered(answer.to_dict(), str(answer), as_json)
    if not answer.agree:
        raise typer.Exit(1)
