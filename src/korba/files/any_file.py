"""Files of any format, told apart by their ending and, for XML, by their root element."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..disk import read_text
from ..door import public
from ..errors import FileError
from ..model.mechanism import Mechanism
from ..wording import given, named
from . import toml_file
from .mjcf_read import read_mjcf
from .mjcf_write import write_mjcf
from .sdf_read import read_sdf
from .urdf_read import read_urdf
from .urdf_write import write_urdf

READERS: dict[str, Callable[[Path], Mechanism]] = {
    ".toml": toml_file.load,
    ".urdf": read_urdf,
    ".mjcf": read_mjcf,
    ".sdf": read_sdf,
}
ROBOTS: dict[str, Callable[..., Mechanism]] = {".urdf": read_urdf, ".sdf": read_sdf}
"""Those that take `floating`, for the files do not say what holds the base."""
WRITERS: dict[str, Callable[[Mechanism, Path], None]] = {
    ".toml": toml_file.save,
    ".urdf": write_urdf,
    ".xml": write_mjcf,
    ".mjcf": write_mjcf,
}
ROOTS = {"<mujoco": ".mjcf", "<sdf": ".sdf"}
"""What an XML file is by its root element; else URDF."""


@public
def load(path: str | os.PathLike[str], /, **parameters: float | str) -> Mechanism:
    """The mechanism in a TOML file; `parameters` replace those of the file: `l1="80 mm"`.

    Files that end in .urdf, .sdf, .mjcf or .xml are read as `kb.read_urdf`, `kb.read_sdf` and
    `kb.read_mjcf` do. Whatever is wrong with the file is one FileError that lists every fault with
    its line.
    """
    file = Path(path)
    if file.suffix.lower() in {*READERS, ".xml"} - {".toml"}:
        if parameters:
            raise FileError(
                f"{file}: {', '.join(parameters)} cannot be given, as only TOML files have "
                f"parameters; convert it first ({named('save')})"
            )
        return read_any(file)
    return toml_file.load(path, **parameters)


@public
def save(m: Mechanism, path: str | os.PathLike[str], /) -> None:
    """Write a mechanism to a TOML file, or as URDF or MJCF where its name ends so (.urdf, .xml).

    One that was read from a TOML file keeps its comments, its order and the way its values are
    written; only what has changed is written anew.
    """
    file = Path(path)
    WRITERS.get(file.suffix.lower(), toml_file.save)(m, file)


def read_any(path: Path, floating: bool | None = None) -> Mechanism:
    """The mechanism in a TOML, URDF, SDF or MJCF file.

    `floating` is that of `kb.read_urdf` and `kb.read_sdf`; other files say themselves what floats.
    """
    suffix = path.suffix.lower()
    if suffix == ".xml":
        text = read_text(path)
        suffix = next((kind for tag, kind in ROOTS.items() if tag in text), ".urdf")
    if suffix not in READERS:
        known = ", ".join([*READERS, ".xml"])
        raise FileError(f"{path}: cannot tell the format from {suffix!r}; known are {known}")
    if floating is None:
        return READERS[suffix](path)
    if suffix not in ROBOTS:
        asked = given("read_urdf", floating=floating)
        raise FileError(f"{path}: {asked} is for URDF and SDF files; this one says what floats")
    return ROBOTS[suffix](path, floating=floating)
