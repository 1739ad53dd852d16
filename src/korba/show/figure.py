"""A plane scene as a drawing whose parts a page can move: each part knows the points it needs.

Bars are lines through points, plates the hull round them, pins and blocks are stamped at a point,
curves are fixed to a body, springs are stretched between points (page/figure.js moves them). So a
page needs nothing but the points in pixels: of a motion frame by frame, or from a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from .labels import Labels
from .scene import Attached, Mark, Scene
from .scheme import Paper, busy, named_places, ordered, pen_of
from .symbols import SYMBOLS

LINES = {"bar": 6.5, "rail": 5.0}
"""Marks that are lines, and how wide."""
STAMPS = ("pin", "slot", "base", "end", "mass centre", "ball")
RIGID = ("wheel", "curve", "ground rail")


class Figure:
    """Parts of a drawing, and the points that they need, each once."""

    def __init__(self, scene: Scene, *, names: bool = True, masses: bool = False) -> None:
        self.scene, self.paper = scene, Paper(scene)
        self.points: dict[Attached, int] = {}
        self.parts: list[dict[str, Any]] = []
        self.elements = list(self._elements(names=names, masses=masses))

    def number(self, point: Attached) -> int:
        """Where a point stands among all."""
        return self.points.setdefault(point, len(self.points))

    def places(self, k: int) -> Array:
        """All points at a position of the scene, in pixels, (points, 2)."""
        return self.paper.at(np.array([self.scene.place(p, k) for p in self.points]))

    def svg(self, theme: str, *first: str) -> str:
        """The drawing, each part marked with its number."""
        width, height = self.paper.size
        head = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-{theme}' {head} "
            f"role='img' aria-label='{escape(self.scene.name or 'mechanism', quote=True)}'>"
            "<rect class='page' width='100%' height='100%'/>"
            + "".join([*first, *self.elements])
            + "</svg>"
        )

    def _elements(self, *, names: bool, masses: bool) -> Iterator[str]:
        labels = Labels(*self.paper.size)
        for mark in ordered(self.scene, masses=masses):
            pixels = self.paper.at(self.scene.places(mark))
            labels.keep_off(busy(mark, pixels, pen_of(self.scene, self.paper)), 9.0)
            yield from self._drawn(mark)
        for name, point in named_places(self.scene, self.paper) if names else ():
            start = self.paper.at(self.scene.place(point))
            text = labels.text(name, [start])
            inner = f"<g transform='translate({-start[0]:.2f} {-start[1]:.2f})'>{text}</g>"
            yield self._group("stamp", [point], inner)

    def _part(self, kind: str, points: Sequence[Attached], **more: Any) -> str:
        self.parts.append({"kind": kind, "points": [self.number(p) for p in points], **more})
        return f"data-part='{len(self.parts) - 1}'"

    def _group(self, kind: str, points: Sequence[Attached], inner: str, **more: Any) -> str:
        return f"<g {self._part(kind, points, **more)}>{inner}</g>"

    def _drawn(self, mark: Mark) -> Iterator[str]:
        pen = pen_of(self.scene, self.paper, mark)
        symbol, ends = SYMBOLS[mark.kind], mark.points
        if mark.kind in LINES:
            yield self._line("path", ends, f"link b{pen.body}", LINES[mark.kind] * pen.size)
        elif mark.kind == "slot way":
            yield self._line("path", ends, f"link b{pen.body}", 17 * pen.size)
            yield self._line("path", ends, "groove", 10.5 * pen.size)
        elif mark.kind == "plate":
            yield self._line("hull", ends, f"plate b{pen.body}", 6.5 * pen.size)
        elif mark.kind in STAMPS:
            yield self._group("stamp", ends[:1], symbol(np.zeros((1, 2)), pen))
        elif mark.kind in RIGID:
            own = np.array([[p.at[0], -p.at[1]] for p in ends]) * self.paper.scale
            frame = [Attached(mark.body, (0.0, 0.0, 0.0)), Attached(mark.body, (1.0, 0.0, 0.0))]
            yield self._group("rigid", frame, symbol(own, pen))
        elif len({p.body for p in ends}) > 1:
            a, b = self.paper.at(self.scene.places(mark))
            length = max(float(np.hypot(*(b - a))), 1.0)
            drawn = symbol(np.array([[0.0, 0.0], [length, 0.0]]), pen)
            yield self._group("tie", ends, drawn, length=length)
        else:
            yield self._group("stamp", ends[:2], symbol(np.array([[0.0, 0.0], [1.0, 0.0]]), pen))

    def _line(self, kind: str, points: Sequence[Attached], style: str, width: float) -> str:
        return f"<path class='{style}' stroke-width='{width:.1f}' {self._part(kind, points)}/>"
