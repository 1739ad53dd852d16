"""`korba doctor`: what this installation is made of, and whether it works."""

from __future__ import annotations

import typer

from .commands import command
from .doctor import findings, told
from .options import Answer


@command("korba doctor")
def doctor(answer: Answer) -> None:
    """Say what this installation is made of, which way it calls, and test it."""
    found = findings()
    answer(found, told(found))
    if not found["self_test"]["passed"]:
        raise typer.Exit(1)
