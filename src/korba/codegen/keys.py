"""Stable keys: the content of a value as text that is the same in every process.

Two values have one key only where they have the same type and content, to the last bit of every
number. Values made of Korba's own frozen dataclasses, expressions, arrays and plain Python data
have a key; anything else has none, because nobody knows what it depends on.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from korba.expr import Expr

_OWN = "korba."


class _NoKeyError(Exception):
    """The value has no stable key."""


def stable_key(*values: object) -> str | None:
    """The key of the values together, or None where one of them has none."""
    try:
        return digest(*values)
    except _NoKeyError:
        return None


def digest(*values: object) -> str:
    """A hash of values that have a key."""
    content = _Content()
    content.add(values)
    return sha256("\n".join(content.lines).encode()).hexdigest()


class _Content:
    """Lines of text that tell one value from another; a node of a graph is listed once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._places: dict[Expr, int] = {}

    def add(self, value: Any) -> None:
        """The lines of a value."""
        if isinstance(value, Expr):
            self.lines.append(f"= {self._place(value)}")
        elif value is None or isinstance(value, bool | str | bytes):
            self.lines.append(repr(value))
        elif isinstance(value, int | float):
            self.lines.append(repr(int(value)) if isinstance(value, int) else float(value).hex())
        elif isinstance(value, tuple | list):
            self._listed("sequence", value)
        elif isinstance(value, dict):
            self._listed("mapping", [x for item in value.items() for x in item])
        elif isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
            self._listed("array", (value.dtype.str, value.shape, value.tobytes()))
        else:
            self._add_dataclass(value)

    def _listed(self, head: str, values: Any) -> None:
        self.lines.append(f"{head} {len(values)}")
        for value in values:
            self.add(value)

    def _place(self, root: Expr) -> int:
        places, waiting = self._places, [root]
        while waiting:
            node = waiting[-1]
            missing = [arg for arg in node.args if arg not in places]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if node not in places:
                places[node] = len(places)
                args = [str(places[arg]) for arg in node.args]
                value = node.value.hex() if isinstance(node.value, float) else repr(node.value)
                self.lines.append(" ".join([node.op, *args]) if args else value)
        return places[root]

    def _add_dataclass(self, value: Any) -> None:
        """The fields that count when two values are compared, of a frozen class of this package.

        A program gives its digest, which is computed once.
        """
        kind = type(value)
        if not is_dataclass(kind) or not kind.__module__.startswith(_OWN):
            raise _NoKeyError
        if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise _NoKeyError
        known = getattr(value, "digest", None)
        own = [(item.name, getattr(value, item.name)) for item in fields(kind) if item.compare]
        self._listed(f"{kind.__module__}.{kind.__qualname__}", [known] if known else own)
