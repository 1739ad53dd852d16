"""`korba equations`: the equations of motion of a mechanism, as text or LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..disk import write_text
from ..verbs.equations import equations as written_out
from .answers import Output
from .commands import command
from .completion import files, names
from .options import Formulation, Source, WrittenAnswer
from .parameters import option

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
    source: Source,
    *,
    latex: Annotated[
        Path | None,
        option("Write them as a document of LaTeX to this file.", complete=files(".tex")),
    ] = None,
    formulation: Formulation = None,
    numbers: Annotated[bool, option("Sizes as numbers, not by their names.")] = False,
    layered: Annotated[bool, option("Named quantities, link by link.")] = False,
    coordinate: Annotated[
        str | None, option("One equation, reduced to this coordinate.", complete=names("joint"))
    ] = None,
    answer: WrittenAnswer,
) -> None:
    """Write the equations of motion: mass matrix, velocity terms, gravity, loads, loops."""
    answer.free(latex)
    found = written_out(
        source.read(),
        formulation=formulation,
        parameters=() if numbers else None,
        layered=layered or None,
        coordinate=coordinate,
    )
    data = {"text": found.text(), "latex": found.latex()}
    whole = DOCUMENT.format(data["latex"])
    document = Output(latex, "the equations in LaTeX", lambda path: write_text(whole, path))
    answer(data, data["text"], document)
