"""A spatial scene as data of a page: web/space.js shows it by WebGL.

Corners of a form are kept in steps of 16 bits of its size, so that a robot's page stays small;
poses keep eleven digits.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...spatial.rotation import Array
from ..schemes.floor import extent, floor_below
from ..schemes.forms import Form, unit
from ..schemes.paper import Paper, named_places, pen_of, reach
from ..schemes.scene import Attached, Scene
from ..schemes.space import Part, space_of
from ..schemes.themes import THEMES
from ..schemes.visuals import visuals_of

FACES = 20_000
"""Triangles of all meshes of a page."""
SOME = 12
"""Positions that tell how much room a motion takes."""
BIG = 1.3
"""Size of symbols, beside those of a plane picture."""
SHADOW = (0.25, -0.15, -1.0)
"""Way of a shadow from what is so high above the floor (web/space.js)."""
LENS, TILT = 0.26, 0.5
"""Half the angle that is seen, and how steeply from above at first (web/space.js)."""
WIDE = 1.36
"""Least width of the canvas, in heights."""
ARROWS = ("cylinder", "head", "ball")
"""Forms that overlays are built of."""
CANVAS = (
    "<div class='space'><canvas role='img' aria-label='the mechanism in space'></canvas>"
    "<div class='names'></div></div>"
)


def space_page(
    scene: Scene,
    trails: Sequence[Attached],
    theme: str,
    *,
    names: bool,
    masses: bool,
    faces: int = FACES,
    arrows: bool = False,
) -> tuple[str, dict[str, Any]]:
    """The place of a spatial mechanism in a page, and the data that fill it."""
    visuals, _ = visuals_of(scene.shapes, scene.folder, faces)
    few = np.unique(np.linspace(0, len(scene.poses) - 1, SOME).astype(int))
    some = replace(scene, poses=scene.poses[few])
    boxes = [*extent(some, visuals, range(len(few)))]
    marks = [reach(some, mark, k) for mark in some.marks for k in range(len(few))]
    marks += [reach(some, mark, 0) for mark in some.over]
    every = np.concatenate([*boxes, *marks, *(way for _, way in scene.paths)])
    paper = Paper(some, boxes)
    pixel = BIG * pen_of(some, paper).size / paper.scale
    space = space_of(some, visuals, pixel, masses=masses)
    first = [*extent(some, visuals, [0])]
    feet = 20.0 if any(mark.kind == "base" for mark in scene.marks) else 3.0
    level = np.concatenate(first)[:, 2].min() if first else every[:, 2].min() - feet * pixel
    below = every + (every[:, 2:] - level) * np.array(SHADOW)
    floor = floor_below(np.concatenate([every, below]))._replace(height=float(level))
    held = np.concatenate([every, below, *floor.lines()])
    centre, radius = _middle(held, 9.0 * pixel)
    forms = space.forms | ({name: unit(name) for name in ARROWS} if arrows else {})
    data = {
        "frames": _poses(scene).tolist(),
        "forms": {name: packed(form) for name, form in forms.items()},
        "parts": [_part(scene, part) for part in space.parts if not part.ends],
        "ties": [_tie(scene, part) for part in space.parts if part.ends],
        "trails": [_point(scene, point) for point in trails],
        "names": [[text, *_point(scene, point)] for text, point in named_places(some, paper)]
        if names
        else [],
        "centre": centre.tolist(),
        "radius": radius or 1.0,
        "floor": [[[float(f"{x:.6g}") for x in end] for end in ends] for ends in floor.lines()],
        "level": floor.height,
        "colors": colours(theme),
        "wide": 1.3 * pixel,
    }
    return CANVAS, data


def _middle(points: Array, beside: float) -> tuple[Array, float]:
    """What is looked at, above or below the middle of all, so that they are seen largest.

    Symbols reach so far `beside` their points.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    middles = [np.array([*(low + high)[:2] / 2, z]) for z in np.linspace(low[2], high[2], 15)]
    rooms = [_room(points - middle, beside) for middle in middles]
    best = int(np.argmin(rooms))
    return middles[best], rooms[best]


def _room(ways: Array, more: float) -> float:
    """Radius about the middle with which ways (n, 3) from it are seen, from whichever side."""
    most = 0.0
    c, s = np.cos(TILT), np.sin(TILT)
    for turn in np.linspace(0.0, 2 * np.pi, 24, endpoint=False):
        x, y = np.cos(turn), np.sin(turn)
        right, up, out = np.array([[-y, x, 0.0], [-s * x, -s * y, c], [c * x, c * y, s]])
        beside = np.maximum(np.abs(ways @ right) / WIDE, np.abs(ways @ up))
        most = max(most, float(((beside + more) / np.tan(LENS) + ways @ out).max()))
    return np.sin(LENS) * most


def _poses(scene: Scene) -> Array:
    """Places and quaternions (frames, bodies, 7); neighbours in time have them of one sign."""
    digits = 11 - int(np.ceil(np.log10(scene.scale)))
    q = quaternions(scene.poses[..., :3, :3])
    flips = np.einsum("fbi,fbi->fb", q[1:], q[:-1]) < 0
    q[1:][np.cumsum(flips, axis=0) % 2 == 1] *= -1.0
    return np.concatenate([np.round(scene.poses[..., :3, 3], digits), np.round(q, 12)], axis=-1)


def quaternions(R: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotations (..., 3, 3).

    The largest of the four is found from the trace or a diagonal entry, the others from it
    (Shepperd, 1978), so that no digit is lost.
    """
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    squares = np.stack([xx + yy + zz, xx - yy - zz, yy - zz - xx, zz - xx - yy], axis=-1) + 1.0
    a, b, c = R[..., 2, 1], R[..., 0, 2], R[..., 1, 0]
    d, e, f = R[..., 1, 2], R[..., 2, 0], R[..., 0, 1]
    rows = np.stack(
        [
            np.stack([squares[..., 0], a - d, b - e, c - f], axis=-1),
            np.stack([a - d, squares[..., 1], c + f, b + e], axis=-1),
            np.stack([b - e, c + f, squares[..., 2], a + d], axis=-1),
            np.stack([c - f, b + e, a + d, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)[..., None, None]
    row = np.take_along_axis(rows, best, axis=-2)[..., 0, :]
    return np.asarray(row / np.linalg.norm(row, axis=-1, keepdims=True))


def packed(form: Form) -> dict[str, Any]:
    """A form in 16 bits for each number of a corner."""
    low, high = form.corners.min(axis=0), form.corners.max(axis=0)
    step = (high - low) / 65535
    at = np.round((form.corners - low) / np.where(step > 0, step, 1.0)).astype("<u2")
    wide = len(form.corners) > 65535
    triangles = form.triangles().astype("<u4" if wide else "<u2")
    return {
        "low": low.tolist(),
        "step": step.tolist(),
        "corners": b64encode(at.tobytes()).decode(),
        "triangles": b64encode(triangles.tobytes()).decode(),
        "wide": wide,
    }


def _part(scene: Scene, part: Part) -> list[Any]:
    X = [float(f"{x:.7g}") for x in part.X.T.ravel()]
    return [part.form, scene.bodies.index(part.body), X, rgb(part.color), part.kind]


def _tie(scene: Scene, part: Part) -> list[Any]:
    ends = [_point(scene, end) for end in part.ends]
    return [part.form, ends, float(part.X[0, 0]), rgb(part.color)]


def _point(scene: Scene, point: Attached) -> list[float]:
    return [scene.bodies.index(point.body), *point.at]


def colours(theme: str) -> dict[str, list[float]]:
    """The colours of a theme, as shaders take them."""
    return {name: rgb(color) for name, color in THEMES[theme].items()}


def rgb(color: str) -> list[float]:
    """Red, green and blue from 0 to 1."""
    return [round(int(color[i : i + 2], 16) / 255, 4) for i in (1, 3, 5)]
