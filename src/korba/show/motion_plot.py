"""A picture of a simulated motion: coordinates, velocities and energies in time."""

from __future__ import annotations

from pathlib import Path

from ..trajectory.trajectory import Trajectory
from .figure import draw_columns, new_figure, write_figure


def draw_motion(moved: Trajectory, path: Path) -> None:
    """Write a picture (.svg, .png or .pdf) of a simulated motion; it needs matplotlib."""
    figure = new_figure()
    panels = figure.subplots(3, 1, sharex=True)
    draw_columns(panels[0], moved, moved.coordinates)
    draw_columns(panels[1], moved, [f"v_{name}" for name in moved.velocities])
    panels[0].set_ylabel("coordinates")
    panels[1].set_ylabel("velocities")
    draw_columns(panels[2], moved, ["kinetic", "potential", "work", "balance"])
    panels[2].set_ylabel("energy, J")
    panels[2].set_xlabel("t, s")
    title = f"{moved.mechanism.name or 'mechanism'}: {moved.message}"
    write_figure(figure, panels, title, path)
