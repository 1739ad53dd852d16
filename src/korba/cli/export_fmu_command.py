"""`korba export-fmu`: a mechanism as a functional mock-up unit of FMI 3.0."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from ..export.fmu.export import METHODS
from ..export.fmu.export import export_fmu as exported
from .commands import command
from .completion import files, names
from .options import Sizes, Source, Start, WrittenAnswer
from .parameters import choice, option


@command("korba export-fmu four-bar.toml -o four-bar.fmu")
def export_fmu(
    source: Source,
    *,
    start: Start,
    out: Annotated[
        Path,
        option("The file to write, such as arm.fmu.", "--out", "-o", complete=files(".fmu")),
    ],
    size: Sizes = None,
    steered: Annotated[
        list[str] | None,
        option(
            "Drive whose motion is an input, not its law; may be repeated.",
            "--steer",
            complete=names("drive"),
        ),
    ] = None,
    method: Annotated[
        str, choice(f"How it makes its own steps: {' or '.join(METHODS)}.", lambda: METHODS)
    ] = "dop853",
    answer: WrittenAnswer,
) -> None:
    """Write an FMU (FMI 3.0) for other simulation programs, with generated C inside."""
    answer.free(out)
    m = source.read()
    names: dict[str, Any] = {"parameters": size or None, "drives": steered or ()}
    made = exported(m, out, **start.of(m), **names, method=method)
    listed = ("inputs", "outputs", "parameters")
    machine = f"for {made.platform}" if made.platform else "sources only"
    lines = [f"wrote {out}: {made.name}, {machine}"]
    lines += [f"  {key}: {', '.join(getattr(made, key)) or 'none'}" for key in listed]
    lines += [f"  note: {note}" for note in made.notes]
    data: dict[str, Any] = {key: list(getattr(made, key)) for key in (*listed, "notes")}
    data |= {"name": made.name, "platform": made.platform}
    data |= {"files": [{"path": str(out), "what": f"the FMU {made.name}, {machine}"}]}
    answer(data, "\n".join(lines))
