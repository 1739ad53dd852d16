"""Names in pictures: each stands where it covers nothing, on the page and near its point."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from xml.sax.saxutils import escape

import numpy as np

from ..spatial.rotation import Array

WIDE = 0.6
"""Width of a letter, in sizes of the font."""
ANGLES = np.radians([-45, -135, 45, 135, -90, 90, 0, 180, -22, -158, 22, 158, -68, -112, 68, 112])
REACHES = (9.0, 15.0, 22.0, 32.0, 46.0, 64.0, 86.0)
"""Pixels from the point to the nearest edge of its name."""
FAR = 28.0
"""Pixels from which on a line leads to the name."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


@dataclass
class Labels:
    """The page, what labels keep off, and the labels that stand."""

    width: float
    height: float
    size: float = 13.0
    taken: list[Box] = field(default_factory=list)
    dots: list[tuple[Array, float]] = field(default_factory=list)
    """Points, (n, 2), that no label may be nearer to than so many pixels."""

    def keep_off(self, pixels: Array, apart: float) -> None:
        """Keep names off points, or off the lines between them."""
        if len(pixels) == 1:
            self.dots.append((pixels, apart))
            return
        for p, q in pairwise(pixels):
            count = 2 + int(np.hypot(*(q - p)) / 8)
            s = np.linspace(0.0, 1.0, count)[:, None]
            self.dots.append((p + s * (q - p), 0.55 * apart))

    def text(self, name: str, at: Array) -> str:
        """A name beside its point."""
        half = np.array([WIDE * self.size * len(name), 1.15 * self.size]) / 2
        best, place, away = np.inf, at, 0.0
        for reach in REACHES:
            for i, angle in enumerate(ANGLES):
                way = np.array([np.cos(angle), np.sin(angle)])
                middle = at + way * reach + half * np.clip(1.5 * way, -1.0, 1.0)
                cost = self._cost((*(middle - half), *(middle + half))) + 0.05 * reach + 0.01 * i
                if cost < best:
                    best, place, away = cost, middle, reach
            if best < 1.0 + 0.05 * reach:
                break
        box = (*(place - half), *(place + half))
        self.taken.append(box)
        leader = ""
        if away >= FAR:
            end = np.clip(at, place - half, place + half)
            leader = (
                f"<path class='leader' d='M{at[0]:.1f},{at[1]:.1f} L{end[0]:.1f},{end[1]:.1f}'/>"
            )
        x, y = place[0], place[1] + 0.35 * self.size
        where = f"x='{x:.1f}' y='{y:.1f}' text-anchor='middle'"
        shown = escape(name)
        return f"{leader}<text class='halo' {where}>{shown}</text><text {where}>{shown}</text>"

    def _cost(self, box: Box) -> float:
        """What a label would cover: other labels and the edge of the page cost most."""
        left, top, right, bottom = box
        cost = 60.0 * sum(_overlap(box, other) for other in self.taken)
        if left < 2 or top < 2 or right > self.width - 2 or bottom > self.height - 2:
            cost += 200.0
        for points, apart in self.dots:
            nearest = np.clip(points, [left, top], [right, bottom])
            distance = float(np.min(np.hypot(*(points - nearest).T)))
            cost += 4.0 * max(0.0, 1.0 - distance / apart)
        return cost


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] + 2 and b[0] < a[2] + 2 and a[1] < b[3] + 1 and b[1] < a[3] + 1
