"""`korba doctor`: what this installation is made of, and whether it works."""

from __future__ import annotations

import typer

from .answers import answered
from .commands import command
from .doctor import findings, told
from .options import AsJson


@command("korba doctor")
def doctor(as_json: AsJson = False) -> None:
    """Say what this installation is made of, which way it calls, and test it."""
    found = findings()
    answered(found, told(found), as_json)
    if not found["self_test"]["passed"]:
        raise typer.Exit(1)
