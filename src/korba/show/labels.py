"""Names in pictures: each stands where it covers nothing, on the page and near its point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from ..spatial.rotation import Array

WIDE = 0.6
"""Width of a letter, in sizes of the font."""
ANGLES = np.radians([-45, -135, 45, 135, -90, 90, 0, 180, -22, -158, 22, 158, -68, -112, 68, 112])
REACHES = (9.0, 15.0, 22.0, 32.0, 46.0, 64.0, 86.0)
"""Pixels from the point to the nearest edge of its name."""
NO_PLACE = 60.0
"""What covering another name costs; leaving the page costs more."""
FAR = 28.0
"""Pixels from which on a line leads to the name."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


class Ink(NamedTuple):
    """Attributes of a name, of the rim behind it and of the line that leads to it."""

    text: str = ""
    rim: str = " class='halo'"
    leader: str = " class='leader'"


BY_CLASS = Ink()


class Busy(NamedTuple):
    """Points, (n, 2), that no label may be nearer to than so many pixels."""

    points: Array
    apart: float
    owner: str = ""
    """The label that belongs to it, and should be nearer to it than to others."""


@dataclass
class Labels:
    """The page, what labels keep off, and the labels that stand."""

    width: float
    height: float
    taken: list[Box] = field(default_factory=list)
    busy: list[Busy] = field(default_factory=list)
    _kept: tuple[int, tuple[Array, Array, Array]] | None = None

    def keep_off(self, pixels: Array, apart: float, owner: str = "") -> None:
        """Keep names off points, or off the lines between them."""
        if len(pixels) == 1:
            self.busy.append(Busy(pixels, apart, owner))
            return
        for p, q in pairwise(pixels):
            count = 2 + int(np.hypot(*(q - p)) / 8)
            s = np.linspace(0.0, 1.0, count)[:, None]
            self.busy.append(Busy(p + s * (q - p), 0.55 * apart, owner))

    def text(
        self,
        name: str,
        near: Sequence[Array],
        *,
        size: float = 13.0,
        ink: Ink = BY_CLASS,
        indexed: bool = False,
        optional: bool = False,
    ) -> str:
        """A name beside one of some places; `indexed`: `a^n_CB` with n raised and CB lowered.

        An `optional` one that finds no free place is left out.
        """
        letters = len(name.replace("^", "").replace("_", "")) if indexed else len(name)
        half = np.array([WIDE * size * letters, 1.15 * size]) / 2
        best, place, foot, away = np.inf, near[0], near[0], 0.0
        for reach in REACHES:
            for at, (i, angle) in product(near, enumerate(ANGLES)):
                way = np.array([np.cos(angle), np.sin(angle)])
                middle = at + way * reach + half * np.clip(1.5 * way, -1.0, 1.0)
                cost = self._cost(name, middle, half) + 0.05 * reach + 0.01 * i
                if cost < best:
                    best, place, foot, away = cost, middle, at, reach
            if best < 1.0 + 0.05 * reach:
                break
        if optional and best >= NO_PLACE:
            return ""
        self.taken.append(_box(place, half))
        leader = ""
        if away >= FAR:
            end = np.clip(foot, place - half, place + half)
            way_to = f"M{foot[0]:.1f},{foot[1]:.1f} L{end[0]:.1f},{end[1]:.1f}"
            leader = f"<path{ink.leader} d='{way_to}'/>"
        where = f"x='{place[0]:.1f}' y='{place[1] + 0.35 * size:.1f}' text-anchor='middle'"
        shown = _indexed(name) if indexed else escape(name)
        return (
            f"{leader}<text{ink.rim} {where}>{shown}</text><text{ink.text} {where}>{shown}</text>"
        )

    def _packed(self) -> tuple[Array, Array, Array]:
        """All busy points, where those of each thing begin, and how far off names stay."""
        if self._kept is None or self._kept[0] != len(self.busy):
            counts = [len(each.points) for each in self.busy]
            points = np.concatenate([each.points for each in self.busy])
            apart = np.array([each.apart for each in self.busy])
            self._kept = len(counts), (points, np.cumsum([0, *counts[:-1]]), apart)
        return self._kept[1]

    def _cost(self, name: str, middle: Array, half: Array) -> float:
        """What a label would cover: other labels and the edge of the page cost most."""
        box = _box(middle, half)
        left, top, right, bottom = box
        cost = NO_PLACE * sum(_overlap(box, other) for other in self.taken)
        if left < 2 or top < 2 or right > self.width - 2 or bottom > self.height - 2:
            cost += 200.0
        if not self.busy:
            return cost
        points, starts, apart = self._packed()
        x, y = points.T
        aside = np.hypot(x - np.clip(x, left, right), y - np.clip(y, top, bottom))
        distances = np.minimum.reduceat(aside, starts)
        cost += 4.0 * float(np.maximum(0.0, 1.0 - distances / apart).sum())
        away: dict[str, float] = {}
        for points, _, owner in self.busy:
            if owner:
                own = float(np.min(np.hypot(*(points - middle).T)))
                away[owner] = min(own, away.get(owner, np.inf))
        own = away.pop(name, np.inf)
        return cost + 3.0 * sum(distance < own < np.inf for distance in away.values())


def _box(middle: Array, half: Array) -> Box:
    (left, top), (right, bottom) = middle - half, middle + half
    return float(left), float(top), float(right), float(bottom)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] + 2 and b[0] < a[2] + 2 and a[1] < b[3] + 1 and b[1] < a[3] + 1


def _indexed(text: str) -> str:
    """`a^n_CB` with the n raised and CB lowered."""
    head, _, index = text.partition("_")
    letter, _, power = head.partition("^")
    parts = escape(letter)
    if power:
        parts += f"<tspan dy='-5' font-size='9'>{escape(power)}</tspan>"
    if index:
        parts += f"<tspan dy='{8 if power else 4}' font-size='9'>{escape(index)}</tspan>"
    return parts
