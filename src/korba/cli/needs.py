"""Options that mean something only beside others: given without them they are wrong usage."""

from __future__ import annotations

from typing import Any

import typer

PLOTS = ("--plot", "--picture")
STEPS = ("--method dop853", "--method stiff")
STARTS = ("--method starts", "--method evolution")
NEEDS = {
    "--over": PLOTS,
    "--degrees": PLOTS,
    "--column": PLOTS,
    "--phase": PLOTS,
    "--hodograph": PLOTS,
    "--theme": (*PLOTS, "--animate", "--graph"),
    "--show": ("--animate",),
    "--rtol": STEPS,
    "--count": ("--designs random", *STARTS),
    "--seed": STARTS,
    "--out": ("NAME",),
}
"""Of which others one must be there, with that value; those that a command has not do not count."""


def refuse_alone(command: Any, ctx: Any) -> None:
    """Wrong usage where an option was given without any of those that it needs."""
    known = {word: p for p in command.params for word in (*p.opts, p.metavar)}
    for option, others in NEEDS.items():
        listed = [other for other in others if other.split()[0] in known]
        given = option in known and _said(ctx, known[option])
        if given and listed and not any(_there(ctx, known, other) for other in listed):
            raise typer.BadParameter(
                f"it means nothing without {' or '.join(listed)}", param_hint=option
            )


def _said(ctx: Any, parameter: Any) -> bool:
    """Whether somebody has typed it, even if it is what it would be anyway."""
    return bool(ctx.get_parameter_source(parameter.name).name == "COMMANDLINE")


def _there(ctx: Any, known: dict[str, Any], other: str) -> bool:
    """Whether `--plot` is there, or `--method` with the value that stands behind it."""
    option, _, wanted = other.partition(" ")
    value = ctx.params[known[option].name]
    return bool(value == wanted if wanted else value)
