"""`korba equations`: the equations of motion of a mechanism, as text or LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..disk import write_text
from ..verbs.equations import equations as written_out
from .answers import Output, answered, free, read
from .commands import command
from .completion import files, names
from .options import AsJson, Floating, Formulation, MechanismFile, Overwrite

DOCUMENT = r"""\documentclass{{article}}
\usepackage[T1]{{fontenc}}
\usepackage{{amsmath}}
\begin{{document}}
{}
\end{{document}}
"""
"""A file that LaTeX takes as it is."""


@command("korba equations slider-crank.toml --coordinate A")
def equations(
    file: MechanismFile,
    *,
    floating: Floating = None,
    latex: Annotated[
        Path | None,
        typer.Option(
            help="Write them as a document of LaTeX to this file.", autocompletion=files(".tex")
        ),
    ] = None,
    formulation: Formulation = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Sizes as numbers, not by their names.")
    ] = False,
    layered: Annotated[
        bool, typer.Option("--layered", help="Named quantities, link by link.")
    ] = False,
    coordinate: Annotated[
        str | None,
        typer.Option(
            help="One equation, reduced to this coordinate.", autocompletion=names("joint")
        ),
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write the equations of motion: mass matrix, velocity terms, gravity, loads, loops."""
    free(force, latex)
    found = written_out(
        read(file, floating),
        formulation=formulation,
        parameters=() if numbers else None,
        layered=layered or None,
        coordinate=coordinate,
    )
    data = {"text": found.text(), "latex": found.latex()}
    whole = DOCUMENT.format(data["latex"])
    document = Output(latex, "the equations in LaTeX", lambda path: write_text(whole, path))
    answered(data, data["text"], as_json, [document])
