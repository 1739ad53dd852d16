"""A picture of a driven motion: paths of points in the plane, and coordinates over time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..trajectory.point_motion import PointMotion
from ..trajectory.trajectory import Trajectory
from .figure import draw_columns, new_figure, write_figure


def draw_paths(motion: Trajectory, paths: Mapping[str, PointMotion], target: Path) -> None:
    """Write a picture (.svg, .png or .pdf) of a motion; it needs matplotlib."""
    figure = new_figure()
    count = 3 if paths else 2
    panels = figure.subplots(count, 1)
    for panel, prefix, label in zip(
        panels, ("", "v_"), ("coordinates", "velocities"), strict=False
    ):
        names = [prefix + name for name in (motion.velocities if prefix else motion.coordinates)]
        draw_columns(panel, motion, names)
        panel.set_ylabel(label)
        panel.set_xlabel("t, s")
    for name, path in paths.items():
        panels[-1].plot(path.position[:, 0], path.position[:, 1], label=name)
        panels[-1].set_aspect("equal", adjustable="datalim")
        panels[-1].set_xlabel("x, m")
        panels[-1].set_ylabel("y, m")
    write_figure(figure, panels, motion.mechanism.name or "mechanism", target)
