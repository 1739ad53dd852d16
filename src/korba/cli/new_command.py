"""`korba new` writes a commented file to start from, `korba examples` lists and prints them."""

from __future__ import annotations

from pathlib import Path

import typer

from ..disk import write_text
from ..errors import unknown
from .answers import Output
from .commands import command
from .options import WrittenAnswer
from .parameters import Text, option, writes
from .starting_files import ALIASES, every_example, starting_file
from .terminal import quoted

ENDINGS = (".toml",)


def _name(text: str) -> Text:
    """The name of an example."""
    return option(text, "NAME", lambda: [*every_example(), *ALIASES])


@command(
    "korba new four-bar",
    name=_name("A kind, such as four-bar: korba examples lists all."),
    file=writes("The file; else NAME.toml.", ENDINGS, "FILE"),
    out=writes("The same as FILE.", ENDINGS, "--out -o"),
)
def new(
    name: str, *, file: Path | None = None, out: Path | None = None, answer: WrittenAnswer
) -> None:
    """Write a commented file to start from: sizes as parameters, a drive, and what to try next."""
    key = _key(name)
    if file is not None and out is not None:
        raise typer.BadParameter(f"the file is {file} already", param_hint="--out")
    _write(key, file or out or Path(f"{key}.toml"), answer)


@command(
    "korba examples four-bar",
    name=_name("One of the list, to print it."),
    out=writes("As korba new NAME FILE.", ENDINGS, "--out -o"),
)
def examples(*, name: str | None = None, out: Path | None = None, answer: WrittenAnswer) -> None:
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
