"""`korba equations`: the equations of motion of a mechanism, as text or LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..files.disk import write_text
from ..verbs.equations import equations as written_out
from .commands import AsJson, MechanismFile, Overwrite, command, printed, read, refuse_existing

DOCUMENT = r"""\documentclass{{article}}
\usepackage[T1]{{fontenc}}
\usepackage{{amsmath}}
\begin{{document}}
{}
\end{{document}}
"""
"""A file that LaTeX takes as it is."""


@command
def equations(
    file: MechanismFile,
    *,
    latex: Annotated[
        Path | None, typer.Option(help="Write them as a document of LaTeX to this file.")
    ] = None,
    formulation: Annotated[
        str | None, typer.Option(help="The formulation that writes them: all write the same.")
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Sizes as numbers, not by their names.")
    ] = False,
    layered: Annotated[
        bool, typer.Option("--layered", help="Named quantities, link by link.")
    ] = False,
    coordinate: Annotated[
        str | None, typer.Option(help="One equation, reduced to this coordinate.")
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write the equations of motion: mass matrix, velocity terms, gravity, loads, loops."""
    if latex is not None:
        refuse_existing(latex, force)
    found = written_out(
        read(file),
        formulation=formulation,
        parameters=() if numbers else None,
        layered=layered or None,
        coordinate=coordinate,
    )
    data = {"ok": True, "text": found.text(), "latex": found.latex()}
    printed(data, found.text(), as_json)
    if latex is not None:
        write_text(DOCUMENT.format(found.latex()), latex)
        typer.echo(f"\nLaTeX: {latex}", err=as_json)
