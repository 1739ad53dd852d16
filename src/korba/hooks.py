"""What a room asks of a room below it: hooks that rooms declare and the front of korba fills.

A mechanism closes its sketch when it is made, so `model` needs what only `positions` knows. It
asks for it here, by name; the front, which may import every room, says where that is found, and
loads it when it is first asked for. There is no other way past the order of rooms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LOADS: dict[str, Callable[[], Any]] = {}


def fill(name: str, load: Callable[[], Any]) -> None:
    """Say what a hook stands for: `load` imports it when it is asked for."""
    _LOADS[name] = load


def asked(name: str) -> Any:
    """What a hook stands for."""
    return _LOADS[name]()
