"""What a package shows: the public names that its `__init__.pyi` lists, each loaded when asked for.

Importing the package then takes no time, and its names and where they live stand in one place, for
type checkers and for Python alike.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from .errors import nearest
from .libraries import module_by_module

Front = tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]


def shown(package: str, file: str) -> Front:
    """`__all__`, `__getattr__` and `__dir__` of a package, from the list beside its file."""
    names: list[str] = []
    homes: dict[str, str] = {}
    for node in ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            dots = "." * node.level
            homes |= {alias.name: f"{dots}{node.module or alias.name}" for alias in node.names}
        elif isinstance(node, ast.Assign):
            names = ast.literal_eval(node.value)

    def get(name: str) -> Any:
        """A public name, imported at its first use."""
        if name not in homes:
            raise AttributeError(_unknown(package, name, homes), name=name)
        with module_by_module():
            home = import_module(homes[name], package)
        value = home if homes[name] == f".{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        own = vars(sys.modules[package])
        return [*names, *(name for name in own if name.startswith("__"))]

    return names, get, listed


def _unknown(package: str, name: str, homes: dict[str, str]) -> str:
    """What is wrong with a name: where the rooms of the package have it, or the one most like it.

    `kb.instant_centres` is `kb.course.instant_centres`, and `kb.Wrench` is `kb.results.Wrench`.
    """
    said = f"module {package!r} has no attribute {name!r}"
    if name.startswith("_"):
        return said
    rooms = [room for room, home in homes.items() if home == f".{room}"]
    places = {x: f"{package}.{x}" for x in homes}
    for room in rooms:
        for x in getattr(import_module(f".{room}", package), "__all__", ()):
            places.setdefault(x, f"{package}.{room}.{x}")
    if name in places:
        return f"{said}; it is {_short(places[name])}"
    near = nearest(name, places)
    return f"{said}; did you mean {_short(places[near])}?" if near else said


def _short(path: str) -> str:
    """As users write it, who import korba as kb."""
    return path.replace("korba", "kb", 1)
