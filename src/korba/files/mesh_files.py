"""Where the mesh files of shapes are, as sources name them: `arm.stl`, `package://robot/arm.dae`.

A plain name is looked for in the folder that the mechanism was read from. A package is a folder of
that name: one above the file, beside one of those, or in a folder that ROS_PACKAGE_PATH or
AMENT_PREFIX_PATH names. Files are looked for, never opened: that is done when they are drawn.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..model.mechanism import Mechanism
from .urdf_parts import Findings

PACKAGE = ("package://", "model://")
MISSING = "files of meshes that are not there; their bodies are drawn as bars"
SEARCHED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
"""Variables of the environment that name folders of packages."""


def mesh_path(name: str, folder: str) -> Path | None:
    """The plain file that a source's name means; None where there is none."""
    for candidate in _candidates(name, Path(folder)) if folder else ():
        try:
            if candidate.is_file():
                return candidate
        except (OSError, ValueError):  # names that no file can have
            continue
    return None


def _candidates(name: str, folder: Path) -> Iterator[Path]:
    for scheme in PACKAGE:
        if name.startswith(scheme):
            rest = Path(name.removeprefix(scheme).lstrip("/"))
            package = rest.parts[0] if rest.parts else ""
            for above in (folder, *folder.parents):
                if above.name == package:
                    yield above.parent / rest
                yield above / rest
            for variable in SEARCHED:
                for place in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                    yield from (Path(place) / rest, Path(place) / "share" / rest)
            return
    yield folder / name.removeprefix("file://")


def read_from(m: Mechanism, path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism with the folder of its file, and a note of mesh files that are not there."""
    folder = str(Path(path).absolute().parent)
    findings, there = Findings(), dict[str, bool]()
    for body in m.bodies:
        for shape in body.shapes:
            if shape.kind == "mesh":
                known = there.setdefault(shape.file, mesh_path(shape.file, folder) is not None)
                if not known:
                    findings.note(MISSING, shape.file.rpartition("/")[2])
    own = [note for note in m.notes if not str(note).startswith(MISSING)]
    object.__setattr__(m, "folder", folder)
    object.__setattr__(m, "notes", (*own, *findings.sentences()))
    return m


def written_to(m: Mechanism, path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism as it is written to a file: mesh files that are there named from its folder."""
    folder = str(Path(path).absolute().parent)
    if not m.folder or m.folder == folder:
        return m
    bodies = []
    for body in m.bodies:
        shapes = list(body.shapes)
        for i, shape in enumerate(shapes):
            if shape.file and (place := mesh_path(shape.file, m.folder)):
                shapes[i] = replace(shape, file=_seen_from(place, folder))
        bodies.append(body if shapes == [*body.shapes] else replace(body, shapes=tuple(shapes)))
    return m if bodies == [*m.bodies] else replace(m, bodies=tuple(bodies))


def _seen_from(place: Path, folder: str) -> str:
    """The file's name from a folder; its whole path where that is on another disk."""
    try:
        return Path(os.path.relpath(place, folder)).as_posix()
    except ValueError:
        return place.as_posix()
