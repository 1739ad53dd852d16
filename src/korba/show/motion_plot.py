"""A picture of a simulated motion: coordinates, velocities and energies in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import KorbaError
from ..simulation.solution import Solution

ENDINGS = (".svg", ".png", ".pdf")
MOST_LINES = 12
"""Lines in one panel; more cannot be told apart."""


def draw_motion(solution: Solution, path: Path) -> None:
    """Write a picture (.svg, .png or .pdf) of a solution; it needs matplotlib."""
    figure = new_figure()
    panels = figure.subplots(3, 1, sharex=True)
    m = solution.mechanism
    _lines(panels[0], solution, m.coordinates)
    _lines(panels[1], solution, [f"v_{name}" for name in m.velocities])
    panels[0].set_ylabel("coordinates")
    panels[1].set_ylabel("velocities")
    kinetic, potential = solution.energy
    for label, values in (
        ("kinetic", kinetic),
        ("potential", potential),
        ("work", solution.work),
        ("balance", solution.balance),
    ):
        panels[2].plot(solution.t, values, label=label)
    panels[2].set_ylabel("energy, J")
    panels[2].set_xlabel("t, s")
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(f"{m.name or 'mechanism'}: {solution.message}")
    try:
        figure.savefig(path, bbox_inches="tight")
    except OSError as error:
        raise KorbaError(f"cannot write {path}: {error.strerror}") from error


def _lines(panel: Any, solution: Solution, names: Any) -> None:
    for name in names[:MOST_LINES]:
        panel.plot(solution.t, solution[name], label=name)


def new_figure() -> Any:
    """An empty figure, or the way to matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KorbaError(
            "a picture needs matplotlib, which is not installed: pip install 'korba[plot]'"
        ) from error
    return Figure(figsize=(8, 8), layout="constrained")
