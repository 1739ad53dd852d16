"""Work that takes more than a second says what it does, where somebody looks.

    with working("compiling"):
        ...

Pieces of work that follow each other soon count as one: many short compilations take long as well.
The line is written to standard error, or shown in a notebook, by a thread of its own, since who
works cannot. It is gone when the work is done. `KORBA_PROGRESS=off` says nothing.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from itertools import count
from threading import RLock, Thread
from time import monotonic, sleep
from typing import Any
from weakref import WeakValueDictionary

from .forking import at_fork

PATIENCE = 1.0
"""Seconds before anything is said."""
PAUSE = 0.5
"""Seconds without work after which the next is work of its own."""
EVERY = 0.1
"""Seconds between two looks."""
_SHOWN = ContextVar("shown", default=True)


@contextmanager
def without_bars() -> Iterator[None]:
    """Nothing is said by itself inside, and no bar appears."""
    before = _SHOWN.set(False)
    try:
        yield
    finally:
        _SHOWN.reset(before)


def at_terminal() -> bool:
    """Whether a bar may be shown: somebody looks at a terminal that can move its cursor."""
    seen = _SHOWN.get() and sys.stderr.isatty()
    return seen and os.environ.get("KORBA_PROGRESS") != "off" and os.environ.get("TERM") != "dumb"


def in_notebook() -> bool:
    """Whether cells of a notebook show what is displayed."""
    if "IPython" not in sys.modules:
        return False
    shell = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    wanted = _SHOWN.get() and os.environ.get("KORBA_PROGRESS") != "off"
    return wanted and type(shell).__name__ == "ZMQInteractiveShell"


class Task:
    """A piece of work; who is interrupted drops it."""

    def __init__(self, what: str, number: int) -> None:
        self.what, self.number = what, number


class Teller:
    """What all threads do now, and the line that says so."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._tasks: WeakValueDictionary[int, Task] = WeakValueDictionary()
        self._numbers = count()
        self._counts: Counter[str] = Counter()
        self._since = self._last = 0.0
        self._thread: Thread | None = None
        self._place: Terminal | Cell | None = None
        self._bars = 0

    def begin(self, what: str) -> Task:
        """A piece of work has begun."""
        task = Task(what, next(self._numbers))
        with self._lock:
            if not self._tasks and monotonic() - self._last > PAUSE:
                self._since, self._counts = monotonic(), Counter()
            self._counts[what] += 1
            self._tasks[task.number] = task
            if self._thread is None:
                notebook = in_notebook()
                self._thread = Thread(target=self._tell, args=(notebook,), daemon=True)
                self._thread.start()
        return task

    def end(self, task: Task) -> None:
        """It has ended; the line is gone before anybody goes on."""
        with self._lock:
            self._tasks.pop(task.number, None)
            self._last = monotonic()
            if not self._tasks:
                self._erase()

    def hush(self) -> None:
        """A bar stands at the terminal, which says enough."""
        with self._lock:
            self._bars += 1
            self._erase()

    def unhush(self) -> None:
        """It is gone."""
        with self._lock:
            self._bars -= 1

    def forget(self) -> None:
        """In a forked process: what is done is its parent's work."""
        self.__init__()  # type: ignore[misc]

    def _tell(self, notebook: bool) -> None:
        """Look now and then, until there is nothing more to say."""
        while True:
            sleep(EVERY)
            with self._lock:
                doing = [task.what for task in self._tasks.values()]
                if not doing:
                    self._erase()
                    if monotonic() - self._last > PAUSE:
                        self._thread = None
                        return
                elif not self._bars and monotonic() - self._since > PATIENCE:
                    self._place = self._place or (Cell() if notebook else Terminal())
                    self._place.show(self._line(doing))

    def _line(self, doing: list[str]) -> str:
        """What is asked, and what is done for it now."""
        number = self._counts[doing[-1]]
        if doing[-1] == doing[0]:
            return f"{doing[0]} ..."
        return f"{doing[0]}: {doing[-1]}{f', {number} so far' if number > 1 else ''} ..."

    def _erase(self) -> None:
        if self._place is not None:
            self._place.erase()
            self._place = None


class Terminal:
    """A line on standard error."""

    def show(self, line: str) -> None:
        """Write it over the one before."""
        sys.stderr.write(f"\r\x1b[2K{line}")
        sys.stderr.flush()

    def erase(self) -> None:
        """Leave an empty line to write on."""
        self.show("")


class Cell:
    """A place in the output of a notebook's cell."""

    handle: Any = None

    def show(self, line: str) -> None:
        """Show it in place of the one before."""
        display: Any = import_module("IPython.display").display  # who has a notebook has it
        content = {"text/plain": line} if line else {}
        if self.handle is None:
            self.handle = display(content, raw=True, display_id=True)
        else:
            self.handle.update(content, raw=True)

    def erase(self) -> None:
        """Leave nothing to see."""
        self.show("")


TELLER = Teller()
at_fork(after_in_child=TELLER.forget)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is done inside, if it takes long and somebody looks."""
    if not (at_terminal() or in_notebook()):
        yield
        return
    task = TELLER.begin(what)
    try:
        yield
    finally:
        TELLER.end(task)
