"""`korba check`, `convert` and `schema`: files of mechanisms, and what is in them."""

from __future__ import annotations

import json
from pathlib import Path

import typer

import korba as kb

from ..files.any_file import WRITERS
from ..model.summary import friction_not_used
from .answers import Output
from .commands import command
from .options import Answer, Source, WrittenAnswer
from .parameters import writes


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


@command(
    "korba convert four-bar.toml four-bar.xml",
    target=writes("A .toml, .urdf or .xml (MJCF) file.", WRITERS, "OUT"),
)
def convert(source: Source, *, target: Path, answer: WrittenAnswer) -> None:
    """Write a mechanism in another format; what cannot be carried over is said."""
    answer.free(target)
    m = source.read()
    notes = [*m.notes, *friction_not_used(m)]
    out = Output(target, f"the mechanism {m.name!r}", lambda path: kb.save(m, path))
    answer({"source": str(source.file), "notes": notes}, _noted("", m).strip(), out)


@command("korba schema")
def schema(answer: Answer) -> None:
    """Print the JSON Schema of mechanism files."""
    typer.echo(json.dumps(kb.schema(), indent=2))


def _counted(word: str, count: int) -> str:
    return {"bodies": "body"}.get(word, word[:-1]) if count == 1 else word


def _noted(text: str, m: kb.Mechanism) -> str:
    """A text with the notes of a mechanism below it."""
    return "\n".join([text, *(f"  note: {note}" for note in (*m.notes, *friction_not_used(m)))])
