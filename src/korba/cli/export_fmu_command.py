"""`korba export-fmu`: a mechanism as a functional mock-up unit of FMI 3.0 or 2.0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import korba as kb

from ..export.fmu.build import PLATFORMS, VERSIONS
from ..export.fmu.export import METHODS
from .commands import command
from .completion import files, names
from .options import TEXTS, Source, Start, WrittenAnswer
from .parameters import choice, option


@command(
    "korba export-fmu four-bar.toml",
    kb.export_fmu,
    out=option("The file to write; else NAME.fmu.", "--out -o", files(".fmu")),
    parameters=TEXTS["parameters"],
    drives=option(
        "Drive whose motion is an input, not its law; may be repeated.", "--steer", names("drive")
    ),
    method=choice(f"How it makes its own steps: {' or '.join(METHODS)}.", METHODS),
    fmi=choice(f"The version of FMI: {' or '.join(VERSIONS)}.", VERSIONS),
    platforms=option(
        "Machine to have a library for, such as x86_64-windows; may be repeated.",
        "--platform",
        lambda: [*PLATFORMS],
    ),
)
def export_fmu(
    source: Source,
    *,
    start: Start,
    out: Path | None = None,
    answer: WrittenAnswer,
    **options: Any,
) -> None:
    """Write an FMU for other simulation programs, with generated C inside."""
    answer.free(out := source.beside(".fmu", out))
    m = source.read()
    made = kb.export_fmu(m, out, **start.of(m), **options)
    listed = ("inputs", "outputs", "parameters")
    machine = f"for {', '.join(made.platforms)}" if made.platforms else "sources only"
    lines = [f"wrote {out}: {made.name}, {machine}"]
    lines += [f"  {key}: {', '.join(getattr(made, key)) or 'none'}" for key in listed]
    lines += [f"  note: {note}" for note in made.notes]
    data = {key: list(getattr(made, key)) for key in (*listed, "notes")}
    made_file = {"path": str(out), "what": f"the FMU {made.name}, {machine}"}
    more = {"name": made.name, "platforms": list(made.platforms), "files": [made_file]}
    answer(data | more, "\n".join(lines))
