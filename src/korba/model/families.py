"""One file for each kind: a folder of classes is read as a whole, a new file found by itself.

`type = "revolute"` in a file of a mechanism names the class whose `type` that is.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def types_in(base: type[T], package: str, path: Iterable[str]) -> dict[str, type[T]]:
    """All classes of the base in the modules of a package, by the word of their `type`."""
    for module in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{module.name}")
    return {cls.type: cls for cls in sorted(_named(base), key=lambda cls: str(cls.type))}


def _named(cls: Any) -> Iterator[Any]:
    """The class and those under it that have a word."""
    if cls.type:
        yield cls
    for child in cls.__subclasses__():
        yield from _named(child)
