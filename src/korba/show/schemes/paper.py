"""The paper of a picture: from the world to pixels, its size, and where names belong on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ...spatial.rotation import Array, cross
from .over_symbols import note_width, rows_of_notes
from .scene import Attached, Mark, Scene
from .symbols import Pen

SIZE = (640.0, 460.0)
"""Room for the figure, in pixels."""
MARGIN = 46.0
HUES = ("#2563eb", "#059669", "#d97706", "#7c3aed", "#92400e", "#0891b2", "#65a30d", "#db2777")
BRIGHT = ("#60a5fa", "#34d399", "#fbbf24", "#a78bfa", "#c08457", "#22d3ee", "#a3e635", "#f472b6")
"""Colours of bodies on light and on dark paper."""
ISOMETRIC = np.array([[-0.70710678, 0.70710678, 0.0], [-0.35355339, -0.35355339, 0.8660254]])
"""From the world to paper, seen from (1, 1, 0.8): x to the left, y to the right, z up."""
FROM_Z = np.eye(2, 3)
AXIAL = (
    *("pin", "block", "guide", "slot", "ball"),
    *("cross", "cylinder", "screw", "plane", "collar"),
)
"""Marks whose second point gives a direction."""
LINKS = (
    *("bar", "plate", "barrel", "piston", "wheel", "curve"),
    *("tread", "round", "rail", "slot way", "block", "pin", "ball"),
)
"""Marks that show a link, the most telling first."""


class Paper:
    """From the world to pixels; y goes down on paper."""

    def __init__(self, scene: Scene, more: Iterable[Array] = ()) -> None:
        self.view = FROM_Z if scene.plane else ISOMETRIC
        self.away = away(scene)
        points = [
            p
            for k in range(len(scene.poses))
            for mark in (*scene.marks, *scene.over)
            for p in reach(scene, mark, k)
        ]
        others = [p for way in (*(way for _, way in scene.paths), *more) for p in way]
        flat = np.array([*points, *others]) @ self.view.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        extent = float((high - low).max())
        span = np.maximum(high - low, 0.02 * extent)
        self.scale = float(min(np.array(SIZE) / span)) if extent > 1e-300 else 1.0
        self.low, self.span = low, span * self.scale
        self.size = self.span + 2 * MARGIN
        longest = max((len(name) for name, _ in scene.named), default=0)
        self.shift = np.zeros(2)
        grouped = max((len(names) for names, _ in named_places(scene, self)), default=0)
        longest = max(longest, int(0.6 * grouped))
        told = max((note_width(note, self.scale) for note in scene.notes), default=0.0)
        least = np.array([max(260.0, 160.0 + 16.0 * longest, 30.0 + told), 160.0])
        self.shift = np.maximum(least - self.size, 0.0) / 2
        self.size = np.maximum(self.size, least)
        self.notes = rows_of_notes(scene, self.scale, float(self.size[0]))

    def at(self, p: Array) -> Array:
        """Pixels of points in the world, (..., 2)."""
        x = (np.asarray(p) @ self.view.T - self.low) * self.scale
        x[..., 1] = self.span[1] - x[..., 1]
        return np.asarray(x + MARGIN + self.shift)


def away(scene: Scene) -> Array:
    """Towards the reader, in the world."""
    return cross(*(FROM_Z if scene.plane else ISOMETRIC))


def reach(scene: Scene, mark: Mark, k: int = 0) -> Array:
    """Where a mark is in the world at position k: of an axis only its place."""
    places = scene.places(mark, k)
    return places[:1] if mark.kind in AXIAL else places


def link_of(scene: Scene, body: str) -> Mark | None:
    """The mark that shows a body best; None of one that has none."""
    own = [mark for mark in scene.marks if mark.body == body and mark.kind in LINKS]
    return min(own, key=lambda mark: LINKS.index(mark.kind), default=None)


def pen_of(scene: Scene, paper: Paper) -> Pen:
    """Symbols are smaller where joints are close together."""
    places = np.array([paper.at(scene.place(point)) for _, point in scene.labels]).reshape(-1, 2)
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) if len(places) else np.zeros(0)
    near = float(np.min(apart[apart > 4.0], initial=60.0))
    return Pen(float(np.clip(near / 34.0, 0.5 if scene.plane else 0.7, 1.0)))


def inked(pen: Pen, scene: Scene, mark: Mark) -> Pen:
    """The pen with the colour of a mark's body."""
    return replace(pen, body=hue(scene, mark.body))


def hue(scene: Scene, body: str) -> int:
    """The number of a body's colour; that of the base is 0."""
    link = scene.bodies.index(body)
    return (link - 1) % len(HUES) + 1 if link else 0


def named_places(scene: Scene, paper: Paper) -> Iterator[tuple[str, Attached]]:
    """Names of joints, those at one place together."""
    groups: list[tuple[list[str], Attached, Array]] = []
    for name, point in scene.named:
        place = paper.at(scene.place(point))
        for names, _, other in groups:
            if np.hypot(*(place - other)) < 3.0:
                names.append(name)
                break
        else:
            groups.append(([name], point, place))
    for names, point, _ in groups:
        yield ", ".join(dict.fromkeys(names)), point
