"""A motion as one SVG picture that moves by itself, without a script: small enough for a gallery.

Parts of the drawing are those of the player's (`korba.show.pages.figure`); where they are at each
of a few positions is written into `animate` elements, between which the browser interpolates. In
space links are lines, seen from a corner as in still pictures.
"""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from korba.display import Drawing
from korba.show.drawings.draw import poses, ways_of
from korba.show.pages.figure import Figure
from korba.show.schemes.paper import Paper, inked, pen_of
from korba.show.schemes.scene import Mark, Scene, scene_of
from korba.show.schemes.scheme import style
from korba.show.schemes.symbols import SYMBOLS, Pen
from korba.spatial.rotation import Array
from korba.trajectory.trajectory import Trajectory

POSITIONS = 48
"""Positions that a picture keeps."""
SECONDS = 4.0
"""In which it goes through its motion."""
PART = re.compile(r"<(path|g)([^>]*?) data-part='(\d+)'(/?)>")
LINES = ("bar", "plate", "rail", "slot way", "spring", "damper", "actuator", "ground rail")
ROUND = {"ball": 6.0, "end": 3.5}
"""Marks that are circles in space, and how large."""
BALL = ".ball {{fill: {soft}; stroke: {ink}; stroke-width: 1.2}}"
AXES = {"pin": (1,), "cylinder": (1,), "screw": (1,), "cross": (1, 2)}
"""Marks that are pieces of axes in space: the points along which they go."""
AXIS = 0.05
"""Half the length of such a piece, in typical lengths."""


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
        f"<title>{escape(scene.name)}</title><style>{style(theme, BALL)}</style>"
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
    """Links as lines, joints as circles, what is farther first."""
    paper = Paper(scene)
    marks = [mark for mark in scene.marks if mark.kind != "mass centre"]
    marks.sort(key=lambda mark: (mark.kind not in LINES, _nearness(scene, paper, mark)))
    pen = pen_of(scene, paper)
    return paper, [_in_space(scene, paper, mark, inked(pen, scene, mark)) for mark in marks]


def _nearness(scene: Scene, paper: Paper, mark: Mark) -> float:
    return float((scene.places(mark)[:1] @ paper.away).mean())


def _in_space(scene: Scene, paper: Paper, mark: Mark, pen: Pen) -> str:
    own = np.array([paper.at(scene.places(mark, k)) for k in range(len(scene.poses))])
    if mark.kind == "base":
        return f"<g transform='translate({own[0, 0, 0]:.1f} {own[0, 0, 1]:.1f})'>{_base(pen)}</g>"
    if mark.kind in LINES or mark.kind in ("wheel", "curve"):
        closed = mark.kind not in LINES
        if mark.kind == "plate" and own.shape[1] > 3:  # spokes from the middle, as solids have
            own = np.stack([own, np.broadcast_to(own.mean(axis=1, keepdims=True), own.shape)], 2)
            own = own.reshape(len(own), -1, 2)
        kind = "spring" if mark.kind in ("spring", "damper") else f"link b{pen.body}"
        wide = (
            "" if kind == "spring" else f" stroke-width='{(2.0 if closed else 7.0) * pen.size:.1f}'"
        )
        drawn = _values("animate", "d", [_path(p, closed or mark.kind == "plate") for p in own])
        return f"<path class='{kind}'{wide}>{drawn}</path>"
    axes = [_axis(scene, paper, mark, i, pen) for i in AXES.get(mark.kind, ())]
    if mark.kind in AXES:
        return "".join(axes)
    size = ROUND.get(mark.kind, 5.0) * pen.size
    kind = "ball" if mark.kind == "ball" else "pin"
    return f"<circle class='{kind}' r='{size:.1f}'>{_transform('translate', own[:, 0])}</circle>"


def _axis(scene: Scene, paper: Paper, mark: Mark, i: int, pen: Any) -> str:
    """A short piece of an axis through a joint, along its point i."""
    ends = []
    for k in range(len(scene.poses)):
        centre, far = scene.places(mark, k)[[0, i]]
        half = AXIS * scene.scale * (far - centre) / float(np.linalg.norm(far - centre))
        ends.append(_path(paper.at(np.array([centre - half, centre + half])), False))
    drawn = _values("animate", "d", ends)
    return f"<path class='ground' stroke-width='{5 * pen.size:.1f}'>{drawn}</path>"


def _base(pen: Any) -> str:
    return SYMBOLS["base"](np.zeros((1, 2)), pen)
