"""`korba equations`: the equations of motion of a mechanism, as text or LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import korba as kb

from ..disk import write_text
from .answers import Output
from .commands import command
from .completion import files, names
from .options import TEXTS, Source, WrittenAnswer
from .parameters import option

DOCUMENT = r"""\documentclass{{article}}
\usepackage[T1]{{fontenc}}
\usepackage{{amsmath}}
\begin{{document}}
{}
\end{{document}}
"""
"""A file that LaTeX takes as it is."""


@command(
    "korba equations slider-crank.toml --coordinate A",
    kb.equations,
    latex=option("Write them as a document of LaTeX to this file.", complete=files(".tex")),
    formulation=TEXTS["formulation"],
    parameters=option(
        "Sizes as numbers, not by their names.",
        "--numbers",
        kind=bool,
        of=lambda numbers: () if numbers else None,
    ),
    layered=option("Named quantities, link by link.", kind=bool, of=lambda on: on or None),
    coordinate=option("One equation, reduced to this coordinate.", "", names("joint")),
)
def equations(
    source: Source, *, latex: Path | None = None, answer: WrittenAnswer, **options: Any
) -> None:
    """Write the equations of motion: mass matrix, velocity terms, gravity, loads, loops."""
    answer.free(latex)
    found = kb.equations(source.read(), **options)
    data = {"text": found.text(), "latex": found.latex()}
    whole = DOCUMENT.format(data["latex"])
    document = Output(latex, "the equations in LaTeX", lambda path: write_text(whole, path))
    answer(data, data["text"], document)
