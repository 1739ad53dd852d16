"""`korba export-fmu`: a mechanism as a functional mock-up unit of FMI 3.0."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..export.fmu.export import METHODS
from ..export.fmu.export import export_fmu as exported
from .commands import (
    AsJson,
    MechanismFile,
    Overwrite,
    StartCoordinates,
    StartVelocities,
    command,
    printed,
    read,
    refuse_existing,
    start_of,
)


@command
def export_fmu(
    file: MechanismFile,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write, such as arm.fmu.")],
    q: StartCoordinates = None,
    v: StartVelocities = None,
    size: Annotated[
        list[str] | None,
        typer.Option(help="Parameter that can be changed, repeated; without it all of them."),
    ] = None,
    drive: Annotated[
        list[str] | None,
        typer.Option(help="Drive whose motion is an input, not its law; may be repeated."),
    ] = None,
    method: Annotated[
        str, typer.Option(help=f"How it makes its own steps: {' or '.join(METHODS)}.")
    ] = "dop853",
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write an FMU (FMI 3.0) for other simulation programs, with generated C inside."""
    refuse_existing(out, force)
    m = read(file)
    names: dict[str, Any] = {"parameters": size or None, "drives": drive or ()}
    made = exported(m, out, **start_of(m, q, v), **names, method=method)
    listed = ("inputs", "outputs", "parameters")
    machine = f"for {made.platform}" if made.platform else "sources only"
    lines = [f"wrote {out}: {made.name}, {machine}"]
    lines += [f"  {key}: {', '.join(getattr(made, key)) or 'none'}" for key in listed]
    lines += [f"  note: {note}" for note in made.notes]
    data: dict[str, Any] = {key: list(getattr(made, key)) for key in (*listed, "notes")}
    data |= {"ok": True, "target": str(out), "name": made.name, "platform": made.platform}
    printed(data, "\n".join(lines), as_json)
