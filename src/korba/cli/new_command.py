"""`korba new` writes a commented file to start from, `korba examples` lists and prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..disk import write_text
from ..errors import unknown
from .answers import Output
from .commands import command
from .options import WrittenAnswer
from .parameters import known, writes
from .starting_files import ALIASES, every_example, starting_file
from .terminal import quoted

ENDINGS = (".toml",)


def _name(text: str) -> Any:
    """The name of an example."""
    return typer.Argument(
        metavar="NAME", help=text, autocompletion=lambda: [*every_example(), *ALIASES]
    )


@command("korba new four-bar")
def new(
    name: Annotated[str, _name("A kind, such as four-bar: korba examples lists all.")],
    *,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file; else NAME.toml.")
    ] = None,
    out: Annotated[Path | None, writes("The same as FILE.", ENDINGS, "--out", "-o")] = None,
    answer: WrittenAnswer,
) -> None:
    """Write a commented file to start from: sizes as parameters, a drive, and what to try next."""
    key = _key(name)
    known(file, ENDINGS, "FILE")
    if file is not None and out is not None:
        raise typer.BadParameter(f"the file is {file} already", param_hint="--out")
    _write(key, file or out or Path(f"{key}.toml"), answer)


@command("korba examples four-bar")
def examples(
    *,
    name: Annotated[str | None, _name("One of the list, to print it.")] = None,
    out: Annotated[Path | None, writes("As korba new NAME FILE.", ENDINGS, "--out", "-o")] = None,
    answer: WrittenAnswer,
) -> None:
    """List ready mechanisms, or print one; `korba new` writes it to a file."""
    if name is None:
        listed = {key: what for key, (what, _) in every_example().items()}
        wide = max(map(len, listed))
        lines = [f"{key:{wide}}  {what}" for key, what in listed.items()]
        also = ", ".join(f"{key} ({own})" for key, own in ALIASES.items())
        lines += ["", f"Also: {also}.", "korba new NAME writes one to start from."]
        answer({"examples": listed}, "\n".join(lines))
        return
    key = _key(name)
    if out is not None:
        _write(key, out, answer)
        return
    text = starting_file(key, f"{key}.toml")
    answer({"name": key, "text": text}, text.rstrip("\n"))


def _write(key: str, target: Path, answer: WrittenAnswer) -> None:
    answer.free(target)
    text = starting_file(key, target.name)
    what = f"{every_example()[key][0]}; next: korba watch {quoted(target)}"
    answer({"name": key}, "", Output(target, what, lambda path: write_text(text, path)))


def _key(name: str) -> str:
    """A name as the list has it."""
    listed = every_example()
    key = name.lower().replace("_", "-").replace(" ", "-")
    key = ALIASES.get(key, key)
    if key not in listed:
        raise typer.BadParameter(unknown("example", name, [*listed, *ALIASES]), param_hint="NAME")
    return key
