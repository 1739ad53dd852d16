"""Lines in panels by matplotlib, for print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...disk import replaced
from ...libraries import library
from ..schemes.themes import THEMES
from .curves import look
from .panels import Panel, Plot

STYLES = {"solid": "-", "dashed": "--", "dotted": ":"}


def figure(plot: Plot) -> Any:
    """The figure of a plot, or the way to matplotlib."""
    figures = library(
        "matplotlib.figure",
        "this picture needs matplotlib, which is not installed: pip install 'korba[plot]'; "
        "an .svg file is written without it",
    )
    across = min(plot.across, len(plot.panels))
    down = -(-len(plot.panels) // across)
    high = [3.6 if panel.equal else 2.4 for panel in plot.panels[::across]]
    colours = THEMES[plot.theme]
    sheet = figures.Figure((8.0 if across == 1 else 12.0, sum(high) + 0.6), layout="constrained")
    sheet.set_facecolor(colours["paper"])
    axes = sheet.subplots(down, across, squeeze=False, height_ratios=high).ravel()
    for axis, panel in zip(axes, plot.panels, strict=False):
        _draw(axis, panel, plot.theme)
    for axis in axes[len(plot.panels) :]:
        axis.set_visible(False)
    sheet.suptitle(plot.title, color=colours["ink"])
    return sheet


def write(plot: Plot, path: Path) -> None:
    """Write it to a .png or .pdf file."""
    drawn = figure(plot)
    with replaced(path) as file:
        drawn.savefig(file, format=path.suffix[1:].lower(), dpi=150)


def _draw(axis: Any, panel: Panel, theme: str) -> None:
    colours = THEMES[theme]
    ink = colours["ink"]
    for k, line in enumerate(panel.lines):
        colour, dash = look(k, line, theme)
        single = {"marker": "o", "markersize": 4} if np.isfinite(line.y).sum() == 1 else {}
        style: dict[str, Any] = {"linestyle": STYLES[dash], "linewidth": 0.8 * line.width}
        style["alpha"] = line.opacity
        axis.plot(line.x, line.y, label=line.name, color=colour, **style, **single)
    for x in panel.upright:
        axis.axvline(x, color=ink, linestyle=":", linewidth=1)
    if panel.origin:
        axis.plot([0], [0], "+", color=ink)
    if panel.equal:
        axis.set_aspect("equal", adjustable="datalim")
    elif panel.limits:
        axis.set_ylim(panel.limits)
    axis.set_title(panel.title, fontsize="medium", color=ink)
    axis.set_xlabel(panel.x, color=ink)
    axis.set_ylabel(panel.y, color=ink)
    axis.set_facecolor(colours["paper"])
    axis.tick_params(colors=ink)
    for side in axis.spines.values():
        side.set_color(ink)
    axis.grid(color=colours["ghost"], linewidth=0.6)
    if panel.legend:
        beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False}
        axis.legend(fontsize="small", labelcolor=ink, **beside)
