"""`korba sweep`: many designs of a mechanism, one question, the best of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..design.designs import KINDS
from ..design.ready import READY
from ..design.result import Sweep
from ..design.sweep import sweep as swept
from ..disk import write_text
from ..files.any_file import WRITERS, write_any
from ..model.mechanism import Mechanism
from ..show.drawings.sweeps import parallel_drawing
from ..system.sizes import refuse_unknown
from ..trajectory.trajectory import FINISHED
from ..verbs.designs import size_values
from .answers import Output, answered, ended, free, known, one_of, read
from .commands import command
from .completion import among, files, names
from .options import AsJson, CsvFile, DesignFile, MechanismFile, Overwrite, Theme

Vary = Annotated[
    list[str],
    typer.Option(
        help="A size: rod=100mm:200mm:50 (from, to, how many) or rod=100mm,120mm.",
        autocompletion=names("parameter", "="),
    ),
]
Questions = Annotated[
    list[str],
    typer.Option(help=f"A question: {', '.join(READY)}; `stroke of D`; may be repeated."),
]
Best = Annotated[str | None, typer.Option(help="What there should be most of; `-size` for least.")]
Kind = Annotated[
    str,
    typer.Option(help=f"One of {', '.join(KINDS)}.", autocompletion=among(lambda: KINDS)),
]
KeptTable = Annotated[
    Path | None,
    typer.Option(
        help="Keep the table in this .parquet or .npz file, and go on from it.",
        autocompletion=files(".parquet", ".npz"),
    ),
]
DesignsPicture = Annotated[
    Path | None,
    typer.Option(help="Draw all designs to this .svg file.", autocompletion=files(".svg")),
]


@command("korba sweep four-bar.toml --vary b=100mm:140mm:20 --ask 'time ratio'")
def sweep(
    file: MechanismFile,
    *,
    vary: Vary,
    ask: Questions,
    best: Best = None,
    designs: Kind = "grid",
    count: Annotated[int, typer.Option(min=1, help="How many random designs.")] = 1000,
    table: KeptTable = None,
    csv: CsvFile = None,
    out: DesignFile = None,
    picture: DesignsPicture = None,
    theme: Theme = "light",
    threads: Annotated[int | None, typer.Option(min=1, help="How many threads.")] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Try many designs of a mechanism: sizes are varied, a question is asked of each."""
    one_of(designs, KINDS, "--designs")
    known(out, WRITERS, "--out")
    known(picture, (".svg",), "--picture")
    free(force, csv, out, picture)
    m = read(file)
    sizes = dict(_values(m, text, designs) for text in vary)
    answer = swept(m, sizes, ask, designs=designs, count=count, file=table, threads=threads)
    wanted = best or ask[0]
    number = answer.best(wanted) if answer.ok.any() else None
    outputs = [Output(csv, f"the table of {len(answer)} designs", answer.to_csv)]
    if number is not None:
        best_one = answer.design(number)
        outputs += [
            Output(out, "the best design", lambda path: write_any(best_one, path)),
            Output(
                picture,
                "all designs",
                lambda path: write_text(parallel_drawing(answer, wanted, theme=theme), path),
            ),
        ]
    answered(_data(answer, wanted, number), _report(answer, wanted, number), as_json, outputs)
    ended("no answer" if number is None and answer.status == FINISHED else answer.status)


def _values(m: Mechanism, text: str, kind: str) -> tuple[str, Any]:
    """Name and values of `rod=100mm:200mm:50`, of `rod=100mm:200mm`, or of a list."""
    name, equals, rest = (part.strip() for part in text.partition("="))
    ends = rest.split(":")
    if not equals or len(ends) > 3 or (len(ends) == 3 and not ends[2].strip().isdigit()):
        raise typer.BadParameter(
            f"expected NAME=FROM:TO:COUNT or NAME=VALUE,VALUE, got {text!r}", param_hint="--vary"
        )
    refuse_unknown(m, [name])
    if len(ends) == 1:
        return name, [_number(m, name, each) for each in rest.split(",")]
    low, high = (_number(m, name, each) for each in ends[:2])
    if kind == "random":
        return name, (low, high)
    return name, np.linspace(low, high, int(ends[2]) if len(ends) == 3 else 10)


def _number(m: Mechanism, name: str, text: str) -> float:
    """A value with its unit in SI."""
    return float(size_values(m, name, text.strip()))


def _data(answer: Sweep, wanted: str, number: int | None) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    if number is not None:
        answers = {name: x[number].tolist() for name, x in answer.answers.items()}
        chosen = {"number": number, "sizes": answer.sizes(number), "answers": answers}
    return {
        "ok": number is not None,
        "status": answer.status,
        "designs": len(answer),
        "answered": int(answer.ok.sum()),
        "failed": len(answer.reasons),
        "by": wanted,
        "best": chosen,
        "units": dict(answer.units),
    }


def _report(answer: Sweep, wanted: str, number: int | None) -> str:
    if number is None:
        return str(answer)
    return f"{answer}\nbest {answer.told(number, wanted)}"
