"""A picture of a simulated motion: coordinates, velocities and energies in time."""

from __future__ import annotations

from pathlib import Path

from ..simulation.solution import Solution
from .figure import draw_columns, new_figure, write_figure


def draw_motion(solution: Solution, path: Path) -> None:
    """Write a picture (.svg, .png or .pdf) of a solution; it needs matplotlib."""
    figure = new_figure()
    panels = figure.subplots(3, 1, sharex=True)
    m = solution.mechanism
    draw_columns(panels[0], solution.t, solution, m.coordinates)
    draw_columns(panels[1], solution.t, solution, [f"v_{name}" for name in m.velocities])
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
    title = f"{m.name or 'mechanism'}: {solution.message}"
    write_figure(figure, panels, title, path)
