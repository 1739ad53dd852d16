"""`korba new` writes a commented file to start from, `korba examples` lists and prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..disk import write_text
from ..errors import way_out
from .answers import Output, answered, free, known
from .commands import command
from .completion import among, files
from .options import AsJson, Overwrite
from .starting_files import ALIASES, every_example, starting_file

NewFile = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="The file; else NAME.toml.", autocompletion=files(".toml")),
]


@command("korba new four-bar")
def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A kind, such as four-bar: korba examples lists all.",
            autocompletion=among(lambda: [*every_example(), *ALIASES]),
        ),
    ],
    out: NewFile = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a commented file to start from: sizes as parameters, a drive, and what to try next."""
    key = _key(name)
    target = out or Path(f"{key}.toml")
    _write(key, target, force, as_json)


@command("korba examples four-bar")
def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="One of the list, to print it.",
            autocompletion=among(lambda: [*every_example(), *ALIASES]),
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="As korba new NAME -o.", autocompletion=files(".toml")),
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """List ready mechanisms, or print one; `korba new` writes it to a file."""
    if name is None:
        listed = {key: what for key, (what, _) in every_example().items()}
        wide = max(map(len, listed))
        lines = [f"{key:{wide}}  {what}" for key, what in listed.items()]
        also = ", ".join(f"{key} ({own})" for key, own in ALIASES.items())
        lines += ["", f"Also: {also}.", "korba new NAME writes one to start from."]
        answered({"examples": listed}, "\n".join(lines), as_json)
        return
    key = _key(name)
    if out is not None:
        _write(key, out, force, as_json)
        return
    text = starting_file(key, f"{key}.toml")
    answered({"name": key, "text": text}, text.rstrip("\n"), as_json)


def _write(key: str, target: Path, force: bool, as_json: bool) -> None:
    known(target, (".toml",), "--out")
    free(force, target)
    text = starting_file(key, target.name)
    what = f"{every_example()[key][0]}; next: korba watch {target}"
    answered(
        {"name": key}, "", as_json, [Output(target, what, lambda path: write_text(text, path))]
    )


def _key(name: str) -> str:
    """A name as the list has it."""
    listed = every_example()
    key = name.lower().replace("_", "-").replace(" ", "-")
    key = ALIASES.get(key, key)
    if key not in listed:
        raise typer.BadParameter(
            f"there is no example {name!r}; {way_out(key, [*listed, *ALIASES])}", param_hint="NAME"
        )
    return key
