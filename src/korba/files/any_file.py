"""Files of any format, told apart by their ending and, for XML, by their root element."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import FileError
from ..model.mechanism import Mechanism
from .disk import read_text
from .mjcf_read import read_mjcf
from .toml_file import load, save
from .urdf_read import read_urdf
from .urdf_write import write_urdf

READERS: dict[str, Callable[[Path], Mechanism]] = {
    ".toml": load,
    ".urdf": read_urdf,
    ".mjcf": read_mjcf,
}
WRITERS: dict[str, Callable[[Mechanism, Path], None]] = {".toml": save, ".urdf": write_urdf}


def read_any(path: Path) -> Mechanism:
    """The mechanism in a TOML, URDF or MJCF file."""
    suffix = path.suffix.lower()
    if suffix == ".xml":
        suffix = ".mjcf" if "<mujoco" in read_text(path) else ".urdf"
    if suffix not in READERS:
        known = ", ".join([*READERS, ".xml"])
        raise FileError(f"{path}: cannot tell the format from {suffix!r}; known are {known}")
    return READERS[suffix](path)


def write_any(m: Mechanism, path: Path) -> None:
    """Write a mechanism in the format that the ending names."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        known = ", ".join(WRITERS)
        raise FileError(f"{path}: cannot write {suffix or 'a file without an ending'}; use {known}")
    WRITERS[suffix](m, path)
