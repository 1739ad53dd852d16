"""`korba draw`, `live` and `report`: the picture of a mechanism, and pages about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..files.disk import write_text
from ..show.draw import draw as drawn
from ..show.live import live as living
from ..show.report import report as written
from .commands import (
    AsJson,
    MechanismFile,
    Overwrite,
    OwnPage,
    Theme,
    command,
    printed,
    read,
    refuse_existing,
)


@command
def draw(
    file: MechanismFile,
    *,
    at: Annotated[
        list[str] | None,
        typer.Option(help="Value of a coordinate, A='30 deg'; may be repeated."),
    ] = None,
    pose: Annotated[str | None, typer.Option(help="Name of a pose of the file.")] = None,
    masses: Annotated[bool, typer.Option("--masses", help="Show centres of mass.")] = False,
    names: Annotated[bool, typer.Option(help="Show the names of joints.")] = True,
    theme: Theme = "light",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The picture; else FILE's name.svg.")
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Draw the mechanism in standard symbols, as SVG."""
    values = dict(_value(each) for each in at or ())
    target = _target(file, out, ".svg", force=force)
    picture = drawn(read(file), values or pose, masses=masses, names=names, theme=theme)
    write_text(picture, target)
    printed({"ok": True, "target": str(target)}, f"wrote {target}", as_json)


@command
def live(
    file: MechanismFile,
    *,
    coordinate: Annotated[
        str | None, typer.Option(help="The input; else that of the first drive.")
    ] = None,
    path: Annotated[str, typer.Option(help="Point whose curve is drawn, coupler.P.")] = "",
    theme: Theme = "light",
    out: OwnPage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a page in which the mechanism lives: drag its crank, and sliders for its lengths."""
    target = _target(file, out, ".html", force=force)
    write_text(living(read(file), coordinate, path=path, theme=theme), target)
    printed({"ok": True, "target": str(target)}, f"wrote {target}", as_json)


@command
def report(
    file: MechanismFile,
    *,
    theme: Theme = "light",
    out: OwnPage = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write all that Korba knows of the mechanism on one page, with the mechanism alive in it."""
    target = _target(file, out, ".html", force=force)
    written(read(file), target, theme=theme)
    printed({"ok": True, "target": str(target)}, f"wrote {target}", as_json)


def _target(file: Path, out: Path | None, ending: str, *, force: bool) -> Path:
    """The file to write, which is not there yet unless `force`."""
    target = Path(file.with_suffix(ending).name) if out is None else out
    refuse_existing(target, force)
    return target


def _value(given: str) -> tuple[str, str]:
    """Name and value of A=30 deg."""
    name, sign, value = given.partition("=")
    if not sign:
        raise typer.BadParameter(f"expected A='30 deg', got {given!r}", param_hint="--at")
    return name.strip(), value.strip()
