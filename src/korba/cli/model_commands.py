"""`korba check`, `convert` and `schema`: files of mechanisms, and what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..files.any_file import WRITERS, write_any
from ..files.schema import schema as file_schema
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from .answers import Output
from .commands import command
from .completion import files
from .options import Answer, Source, WrittenAnswer
from .parameters import known


@command("korba check four-bar.toml")
def check(source: Source, answer: Answer) -> None:
    """Read a mechanism file and report every fault in it."""
    m = source.read()
    kinds = ("bodies", "joints", "couplings", "forces", "drives")
    counts = {kind: len(getattr(m, kind)) for kind in kinds}
    mass = sum(body.mass for body in m.bodies)
    data = {"ok": True, "name": m.name, "plane": m.plane, **counts, "nq": m.nq, "nv": m.nv}
    parts = [f"{count} {_counted(kind, count)}" for kind, count in counts.items() if count]
    text = (
        f"{m.name or 'mechanism'!r}: {'planar' if m.plane else 'spatial'}, "
        f"{', '.join(parts) or 'no bodies'}, "
        f"{mass:g} kg, nq = {m.nq}, nv = {m.nv}; no faults"
    )
    notes = [*m.notes, *friction_not_used(m)]
    answer(data | {"mass": mass, "notes": notes}, _noted(text, m))


@command("korba convert four-bar.toml four-bar.xml")
def convert(
    source: Source,
    *,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="A .toml, .urdf or .xml (MJCF) file.",
            autocompletion=files(*WRITERS),
        ),
    ],
    answer: WrittenAnswer,
) -> None:
    """Write a mechanism in another format; what cannot be carried over is said."""
    known(target, WRITERS, "OUT")
    answer.free(target)
    m = source.read()
    notes = [*m.notes, *friction_not_used(m)]
    out = Output(target, f"the mechanism {m.name!r}", lambda path: write_any(m, path))
    answer({"source": str(source.file), "notes": notes}, _noted("", m).strip(), out)


@command("korba schema")
def schema(answer: Answer) -> None:
    """Print the JSON Schema of mechanism files."""
    typer.echo(json.dumps(file_schema(), indent=2))


def _counted(word: str, count: int) -> str:
    return {"bodies": "body"}.get(word, word[:-1]) if count == 1 else word


def _noted(text: str, m: Mechanism) -> str:
    """A text with the notes of a mechanism below it."""
    return "\n".join([text, *(f"  note: {note}" for note in (*m.notes, *friction_not_used(m)))])
