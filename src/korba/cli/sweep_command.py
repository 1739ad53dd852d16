"""`korba sweep`: many designs of a mechanism, one question, the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import typer

import korba as kb

from ..design.designs import KINDS
from ..design.ready import READY
from ..system.sizes import refuse_other_sizes
from ..trajectory.trajectory import FINISHED
from ..verbs.designs import size_values
from .answers import Output, ended, read
from .commands import command
from .completion import files, names
from .options import WrittenAnswer
from .parameters import choice, option, writes


@dataclass(frozen=True, kw_only=True)
class Varied:
    """Which designs are tried."""

    texts: ClassVar = {
        "vary": option(
            "A size: rod=100mm:200mm:50 (from, to, how many) or rod=100mm,120mm.",
            complete=names("parameter", "="),
        ),
        "designs": choice("One of {}.", KINDS),
        "count": option("How many random designs.", min=1),
    }
    vary: list[str]
    designs: str = "grid"
    count: int = 1000

    def of(self, m: kb.Mechanism) -> dict[str, Any]:
        """As `kb.sweep` takes them."""
        sizes = dict(_values(m, text, self.designs) for text in self.vary)
        return {"parameters": sizes, "designs": self.designs, "count": self.count}


@command(
    "korba sweep four-bar.toml --vary b=100mm:140mm:20 --ask 'time ratio'",
    kb.sweep,
    ask=option(f"A question: {', '.join(READY)}; `stroke of D`; may be repeated."),
    best=option("What there should be most of; `-size` for least."),
    table=option(
        "Keep the table in this .parquet or .npz file, and go on from it.",
        complete=files(".parquet", ".npz"),
    ),
    picture=writes("Draw all designs to this .svg file.", (".svg",)),
    threads=option("How many threads.", min=1),
)
def sweep(
    file: Path,
    *,
    varied: Varied,
    ask: list[str],
    best: str | None = None,
    table: Path | None = None,
    csv: Path | None = None,
    design: Path | None = None,
    picture: Path | None = None,
    theme: str = "light",
    answer: WrittenAnswer,
    **options: Any,
) -> None:
    """Try many designs of a mechanism: sizes are varied, a question is asked of each."""
    answer.free(csv, design, picture)
    m = read(file)
    found = kb.sweep(m, question=ask, file=table, **varied.of(m), **options)
    wanted = best or ask[0]
    number = found.best(wanted) if found.ok.any() else None
    outputs = [Output(csv, f"the table of {len(found)} designs", found.save)]
    if number is not None:
        chosen, drawn = found.design(number), partial(found.draw, wanted, theme=theme)
        outputs += [
            Output(design, "the best design", lambda path: kb.save(chosen, path)),
            Output(picture, "all designs", lambda path: drawn().save(path)),
        ]
    answer(_data(found, wanted, number), _report(found, wanted, number), *outputs)
    ended("no answer" if number is None and found.status == FINISHED else found.status)


def _values(m: kb.Mechanism, text: str, kind: str) -> tuple[str, Any]:
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


def _number(m: kb.Mechanism, name: str, text: str) -> float:
    """A value with its unit in SI."""
    return float(size_values(m, name, text.strip()))


def _data(answer: kb.results.Sweep, wanted: str, number: int | None) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    if number is not None:
        answers = {name: x[number].tolist() for name, x in answer.answers.items()}
        chosen = {"number": number, "parameters": answer.parameters_of(number), "answers": answers}
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


def _report(answer: kb.results.Sweep, wanted: str, number: int | None) -> str:
    if number is None:
        return str(answer)
    return f"{answer}\nbest {answer.told(number, wanted)}"
