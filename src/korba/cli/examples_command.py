"""`korba examples`: ready mechanisms, listed and written as files to start from."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ..errors import way_out
from ..files.disk import write_text
from ..files.toml_file import dumps, loads
from ..linkages.ready import ready
from .commands import AsJson, Overwrite, command, printed, refuse_existing

FILES = {"arm": "arm.toml", "irb-drive": "irb_drive.toml"}
"""Examples that are files of the package."""
Text = Callable[[], str]


@command
def examples(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One of the list.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to this file, else print it.")
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """List ready mechanisms, or copy one to start from."""
    known = every_example()
    if name is None:
        wide = max(map(len, known))
        lines = [f"{key:{wide}}  {what}" for key, (what, _) in known.items()]
        text = "\n".join([*lines, "", "korba examples NAME -o FILE writes one to start from."])
        printed({key: what for key, (what, _) in known.items()}, text, as_json)
        return
    key = name.lower().replace("_", "-")
    if key not in known:
        raise typer.BadParameter(
            f"there is no example {name!r}; {way_out(key, known)}", param_hint="NAME"
        )
    text = known[key][1]()
    if out is None:
        printed({"name": key, "text": text}, text, as_json)
        return
    refuse_existing(out, force)
    write_text(text, out)
    printed({"ok": True, "name": key, "target": str(out)}, f"wrote {out}", as_json)


def every_example() -> dict[str, tuple[str, Text]]:
    """What every example is, and its text as a file: builders first, then files."""
    made = {
        key: (what, lambda build=build: dumps(build())) for key, (what, build) in ready().items()
    }
    return made | {key: _embedded(file) for key, file in FILES.items()}


def _embedded(file: str) -> tuple[str, Text]:
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return loads(text, source=file).name, lambda: text
