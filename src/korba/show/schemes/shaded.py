"""Solids on paper: faces shaded by their slope to the light, the farther ones first, as SVG.

Large faces are cut until none is longer than some pixels; then the order of their middles is
that in which they hide each other (the painter's algorithm). Outlines and sharp edges are drawn as
fine lines, each with the face in front of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...spatial.rotation import Array
from .floor import Floor
from .forms import Form
from .paper import Paper
from .space import Part, Space

SMALL = {"shape": 14.0}
USUAL = 34.0
"""Pixels of the longest edge of a face that is painted at once; shapes often cut each other."""
LIGHT = np.array([-0.35, 0.55, 0.76])
"""Where the light comes from, in the reader's frame: right, up, towards the reader."""
SHADES = 28
SHARP = 0.6
"""Cosine of the angle between faces from which on their edge is drawn."""

GRID = 10.0
"""Pixels between points that names keep off."""
CELL = 3.0
"""Pixels of a cell of the raster that tells what is hidden."""
BEHIND = 26.0
"""Pixels that a hidden piece is behind what hides it, at least."""
TENTHS = 10
"""Steps of coordinates in a pixel: whole numbers make short text."""

Piece = tuple[float, str, Any]
"""Depth, colour and corners in pixels, (n, 2)."""


def solids(space: Space, paper: Paper, floor: Floor | None) -> Iterator[str]:
    """The floor, and all solids of a space with the paths of its points."""
    if floor:
        lines = [(0.0, "grid", paper.at(ends)) for ends in floor.lines()]
        yield _group(lines)
    ways = [("way", way) for _, way in space.scene.paths]
    yield painted(space, paper, [*ways, *hatching(space)])


def covered(space: Space, paper: Paper, kind: str) -> Array:
    """Pixels all over parts of a kind, as far apart as a grid, for names to keep off, (n, 2)."""
    cells = [np.zeros((0, 2))]
    for part in space.parts:
        if part.kind == kind:
            form, X = space.forms[part.form], space.world(part)
            corners = form.corners @ X[:3, :3].T + X[:3, 3]
            small, _ = _cut(corners[form.faces], GRID / paper.scale)
            cells.append(np.round(paper.at(small.mean(axis=1)) / GRID))
    return np.unique(np.concatenate(cells), axis=0) * GRID


def painted(space: Space, paper: Paper, lines: Sequence[tuple[str, Array]] = ()) -> str:
    """All parts of a space, and lines in the world, as groups of SVG, hidden by each other."""
    away = paper.away
    pieces: list[Piece] = []
    for part in space.parts:
        pieces += _faces(space, part, paper)
    near = 2.0 / paper.scale
    for color, way in lines:
        middle = (way[1:] + way[:-1]) / 2 @ away + near
        ends = np.stack([way[:-1], way[1:]], axis=1)
        pieces += [(d, color, p) for d, p in zip(middle, paper.at(ends), strict=True)]
    return _group([pieces[i] for i in _seen(pieces, paper)] if pieces else [])


def _group(pieces: list[Piece]) -> str:
    return f"<g class='solids' transform='scale({1 / TENTHS})'>{''.join(_drawn(pieces))}</g>"


def _seen(pieces: list[Piece], paper: Paper) -> Array:
    """Numbers of the pieces that are not wholly behind others, the farthest first.

    Points all over every face go to the cells of a raster, which keep the depth of the nearest
    face. A cell hides no more than the farthest of its neighbours, so that nothing is lost at the
    edge of what hides. A piece that is far behind at all its points is hidden.
    """
    depth = np.array([piece[0] for piece in pieces])
    wide, high = np.ceil(paper.size / CELL).astype(int) + 3
    owner, cells = _sampled([piece[2] for piece in pieces])
    cells = np.clip(cells, 0, [wide - 3, high - 3]) + 1
    filled = np.array([len(piece[2]) > 2 for piece in pieces])[owner]
    nearest = np.full((wide, high), -np.inf)
    np.maximum.at(nearest, tuple(cells[filled].T), depth[owner][filled])
    covered = np.full((wide, high), np.inf)
    for shift in product((-1, 0, 1), repeat=2):
        covered = np.minimum(covered, np.roll(nearest, shift, axis=(0, 1)))
    free = depth[owner] > covered[tuple(cells.T)] - BEHIND / paper.scale
    shown = np.zeros(len(pieces), dtype=bool)
    shown[owner[free]] = True
    order = np.argsort(np.round(depth * paper.scale, 3), kind="stable")
    return order[shown[order]]


def _sampled(pieces: list[Array]) -> tuple[Array, Array]:
    """Points all over pieces, no farther apart than a cell: numbers of their pieces, cells."""
    by_count: dict[tuple[int, int], list[int]] = {}
    for i, corners in enumerate(pieces):
        size = float(np.abs(corners - corners[0]).max())
        by_count.setdefault((len(corners), 2 + int(1.5 * size / CELL)), []).append(i)
    owner, points = [], []
    for (sides, count), numbers in by_count.items():
        u, v = np.meshgrid(*[np.linspace(0.0, 1.0, count)] * 2)
        weights = [(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]
        if sides == 2:
            weights = [1 - u[0], u[0]]
        W = np.stack([w.ravel() for w in weights], axis=1)
        points.append((W @ np.stack([pieces[i] for i in numbers])).reshape(-1, 2))
        owner.append(np.repeat(numbers, len(W)))
    return np.concatenate(owner), (np.concatenate(points) / CELL).astype(int)


def _drawn(pieces: list[Piece]) -> Iterator[str]:
    """Paths; neighbours in depth of one colour are one path."""
    ways: list[str] = []
    before = ""
    for _, color, points in pieces:
        if color != before and ways:
            yield _path(before, ways)
            ways = []
        before = color
        ways.append(_way(np.round(TENTHS * points).astype(int).tolist()))
    if ways:
        yield _path(before, ways)


def _way(points: list[list[int]]) -> str:
    """A closed way through corners, or a line, in steps."""
    (x, y), *rest = points
    steps = []
    for a, b in rest:
        if (a, b) != (x, y):
            steps.append(f"{a - x},{b - y}")
            x, y = a, b
    return f"M{points[0][0]},{points[0][1]}l{' '.join(steps) or '0,0'}{'z' * (len(points) > 2)}"


def _path(color: str, ways: list[str]) -> str:
    if color.startswith("#"):
        return f"<path color='{color}' d='{''.join(ways)}'/>"
    return f"<path class='{color}' d='{''.join(ways)}'/>"


def _faces(space: Space, part: Part, paper: Paper) -> Iterator[Piece]:
    """Faces of a part that are seen, in small pieces, and its edges."""
    form, X = space.forms[part.form], space.world(part)
    corners = form.corners @ X[:3, :3].T + X[:3, 3]
    quads = corners[form.faces]
    if np.linalg.det(X[:3, :3]) < 0:
        quads = quads[:, [0, 3, 2, 1]]
    normal = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    size = np.linalg.norm(normal, axis=1)
    normal = normal / np.maximum(size, 1e-300)[:, None]
    front = (normal @ paper.away > 0.0) & (size > 0.0)
    frame = np.stack([*paper.view, paper.away])
    shades = _shades(part.color, normal[front] @ frame.T)
    is_mesh = part.form.startswith("mesh")
    longest = (USUAL if is_mesh else SMALL.get(part.kind, USUAL)) / paper.scale
    small, owner = _cut(quads[front], longest)
    depth = small.mean(axis=1) @ paper.away
    pixels = paper.at(small)
    for i, own in enumerate(owner):
        yield float(depth[i]), shades[own], pixels[i]
    ends = _edges(form, normal, front, corners, is_mesh=is_mesh)
    ends = _halved(ends, longest)
    depth = ends.mean(axis=1) @ paper.away + 0.7 / paper.scale
    for d, p in zip(depth, paper.at(ends), strict=True):
        yield float(d), "edge", p


def _shades(color: str, normals: Array) -> list[str]:
    """The colour of each face by its normal in the reader's frame."""
    base = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    towards = LIGHT / np.linalg.norm(LIGHT)
    between = towards + np.array([0.0, 0.0, 1.0])
    half = between / np.linalg.norm(between)
    bright = 0.5 + 0.58 * np.maximum(normals @ towards, 0.0) + 0.06 * normals[:, 1]
    gloss = 0.3 * np.maximum(normals @ half, 0.0) ** 24
    bright, gloss = np.round(bright * SHADES) / SHADES, np.round(gloss * SHADES) / SHADES
    mixed = np.clip(base * bright[:, None], 0.0, 1.0)
    mixed = mixed + (1.0 - mixed) * gloss[:, None]
    return ["#" + bytes(row).hex() for row in np.round(255 * mixed).astype(np.uint8)]


def _cut(quads: Array, longest: float) -> tuple[Array, Array]:
    """The faces (n, 4, 3) in pieces with no edge longer than that, and the face of each piece."""
    owner = np.arange(len(quads))
    for _ in range(12):
        sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
        across = np.maximum(sides[:, 0], sides[:, 2])
        up = np.maximum(sides[:, 1], sides[:, 3])
        one, other = (across >= up) & (across > longest), (up > across) & (up > longest)
        if not (one.any() or other.any()):
            break
        middles = (np.roll(quads, -1, axis=1) + quads) / 2
        a, b, c, d = (quads[:, i] for i in range(4))
        ab, bc, cd, da = (middles[:, i] for i in range(4))
        kept = ~(one | other)
        pieces = [
            quads[kept],
            np.stack([a, ab, cd, d], axis=1)[one],
            np.stack([ab, b, c, cd], axis=1)[one],
            np.stack([a, b, bc, da], axis=1)[other],
            np.stack([da, bc, c, d], axis=1)[other],
        ]
        owner = np.concatenate([owner[kept], owner[one], owner[one], owner[other], owner[other]])
        quads = np.concatenate(pieces)
    return quads, owner


def _halved(ends: Array, longest: float) -> Array:
    """Lines (n, 2, 3) in pieces no longer than that."""
    for _ in range(12):
        long = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > longest
        if not long.any():
            break
        a, b = ends[long, 0], ends[long, 1]
        m = (a + b) / 2
        ends = np.concatenate([ends[~long], np.stack([a, m], axis=1), np.stack([m, b], axis=1)])
    return ends


def _edges(form: Form, normal: Array, front: Array, corners: Array, *, is_mesh: bool) -> Array:
    """Edges of the outline, and those between faces that meet at a sharp angle, (n, 2, 3)."""
    sides = np.concatenate([form.faces[:, [i, (i + 1) % 4]] for i in range(4)])
    owner = np.tile(np.arange(len(form.faces)), 4)
    real = sides[:, 0] != sides[:, 1]
    sides, owner = np.sort(sides[real], axis=1), owner[real]
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, owner = sides[order], owner[order]
    twin = (sides[1:] == sides[:-1]).all(axis=1)
    a, b, where = owner[:-1][twin], owner[1:][twin], sides[:-1][twin]
    outline = front[a] != front[b]
    sharp = front[a] & front[b] & (np.einsum("ij,ij->i", normal[a], normal[b]) < SHARP)
    shown = outline | (sharp & (not is_mesh))
    return np.asarray(corners[where[shown]])


def hatching(space: Space) -> list[tuple[str, Array]]:
    """Short slanting lines below the feet on the ground, along the two edges that are seen."""
    lines = []
    u = space.unit
    for part in space.parts:
        if part.kind != "base" or part.form != "box":
            continue
        p, half = part.X[:3, 3], 14.0 * u
        out = np.sign(part.X[2, 2]) * np.array([0.0, 0.0, u])  # away from the bearing
        for along, side in (([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]), ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])):
            corner = p + half * np.array(side) - 1.25 * out
            step = np.array(along) * 2 * half / 5
            for i in range(5):
                start = corner + step * (i - 1.8)
                lines.append(("hatch", np.array([start, start - step * 0.7 - 6.0 * out])))
    return lines
