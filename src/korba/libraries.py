"""Libraries that are loaded when they are first needed: whole, or refused in a sentence.

Those that are interrupted halfway through their import cannot be imported again in the same
process: NumPy refuses to be loaded twice, networkx and SciPy miss parts of themselves. So whoever
imports one when it is first needed says so,

    with undisturbed():
        from scipy.optimize import brentq

and the interrupt comes when that is done. One that may be missing is asked for by `library`.

Our own modules are imported whole, but not all at once: an interrupt comes before the next of them
is begun. Those that have asked for it are at their own imports then, with nothing defined yet, and
are imported again by whoever asks again.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import current_thread, main_thread
from typing import Any

from .errors import KorbaError

PACKAGE = f"{__package__}."


@contextmanager
def undisturbed() -> Iterator[None]:
    """An interrupt that comes inside is handled at the end, by whoever would have handled it."""
    before = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before):
        yield  # Python handles signals in its main thread alone
        return
    waiting: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *given: waiting.append(given))
    _HELD.append((waiting, before))
    try:
        yield
    finally:
        _HELD.remove((waiting, before))
        signal.signal(signal.SIGINT, before)
        for given in waiting[:1]:
            before(*given)


_HELD: list[tuple[list[tuple[Any, ...]], Callable[..., Any]]] = []
"""Interrupts that wait, and who handles them."""


class _BetweenModules:
    """Lets an interrupt in before a module of ours is begun, by which libraries are not halved."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        """No module is found here: an interrupt that waits is handled."""
        if _HELD and name.startswith(PACKAGE) and current_thread() is main_thread():
            waiting, before = _HELD[0]
            if len(_HELD) == 1 and waiting:
                given = waiting.pop()
                waiting.clear()
                before(*given)


@contextmanager
def module_by_module() -> Iterator[None]:
    """What is imported inside is ours: an interrupt comes between two modules, or at the end."""
    sys.meta_path.insert(0, _BetweenModules)
    try:
        with undisturbed():
            yield
    finally:
        sys.meta_path.remove(_BetweenModules)


def library(name: str, missing: str) -> Any:
    """A module of a library that may be missing; `missing` says what needs it, and the way out."""
    try:
        with undisturbed():
            return import_module(name)
    except ImportError as error:
        raise KorbaError(missing) from error
