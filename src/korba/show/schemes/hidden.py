"""In which order pieces of solids are painted, so that what is nearer hides what is farther.

Faces are looked at in the middles of pixels, as a depth buffer does. The face that is nearest there
is painted after all others that are there too; those that share no pixel keep the order of their
middles. So of a long face beside short ones, and of a shell close inside another, the nearer one is
seen wherever it is the nearer one (the painter's algorithm of Newell, Newell and Sancha, 1972, with
pixels for its tests). Faces of two parts in one plane are painted part by part.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import product
from typing import NamedTuple

import numpy as np

from ...spatial.rotation import Array

LEVEL = 0.3
"""Pixels between faces that lie in one plane."""
UPON = 1.5
"""Pixels that a line may be behind a face that it is drawn upon."""
STEEP = 6.0
"""Pixels that it may be behind a face of its own part a pixel beside it."""
FEW = 1
"""Pixels in which a face may wrongly be in front."""
DROP = 6.0
"""Pixels to what is behind an outline, within a pixel from it."""


class Piece(NamedTuple):
    """A face, or a line of two points."""

    color: str
    points: Array
    """Corners in pixels, (n, 2)."""
    depth: Array
    """How near to the reader they are, in pixels, (n,)."""
    part: int = 0
    """Of two faces in one plane that of the later part is in front."""
    rim: bool = False
    """Of a line: drawn only where the picture is much deeper beside it."""


class Seen(NamedTuple):
    """Places at which pieces are looked at: the piece, the number of the pixel, how near it is."""

    owner: Array
    pixel: Array
    depth: Array


def painting_order(pieces: list[Piece], size: Array) -> tuple[list[int], set[int]]:
    """Numbers of the pieces that are seen on a page of that size, the first to be painted first.

    And of those faces among them that go through each other, so that no order is right.
    """
    page = np.ceil(size).astype(int) + 2
    parts, rims = np.array([(piece.part, piece.rim) for piece in pieces]).T
    faces, thin = _on_faces(*_with_corners(pieces, 4), page)
    lines = _together([thin, _on_lines(*_with_corners(pieces, 2), page)])
    nearest = np.full(page, -np.inf)
    np.maximum.at(nearest.ravel(), faces.pixel, faces.depth)
    gap = nearest.ravel()[faces.pixel] - faces.depth
    level = np.flatnonzero(gap < LEVEL)
    level = level[np.lexsort((faces.depth[level], parts[faces.owner[level]]))]
    front = np.full(page, -1)
    front.ravel()[faces.pixel[level]] = faces.owner[level]
    one, two = faces.owner, front.ravel()[faces.pixel]
    told = (one != two) & ((gap > LEVEL) | (parts[one] != parts[two]))
    deep = _least_beside(nearest).ravel()[lines.pixel]
    free = lines.depth > np.where(rims[lines.owner], deep + DROP, deep - UPON)
    shown = np.zeros(len(pieces), dtype=bool)
    shown[faces.owner[level]] = shown[lines.owner[free]] = True
    pairs = [np.stack([one, two], axis=1)[told], *_of_lines(lines, free, front, nearest, parts)]
    first, second = np.concatenate(pairs).T
    both = shown[first] & shown[second]
    after, torn = _as_most_say(first[both], second[both], len(pieces))
    order, circles = _sorted(np.flatnonzero(shown), _middles(pieces), after)
    return order, {i for i in (*torn.tolist(), *circles) if len(pieces[i].points) > 2}


def _of_lines(
    lines: Seen, free: Array, front: Array, nearest: Array, parts: Array
) -> Iterator[Array]:
    """Pairs of lines and faces, (n, 2): those that are free come after what is in front there.

    And after faces of their own part a pixel beside them, which else would cover half their width.
    """
    own = front.ravel()[lines.pixel]
    yield np.stack([own, lines.owner], axis=1)[free & (own >= 0)]
    yield np.stack([lines.owner, own], axis=1)[~free & (own >= 0)]
    for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        beside = np.roll(front, step, axis=(0, 1)).ravel()[lines.pixel]
        near = np.roll(nearest, step, axis=(0, 1)).ravel()[lines.pixel]
        mine = (parts[beside] == parts[lines.owner]) & (near - lines.depth < STEEP)
        yield np.stack([beside, lines.owner], axis=1)[free & mine & (beside >= 0)]


def _least_beside(x: Array) -> Array:
    """The least value in each pixel and its eight neighbours."""
    return np.min([np.roll(x, step, axis=(0, 1)) for step in product((-1, 0, 1), repeat=2)], axis=0)


def _with_corners(pieces: list[Piece], count: int) -> tuple[Array, Array]:
    """Numbers of the pieces with so many corners, and these with their depths, (n, count, 3)."""
    numbers = [i for i, piece in enumerate(pieces) if len(piece.points) == count]
    points = np.array([pieces[i].points for i in numbers]).reshape(-1, count, 2)
    depths = np.array([pieces[i].depth for i in numbers]).reshape(-1, count, 1)
    return np.array(numbers, dtype=int), np.concatenate([points, depths], axis=2)


def _middles(pieces: list[Piece]) -> Array:
    return np.round([sum(piece.depth.tolist()) / len(piece.depth) for piece in pieces], 3)


def _on_faces(numbers: Array, corners: Array, page: Array) -> tuple[Seen, Seen]:
    """The middles of pixels that are inside of faces; and of a thin face without one its own."""
    counts = np.ptp(corners[..., :2], axis=1).max(axis=1).astype(int) + 2
    seen, thin = list[Seen](), list[Seen]()
    for count in np.unique(counts).tolist():
        own, alike = numbers[counts == count], corners[counts == count]
        steps = np.stack(np.meshgrid(*[np.arange(count)] * 2), axis=-1).reshape(-1, 2)
        pixels = np.floor(alike[..., :2].min(axis=1))[:, None] + steps
        none = np.ones(len(own), dtype=bool)
        for k in (1, 2):
            depth, inside = _in_triangle(alike[:, [0, k, k + 1]], pixels + 0.5)
            none &= ~inside.any(axis=1)
            places = np.column_stack([pixels[inside], depth[inside]])
            seen.append(_placed(own[np.nonzero(inside)[0]], places, page))
        thin.append(_placed(own[none], alike[none].mean(axis=1), page))
    return _together(seen), _together(thin)


def _in_triangle(corners: Array, places: Array) -> tuple[Array, Array]:
    """How near triangles (n, 3, 3) are at places (n, m, 2), and which of these are inside."""
    a, b, c = (corners[:, None, i] for i in range(3))
    (ux, uy), (vx, vy) = (np.moveaxis((p - a)[..., :2], -1, 0) for p in (b, c))
    area = ux * vy - vx * uy
    area = np.where(np.abs(area) > 1e-9, area, np.nan)
    x, y = np.moveaxis(places - a[..., :2], -1, 0)
    s, t = (x * vy - vx * y) / area, (ux * y - x * uy) / area
    depth = a[..., 2] + s * (b - a)[..., 2] + t * (c - a)[..., 2]
    return depth, (s >= 0) & (t >= 0) & (s + t <= 1)


def _on_lines(numbers: Array, ends: Array, page: Array) -> Seen:
    """Places on lines, about a pixel apart."""
    counts = np.abs(ends[:, 1, :2] - ends[:, 0, :2]).max(axis=1, initial=0.0).astype(int) + 2
    line = np.repeat(np.arange(len(numbers)), counts)
    s = (np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts) + 0.5) / counts[line]
    a, b = ends[line, 0], ends[line, 1]
    return _placed(numbers[line], a + s[:, None] * (b - a), page)


def _placed(owner: Array, places: Array, page: Array) -> Seen:
    """Of places (n, 3) the pixels that they are in."""
    x, y = np.clip(places[:, :2].astype(int), 0, page - 1).T
    return Seen(owner, x * page[1] + y, places[:, 2])


def _together(seen: list[Seen]) -> Seen:
    none = Seen(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    return Seen(*map(np.concatenate, zip(none, *seen, strict=True)))


def _as_most_say(first: Array, second: Array, many: int) -> tuple[Array, Array]:
    """Pairs, (n, 2), the second painted after the first, as most of the given ones say.

    And what is in pairs on which many disagree.
    """
    low, up = np.minimum(first, second), np.maximum(first, second)
    pairs, number = np.unique(low * many + up, return_inverse=True)
    votes = np.bincount(number, np.where(first == low, 1.0, -1.0), len(pairs))
    ends = np.stack([pairs // many, pairs % many], axis=1)
    torn = np.bincount(number) - np.abs(votes) > 2 * FEW
    ends[votes < 0] = ends[votes < 0, ::-1]
    return ends[votes != 0], np.unique(ends[torn])


def _sorted(numbers: Array, middles: Array, after: Array) -> tuple[list[int], list[int]]:
    """Numbers in the order of their middles as far as pairs allow, and where circles are opened."""
    waits = np.bincount(after[:, 1], minlength=len(middles)).tolist()
    nexts: dict[int, list[int]] = {}
    for one, two in after.tolist():
        nexts.setdefault(one, []).append(two)
    queue = [(middles[i], i) for i in numbers.tolist()]
    ready = [each for each in queue if not waits[each[1]]]
    heapify(ready)
    left = iter(sorted(queue))
    done, order, circles = set[int](), list[int](), list[int]()
    while len(order) < len(queue):
        _, i = heappop(ready) if ready else next(left)
        if i not in done:
            if waits[i] > 0:
                circles.append(i)
            done.add(i)
            order.append(i)
            for k in nexts.get(i, ()):
                waits[k] -= 1
                if not waits[k]:
                    heappush(ready, (middles[k], k))
    return order, circles
