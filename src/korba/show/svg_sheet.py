"""Paper for pictures as SVG text: a scale, marks, labels that find a free place, and the frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from xml.sax.saxutils import escape

import numpy as np

from ..display import Drawing
from ..spatial.rotation import Array

FILLS = ("#dbeafe", "#d1fae5", "#fef3c7", "#ede9fe", "#fee2e2", "#e5e7eb")
"""Shades of links."""
FONT = "font-family='Helvetica, Arial, sans-serif'"
SIZE = (560.0, 440.0)
"""Room for the figure, in pixels."""
MARGIN = 70.0
HALO = "stroke='white' stroke-width='4' stroke-linejoin='round'"


Point = Array | tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


@dataclass
class Sheet:
    """Paper: from the figure's coordinates to pixels, and the places that labels took."""

    low: Array
    scale: float
    height: float
    taken: list[Box] = field(default_factory=list)
    lines: dict[str, Array] = field(default_factory=dict)
    """Points along every vector, in pixels: labels keep off them."""

    def at(self, p: Array) -> Array:
        """Pixels of a point; y goes up in the figure."""
        x, y = (np.asarray(p) - self.low) * self.scale
        return np.array([MARGIN + x, MARGIN + self.height - y])

    def add_line(self, name: str, p: Array, q: Array) -> None:
        """A vector that labels keep off, in pixels."""
        s = np.linspace(0.0, 1.0, 2 + int(np.linalg.norm(q - p) / 10))[:, None]
        self.lines[name] = p + s * (q - p)

    def label(self, text: str, near: Sequence[Array], color: str, size: int = 13) -> str:
        """A text beside one of some places, where it is free and nearest to its own vector."""
        half = np.array([0.58 * size * len(_plain(text)), size]) / 2
        angles = np.radians([-45, 0, 45, -90, 90, 180, -135, 135])
        lowest, box = np.inf, (0.0, 0.0, 0.0, 0.0)
        for p, reach, angle in product(near, (1.0, 1.7, 2.6), angles):
            middle = p + (half + 7 * reach) * np.array([np.cos(angle), np.sin(angle)])
            place = (*(middle - half), *(middle + half))
            cost = self._cost(text, place, middle) + reach
            if cost < lowest - 1e-9:
                lowest, box = cost, place
        self.taken.append(box)
        x, y = box[0], (box[1] + box[3]) / 2 + 0.35 * size
        start = f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}'"
        marked = _marked(text)
        return f"{start} {HALO}>{marked}</text>{start} fill='{color}'>{marked}</text>"

    def _cost(self, name: str, box: Box, middle: Array) -> float:
        """Labels and vectors that it covers, and whether another vector is nearer than its own."""
        cost = 20.0 * sum(_overlap(box, other) for other in self.taken)
        apart = {}
        for other, points in self.lines.items():
            low, high = np.array(box[:2]) - 2, np.array(box[2:]) + 2
            cost += 4.0 * bool(np.any(np.all((points > low) & (points < high), axis=1)))
            apart[other] = float(np.linalg.norm(points - middle, axis=1).min())
        own = apart.pop(name, None)
        if own is not None:
            cost += 6.0 * sum(distance < own for distance in apart.values())
        return cost


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _plain(text: str) -> str:
    return text.replace("^", "").replace("_", "")


def _marked(text: str) -> str:
    """`a^n_CB` with the n raised and CB lowered."""
    head, _, index = text.partition("_")
    letter, _, power = head.partition("^")
    parts = escape(letter)
    if power:
        parts += f"<tspan dy='-5' font-size='9'>{escape(power)}</tspan>"
    if index:
        parts += f"<tspan dy='{8 if power else 4}' font-size='9'>{escape(index)}</tspan>"
    return parts


def sheet(points: Sequence[Array]) -> tuple[Sheet, float]:
    """Paper for a figure of these points, and its width."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    span = np.maximum(high - low, 1e-9 * max(1.0, float(np.abs(high).max())))
    span = np.maximum(span, 0.05 * span.max())
    scale = float(min(np.array(SIZE) / span))
    width, height = span * scale
    return Sheet(low, scale, float(height)), max(float(width), 300.0)


def dot(paper: Sheet, p: Array, text: str, color: str) -> str:
    """A point with its name."""
    x, y = paper.at(p)
    mark = f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{color}'/>"
    return mark + paper.label(text, [np.array([x, y])], color, 14)


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
    entries: Mapping[str, str], left: float, top: float, *, step: float, mark: float = 20
) -> Iterator[str]:
    """A short line of its colour before every text, side by side; the line is `mark` long."""
    for i, (text, color) in enumerate(entries.items()):
        x = left + step * i
        yield line((x, top), (x + mark, top), color, 3)
        yield words((x + mark + 6, top + 4), text, "#374151")


def link(paper: Sheet, points: Iterable[Array], number: int, more: str, title: str) -> str:
    """A link, shaded by its number, between points in their order round the middle."""
    corners = [paper.at(p) for p in points]
    middle = np.mean(corners, axis=0)
    corners.sort(key=lambda p: float(np.arctan2(*(p - middle)[::-1])))
    return polygon(corners, FILLS[number % len(FILLS)], more, title)


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


def picture(title: str, width: float, height: float, body: Sequence[str]) -> Drawing:
    """The whole picture."""
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'>",
        f"<title>{escape(title)}</title>",
        "<rect width='100%' height='100%' fill='white'/>",
        *body,
        "</svg>",
        "",
    ]
    return Drawing("\n".join(lines))
