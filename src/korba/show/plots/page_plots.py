"""Lines in panels by plotly, for a page: one can zoom, and read values under the mouse."""

from __future__ import annotations

from typing import Any

from ...libraries import library
from ..schemes.themes import THEMES
from .curves import look
from .panels import Panel, Plot

STYLES = {"solid": "solid", "dashed": "dash", "dotted": "dot"}
HEIGHT, SQUARE = 260, 400
"""Pixels of a panel."""


def figure(plot: Plot) -> Any:
    """The figure of a plot, or the way to plotly."""
    subplots = library(
        "plotly.subplots",
        "this page needs plotly, which is not installed: pip install 'korba[plot]'; "
        "an .svg file is written without it",
    )
    across = min(plot.across, len(plot.panels))
    down = -(-len(plot.panels) // across)
    high = [SQUARE if panel.equal else HEIGHT for panel in plot.panels[::across]]
    sheet = subplots.make_subplots(
        down,
        across,
        row_heights=high,
        vertical_spacing=min(110 / sum(high), 1 / max(down - 1, 1)),
        horizontal_spacing=0.28 if across > 1 else 0.0,
        subplot_titles=[panel.title for panel in plot.panels],
    )
    colours = THEMES[plot.theme]
    for k, panel in enumerate(plot.panels):
        _draw(sheet, panel, k, divmod(k, across), plot.theme)
    sheet.update_layout(
        title=plot.title,
        height=sum(high) + 140,
        width=1250 if across > 1 else 900,
        paper_bgcolor=colours["paper"],
        plot_bgcolor=colours["paper"],
        font_color=colours["ink"],
        template="none",
    )
    return sheet


def page(plot: Plot) -> str:
    """A page of its own, which needs no network."""
    return str(figure(plot).to_html(include_plotlyjs=True, full_html=True))


def _draw(sheet: Any, panel: Panel, k: int, place: tuple[int, int], theme: str) -> None:
    colours = THEMES[theme]
    where = {"row": place[0] + 1, "col": place[1] + 1}
    number = "" if k == 0 else str(k + 1)
    for i, line in enumerate(panel.lines):
        colour, dash = look(i, line, theme)
        style = {"color": colour, "dash": STYLES[dash], "width": line.width, "simplify": False}
        sheet.add_scatter(
            x=line.x,
            y=line.y,
            name=line.name,
            mode="lines" if len(line.x) > 1 else "markers",
            line=style,
            opacity=line.opacity,
            legend=f"legend{number}",
            showlegend=panel.legend,
            **where,
        )
    for x in panel.upright:
        sheet.add_vline(x, line={"color": colours["ink"], "dash": "dot", "width": 1}, **where)
    grid = {"gridcolor": colours["ghost"], "linecolor": colours["ink"], "mirror": True}
    grid |= {"zeroline": panel.origin, "zerolinecolor": colours["soft"], "automargin": True}
    sheet.update_xaxes(title_text=panel.x, title_standoff=4, **grid, **where)
    sheet.update_yaxes(title_text=panel.y, **grid, **where)
    if panel.equal:
        sheet.update_yaxes(scaleanchor=f"x{number}", **where)
    elif panel.limits:
        sheet.update_yaxes(range=panel.limits, **where)
    subplot = sheet.get_subplot(where["row"], where["col"])
    right, top = subplot.xaxis.domain[1], subplot.yaxis.domain[1]
    beside = {"x": right + 0.01, "y": top, "xanchor": "left", "yanchor": "top"}
    sheet.update_layout({f"legend{number}": beside})
