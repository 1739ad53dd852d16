"""Values that belong to a mechanism: made at their first use, forgotten with the mechanism."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from ..model.mechanism import Mechanism

T = TypeVar("T")

_kept: dict[int, tuple[Any, dict[Any, Any]]] = {}


def kept_value(m: Mechanism, key: Any, make: Callable[[], T]) -> T:
    """What `make` gives for a mechanism; it must not hold on to the mechanism itself."""
    number = id(m)
    if number not in _kept:
        _kept[number] = (weakref.ref(m, partial(_forgotten, _kept, number)), {})
    values = _kept[number][1]
    if key not in values:
        values[key] = make()
    return values[key]


def _forgotten(kept: dict[int, Any], number: int, _: Any) -> None:
    """Called when a mechanism is gone, even while Python ends and modules are empty."""
    kept.pop(number, None)
