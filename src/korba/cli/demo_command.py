"""`korba demo`: a shaper's answers in a few lines, and its live report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..disk import make_folder, write_text
from ..show.report.report import report
from . import demo as demonstration
from .answers import Output
from .commands import command
from .options import Answer
from .parameters import option


@command("korba demo --out out")
def demo(
    *,
    out: Annotated[Path, option("Folder for what is written.", "--out", "-o")] = Path("out"),
    answer: Answer,
) -> None:
    """Ask all of a shaper with friction and a flywheel, and write its live report."""
    make_folder(out)
    m, text = demonstration.embedded()
    made = demonstration.answers(m)
    change = "the mechanism: change a size and run `korba report` on it"
    page = "all of it on one page, with the mechanism alive: open it in a browser"
    outputs = [
        Output(out / demonstration.EXAMPLE, change, lambda path: write_text(text, path)),
        Output(out / "report.html", page, lambda path: report(m, path)),
    ]
    answer(made, demonstration.told(made), *outputs)
