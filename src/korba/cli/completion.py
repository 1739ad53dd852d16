"""What a shell is told when somebody presses Tab: files by ending, and names in a mechanism's file.

A completion should be there at once, so names are looked up in the text of the file: it is not
checked, and nothing is solved. A file that cannot be read has no names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer

MECHANISMS = (".toml", ".urdf", ".sdf", ".mjcf", ".xml")
"""Endings of mechanism files."""
XML_TAGS = {"body": "link|body", "joint": "joint"}
"""Tags of URDF, SDF and MJCF whose names are completed."""
Completer = Callable[..., list[str]]


def files(*endings: str) -> Completer:
    """Files that end so, and folders; a folder that is the only one is looked into."""

    def listed(incomplete: str) -> list[str]:
        head, _, last = incomplete.rpartition("/")
        folder = f"{head}/" if head or incomplete.startswith("/") else ""
        while True:
            try:
                entries = sorted(Path(folder or ".").iterdir())
            except OSError:
                return []
            own = [p for p in entries if p.name.startswith(last) and (last or p.name[0] != ".")]
            dirs = [f"{folder}{p.name}/" for p in own if p.is_dir()]
            here = [f"{folder}{p.name}" for p in own if p.suffix.lower() in endings]
            if here or len(dirs) != 1:
                return here + dirs
            folder, last = dirs[0], ""

    return listed


def names(kind: str, ending: str = "") -> Completer:
    """Names of a kind in the file of the command: "joint", "body", "parameter", "point", ..."""

    def listed(ctx: typer.Context) -> list[str]:
        words = [ctx.params.get("file"), *ctx.args]  # an option without its value ends the parsing
        file = next((Path(str(word)) for word in words if word), Path())
        return [f"{name}{ending}" for name in names_in(file, kind)]

    return listed


def among(values: Callable[[], Iterable[str]]) -> Completer:
    """Values that are asked for when they are needed."""
    return lambda: list(values())


def names_in(file: Path, kind: str) -> list[str]:
    """Names of a kind in the text of a file."""
    try:
        text = file.read_text("utf-8")
        if file.suffix.lower() == ".toml":
            return _toml_names(tomllib.loads(text), kind)
    except (OSError, ValueError):
        return []
    tag = XML_TAGS.get(kind, "no such tag")
    return list(dict.fromkeys(re.findall(rf"<(?:{tag})\b[^>]*?\bname=[\"']([^\"']+)", text)))


def _toml_names(data: dict[str, Any], kind: str) -> list[str]:
    if kind == "parameter":
        return list(data.get("parameters", {}))
    if kind == "point":
        bodies = [("ground", data.get("points", {}))]
        bodies += [(body.get("name"), body.get("points", {})) for body in data.get("body", [])]
        return [f"{body}.{point}" for body, points in bodies for point in points]
    return [str(each.get("name", "")) for each in data.get(kind, [])]


def formulations() -> list[str]:
    """Names of all formulations."""
    from ..verbs.dynamics import formulations as listed

    return sorted({name for names in listed().values() for name in names})
