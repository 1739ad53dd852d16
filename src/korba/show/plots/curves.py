"""Lines in panels as SVG, without other libraries: round ticks, units, and a legend.

Panels that stand below each other over one quantity share its axis: one range, ticks in line, texts
below the last. The legend is beside a panel that has its row to itself, else below it; so plots of
one width have one size of panels and of texts. On a page for phones there is one column.
The page is as large as its texts need: widths are estimated from their letters as in labels.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from ...display import Drawing
from ...spatial.rotation import Array
from ..schemes.labels import WIDE
from ..schemes.paper import BRIGHT, HUES
from ..schemes.svg_sheet import words
from ..schemes.themes import THEMES
from .panels import Line, Panel, Plot

WIDTH, HEIGHT = 560.0, 190.0
"""Of a panel between its axes; narrower where panels stand side by side."""
NARROW, SQUARE = 340.0, 320.0
"""Width of panels side by side, and height of those with one scale on both axes."""
PHONE = 262.0
"""Width of panels on a phone."""
LETTER, SMALL = 12, 11
"""Sizes of texts."""
ROW = 17.0
"""Between entries of a legend."""
SAMPLE = 26.0
"""Length of a line in a legend."""
DASHES = {"solid": "", "dashed": "7 4", "dotted": "2 4"}
ROUNDS = ("solid", "dashed", "dotted")
"""Dashes of lines whose colours are used up."""
DEGREES = (1, 2, 5, 10, 15, 30, 45, 60, 90, 180, 360)
"""Steps between ticks of angles."""
DOT = 3.0
"""Pixels below which a curve, as the hodograph of a constant force, is a dot of that radius."""
NEAR = 0.02
"""Pixels by which a point may be off the line between its neighbours and be left out."""


class Axis(NamedTuple):
    """From values to pixels, with ticks at round values."""

    low: float
    high: float
    start: float
    """Pixels of the low end."""
    end: float
    ticks: Array
    power: int = 0
    """Ticks are written in units of 10 to this."""

    def at(self, values: Array) -> Array:
        """Pixels of values."""
        share = (np.asarray(values, dtype=float) - self.low) / (self.high - self.low)
        return np.asarray(self.start + share * (self.end - self.start))

    def texts(self) -> list[str]:
        """What is written at the ticks, all with the same number of decimals."""
        scaled = self.ticks / 10.0**self.power
        step = float(scaled[1] - scaled[0]) if len(scaled) > 1 else 1.0
        decimals = next((d for d in range(7) if abs(round(step, d) - step) < 1e-6 * step), 7)
        return [f"{value + 0.0:.{decimals}f}".replace("-", "−") for value in scaled]


def drawn(plot: Plot, *, phone: bool = False) -> Drawing:
    """The picture of a plot, for a phone 360 pixels wide."""
    across = 1 if phone else min(plot.across, len(plot.panels))
    wide = PHONE if phone else WIDTH if across == 1 else NARROW
    cells = [
        Cell(panel, plot.theme, wide, beside=across == 1 and not phone) for panel in plot.panels
    ]
    for k in range(across):
        _share(cells[k::across])
    margins = [max(cell.margin for cell in cells[k::across]) for k in range(across)]
    rooms = [max(cell.room for cell in cells[k::across]) for k in range(across)]
    edges = np.concatenate([[0.0], np.cumsum(np.add(margins, rooms))])
    body: list[str] = []
    top, page = 44.0, float(edges[-1])
    for start in range(0, len(cells), across):
        row = cells[start : start + across]
        high = max(cell.high for cell in row)
        for cell, edge, margin in zip(row, edges[:-1], margins, strict=False):
            cell.high = cell.high if cell.panel.equal else high
            cell.place(edge, edge + margin, top)
            body += cell.drawn()
        top = max(cell.bottom for cell in row)
    colours, size = THEMES[plot.theme], 13 if phone else 15
    page = max(page, 0.0 if phone else 40.0 + WIDE * 15 * len(plot.title))
    dimensions = f"width='{page:.0f}' height='{top:.0f}' viewBox='0 0 {page:.0f} {top:.0f}'"
    head = words((page / 2, 26), plot.title, colours["ink"], size, " text-anchor='middle'")
    return Drawing(
        f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-plot' {dimensions} role='img'>"
        f"<title>{escape(plot.title)}</title>"
        f"<rect width='100%' height='100%' fill='{colours['paper']}'/>{head}{''.join(body)}</svg>\n"
    )


def _share(column: Sequence[Cell]) -> None:
    """Give panels below each other over one quantity one axis; its texts are below the last."""
    for above, below in pairwise(column):
        if above.panel.x == below.panel.x and not (above.panel.equal or below.panel.equal):
            below.group, above.last = above.group, False
            above.group.append(below)
    for cell in column:
        if cell.group[0] is cell:
            windows = [own.window for own in cell.group]
            ends = min(w[0] for w in windows), max(w[1] for w in windows)
            wide = max(own.wide for own in cell.group)
            for own in cell.group:
                own.window, own.wide = (*ends, *own.window[2:]), wide


class Cell:
    """A panel on the page with all that stands round it."""

    def __init__(self, panel: Panel, theme: str, wide: float, *, beside: bool) -> None:
        self.beside, self.phone = beside, wide == PHONE
        self.group, self.last = [self], True
        self.panel, self.theme, self.colours = panel, theme, THEMES[theme]
        self.names = [line.name for line in panel.lines]
        self.high = max(
            SQUARE if panel.equal else HEIGHT,
            ROW * len(self.names) * (panel.legend and beside) + 8,
            WIDE * LETTER * (len(panel.y) + 4),
        )
        least = max(WIDE * 13 * len(panel.title), WIDE * LETTER * len(panel.x))
        least = min(least, wide) if self.phone else least
        self.edge = self.left = self.top = 0.0
        self.wide, self.window = _window(panel, max(wide, least), max(least, 240.0), self.high)
        self.margin = max(WIDE * SMALL * len(text) for text in ["", *self._upright().texts()]) + 42
        longest = max(map(len, self.names), default=0)
        self.room = self.wide + 18
        if panel.legend and beside:
            self.room += SAMPLE + 22 + WIDE * LETTER * longest

    def place(self, edge: float, left: float, top: float) -> None:
        """Put it on the page: its left edge, that of its frame, and what is above it."""
        self.edge, self.left, self.top = edge, left, top + (26.0 if self.panel.title else 10.0)
        pixels = left, left + self.wide
        self.x = _axis(self.window[:2], pixels, self.panel.x, self.wide / 75)
        self.y = self._upright()
        self.under = self.top + self.high + (48 if self.last else 12)
        self.entries = [*self._below()] if self.panel.legend and not self.beside else []
        rows = max((y for _, y in self.entries), default=-1) + 1
        self.bottom = self.under + ROW * rows + 6 * bool(rows)

    def _below(self) -> Iterator[tuple[float, int]]:
        """Where entries of a legend below the panel begin, and in which row."""
        start = x = self.left - (40 if self.phone else 0)
        row, end = 0, self.left + self.wide
        for name in self.names:
            wide = SAMPLE + 20 + WIDE * LETTER * len(name)
            if x > start and x + wide > end + 12:
                x, row = start, row + 1
            yield x, row
            x += wide

    def _upright(self) -> Axis:
        pixels = self.top + self.high, self.top
        return _axis(
            self.window[2:], pixels, self.panel.y, self.high / (50 if self.panel.equal else 30)
        )

    def drawn(self) -> Iterator[str]:
        """Everything in it."""
        ink = self.colours["ink"]
        middle = self.left + self.wide / 2
        if self.panel.title:
            at = (self.edge + 8, self.top - 8) if self.phone else (middle, self.top - 8)
            more = "" if self.phone else " text-anchor='middle'"
            yield words(at, self.panel.title, ink, 12 if self.phone else 13, more)
        yield from self._grid()
        for value in self.panel.upright:
            (at,) = self.x.at(np.array([value]))
            dotted = f"stroke='{ink}' stroke-dasharray='2 4'"
            yield f"<path d='M{at:.1f},{self.top:.1f} v{self.high:.1f}' {dotted}/>"
        frame = f"width='{self.wide:.1f}' height='{self.high:.1f}' fill='none' stroke='{ink}'"
        yield (
            f"<rect class='frame' {self._told()}x='{self.left:.1f}' y='{self.top:.1f}' {frame} "
            "stroke-opacity='.55'/>"
        )
        box = f"x='{self.left:.0f}' y='{self.top:.0f}' width='{self.wide:.0f}'"
        view = f"viewBox='{self.left:.0f} {self.top:.0f} {self.wide:.0f} {self.high:.0f}'"
        yield f"<svg {box} height='{self.high:.0f}' {view}>"
        if self.panel.origin:
            x, y = float(self.x.at(np.zeros(()))), float(self.y.at(np.zeros(())))
            yield f"<path d='M{x - 6:.1f},{y:.1f} h12 M{x:.1f},{y - 6:.1f} v12' stroke='{ink}'/>"
        for k, line in enumerate(self.panel.lines):
            yield self._line(k, line)
        yield "</svg>"
        yield from self._legend() if self.panel.legend else ()
        if self.last:
            name = _powered(self.panel.x, self.x.power)
            under = self.top + self.high + 36
            yield words((middle, under), name, ink, LETTER, " text-anchor='middle'")
        x, y = self.edge + 16, self.top + self.high / 2
        turned = f" text-anchor='middle' transform='rotate(-90 {x:.1f} {y:.1f})'"
        yield words((x, y), _powered(self.panel.y, self.y.power), ink, LETTER, turned)

    def _told(self) -> str:
        """What a page needs for a cursor that goes over all panels of one axis."""
        if self.panel.equal or any(np.any(np.diff(line.x) < 0) for line in self.panel.lines):
            return ""
        name = escape(self.panel.x, {"'": "&#39;"})
        return f"data-axis='{name}' data-low='{self.x.low:.9g}' data-high='{self.x.high:.9g}' "

    def _grid(self) -> Iterator[str]:
        """Lines at round values, and the values outside the frame."""
        ink, pale = self.colours["ink"], f"stroke='{self.colours['ghost']}' stroke-width='.8'"
        for at, text in zip(self.x.at(self.x.ticks), self.x.texts(), strict=True):
            yield f"<path d='M{at:.1f},{self.top:.1f} v{self.high:.1f}' {pale}/>"
            if self.last:
                under = self.top + self.high + 16
                yield words((at, under), text, ink, SMALL, " text-anchor='middle'")
        for at, text in zip(self.y.at(self.y.ticks), self.y.texts(), strict=True):
            yield f"<path d='M{self.left:.1f},{at:.1f} h{self.wide:.1f}' {pale}/>"
            yield words((self.left - 6, at + 4), text, ink, SMALL, " text-anchor='end'")

    def _stroke(self, k: int, line: Line) -> str:
        """Colour, width and dashes of a line."""
        colour, dash = look(k, line, self.theme)
        dashes = f" stroke-dasharray='{DASHES[dash]}'" if DASHES[dash] else ""
        faint = f" stroke-opacity='{line.opacity:g}'" if line.opacity < 1 else ""
        return f"stroke='{colour}' stroke-width='{line.width:g}'{dashes}{faint}"

    def _line(self, k: int, line: Line) -> str:
        pixels = np.column_stack([self.x.at(line.x), self.y.at(line.y)])
        there = pixels[np.isfinite(pixels).all(axis=1)]
        if len(there) and np.ptp(there, axis=0).max() < DOT:
            x, y = there.mean(axis=0)
            colour, _ = look(k, line, self.theme)
            return f"<circle class='curve' cx='{x:.1f}' cy='{y:.1f}' r='{DOT}' fill='{colour}'/>"
        way = _way(pixels)
        round_ = "fill='none' stroke-linejoin='round' stroke-linecap='round'"
        return f"<path class='curve' d='{way}' {self._stroke(k, line)} {round_}/>"

    def _legend(self) -> Iterator[str]:
        for (k, line), (x, row) in zip(enumerate(self.panel.lines), self.entries, strict=False):
            y = self.under + ROW * (row + 0.4)
            yield f"<path d='M{x:.1f},{y:.1f} h{SAMPLE}' {self._stroke(k, line)}/>"
            yield words((x + SAMPLE + 6, y + 4), line.name, self.colours["ink"], LETTER)
        if not self.beside:
            return
        left = self.left + self.wide + 12
        top = self.top + max(8.0, (self.high - ROW * len(self.names)) / 2)
        for k, line in enumerate(self.panel.lines):
            y = top + ROW * k
            yield f"<path d='M{left:.1f},{y:.1f} h{SAMPLE}' {self._stroke(k, line)}/>"
            yield words((left + SAMPLE + 6, y + 4), line.name, self.colours["ink"], LETTER)


def look(k: int, line: Line, theme: str) -> tuple[str, str]:
    """Colour and dash of a line by its place in the panel; dashes change when colours repeat."""
    if line.hue == -1:
        return THEMES[theme]["ink"], line.dash
    place = k if line.hue is None else line.hue
    turn = place // len(HUES) % len(ROUNDS)
    hue = (BRIGHT if theme == "dark" else HUES)[place % len(HUES)]
    return hue, ROUNDS[turn] if line.dash == "solid" else line.dash


def ends(values: Array) -> tuple[float, float]:
    """The least and the largest value with some room; of constants a range round them."""
    own = values[np.isfinite(values)]
    if not own.size:
        return -1.0, 1.0
    low, high = float(own.min()), float(own.max())
    largest = max(abs(low), abs(high))
    if high - low <= 1e-9 * largest or high == low:
        room = 0.1 * largest or 1.0
        return low - room, high + room
    return low, high


def _window(
    panel: Panel, most: float, least: float, high: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Width of the frame, and ends of x and y; one scale for both where that is asked for."""
    origin = [np.zeros(1)] if panel.origin else []
    x, y = (
        np.array(ends(np.concatenate([*origin, *each])))
        for each in ([line.x for line in panel.lines], [line.y for line in panel.lines])
    )
    y = np.array(panel.limits) if panel.limits else _wider(y, 0.06)
    if any(np.any(np.diff(line.x) < 0) for line in panel.lines):  # no function of x
        x = _wider(x, 0.04)
    if panel.equal:
        x = _wider(x, 0.02)
        most = float(np.clip(high * np.ptp(x) / np.ptp(y), least, most))
        scale = max(np.ptp(x) / most, np.ptp(y) / high)
        x = x.mean() + scale * most * np.array([-0.5, 0.5])
        y = y.mean() + scale * high * np.array([-0.5, 0.5])
    return most, (float(x[0]), float(x[1]), float(y[0]), float(y[1]))


def _wider(span: Array, share: float) -> Array:
    return np.asarray(span + share * np.ptp(span) * np.array([-1.0, 1.0]))


def _axis(span: tuple[float, float], pixels: tuple[float, float], name: str, most: float) -> Axis:
    """An axis with about so many ticks, at most."""
    low, high = span
    rough = (high - low) / max(most, 2.0)
    size = 10.0 ** floor(log10(rough))
    step = next(size * k for k in (1, 2, 5, 10) if size * k >= rough * (1 - 1e-9))
    if name.endswith("deg") and 1 < rough <= DEGREES[-1]:
        step = next(float(k) for k in DEGREES if k >= rough)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    ticks = step * np.arange(first, last + 1)
    largest = float(np.abs(ticks).max(initial=0.0))
    power = 0
    if largest >= 1e5 or (0 < largest < 1e-2):
        power = 3 * floor(log10(largest) / 3)
    return Axis(*span, *pixels, ticks, power)


def _powered(name: str, power: int) -> str:
    """The text at an axis whose ticks are written in units of 10^power."""
    if not power:
        return name
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    first, comma, unit = name.rpartition(", ")
    return f"{first}{comma}10{raised} {unit}" if comma else f"{name}, 10{raised}"


def _way(pixels: Array) -> str:
    """The path of a line, broken where values are missing, without points that change nothing."""
    pixels = np.clip(pixels, -1e5, 1e5)
    there = np.isfinite(pixels).all(axis=1)
    starts = np.flatnonzero(np.diff(there.astype(int), prepend=0) == 1)
    stops = np.flatnonzero(np.diff(there.astype(int), append=0) == -1) + 1
    parts = []
    for start, stop in zip(starts, stops, strict=True):
        points = _thinned(pixels[start:stop])
        parts.append("M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in points))
        if len(points) == 1:
            parts.append("h0")  # a dot
    return "".join(parts)


def _thinned(points: Array) -> Array:
    """Points without those on the straight line between their neighbours."""
    moved = np.hypot(*np.diff(points, axis=0).T) > NEAR
    points = points[np.concatenate([[True], moved])]
    for _ in range(2):
        if len(points) < 3:
            return points
        a, b, c = points[:-2], points[1:-1], points[2:]
        along = c - a
        length = np.maximum(np.hypot(*along.T), 1e-9)
        off = np.abs(along[:, 0] * (b - a)[:, 1] - along[:, 1] * (b - a)[:, 0]) / length
        between = np.sum((b - a) * along, axis=1) * np.sum((c - b) * along, axis=1) > 0
        spare = (off < NEAR) & between
        spare[1::2] &= ~spare[:-1:2][: len(spare[1::2])]  # of two neighbours only one
        spare[2::2] &= ~spare[1:-1:2][: len(spare[2::2])]
        points = points[np.concatenate([[True], ~spare, [True]])]
    return points
