"""Pictures of motions by matplotlib: columns over time, and paths of points in the plane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import KorbaError
from ..files.disk import replaced
from ..trajectory.places import PointMotion
from ..trajectory.trajectory import Trajectory

ENDINGS = (".svg", ".png", ".pdf")
"""Endings of the files that a figure can be written to."""
MOST_LINES = 12
"""Lines in one panel; more cannot be told apart."""


def draw_motion(moved: Trajectory, path: Path) -> None:
    """Write a picture (.svg, .png or .pdf) of a simulated motion; it needs matplotlib."""
    figure = new_figure()
    panels = figure.subplots(3, 1, sharex=True)
    _draw_state(panels, moved)
    _draw_columns(panels[2], moved, ["kinetic", "potential", "work", "balance"], "energy, J")
    panels[2].set_xlabel("t, s")
    _write(figure, panels, f"{moved.mechanism.name or 'mechanism'}: {moved.message}", path)


def draw_paths(motion: Trajectory, paths: Mapping[str, PointMotion], target: Path) -> None:
    """Write a picture (.svg, .png or .pdf) of a driven motion; it needs matplotlib."""
    figure = new_figure()
    panels = figure.subplots(3 if paths else 2, 1)
    _draw_state(panels, motion)
    for panel in panels[:2]:
        panel.set_xlabel("t, s")
    for name, path in paths.items():
        panels[-1].plot(path.position[:, 0], path.position[:, 1], label=name)
        panels[-1].set_aspect("equal", adjustable="datalim")
        panels[-1].set_xlabel("x, m")
        panels[-1].set_ylabel("y, m")
    _write(figure, panels, motion.mechanism.name or "mechanism", target)


def new_figure(size: tuple[float, float] = (8, 8)) -> Any:
    """An empty figure, or the way to matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KorbaError(
            "a picture needs matplotlib, which is not installed: pip install 'korba[plot]'"
        ) from error
    return Figure(figsize=size, layout="constrained")


def _draw_state(panels: Any, moved: Trajectory) -> None:
    """Coordinates in the first panel, velocities in the second."""
    _draw_columns(panels[0], moved, moved.coordinates, "coordinates")
    _draw_columns(panels[1], moved, [f"v_{name}" for name in moved.velocities], "velocities")


def _draw_columns(panel: Any, moved: Trajectory, names: Sequence[str], label: str) -> None:
    """Columns over time, by their names."""
    for name in names[:MOST_LINES]:
        panel.plot(moved.t, moved[name], label=name)
    panel.set_ylabel(label)


def _write(figure: Any, panels: Iterable[Any], title: str, path: Path) -> None:
    """Give the panels grids and legends, the figure its title, and write it."""
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(title)
    with replaced(path) as file:
        figure.savefig(file, bbox_inches="tight", format=path.suffix[1:].lower())
