"""Korba: describe a mechanism or robot; get its mobility, its equations and its motion.

import korba as kb

m = kb.load("four_bar.toml")
print(kb.mobility(m))
"""

import ast as _ast
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any


def _public() -> tuple[list[str], dict[str, str]]:
    """The public names, and the module of each: `__init__.pyi` lists them once."""
    names: list[str] = []
    homes: dict[str, str] = {}
    for node in _ast.parse(_Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, _ast.ImportFrom):
            homes |= {alias.name: f".{node.module or alias.name}" for alias in node.names}
        elif isinstance(node, _ast.Assign):
            names = _ast.literal_eval(node.value)
    return names, homes


__all__, _HOMES = _public()


def __getattr__(name: str) -> _Any:
    """A public name is imported at its first use, so `import korba` takes no time."""
    if name not in _HOMES:
        raise AttributeError(f"module 'korba' has no attribute {name!r}")
    home = _import_module(_HOMES[name], __name__)
    value = home if _HOMES[name] == f".{name}" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
