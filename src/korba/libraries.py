"""Libraries that are loaded when they are first needed: whole, or refused in a sentence.

Those that are interrupted halfway through their import cannot be imported again in the same
process: NumPy refuses to be loaded twice, networkx and SciPy miss parts of themselves. So whoever
imports one when it is first needed says so,

    with undisturbed():
        from scipy.optimize import brentq

and the interrupt comes when that is done. One that may be missing is asked for by `library`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import current_thread, main_thread
from typing import Any

from .errors import KorbaError


@contextmanager
def undisturbed() -> Iterator[None]:
    """An interrupt that comes inside is handled at the end, by whoever would have handled it."""
    before = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before):
        yield  # Python handles signals in its main thread alone
        return
    waiting: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *given: waiting.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        for given in waiting[:1]:
            before(*given)


def library(name: str, missing: str) -> Any:
    """A module of a library that may be missing; `missing` says what needs it, and the way out."""
    try:
        with undisturbed():
            return import_module(name)
    except ImportError as error:
        raise KorbaError(missing) from error
