"""A motion as one SVG picture that moves by itself, without a script: small enough for a gallery.

Parts of the drawing are those of the player's (`korba.show.pages.figure`); where they are at each
of a few positions is written into `animate` elements, between which the browser interpolates. In
space, seen from a corner as in still pictures, what stands still are the same solids; what moves
has their colours, with a dark edge and a light, as they have.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any
from zlib import crc32

import numpy as np

from korba.display import Drawing
from korba.model.body import GROUND
from korba.show.drawings.draw import poses, ways_of
from korba.show.pages.figure import Figure
from korba.show.schemes.forms import flat_outline
from korba.show.schemes.paper import Paper, pen_of
from korba.show.schemes.scene import Mark, Scene, scene_of
from korba.show.schemes.scheme import SOLID_STYLE, style
from korba.show.schemes.shaded import painted
from korba.show.schemes.space import HUES, METAL, space_of
from korba.show.schemes.symbols import Pen
from korba.spatial.rotation import Array
from korba.trajectory.trajectory import Trajectory

POSITIONS = 48
"""Positions that a picture keeps."""
SECONDS = 4.0
"""In which it goes through its motion."""
PART = re.compile(r"<(path|g)([^>]*?) data-part='(\d+)'(/?)>")
LINES = (
    *("bar", "plate", "barrel", "piston", "rod", "rail", "slot way"),
    *("spring", "damper", "actuator", "ground rail"),
)
UNSEEN = ("mass centre", "base")
STILL = ("base", "ground rail", "floor")
"""Marks that are solids where they are of the ground."""
WIDE = {"barrel": 10.0, "piston": 5.2, "rod": 3.4, "tread": 4.0, "rail": 5.0}
"""Of rounded links, in pixels; others are as wide as bars."""
ROUND = {"end": 3.5, "ball": 7.0}
"""Marks that are balls in space, and how large."""
AXES = {
    "pin": (11.0, 8.0, (1,)),
    "cylinder": (11.0, 13.0, (1,)),
    "screw": (11.0, 13.0, (1,)),
    "cross": (5.0, 9.0, (1, 2)),
    "collar": (12.0, 2.0, (1,)),
    "block": (13.0, 11.0, (1,)),
    "guide": (13.0, 11.0, (1,)),
}
"""Marks that are pieces of axes in space: how wide, half how long, and towards which points."""
SHAPES = """.piece {{fill: none; stroke-linecap: butt}}
.flat {{stroke-width: 1.4; stroke-linejoin: round}}
"""
SOLIDS = SOLID_STYLE.lstrip()


def moving_picture(motion: Trajectory, theme: str = "light", path: str = "") -> Drawing:
    """The picture of a motion, which starts again at its end; a point may leave its curve."""
    chosen = np.unique(np.linspace(0, len(motion.t) - 1, POSITIONS).astype(int))
    way = ways_of(motion, [path] if path else [])
    scene = scene_of(motion.mechanism, poses(motion.mechanism, motion.q[chosen]), way)
    paper, elements = (_plane if scene.plane else _space)(scene)
    lines = [
        f"<path class='way' d='{_path(paper.at(points), False)}'/>" for _, points in scene.paths
    ]
    width, height = paper.size
    return Drawing(
        f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-{theme}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}' role='img'>"
        f"<title>{escape(scene.name)}</title><style>{style(theme, SHAPES + SOLIDS)}</style>"
        f"<rect class='page' width='100%' height='100%'/>{''.join([*lines, *elements])}</svg>\n"
    )


def _plane(scene: Scene) -> tuple[Paper, list[str]]:
    """The parts of the player's figure, each with its motion."""
    figure = Figure(scene, names=False)
    places = np.array([figure.places(k) for k in range(len(scene.poses))])

    def moved(match: re.Match[str]) -> str:
        tag, more, number, closed = match.groups()
        part = figure.parts[int(number)]
        inner = "".join(_animated(part, places[:, part["points"]]))
        return f"<{tag}{more}>{inner}" + (f"</{tag}>" if closed else "")

    return figure.paper, [PART.sub(moved, element) for element in figure.elements]


def _animated(part: dict[str, Any], own: Array) -> Iterator[str]:
    """How a part moves whose points are `own`, (positions, points, 2)."""
    if part["kind"] in ("path", "hull"):
        order = _hull(own[0]) if part["kind"] == "hull" else range(own.shape[1])
        closed = part["kind"] == "hull"
        yield _values("animate", "d", [_path(points[list(order)], closed) for points in own])
        return
    yield _transform("translate", own[:, 0])
    if own.shape[1] > 1:
        x, y = (own[:, 1] - own[:, 0]).T
        angles = np.degrees(np.unwrap(np.arctan2(y, x)))
        yield _transform("rotate", angles[:, None])
        if part["kind"] == "tie":
            yield _transform("scale", np.stack([np.hypot(x, y) / part["length"], 1 + 0 * x], 1), 3)


def _transform(kind: str, rows: Array, digits: int = 1) -> str:
    texts = [" ".join(f"{x:.{digits}f}" for x in row) for row in rows]
    more = f"type='{kind}' additive='{'replace' if kind == 'translate' else 'sum'}'"
    return _values("animateTransform", "transform", texts, more)


def _values(tag: str, attribute: str, values: list[str], more: str = "") -> str:
    """An animation; what stands still is one value."""
    kept = values[:1] * 2 if len(set(values)) == 1 else values
    return (
        f"<{tag} attributeName='{attribute}' {more} dur='{SECONDS:g}s' repeatCount='indefinite' "
        f"values='{';'.join(kept)}'/>"
    )


def _path(points: Array, closed: bool) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z" * closed


def _hull(points: Array) -> list[int]:
    """Numbers of the corners round points of a body, in order."""
    order = sorted(range(len(points)), key=lambda i: tuple(points[i]))

    def chain(given: list[int]) -> list[int]:
        kept: list[int] = []
        for i in given:
            while len(kept) > 1 and _turn(*points[[kept[-2], kept[-1], i]]) <= 1e-6:
                kept.pop()
            kept.append(i)
        return kept[:-1]

    return chain(order) + chain(order[::-1])


def _turn(a: Array, b: Array, c: Array) -> float:
    (x, y), (u, v) = b - a, c - b
    return float(x * v - y * u)


def _space(scene: Scene) -> tuple[Paper, list[str]]:
    """Rounded links and joints, what is farther first, above what stands still, as solids."""
    paper = Paper(scene)
    pen = pen_of(scene, paper)
    pixel = 1.3 * pen.size / paper.scale
    still = [mark for mark in scene.marks if mark.kind in STILL and mark.body == GROUND]
    base = painted(space_of(replace(scene, marks=tuple(still)), [], pixel), paper)
    hidden = {id(mark) for mark in still}
    marks = [m for m in scene.marks if m.kind not in UNSEEN and id(m) not in hidden]
    marks.sort(key=lambda mark: _nearness(scene, paper, mark))
    return paper, [base, *(_in_space(scene, paper, mark, pen) for mark in marks)]


def _nearness(scene: Scene, paper: Paper, mark: Mark) -> float:
    """How near a mark is; joints are seen upon their links, rods in their barrels."""
    places = scene.places(mark)[:1] if mark.kind not in LINES else scene.places(mark)
    ahead = -0.8 if mark.kind == "piston" else 0.0 if mark.kind in LINES else 0.7
    return float((places @ paper.away).mean() + ahead * scene.scale)


def _in_space(scene: Scene, paper: Paper, mark: Mark, pen: Pen) -> str:
    own = np.array([paper.at(scene.places(mark, k)) for k in range(len(scene.poses))])
    number = scene.bodies.index(mark.body)
    color = HUES[(number - 1) % len(HUES)] if number else METAL
    if mark.kind == "plate" and own.shape[1] > 3 and flat_outline(scene.places(mark)) is None:
        spokes = np.stack([own, np.broadcast_to(own.mean(axis=1, keepdims=True), own.shape)], 2)
        return _rounded([_path(p, True) for p in spokes.reshape(len(own), -1, 2)], color, 6, pen)
    if mark.kind == "plate":
        return _plate(own[:, _hull(own[0])], color, pen)
    if mark.kind in ("wheel", "curve") and own.shape[1] > 2:
        return _plate(own, color, pen)
    if mark.kind in ("spring", "damper"):
        drawn = _values("animate", "d", [_path(p, False) for p in own])
        return f"<path class='spring'>{drawn}</path>"
    if mark.kind in LINES or mark.kind in ("curve", "tread"):
        ways = [_path(p, mark.kind == "tread") for p in own]
        return _rounded(ways, color, WIDE.get(mark.kind, 6.8), pen)
    if mark.kind == "round":
        size = float(np.linalg.norm(own[0, 1:] - own[0, :1], axis=1).max())
        return _ball(own[:, 0], size, color)
    if mark.kind in AXES:
        wide, half, towards = AXES[mark.kind]
        half *= 1.3 * pen.size / paper.scale
        pieces = [_axis(scene, paper, mark, i, half) for i in towards]
        return "".join(_rounded(piece, METAL, wide, pen) for piece in pieces)
    return _ball(own[:, 0], ROUND.get(mark.kind, 6.0) * pen.size, METAL)


def _rounded(ways: list[str], color: str, wide: float, pen: Pen) -> str:
    """Something round along ways: its dark edge, itself, and the light on it."""
    w = wide * 1.3 * pen.size
    layers = ((shade(color, 0.55), w, 0.0), (shade(color, 0.9), w - 1.6, 0.0))
    light = (shade(color, 1.35), 0.28 * w, -0.16 * w)
    return _thrice(
        ways,
        *(
            f"class='piece' stroke='{ink}' stroke-width='{size:.1f}' x='{off:.1f}' y='{off:.1f}'"
            for ink, size, off in (*layers, light)
        ),
    )


def _plate(corners: Array, color: str, pen: Pen) -> str:
    """A flat plate: its thickness below, and itself."""
    edge = f"stroke='{shade(color, 0.55)}'"
    return _thrice(
        [_path(points, True) for points in corners],
        f"class='flat' fill='{shade(color, 0.6)}' {edge} y='{4.5 * pen.size:.1f}'",
        f"class='flat' fill='{color}' {edge}",
    )


def _thrice(ways: list[str], *looks: str) -> str:
    """A way that moves, written once, and drawn with several looks."""
    drawn = _values("animate", "d", ways)
    name = f"w{crc32(drawn.encode()):x}"
    used = "".join(f"<use href='#{name}' {look}/>" for look in looks)
    return f"<defs><path id='{name}'>{drawn}</path></defs>{used}"


def _ball(places: Array, size: float, color: str) -> str:
    """A ball, and the light on it."""
    spots = ((0, 0, 1.0, shade(color, 0.5)), (0, 0, 0.9, shade(color, 0.85)))
    spots += ((-0.18, -0.18, 0.62, shade(color, 1.1)), (-0.3, -0.3, 0.26, shade(color, 1.4)))
    inner = "".join(
        f"<circle cx='{size * x:.1f}' cy='{size * y:.1f}' r='{size * r:.1f}' fill='{ink}'/>"
        for x, y, r, ink in spots
    )
    return f"<g>{inner}{_transform('translate', places)}</g>"


def _axis(scene: Scene, paper: Paper, mark: Mark, i: int, half: float) -> list[str]:
    """A short piece of an axis through a joint, along its point i, at every position."""
    ends = []
    for k in range(len(scene.poses)):
        centre, far = scene.places(mark, k)[[0, i]]
        way = half * (far - centre) / float(np.linalg.norm(far - centre))
        ends.append(_path(paper.at(np.array([centre - way, centre + way])), False))
    return ends


def shade(color: str, light: float) -> str:
    """A colour darker, or, beyond 1, nearer to white."""
    base = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=float)
    lit = base * light if light <= 1 else base + (255.0 - base) * (light - 1.0)
    return "#" + bytes(np.round(lit).astype(np.uint8)).hex()
