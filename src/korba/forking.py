"""What a forked process must not inherit: locks that other threads hold at that moment.

Those threads do not exist in the child, so nobody would ever open the locks: the child makes them
anew, and what was half made it makes itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cached_property
from threading import RLock


def at_fork(**calls: Callable[[], object]) -> None:
    """Call functions `before` a fork, `after_in_parent` or `after_in_child`, where there is one."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**calls)


def _open_cached_properties() -> None:
    """Python 3.11 has one lock for a cached property of all instances; later ones have none."""
    modules = [module for name, module in sys.modules.items() if name.startswith("korba.")]
    classes = {
        kind for module in modules for kind in vars(module).values() if isinstance(kind, type)
    }
    for kind in classes:
        for item in vars(kind).values():
            if isinstance(item, cached_property):
                item.lock = RLock()  # type: ignore[attr-defined]


if sys.version_info < (3, 12):
    at_fork(after_in_child=_open_cached_properties)
