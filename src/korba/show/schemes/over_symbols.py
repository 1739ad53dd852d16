"""How overlays are drawn as SVG, in pixels: arrows, dimension lines, centres; and the notes below.

As in `symbols`, a symbol is one function from places on the paper to text; the class of what it
draws is the kind of the mark, which `COLOURS` and `STYLE` paint on light and dark paper.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape

import numpy as np

from ...spatial.rotation import Array
from .scene import Note, Scene
from .symbols import TURN, Pen, disc, mass_centre, path, unit

COLOURS = {
    "velocity": ("#1d4ed8", "#60a5fa"),
    "acceleration": ("#be123c", "#fb7185"),
    "turn": ("#1d4ed8", "#60a5fa"),
    "reaction": ("#b91c1c", "#f87171"),
    "driving": ("#0e7490", "#22d3ee"),
    "drive": ("#0e7490", "#22d3ee"),
    "load": ("#7c3aed", "#a78bfa"),
    "weight": ("#4b5563", "#9ca3af"),
    "action": ("#1d4ed8", "#60a5fa"),
    "friction-circle": ("#be123c", "#fb7185"),
    "centre": ("#be123c", "#fb7185"),
    "known-centre": ("#111827", "#f3f4f6"),
    "smooth-action": ("#9ca3af", "#6b7280"),
    "construction": ("#9ca3af", "#6b7280"),
    "dimension": ("#374151", "#cbd5e1"),
}
"""Colour of every class on light and on dark paper."""
STYLE = """
.under {{opacity: FADED}}
.shaft, .thin, .ring {{fill: none}}
.shaft {{stroke-width: 2}}
.ring {{stroke-width: 1.8}}
.thin {{stroke-width: 1}}
.head {{stroke: none}}
.smooth-action, .construction {{stroke-dasharray: 5 4}}
.note {{fill: {ink}; font-size: 12px}}
"""
FADED = (".42", ".55")
"""How the mechanism below is seen on light and on dark paper, where faint lines are lost sooner."""
LETTER = 6.6
"""Width of a letter of a note, in pixels."""
LINE = 20.0
"""Height of a line of notes, in pixels."""
SAMPLE = 24.0
"""Length of the sample of a note without a scale."""


def rules(theme: str) -> str:
    """The rules of a theme, its colours not yet filled in."""
    dark = theme == "dark"
    inks = [f".{n} {{{{stroke: {c[dark]}; fill: {c[dark]}}}}}" for n, c in COLOURS.items()]
    return "\n".join([*inks, STYLE.replace("FADED", FADED[dark]).strip()]) + "\n"


def arrow(p: Array, pen: Pen) -> str:
    """A line that ends in an arrowhead."""
    own, length = _class(pen), float(np.hypot(*np.diff(p, axis=0).T).sum())
    size = min(9.0, 0.6 * length)
    back = _before(p, 0.8 * size)
    return path([*p[: len(p) - 1 - back[0]], back[1]], f"shaft {own}") + head(
        p[-1], back[1], size, own
    )


def two_heads(p: Array, pen: Pen) -> str:
    """A moment in space: an arrow with two heads."""
    u = unit(p[-1] - p[0])
    return arrow(p, pen) + head(p[-1] - 8 * u, p[0], 9.0, _class(pen))


def head(tip: Array, back: Array, size: float, kind: str) -> str:
    """An arrowhead that ends in a point, as seen from another."""
    u = unit(tip - back)
    n = TURN @ u * 0.38 * size
    return path([tip, tip - size * u + n, tip - size * u - n], f"head {kind}", close=True)


def dimension(p: Array, pen: Pen) -> str:
    """Two lines aside from a length, and between them one with two heads."""
    (a, b, c, d), own = p, "dimension"
    sides = []
    for start, end in ((a, c), (b, d)):
        way = unit(end - start)
        if np.hypot(*(end - start)) > 12:
            sides.append(path([start + 8 * way, end + 5 * way], f"thin {own}"))
    line, u = path([c, d], f"thin {own}"), unit(d - c)
    if np.hypot(*(d - c)) < 22:  # heads from outside
        outer = path([c - 14 * u, c], f"thin {own}") + path([d, d + 14 * u], f"thin {own}")
        return "".join([*sides, line, outer, head(c, c - u, 7.0, own), head(d, d + u, 7.0, own)])
    return "".join([*sides, line, head(c, d, 7.0, own), head(d, c, 7.0, own)])


def angle(p: Array, pen: Pen) -> str:
    """A line to measure from, and an arc with a head."""
    ray = path(p[:2], "thin dimension")
    if len(p) < 4 or np.hypot(*np.diff(p[2:], axis=0).T).sum() < 10:
        return ray
    return ray + path(p[2:], "thin dimension") + head(p[-1], p[-2], 7.0, "dimension")


def radius(p: Array, pen: Pen) -> str:
    """A line from a middle to a rim, with a head."""
    return path(p, "thin dimension") + head(p[1], p[0], 7.0, "dimension")


def line(p: Array, pen: Pen) -> str:
    """A thin line."""
    return path(p, f"thin {_class(pen)}")


def ring(p: Array, pen: Pen) -> str:
    """A closed curve."""
    return path(p, f"ring {_class(pen)}", close=True)


def spot(p: Array, pen: Pen) -> str:
    """A point."""
    return disc(p[0], 3.4, _class(pen))


OVER: dict[str, Callable[[Array, Pen], str]] = {
    "construction": line,
    "dimension": dimension,
    "angle": angle,
    "radius": radius,
    "smooth action": line,
    "action": line,
    "friction circle": ring,
    "mass centre": mass_centre,
    "drive": arrow,
    "weight": arrow,
    "load": arrow,
    "load moment": two_heads,
    "reaction": arrow,
    "reaction moment": two_heads,
    "driving": arrow,
    "driving moment": two_heads,
    "acceleration": arrow,
    "velocity": arrow,
    "turn": arrow,
    "known centre": spot,
    "centre": spot,
}
"""Symbols of overlays, in the order in which they lie above each other."""
MEASURES = ("dimension", "angle", "radius")
"""Marks whose text stands on their line."""
QUIET = (*MEASURES, "drive")
"""Marks for which the mechanism below is not drawn fainter."""


def class_of(kind: str) -> str:
    """The class of a kind of mark."""
    if kind in MEASURES:
        return "dimension"
    return kind.removesuffix(" moment").replace(" ", "-")


def _class(pen: Pen) -> str:
    return class_of(pen.kind)


def _before(p: Array, back: float) -> tuple[int, Array]:
    """Where a line is so far before its end: how many of its last corners are left out."""
    left = back
    for i in range(len(p) - 1, 0, -1):
        step = float(np.hypot(*(p[i] - p[i - 1])))
        if step >= left:
            return len(p) - 1 - i, p[i] + (p[i - 1] - p[i]) * (left / max(step, 1e-12))
        left -= step
    return len(p) - 2, p[0]


def rows_of_notes(scene: Scene, scale: float, width: float) -> list[list[tuple[Note, float]]]:
    """Notes in rows no wider than the page, each with where it begins."""
    rows: list[list[tuple[Note, float]]] = []
    x = np.inf
    for note in scene.notes:
        wide = note_width(note, scale)
        if x + wide > width - 12:
            rows.append([])
            x = 14.0
        rows[-1].append((note, x))
        x += wide + 22.0
    return rows


def note_lines(text: str, width: float) -> list[list[tuple[Note, float]]]:
    """A note of many words in rows no wider than the page."""
    lines = textwrap.wrap(text, int((width - 26) / LETTER), break_on_hyphens=False)
    return [[(Note(line), 14.0)] for line in lines]


def note_width(note: Note, scale: float) -> float:
    """Pixels of a note with its sample."""
    return _sample(note, scale) + LETTER * len(note.text)


def _sample(note: Note, scale: float) -> float:
    return note.length * scale + 8.0 if note.length else SAMPLE + 8.0 if note.kind else 0.0


def drawn_notes(rows: list[list[tuple[Note, float]]], scale: float, top: float) -> Iterator[str]:
    """The notes below a picture."""
    for i, row in enumerate(rows):
        y = top + LINE * (i + 0.5)
        for note, x in row:
            own = class_of(note.kind)
            if note.length:
                end = x + note.length * scale
                yield path([np.array([x, y]), np.array([end, y])], f"shaft {own}")
                for tick in (x, end):
                    yield path([np.array([tick, y - 4]), np.array([tick, y + 4])], f"thin {own}")
            elif note.kind:
                yield path([np.array([x, y]), np.array([x + SAMPLE, y])], f"shaft {own}")
            start = x + _sample(note, scale)
            yield f"<text class='note' x='{start:.1f}' y='{y + 4:.1f}'>{escape(note.text)}</text>"
