"""How far work is: a bar at a terminal for what takes more than a second, or a function's call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .libraries import undisturbed
from .working import PATIENCE, TELLER, at_terminal


class Progress:
    """Called with the time reached, or what else is counted; `close` removes the bar."""

    def __init__(
        self,
        wanted: bool | Callable[[float], object] | None,
        span: float,
        what: str,
        unit: str = "s",
    ) -> None:
        self.wanted, self.span, self.what, self.unit = wanted, span, what, unit
        self.begun = time.perf_counter()
        self._bar: Any = None

    def __call__(self, passed: float, t: float, said: str = "") -> None:
        """Show that `passed` seconds of the motion, or other units, are made, up to `t`.

        What is `said` stands beside the bar.
        """
        if callable(self.wanted):
            self.wanted(t)
            return
        if self._bar is None and self._due():
            TELLER.hush()
            self._bar = _bar(self.span, self.what, self.unit)
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=passed, description=said)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None
            TELLER.unhush()

    def _due(self) -> bool:
        if self.wanted is not None:
            return bool(self.wanted)
        return time.perf_counter() - self.begun > PATIENCE and at_terminal()


def _bar(span: float, what: str, unit: str) -> tuple[Any, Any]:
    with undisturbed():
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

    console = Console(stderr=True)
    made = f"{{task.completed:.4g}} of {{task.total:g}} {unit}"
    bar = Bar(
        TextColumn(what),
        BarColumn(),
        TextColumn(made),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=console.is_terminal,
    )
    bar.start()
    return bar, bar.add_task("", total=span)
