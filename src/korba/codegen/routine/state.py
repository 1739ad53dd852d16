"""States: numbers and vectors in (named) tuples and lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def leaves(state: Any) -> list[Any]:
    """Numbers and vectors of a state, in order."""
    if isinstance(state, tuple | list):
        return [leaf for part in state for leaf in leaves(part)]
    return [state]


def rebuilt(like: Any, values: Iterable[Any]) -> Any:
    """A state of the same form with other numbers and vectors."""
    left = iter(values)

    def made(x: Any) -> Any:
        if not isinstance(x, tuple | list):
            return next(left)
        parts = [made(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)

    return made(like)
