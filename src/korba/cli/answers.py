"""What commands read, print and write: answers for people or as JSON, and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import typer

from ..errors import FileError
from ..files.any_file import READERS, read_any
from ..files.robots import robots
from ..model.mechanism import Mechanism
from ..trajectory.trajectory import FINISHED, INTERRUPTED
from .commands import STOPPED
from .parameters import known


class Output(NamedTuple):
    """A file that is written where one is asked for, and what it holds."""

    path: Path | None
    what: str
    write: Callable[[Path], object]


def answered(
    data: Mapping[str, Any], text: str, as_json: bool, files: Iterable[Output] = ()
) -> None:
    """Print an answer and write its files; JSON is one object, which lists them."""
    wanted = [file for file in files if file.path is not None]
    if text and not as_json:
        typer.echo(text)
    for path, what, write in wanted:
        write(Path(str(path)))
        if not as_json:
            typer.echo(f"wrote {path}: {what}")
    if as_json:
        listed = [{"path": str(file.path), "what": file.what} for file in wanted]
        whole = {"ok": True, **data, **({"files": listed} if listed else {})}
        typer.echo(json.dumps(_finite(whole), indent=2, allow_nan=False))


def _finite(data: Any) -> Any:
    """Data in which what is no number is null."""
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


def ended(status: str) -> None:
    """The exit status of a run: 0 if it finished, 130 if it was interrupted, else 1."""
    if status != FINISHED:
        raise typer.Exit(STOPPED if status == INTERRUPTED else 1)


def read(file: Path, floating: bool | None = None) -> Mechanism:
    """The mechanism of a file in any format that its ending names, or a robot by its name."""
    if is_name(file) and not file.exists():
        return robots(str(file), floating=floating)
    known(file, [*READERS, ".xml"], "FILE")
    return read_any(file, floating)


def is_name(file: Path) -> bool:
    """Whether it may be the name of a robot: a word without ending and folder."""
    return file.name == str(file) and not file.suffix


def free(force: bool, *files: Path | None) -> None:
    """Files that are there are not overwritten unless asked; said before any work is done."""
    for file in files:
        if file is not None and file.exists() and not force:
            raise FileError(f"{file}: is there already; give another name, or say --force")


def assignments(given: Iterable[str] | None, hint: str, example: str) -> dict[str, str]:
    """Values by name, from texts such as `A=30 deg`."""
    values = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"expected {example}, got {text!r}", param_hint=hint)
        values[name.strip()] = value.strip()
    return values
