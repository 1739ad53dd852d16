"""Names in pictures: each stands where it covers nothing, on the page and near its point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from ...spatial.rotation import Array

WIDE = 0.6
"""Width of a letter, in sizes of the font."""
ANGLES = np.radians([-45, -135, 45, 135, -90, 90, 0, 180, -22, -158, 22, 158, -68, -112, 68, 112])
WAYS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
"""Directions in which a name may stand from its point, the best first."""
REACHES = (9.0, 15.0, 22.0, 32.0, 46.0, 64.0, 86.0, 115.0, 150.0)
"""Pixels from the point to the nearest edge of its name."""
NO_PLACE = 60.0
"""What covering another name costs; leaving the page costs more."""
CURVE = 12
"""Points above which a line is a curve, dense enough to be kept off as it is."""
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
    weight: float = 4.0
    """What it costs to cover it."""


@dataclass
class Labels:
    """The page, what labels keep off, and the labels that stand."""

    width: float
    height: float
    taken: list[Box] = field(default_factory=list)
    busy: list[Busy] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Names that found no free place."""
    _kept: tuple[int, tuple[Array, ...]] | None = None

    def keep_off(self, pixels: Array, apart: float, owner: str = "") -> None:
        """Keep names off points, or off the lines between them."""
        if len(pixels) == 1:
            self.busy.append(Busy(pixels, apart, owner))
            return
        if len(pixels) > CURVE:
            self.busy.append(Busy(pixels, 0.55 * apart, owner))
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
        on: bool = False,
        optional: bool = False,
    ) -> str:
        """A name beside one of some places, with `on` upon one if it is free there.

        Lines of a name stand one below the other. `indexed`: `a^n_CB` with n raised and CB lowered.
        An `optional` one that finds no free place is left out.
        """
        lines = name.split("\n")
        letters = len(name.replace("^", "").replace("_", "")) if indexed else max(map(len, lines))
        half = np.array([WIDE * size * letters, 1.15 * size * len(lines)]) / 2
        best, place, foot, away = np.inf, near[0], near[0], 0.0
        if on:
            costs = self._costs(name, np.array(near), half) + 0.2 * np.arange(len(near))
            best, place = float(costs.min()), near[int(costs.argmin())]
            foot = place
        for reach in REACHES if best > 1.0 else ():
            shift = WAYS * reach + half * np.clip(1.5 * WAYS, -1.0, 1.0)
            middles = (np.array(near)[:, None] + shift[None]).reshape(-1, 2)
            ranks = np.tile(0.01 * np.arange(len(WAYS)), len(near))
            costs = self._costs(name, middles, half) + 0.05 * reach + ranks
            i = int(costs.argmin())
            if costs[i] < best:
                best, place, away = float(costs[i]), middles[i], reach
                foot = near[i // len(WAYS)]
            if best < 1.0 + 0.05 * reach:
                break
        if optional and best >= NO_PLACE:
            self.left_out += lines
            return ""
        self.taken.append(_box(place, half))
        leader = ""
        if away >= FAR:
            end = np.clip(foot, place - half, place + half)
            way_to = f"M{foot[0]:.1f},{foot[1]:.1f} L{end[0]:.1f},{end[1]:.1f}"
            leader = f"<path{ink.leader} d='{way_to}'/>"
        shown = [index_of(line) if indexed else escape(line) for line in lines]
        return (
            leader + _written(shown, place, size, ink.rim) + _written(shown, place, size, ink.text)
        )

    def _packed(self) -> tuple[Array, ...]:
        """All busy points, where those of each thing begin, how far off names stay, weights."""
        if self._kept is None or self._kept[0] != len(self.busy):
            counts = [len(each.points) for each in self.busy]
            points = np.concatenate([each.points for each in self.busy])
            apart, weight = np.array([(each.apart, each.weight) for each in self.busy]).T
            self._kept = len(counts), (points, np.cumsum([0, *counts[:-1]]), apart, weight)
        return self._kept[1]

    def _costs(self, name: str, middles: Array, half: Array) -> Array:
        """What labels at these places would cover: labels and the edge of the page cost most."""
        low, high = middles - half, middles + half
        cost = np.zeros(len(middles))
        if self.taken:
            a, b, c, d = np.array(self.taken).T
            (left, top), (right, bottom) = low.T[..., None], high.T[..., None]
            over = (left < c + 2) & (a < right + 2) & (top < d + 1) & (b < bottom + 1)
            cost += NO_PLACE * over.sum(axis=1)
        outside = (low < 2).any(axis=1) | (high > [self.width - 2, self.height - 2]).any(axis=1)
        cost += 200.0 * outside
        if not self.busy:
            return cost
        points, starts, apart, weight = self._packed()
        nearest = np.clip(points[None], low[:, None], high[:, None])
        distances = np.minimum.reduceat(_distances(points - nearest), starts, axis=1)
        cost += np.maximum(0.0, 1.0 - distances / apart) @ weight
        return np.asarray(cost + self._strangers(name, points - middles[:, None], starts))

    def _strangers(self, name: str, ways: Array, starts: Array) -> Array:
        """What it costs to stand nearer to what belongs to other labels than to one's own."""
        owners = np.array([each.owner for each in self.busy])
        if name not in owners:
            return np.zeros(len(ways))
        away = np.minimum.reduceat(_distances(ways), starts, axis=1)
        own = away[:, owners == name].min(axis=1)
        others = [owner for owner in {*owners} if owner not in ("", name)]
        nearer = [away[:, owners == other].min(axis=1) < own for other in others]
        return 3.0 * np.sum(nearer, axis=0) if nearer else np.zeros(len(ways))


def _distances(ways: Array) -> Array:
    return np.asarray(np.hypot(ways[..., 0], ways[..., 1]))


def _box(middle: Array, half: Array) -> Box:
    (left, top), (right, bottom) = middle - half, middle + half
    return float(left), float(top), float(right), float(bottom)


def _written(lines: Sequence[str], middle: Array, size: float, more: str) -> str:
    """Lines one below the other."""
    top = middle[1] + (0.35 - 0.575 * (len(lines) - 1)) * size
    return "".join(
        f"<text{more} x='{middle[0]:.1f}' y='{top + 1.15 * size * k:.1f}' "
        f"text-anchor='middle'>{line}</text>"
        for k, line in enumerate(lines)
    )


def index_of(text: str) -> str:
    """`a^n_CB` with the n raised and CB lowered."""
    head, _, index = text.partition("_")
    letter, _, power = head.partition("^")
    parts = escape(letter)
    if power:
        parts += f"<tspan dy='-5' font-size='9'>{escape(power)}</tspan>"
    if index:
        parts += f"<tspan dy='{8 if power else 4}' font-size='9'>{escape(index)}</tspan>"
    return parts
