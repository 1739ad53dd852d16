"""`korba export-fmu`: a mechanism as a functional mock-up unit of FMI 3.0."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..export.fmu.export import METHODS
from ..export.fmu.export import export_fmu as exported
from .answers import answered, free, one_of, read, start_of
from .commands import command
from .completion import among, files, names
from .options import (
    AsJson,
    Floating,
    MechanismFile,
    Overwrite,
    Sizes,
    StartCoordinates,
    StartVelocities,
)


@command("korba export-fmu four-bar.toml -o four-bar.fmu")
def export_fmu(
    file: MechanismFile,
    *,
    floating: Floating = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="The file to write, such as arm.fmu.",
            autocompletion=files(".fmu"),
        ),
    ],
    q: StartCoordinates = None,
    v: StartVelocities = None,
    size: Sizes = None,
    steered: Annotated[
        list[str] | None,
        typer.Option(
            "--steer",
            help="Drive whose motion is an input, not its law; may be repeated.",
            autocompletion=names("drive"),
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help=f"How it makes its own steps: {' or '.join(METHODS)}.",
            autocompletion=among(lambda: METHODS),
        ),
    ] = "dop853",
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write an FMU (FMI 3.0) for other simulation programs, with generated C inside."""
    one_of(method, METHODS, "--method")
    free(force, out)
    m = read(file, floating)
    names: dict[str, Any] = {"parameters": size or None, "drives": steered or ()}
    made = exported(m, out, **start_of(m, q, v), **names, method=method)
    listed = ("inputs", "outputs", "parameters")
    machine = f"for {made.platform}" if made.platform else "sources only"
    lines = [f"wrote {out}: {made.name}, {machine}"]
    lines += [f"  {key}: {', '.join(getattr(made, key)) or 'none'}" for key in listed]
    lines += [f"  note: {note}" for note in made.notes]
    data: dict[str, Any] = {key: list(getattr(made, key)) for key in (*listed, "notes")}
    data |= {"name": made.name, "platform": made.platform}
    data |= {"files": [{"path": str(out), "what": f"the FMU {made.name}, {machine}"}]}
    answered(data, "\n".join(lines), as_json)
