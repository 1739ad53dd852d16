"""Paper for pictures as SVG text: a scale, marks, labels that find a free place, and the frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from ...display import Drawing
from ...spatial.rotation import Array
from .labels import Ink, Labels
from .themes import on_dark, recoloured, refuse_other_themes

FONT = "font-family='Helvetica, Arial, sans-serif'"
SIZE = (560.0, 440.0)
"""Room for the figure, in pixels."""
MARGIN = 70.0
DOT = 3.0
"""Radius of a dot, in pixels."""
HALO = "stroke='white' stroke-width='4' stroke-linejoin='round'"


Point = Array | tuple[float, float]


@dataclass
class Sheet:
    """Paper: from the figure's coordinates to pixels, and its labels."""

    low: Array
    scale: float
    height: float
    labels: Labels

    def at(self, p: Array) -> Array:
        """Pixels of a point; y goes up in the figure."""
        x, y = (np.asarray(p) - self.low) * self.scale
        return np.array([MARGIN + x, MARGIN + self.height - y])

    def add_line(self, name: str, p: Array, q: Array) -> None:
        """A vector that labels keep off, in pixels; its own label stands nearest to it."""
        self.labels.keep_off(np.array([p, q]), 5.0, name)

    def label(self, text: str, near: Sequence[Array], color: str, size: int = 13) -> str:
        """A text beside one of some places."""
        font = f" {FONT} font-size='{size}'"
        ink = Ink(f"{font} fill='{color}'", f"{font} {HALO}", " stroke='#9ca3af'")
        return self.labels.text(text, near, size=size, ink=ink, indexed=True)


def sheet(points: Sequence[Array]) -> tuple[Sheet, float]:
    """Paper for a figure of these points, and its width."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    span = np.maximum(high - low, 1e-9 * max(1.0, float(np.abs(high).max())))
    span = np.maximum(span, 0.05 * span.max())
    scale = float(min(np.array(SIZE) / span))
    width, height = span * scale
    wide = max(float(width), 300.0)
    labels = Labels(wide + 2 * MARGIN, float(height) + 2 * MARGIN)
    return Sheet(low, scale, float(height), labels), wide


def dot(paper: Sheet, p: Array, text: str, color: str) -> str:
    """A point with its name."""
    x, y = paper.at(p)
    spot = f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{DOT:g}' fill='{color}'/>"
    return spot + paper.label(text, [paper.at(p)], color, 14)


def line(p: Point, q: Point, color: str, width: float, more: str = "") -> str:
    """A line between two points, in pixels."""
    return (
        f"<line x1='{p[0]:.1f}' y1='{p[1]:.1f}' x2='{q[0]:.1f}' y2='{q[1]:.1f}' "
        f"stroke='{color}' stroke-width='{width}'{more}/>"
    )


def polygon(corners: Iterable[Point], fill: str, more: str = "", title: str = "") -> str:
    """A filled polygon, in pixels."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    inside = f"<title>{escape(title)}</title>" if title else ""
    return f"<polygon points='{path}' fill='{fill}'{more}>{inside}</polygon>"


def words(at: Point, text: str, color: str, size: int = 12, more: str = "") -> str:
    """A text that begins, or as `more` says stands, at a place in pixels."""
    place = f"x='{at[0]:.1f}' y='{at[1]:.1f}' {FONT} font-size='{size}'{more}"
    return f"<text {place} fill='{color}'>{escape(text)}</text>"


def legend(
    entries: Mapping[str, str],
    left: float,
    top: float,
    *,
    step: float,
    mark: float = 20,
    dashes: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """A short line of its colour, and dashes, before every text; the line is `mark` long."""
    for i, (text, color) in enumerate(entries.items()):
        x = left + step * i
        dash = f" stroke-dasharray='{dashes[text]}'" if dashes and text in dashes else ""
        yield line((x, top), (x + mark, top), color, 3, dash)
        yield words((x + mark + 6, top + 4), text, "#374151")


def link(paper: Sheet, points: Iterable[Array], color: str, more: str, title: str) -> str:
    """A link in its colour, between points in their order round the middle."""
    corners = [paper.at(p) for p in points]
    middle = np.mean(corners, axis=0)
    corners.sort(key=lambda p: float(np.arctan2(*(p - middle)[::-1])))
    paper.labels.keep_off(np.array([*corners, corners[0]]), 7.0)
    return polygon(corners, color, more, title)


def coinciding(points: Sequence[Array]) -> list[list[int]]:
    """Numbers of the points, those at one place together."""
    size = max((float(np.abs(p).max()) for p in points), default=1.0) or 1.0
    places: list[list[int]] = []
    for i, p in enumerate(points):
        near = (place for place in places if np.abs(p - points[place[0]]).max() < 1e-6 * size)
        if (place := next(near, None)) is None:
            places.append([i])
        else:
            place.append(i)
    return places


def picture(
    title: str, width: float, height: float, body: Sequence[str], theme: str = "light"
) -> Drawing:
    """The whole picture, made on light paper, on that of a theme."""
    refuse_other_themes("draw", theme)
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    shown = "\n".join(["<rect width='100%' height='100%' fill='white'/>", *body])
    return Drawing(
        f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'>\n"
        f"<title>{escape(title)}</title>\n"
        f"{shown if theme == 'light' else recoloured(shown, on_dark())}\n</svg>\n"
    )
