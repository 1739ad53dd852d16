"""A plane scene as a drawing whose parts a page can move: each part knows the points it needs.

Bars are lines through points, plates the hull round them, pins and blocks are stamped at a point,
curves are fixed to a body, springs are stretched between points (web/figure.js moves them). So a
page needs nothing but the points in pixels: of a motion frame by frame, or from a program.

Where sizes change (live.py) curves are redrawn from `shapes`, and rails, if they are given, are
drawn as far as their blocks go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from ...spatial.rotation import Array
from ..schemes.labels import Box, Busy, Labels
from ..schemes.paper import Paper, inked, named_places, pen_of
from ..schemes.rails import Rail
from ..schemes.scene import Attached, Mark, Scene, attached
from ..schemes.scheme import busy, head_and_notes, ordered
from ..schemes.symbols import SYMBOLS, Pen, Symbol

SOME = 9
"""Positions of a motion at which names look for a place."""
WAYS = ("rail", "slot way", "ground rail")


class Figure:
    """Parts of a drawing, and the points that they need, each once."""

    def __init__(
        self,
        scene: Scene,
        *,
        names: bool = True,
        masses: bool = False,
        rails: Mapping[str, Rail] | None = None,
    ) -> None:
        self.scene, self.paper, self.rails = scene, Paper(scene), rails or {}
        self.points: dict[Attached, int] = {}
        self.shapes: list[Attached] = []
        self.parts: list[dict[str, Any]] = []
        self.pen, marks = pen_of(scene, self.paper), ordered(scene, masses=masses)
        self.elements = [
            part for mark in marks for part in self._drawn(mark, inked(self.pen, scene, mark))
        ]
        self.names = list(self._names(marks)) if names else []

    def number(self, point: Attached) -> int:
        """Where a point stands among all."""
        return self.points.setdefault(point, len(self.points))

    def places(self, k: int) -> Array:
        """All points at a position of the scene, in pixels, (points, 2)."""
        return self.paper.at(np.array([self.scene.place(p, k) for p in self.points]))

    def svg(self, theme: str, *first: str, overlaid: bool = False) -> str:
        """The drawing, each part marked with its number; with a place for overlays above it."""
        head, notes = head_and_notes(self.scene, self.paper)
        under = "".join([*first, *self.elements])
        if overlaid:
            under = f"<g class='under'>{under}</g><g class='over'></g>"
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-{theme}' {head} "
            f"role='img' aria-label='{escape(self.scene.name or 'mechanism', quote=True)}'>"
            "<rect class='page' width='100%' height='100%'/>"
            + "".join([under, *self.names, *notes, "</svg>"])
        )

    def _names(self, marks: Sequence[Mark]) -> Iterator[str]:
        """Each beside its point, where it covers nothing at first and least in the motion."""
        moments = np.unique(np.linspace(0, len(self.scene.poses) - 1, SOME).astype(int))
        met = [self._busy(marks, k, 1.0 if not k else 1.0 / len(moments)) for k in moments]
        taken: list[Box] = []
        width, height = self.paper.size
        for name, point in named_places(self.scene, self.paper):
            way = [self.paper.at(self.scene.place(point, k)) for k in moments]
            beside = [
                each._replace(points=each.points + way[0] - at)
                for at, own in zip(way, met, strict=True)
                for each in own
            ]
            text = Labels(width, height, taken, beside).text(name, [way[0]])
            inner = f"<g transform='translate({-way[0][0]:.2f} {-way[0][1]:.2f})'>{text}</g>"
            yield self._group("stamp", [point], inner)

    def _busy(self, marks: Sequence[Mark], k: int, weight: float) -> list[Busy]:
        """What names keep off at a position of the scene."""
        labels = Labels(*self.paper.size)
        for mark in marks:
            labels.keep_off(busy(mark, self.paper.at(self.scene.places(mark, k)), self.pen), 9.0)
        return [each._replace(weight=weight * each.weight) for each in labels.busy]

    def _part(self, kind: str, points: Sequence[Attached], **more: Any) -> str:
        self.parts.append({"kind": kind, "points": [self.number(p) for p in points], **more})
        return f"data-part='{len(self.parts) - 1}'"

    def _group(self, kind: str, points: Sequence[Attached], inner: str, **more: Any) -> str:
        return f"<g {self._part(kind, points, **more)}>{inner}</g>"

    def _drawn(self, mark: Mark, pen: Pen) -> Iterator[str]:
        symbol, ends = SYMBOLS[mark.kind], mark.points
        if mark.kind in WAYS and mark.name in self.rails:
            yield from self._way(mark, symbol, pen)
        elif mark.kind == "bar" and (rail := self._rail_of(mark)):
            reach = rail.reach * self.paper.scale
            yield from self._lines("stem", symbol, [ends[0], *self._track(rail)], pen, reach=reach)
        elif symbol.strokes:
            kind = "hull" if symbol.moves == "hull" else "path"
            yield from self._lines(kind, symbol, ends, pen)
        elif symbol.moves == "stamp":
            yield self._group("stamp", ends[:1], symbol(np.zeros((1, 2)), pen))
        elif symbol.moves == "rigid":
            own = np.array([[p.at[0], -p.at[1]] for p in ends]) * self.paper.scale
            frame = [Attached(mark.body, (0.0, 0.0, 0.0)), Attached(mark.body, (1.0, 0.0, 0.0))]
            yield self._group("rigid", frame, symbol(own, pen), **self._shape(mark))
        elif len({p.body for p in ends}) > 1:
            a, b = self.paper.at(self.scene.places(mark))
            length = max(float(np.hypot(*(b - a))), 1.0)
            drawn = symbol(np.array([[0.0, 0.0], [length, 0.0]]), pen)
            yield self._group("tie", ends, drawn, length=length)
        else:
            yield self._group("stamp", ends[:2], symbol(np.array([[0.0, 0.0], [1.0, 0.0]]), pen))

    def _lines(
        self, kind: str, symbol: Symbol, points: Sequence[Attached], pen: Pen, **more: Any
    ) -> Iterator[str]:
        """The strokes of a symbol, each a part of its own."""
        for style, width in symbol.strokes:
            yield self._line(kind, points, style.format(pen.body), width * pen.size, **more)

    def _line(
        self, kind: str, points: Sequence[Attached], style: str, width: float, **more: Any
    ) -> str:
        wide = f" stroke-width='{width:.1f}'" if width else ""
        return f"<path class='{style}'{wide} {self._part(kind, points, **more)}/>"

    def _shape(self, mark: Mark) -> dict[str, Any]:
        """Which points a curve is redrawn from: of a circle its centre and its first point."""
        if not mark.points[0].source:
            return {}
        first, points = len(self.shapes), [*mark.points]
        if mark.round:
            middle = np.mean([p.at for p in points[:-1]], axis=0)
            points = [Attached(mark.body, attached(middle), f"joint {mark.name}"), points[0]]
        self.shapes += points
        return {"shape": [first, len(points)], "round": mark.round}

    def _rail_of(self, bar: Mark) -> Rail | None:
        """The rail of a body that a bar goes to."""
        own = (rail for rail in self.rails.values() if rail.rail == bar.body)
        return next(
            (r for r in own if bar.points[1].source.startswith(f"foot {r.joint.name} ")), None
        )

    @staticmethod
    def _track(rail: Rail) -> list[Attached]:
        return [Attached(body, attached(at), source) for body, at, source in rail.track]

    def _way(self, mark: Mark, symbol: Symbol, pen: Pen) -> Iterator[str]:
        """A rail as far as its block goes: where it starts, its direction, and the block."""
        rail = self.rails[mark.name]
        points, reach = self._track(rail), rail.reach * self.paper.scale
        yield from self._lines("way", symbol, points, pen, reach=reach)
        if mark.kind == "ground rail":
            yield self._line("way", points, "ground", 0.0, reach=reach, off=8.5 * pen.size)
            hatch = {"off": 8.5 * pen.size, "hatch": 6.0 * pen.size}
            yield self._line("way", points, "hatch", 0.0, reach=reach, **hatch)
