"""A spatial mechanism in a page in which it lives: solids that follow the sizes.

The solids are those of a motion that plays (space_page.py), placed on their bodies. Here every one
knows the points that place it, as formulas of the sizes: a ball one, a bar both its ends. A point
that no joint places keeps its way to the nearest one that is. Plates are fans of triangles.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ...spatial.rotation import Array
from ..schemes.forms import Form, flat_outline
from ..schemes.scene import Attached, Scene, attached
from ..schemes.space import HUES, METAL
from .space_page import colours, packed, rgb, space_page

CENTRED = ("box",)
"""Forms with their origin in the middle; others stand on it."""
ROUND = ("cylinder", "cone", "thread")
"""Forms between two points, of one width."""
UNITS = (*ROUND, "ball", "box")
THICK = 0.012
"""Of a plate, in typical lengths."""
WEDGE = Form(
    np.array([[x, y, z] for z in (-0.5, 0.5) for x, y in ((0, 0), (1, 0), (0, 1))], dtype=float),
    np.array([[0, 2, 1, 1], [3, 4, 5, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]]),
)
"""Half of a flat box: a plate of three corners, by an affine map."""


class SpaceFigure:
    """Solids of a spatial scene, and the points that place them, each once."""

    def __init__(self, scene: Scene, *, names: bool = True) -> None:
        self.scene = scene
        self.points: dict[Attached, int] = {}
        self.shapes: list[Attached] = []
        known = {p for mark in scene.marks for p in mark.points if p.source}
        self._known = {
            body: [p for p in known if p.body == body and not p.source.startswith("beside")]
            for body in scene.bodies
        }
        self._html, data = space_page(scene, [], "light", names=names, masses=False)
        flat = {
            form: body
            for form, body, *_, kind in data["parts"]
            if kind == "plate" and form not in UNITS
        }
        parts = [part for part in data["parts"] if part[0] not in flat]
        data["parts"] = [
            *([*self._part(*part[:4]), part[4] == "shape"] for part in parts),
            *self._ties(data["ties"]),
        ]
        data["dark"] = colours("dark")
        data["fans"] = list(self._fans({*flat.values()}))
        forms = {name: form for name, form in data["forms"].items() if name not in flat}
        data["forms"] = forms | {"wedge": packed(WEDGE)}
        data["names"] = [[text, self._at(body, p)] for text, body, *p in data["names"]]
        self.data = {key: x for key, x in data.items() if key not in ("frames", "ties", "trails")}

    def svg(self, *_: str) -> str:
        """The canvas, which the page fills."""
        return self._html

    def number(self, point: Attached) -> int:
        """Where a point stands among all."""
        return self.points.setdefault(point, len(self.points))

    def _at(self, body: int, p: Any) -> int:
        """The number of a place on a body."""
        return self.number(self._anchored(self.scene.bodies[body], np.array(p, dtype=float)))

    def _anchored(self, body: str, p: Array) -> Attached:
        """A place on a body, fixed to the nearest point that something places."""
        near = min(self._known[body], key=lambda q: float(np.linalg.norm(p - q.at)), default=None)
        if near is None:
            return Attached(body, attached(p))
        if np.linalg.norm(p - near.at) < 1e-9 * self.scene.scale:
            return near
        return Attached(body, attached(p), f"beside {near.source}")

    def _part(self, form: str, body: int, X: list[float], color: list[float]) -> list[Any]:
        """Form, colour, body, its axes, and the one or two points that place it."""
        M = np.reshape(X, (4, 4)).T
        axes, start, along = M[:3, :3], M[:3, 3], M[:3, 2]
        if form in CENTRED:
            start = start - along / 2
        first = self._anchored(self.scene.bodies[body], start)
        last = self._anchored(self.scene.bodies[body], start + along)
        if form in ROUND:
            wide = float(np.linalg.norm(axes[:, 0]))
            return [form, color, -1, [wide], self.number(first), self.number(last), 0.0]
        single = form not in CENTRED or _source(first) == _source(last)
        ends = [self.number(first), -1 if single else self.number(last)]
        own = [float(f"{x:.9g}") for x in axes.T.flat]
        return [form, color, body, own, *ends, 0.5 if form in CENTRED else 0.0]

    def _ties(self, ties: list[Any]) -> Iterator[list[Any]]:
        """What is stretched between two bodies."""
        for form, ends, wide, color in ties:
            points = [self._at(int(body), p) for body, *p in ends]
            yield [form, color, -1, [wide], *points, 0.0]

    def _fans(self, bodies: set[int]) -> Iterator[list[Any]]:
        """Plates of bodies that show them, as triangles: three points, thickness and colour."""
        for mark in self.scene.marks:
            flat = flat_outline(np.array([p.at for p in mark.points]))
            number = self.scene.bodies.index(mark.body) if mark.kind == "plate" else -1
            if number not in bodies or flat is None:
                continue
            corners = [self._at(number, p) for p in flat[0]]
            color = rgb(HUES[(number - 1) % len(HUES)] if number else METAL)
            for j, k in pairwise(corners[1:]):
                yield [corners[0], j, k, THICK * self.scene.scale, color]


def _source(point: Attached) -> tuple[str, str]:
    return point.body, point.source.removeprefix("beside ")
