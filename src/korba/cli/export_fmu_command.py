"""`korba export-fmu`: a mechanism as a functional mock-up unit of FMI 3.0 or 2.0."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from ..export.fmu.build import PLATFORMS, VERSIONS
from ..export.fmu.export import METHODS
from ..export.fmu.export import export_fmu as exported
from .commands import command
from .completion import files, names
from .options import Sizes, Source, Start, WrittenAnswer
from .parameters import choice, option


@command("korba export-fmu four-bar.toml")
def export_fmu(
    source: Source,
    *,
    start: Start,
    out: Annotated[
        Path | None,
        option("The file to write; else NAME.fmu.", "--out", "-o", complete=files(".fmu")),
    ] = None,
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
    fmi: Annotated[
        str, choice(f"The version of FMI: {' or '.join(VERSIONS)}.", lambda: VERSIONS)
    ] = "3.0",
    platform: Annotated[
        list[str] | None,
        option(
            "Machine to have a library for, such as x86_64-windows; may be repeated.",
            complete=lambda: [*PLATFORMS],
        ),
    ] = None,
    answer: WrittenAnswer,
) -> None:
    """Write an FMU for other simulation programs, with generated C inside."""
    out = out or Path(f"{source.file.stem}.fmu")
    answer.free(out)
    m = source.read()
    names: dict[str, Any] = {"parameters": size or None, "drives": steered or ()}
    names |= {"method": method, "fmi": fmi, "platforms": platform or None}
    made = exported(m, out, **start.of(m), **names)
    listed = ("inputs", "outputs", "parameters")
    machine = f"for {', '.join(made.platforms)}" if made.platforms else "sources only"
    lines = [f"wrote {out}: {made.name}, {machine}"]
    lines += [f"  {key}: {', '.join(getattr(made, key)) or 'none'}" for key in listed]
    lines += [f"  note: {note}" for note in made.notes]
    data: dict[str, Any] = {key: list(getattr(made, key)) for key in (*listed, "notes")}
    data |= {"name": made.name, "platforms": list(made.platforms)}
    data |= {"files": [{"path": str(out), "what": f"the FMU {made.name}, {machine}"}]}
    answer(data, "\n".join(lines))
