"""Solids on paper: faces shaded by their slope to the light, the farther ones first, as SVG.

Large faces are cut until none is longer than some pixels, so that there is an order in which they
hide each other (hidden.py). Outlines and sharp edges are drawn as fine lines upon their faces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...spatial.rotation import Array, cross
from .floor import Floor
from .forms import Form
from .hidden import Piece, painting_order
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
FINE = 5.0
"""Of faces that go through each other."""
LINE = 9.0
"""Pixels of the longest piece of an outline: it ends where it is hidden."""
TENTHS = 10
"""Steps of coordinates in a pixel: whole numbers make short text."""


def solids(space: Space, paper: Paper, floor: Floor | None) -> Iterator[str]:
    """The floor, and all solids of a space with the paths of its points."""
    if floor:
        lines = [Piece("grid", paper.at(ends), np.zeros(2)) for ends in floor.lines()]
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
    pieces: list[Piece] = []
    for number, part in enumerate(space.parts):
        pieces += _faces(space, part, paper, number)
    for color, way in lines:
        ends = np.stack([way[:-1], way[1:]], axis=1)
        pieces += _pieces(paper, ends, [color] * len(ends))
    if not pieces:
        return _group([])
    order, torn = painting_order(pieces, paper.size)
    if torn:
        pieces = [each for i, each in enumerate(pieces) if i not in torn] + [
            small for i in sorted(torn) for small in _cut_again(pieces[i])
        ]
        order, _ = painting_order(pieces, paper.size)
    return _group([pieces[i] for i in order])


def _cut_again(piece: Piece) -> Iterator[Piece]:
    """A face that goes through another one, in finer pieces."""
    corners = np.column_stack([piece.points, piece.depth])
    for small in _cut(corners[None], FINE)[0]:
        yield piece._replace(points=small[:, :2], depth=small[:, 2])


def _pieces(
    paper: Paper, places: Array, colors: Sequence[str], part: int = 0, *, rim: bool = False
) -> Iterator[Piece]:
    """Pieces with corners in the world, (n, corners, 3)."""
    depth = paper.scale * (places @ paper.away)
    for color, points, own in zip(colors, paper.at(places), depth, strict=True):
        yield Piece(color, points, own, part, rim)


def _group(pieces: list[Piece]) -> str:
    return f"<g class='solids' transform='scale({1 / TENTHS})'>{''.join(_drawn(pieces))}</g>"


def _drawn(pieces: list[Piece]) -> Iterator[str]:
    """Paths; neighbours in depth of one colour are one path."""
    ways: list[str] = []
    before = ""
    for color, points, *_ in pieces:
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


def _faces(space: Space, part: Part, paper: Paper, number: int) -> Iterator[Piece]:
    """Faces of a part that are seen, in small pieces, and its edges."""
    form, X = space.forms[part.form], space.world(part)
    corners = form.corners @ X[:3, :3].T + X[:3, 3]
    quads = corners[form.faces]
    if np.linalg.det(X[:3, :3]) < 0:
        quads = quads[:, [0, 3, 2, 1]]
    normal = cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    size = np.linalg.norm(normal, axis=1)
    normal = normal / np.maximum(size, 1e-300)[:, None]
    front = (normal @ paper.away > 0.0) & (size > 0.0)
    frame = np.stack([*paper.view, paper.away])
    shades = _shades(part.color, normal[front] @ frame.T)
    is_mesh = part.form.startswith("mesh")
    longest = (USUAL if is_mesh else SMALL.get(part.kind, USUAL)) / paper.scale
    small, owner = _cut(quads[front], longest)
    yield from _pieces(paper, small, [shades[own] for own in owner], number)
    ends = _halved(_edges(form, normal, front, corners, is_mesh=is_mesh), LINE / paper.scale)
    yield from _pieces(paper, ends, ["edge"] * len(ends), number, rim=is_mesh)


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
