"""How overlays are drawn as SVG, in pixels: arrows, dimension lines, centres; and the notes below.

As in `symbols`, a symbol is one function from places on the paper to text. A new kind of mark is
its `Look`: a line in `LOOKS`, or in the overlay that brings it along (`Overlay.looks`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from ...spatial.rotation import Array
from .scene import Mark, Note, Scene
from .symbols import TURN, Pen, disc, mass_centre, path, unit

STYLE = """
.under {{opacity: FADED}}
.shaft, .thin, .ring {{fill: none}}
.shaft {{stroke-width: 2}}
.ring {{stroke-width: 1.8}}
.thin {{stroke-width: .8}}
.aside {{stroke-width: .5}}
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


def arrow(p: Array, pen: Pen) -> str:
    """A line that ends in an arrowhead."""
    own, length = pen.kind, float(np.hypot(*np.diff(p, axis=0).T).sum())
    size = min(9.0, 0.6 * length)
    back = _before(p, 0.8 * size)
    return path([*p[: len(p) - 1 - back[0]], back[1]], f"shaft {own}") + head(
        p[-1], back[1], size, own
    )


def two_heads(p: Array, pen: Pen) -> str:
    """A moment in space: an arrow with two heads."""
    u = unit(p[-1] - p[0])
    return arrow(p, pen) + head(p[-1] - 8 * u, p[0], 9.0, pen.kind)


def head(tip: Array, back: Array, size: float, kind: str) -> str:
    """An arrowhead that ends in a point, as seen from another."""
    u = unit(tip - back)
    n = TURN @ u * 0.38 * size
    return path([tip, tip - size * u + n, tip - size * u - n], f"head {kind}", close=True)


def dimension(p: Array, pen: Pen) -> str:
    """Two lines aside from a length, and between them one with two heads."""
    (a, b, c, d), own = p, pen.kind
    sides = []
    for start, end in ((a, c), (b, d)):
        way = unit(end - start)
        if np.hypot(*(end - start)) > 12:
            sides.append(path([start + 8 * way, end + 5 * way], f"thin aside {own}"))
    line, u = path([c, d], f"thin {own}"), unit(d - c)
    if np.hypot(*(d - c)) < 22:  # heads from outside
        outer = path([c - 14 * u, c], f"thin {own}") + path([d, d + 14 * u], f"thin {own}")
        return "".join([*sides, line, outer, head(c, c - u, 7.0, own), head(d, d + u, 7.0, own)])
    return "".join([*sides, line, head(c, d, 7.0, own), head(d, c, 7.0, own)])


def angle(p: Array, pen: Pen) -> str:
    """A line to measure from, and an arc with a head."""
    ray = path(p[:2], f"thin {pen.kind}")
    if len(p) < 4 or np.hypot(*np.diff(p[2:], axis=0).T).sum() < 10:
        return ray
    return ray + path(p[2:], f"thin {pen.kind}") + head(p[-1], p[-2], 7.0, pen.kind)


def radius(p: Array, pen: Pen) -> str:
    """A line from a middle to a rim, with a head."""
    return path(p, f"thin {pen.kind}") + head(p[1], p[0], 7.0, pen.kind)


def line(p: Array, pen: Pen) -> str:
    """A thin line."""
    return path(p, f"thin {pen.kind}")


def ring(p: Array, pen: Pen) -> str:
    """A closed curve."""
    return path(p, f"ring {pen.kind}", close=True)


def spot(p: Array, pen: Pen) -> str:
    """A point."""
    return disc(p[0], 3.4, pen.kind)


class Look(NamedTuple):
    """How a kind of mark is drawn that lies over a mechanism."""

    draw: Callable[[Array, Pen], str]
    colours: tuple[str, str] | None = None
    """On light and on dark paper; else that of the ink."""
    style: str = ""
    """The class of what is drawn: that of a kind with the same colours, or its own."""
    heads: int = 0
    """Of an arrow in space."""
    measures: bool = False
    """Whether its text stands on its line."""
    quiet: bool = False
    """Whether the mechanism below is not drawn fainter for it."""
    endless: bool = False
    """Whether it may leave the paper of a motion."""


PURPLE, BLUE = ("#a21caf", "#e879f9"), ("#1d4ed8", "#60a5fa")
CYAN, VIOLET, BROWN = ("#0e7490", "#22d3ee"), ("#7c3aed", "#a78bfa"), ("#713f12", "#fcd34d")
FAINT, DARK, GREY = ("#9ca3af", "#6b7280"), ("#374151", "#cbd5e1"), ("#4b5563", "#9ca3af")
BLACK = ("#111827", "#f3f4f6")
LOOKS: dict[str, Look] = {
    "construction": Look(line, FAINT, endless=True),
    "dimension": Look(dimension, DARK, measures=True, quiet=True),
    "angle": Look(angle, DARK, "dimension", measures=True, quiet=True),
    "radius": Look(radius, DARK, "dimension", measures=True, quiet=True),
    "smooth action": Look(line, FAINT),
    "action": Look(line, BLUE),
    "friction circle": Look(ring, PURPLE),
    "cone": Look(line, PURPLE),
    "mass centre": Look(mass_centre),
    "drive": Look(arrow, CYAN, heads=1, quiet=True),
    "weight": Look(arrow, GREY, heads=1),
    "load": Look(arrow, VIOLET, heads=1),
    "load moment": Look(two_heads, VIOLET, "load", heads=2),
    "reaction": Look(arrow, BROWN, heads=1),
    "reaction moment": Look(two_heads, BROWN, "reaction", heads=2),
    "driving": Look(arrow, CYAN, heads=1),
    "driving moment": Look(two_heads, CYAN, "driving", heads=2),
    "acceleration": Look(arrow, PURPLE, heads=1),
    "velocity": Look(arrow, BLUE, heads=1),
    "turn": Look(arrow, BLUE, heads=1),
    "known centre": Look(spot, BLACK, endless=True),
    "centre": Look(spot, PURPLE, endless=True),
}
"""Looks of marks over a mechanism, in the order in which they lie above each other."""


def looks_of(scene: Scene) -> dict[str, Look]:
    """Looks of the marks that lie over a scene, those that an overlay brought along on top."""
    return LOOKS | dict(scene.looks)


def drawn_over(scene: Scene, mark: Mark, pixels: Array, size: float) -> str:
    """A mark that lies over a scene, at places on the paper."""
    return looks_of(scene)[mark.kind].draw(pixels, Pen(size, kind=class_of(scene, mark.kind)))


def class_of(scene: Scene, kind: str) -> str:
    """The class of a kind of mark; of a note about nothing that is drawn none."""
    look = looks_of(scene).get(kind)
    return (look.style if look else "") or kind.replace(" ", "-")


def colour_of(scene: Scene, kind: str, theme: str) -> str | None:
    """The colour of a kind of mark on the paper of a theme; None for that of the ink."""
    look = looks_of(scene).get(kind)
    return look.colours[theme == "dark"] if look and look.colours else None


def rules(theme: str, scene: Scene) -> str:
    """The rules of a theme for what lies over a scene, its other colours not yet filled in."""
    dark, inks = theme == "dark", {}
    for kind, look in looks_of(scene).items():
        if look.colours:
            colour = look.colours[dark]
            inks[class_of(scene, kind)] = f"{{{{stroke: {colour}; fill: {colour}}}}}"
    told = [f".{name} {ink}" for name, ink in inks.items()]
    return "\n".join([*told, STYLE.replace("FADED", FADED[dark]).strip()]) + "\n"


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


def drawn_notes(
    scene: Scene, rows: list[list[tuple[Note, float]]], scale: float, top: float
) -> Iterator[str]:
    """The notes below a picture."""
    for i, row in enumerate(rows):
        y = top + LINE * (i + 0.5)
        for note, x in row:
            own = class_of(scene, note.kind)
            if note.length:
                end = x + note.length * scale
                yield path([np.array([x, y]), np.array([end, y])], f"shaft {own}")
                for tick in (x, end):
                    yield path([np.array([tick, y - 4]), np.array([tick, y + 4])], f"thin {own}")
            elif note.kind:
                yield path([np.array([x, y]), np.array([x + SAMPLE, y])], f"shaft {own}")
            start = x + _sample(note, scale)
            yield f"<text class='note' x='{start:.1f}' y='{y + 4:.1f}'>{escape(note.text)}</text>"
