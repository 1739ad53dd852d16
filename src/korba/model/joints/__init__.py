"""The joint types, one file each; a new file here is found by itself.

`JOINT_TYPES` maps the word a file uses (`type = "revolute"`) to the class.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from ..joint import Joint

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


def _concrete(cls: type[Joint]) -> Iterator[type[Joint]]:
    if cls.type:
        yield cls
    for child in cls.__subclasses__():
        yield from _concrete(child)


JOINT_TYPES: dict[str, type[Joint]] = {
    cls.type: cls for cls in sorted(_concrete(Joint), key=lambda cls: cls.type)
}
