"""`korba sweep`: many designs of a mechanism, one question, the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..design.designs import KINDS
from ..design.ready import READY
from ..design.result import Sweep
from ..design.sweep import sweep as swept
from ..disk import write_text
from ..files.any_file import write_any
from ..model.mechanism import Mechanism
from ..system.sizes import refuse_other_sizes
from ..trajectory.trajectory import FINISHED
from ..verbs.designs import size_values
from .answers import Output, ended, read
from .commands import command
from .completion import files, names
from .options import CsvFile, DesignFile, MechanismFile, Theme, WrittenAnswer
from .parameters import choice, option, writes

Kind = Annotated[str, choice("One of {}.", lambda: KINDS)]


@dataclass(frozen=True, kw_only=True)
class Varied:
    """Which designs are tried."""

    vary: Annotated[
        list[str],
        option(
            "A size: rod=100mm:200mm:50 (from, to, how many) or rod=100mm,120mm.",
            complete=names("parameter", "="),
        ),
    ]
    designs: Kind = "grid"
    count: Annotated[int, option("How many random designs.", min=1)] = 1000

    def of(self, m: Mechanism) -> dict[str, Any]:
        """As `kb.sweep` takes them."""
        sizes = dict(_values(m, text, self.designs) for text in self.vary)
        return {"sizes": sizes, "designs": self.designs, "count": self.count}


@command("korba sweep four-bar.toml --vary b=100mm:140mm:20 --ask 'time ratio'")
def sweep(
    file: MechanismFile,
    *,
    varied: Varied,
    ask: Annotated[
        list[str], option(f"A question: {', '.join(READY)}; `stroke of D`; may be repeated.")
    ],
    best: Annotated[str | None, option("What there should be most of; `-size` for least.")] = None,
    table: Annotated[
        Path | None,
        option(
            "Keep the table in this .parquet or .npz file, and go on from it.",
            complete=files(".parquet", ".npz"),
        ),
    ] = None,
    csv: CsvFile = None,
    out: DesignFile = None,
    picture: Annotated[
        Path | None, writes("Draw all designs to this .svg file.", (".svg",))
    ] = None,
    theme: Theme = "light",
    threads: Annotated[int | None, option("How many threads.", min=1)] = None,
    answer: WrittenAnswer,
) -> None:
    """Try many designs of a mechanism: sizes are varied, a question is asked of each."""
    answer.free(csv, out, picture)
    m = read(file)
    found = swept(m, question=ask, file=table, threads=threads, **varied.of(m))
    wanted = best or ask[0]
    number = found.best(wanted) if found.ok.any() else None
    outputs = [Output(csv, f"the table of {len(found)} designs", found.to_csv)]
    if number is not None:
        best_one = found.design(number)
        outputs += [
            Output(out, "the best design", lambda path: write_any(best_one, path)),
            Output(
                picture,
                "all designs",
                lambda path: write_text(found.draw(wanted, theme=theme), path),
            ),
        ]
    answer(_data(found, wanted, number), _report(found, wanted, number), *outputs)
    ended("no answer" if number is None and found.status == FINISHED else found.status)


def _values(m: Mechanism, text: str, kind: str) -> tuple[str, Any]:
    """Name and values of `rod=100mm:200mm:50`, of `rod=100mm:200mm`, or of a list."""
    name, equals, rest = (part.strip() for part in text.partition("="))
    ends = rest.split(":")
    if not equals or len(ends) > 3 or (len(ends) == 3 and not ends[2].strip().isdigit()):
        raise typer.BadParameter(
            f"expected NAME=FROM:TO:COUNT or NAME=VALUE,VALUE, got {text!r}", param_hint="--vary"
        )
    refuse_other_sizes(m, [name])
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
