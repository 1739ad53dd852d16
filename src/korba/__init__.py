"""Korba: describe a mechanism or robot; get its mobility, its equations and its motion.

import korba as kb

m = kb.load("four_bar.toml")
print(kb.mobility(m))
"""

import ast as _ast
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any


def _homes() -> dict[str, str]:
    """The module of every public name: `__init__.pyi` lists them once."""
    stub = _ast.parse(_Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, _ast.ImportFrom)]
    return {alias.name: f".{node.module}" for node in imports for alias in node.names}


def _sorting_key(name: str) -> tuple[int, str]:
    """Constants come first, then classes, then functions."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


_HOMES = _homes()
__all__ = sorted(_HOMES, key=_sorting_key)  # noqa: PLE0605


def __getattr__(name: str) -> _Any:
    """A public name is imported at its first use, so `import korba` takes no time."""
    if name not in _HOMES:
        raise AttributeError(f"module 'korba' has no attribute {name!r}")
    value = getattr(_import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
