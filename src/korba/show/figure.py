"""Figures of matplotlib: an empty one, lines over time, and writing it to a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..errors import KorbaError
from ..trajectory.trajectory import Trajectory

ENDINGS = (".svg", ".png", ".pdf")
"""Endings of the files that a figure can be written to."""
MOST_LINES = 12
"""Lines in one panel; more cannot be told apart."""


def new_figure() -> Any:
    """An empty figure, or the way to matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KorbaError(
            "a picture needs matplotlib, which is not installed: pip install 'korba[plot]'"
        ) from error
    return Figure(figsize=(8, 8), layout="constrained")


def draw_columns(panel: Any, moved: Trajectory, names: Sequence[str]) -> None:
    """Columns over time, by their names."""
    for name in names[:MOST_LINES]:
        panel.plot(moved.t, moved[name], label=name)


def write_figure(figure: Any, panels: Iterable[Any], title: str, path: Path) -> None:
    """Give the panels grids and legends, the figure its title, and write it."""
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(title)
    try:
        figure.savefig(path, bbox_inches="tight")
    except OSError as error:
        raise KorbaError(f"cannot write {path}: {error.strerror}") from error
