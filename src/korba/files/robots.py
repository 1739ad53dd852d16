"""Robots by their names, from packages of robots where these are installed.

`example-robot-data` brings its files with it. `robot_descriptions` knows many more, and fetches the
files of a robot when it is first asked for it: then, and only then, the network is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any, overload

from ..door import public
from ..errors import FileError, KorbaError, way_out
from ..model.mechanism import Mechanism
from .any_file import read_any

OWN = "cmeel.prefix/share/example-robot-data/robots"
"""Where example-robot-data has its robots."""
KINDS = ("_description", "_mj_description")
"""Modules of robot_descriptions: those with a URDF file come first."""
NONE = (
    "robots by name need a package of robots, and none is installed; run: "
    "pip install 'korba[robots]', or pip install robot_descriptions, which knows more and fetches "
    "each at its first use"
)


@overload
def robots() -> tuple[str, ...]: ...
@overload
def robots(name: str, /, *, floating: bool | None = None) -> Mechanism: ...
@public
def robots(
    name: str | None = None, /, *, floating: bool | None = None
) -> Mechanism | tuple[str, ...]:
    """A well-known robot by its name, such as "panda", "ur5" or "talos"; without one all names.

    Files come from the packages `example-robot-data` (`pip install 'korba[robots]'`) and
    `robot_descriptions`, where they are installed; the latter fetches a robot's files from the
    network when it is first asked for it. `floating` says whether the base floats, as in
    `kb.read_urdf`.

        >>> kb.robots("panda").nv     # seven joints, and two fingers that move together
        8
    """
    known = _with_files()
    if name is None:
        return tuple(sorted({*known, *_described()}))
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    file = _first(known, key) or _fetched(key)
    if file is None:
        listed = robots()
        if not listed:
            raise KorbaError(NONE)
        raise FileError(f"there is no robot {name!r}; {way_out(key, listed)}")
    return read_any(file, floating)


def _first(known: Mapping[str, Path], key: str) -> Path | None:
    """The file of a name, that of its family, or of the robot with its longer name."""
    if key in known:
        return known[key]
    family = [file for file in known.values() if _family(file) == key]
    own = [file for name, file in known.items() if name.startswith(f"{key}_")]
    return min(family or own, key=lambda file: (len(file.stem), file.stem), default=None)


def _family(file: Path) -> str:
    """The folder of a robot, without what all folders end in."""
    parts = file.parts
    folder = parts[len(parts) - parts[::-1].index("robots")]
    return folder.removesuffix("_description").removesuffix("_data").lower()


@cache
def _with_files() -> dict[str, Path]:
    """Files of example-robot-data by their names."""
    try:
        folder = Path(str(distribution("example-robot-data").locate_file(OWN)))
    except PackageNotFoundError:
        return {}
    return {file.stem.lower(): file for file in sorted(folder.rglob("*.urdf"))}


@cache
def _described() -> dict[str, str]:
    """Modules of robot_descriptions by the names of their robots."""
    if find_spec("robot_descriptions") is None:
        return {}
    listed = import_module("robot_descriptions._descriptions").DESCRIPTIONS
    found: dict[str, str] = {}
    for kind in KINDS:
        for module in (name for name in listed if name.endswith(kind)):
            found.setdefault(module.removesuffix(kind), module)
    return {name: module for name, module in found.items() if not name.endswith("_mj")}


def _fetched(key: str) -> Path | None:
    """The file that robot_descriptions has, or fetches, for a robot."""
    module = _described().get(key)
    if module is None:
        return None
    try:
        own: Any = import_module(f"robot_descriptions.{module}")
    except Exception as error:  # of git, of the network, of a converter: each has its own
        raise KorbaError(f"robot_descriptions could not fetch {key!r}: {error}") from error
    return next(_paths(own), None)


def _paths(own: Any) -> Iterator[Path]:
    for name in ("URDF_PATH", "MJCF_PATH"):
        if hasattr(own, name):
            yield Path(getattr(own, name))
