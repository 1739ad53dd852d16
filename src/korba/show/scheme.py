"""A scene on paper: the mechanism in standard symbols, as SVG.

Planar scenes are seen from z; spatial ones from a corner, z up, with what is nearer above the rest.
Ghosts are the links at the other positions; names stand where they cover nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

import numpy as np

from ..display import Drawing
from ..errors import StructureError, way_out
from ..spatial.rotation import Array
from .labels import Busy, Labels
from .scene import Attached, Mark, Scene
from .shaded import shape_points, solids
from .space import extent, floor_below, space_of
from .symbols import SPATIAL, SYMBOLS, Pen, path
from .visuals import visuals_of

SIZE = (640.0, 460.0)
"""Room for the figure, in pixels."""
MARGIN = 46.0
FACES = 10_000
"""Triangles of all meshes of a picture; about a third of them are seen."""
LINKS = ("bar", "plate", "rail", "slot way", "wheel", "curve", "block")
"""Marks that ghosts show."""
HUES = ("#2563eb", "#059669", "#d97706", "#7c3aed", "#dc2626", "#0891b2", "#65a30d", "#db2777")
STYLE = """
.page {{fill: {paper}}}
text {{font: 13px Helvetica, Arial, sans-serif; fill: {ink}}}
.halo {{stroke: {paper}; stroke-width: 4}}
path, circle, ellipse {{stroke-linejoin: round; stroke-linecap: round}}
.link {{fill: none}}
.plate {{fill-opacity: .22}}
.cam, .disc {{fill-opacity: .16; stroke-width: 2}}
.disc {{stroke: none}}
.pitch {{fill: none; stroke: {ink}; stroke-width: 1; stroke-dasharray: 9 3 2 3}}
.block {{stroke: {ink}; stroke-width: 1.4}}
.groove {{fill: none; stroke: {paper}}}
.pin, .bearing {{fill: {paper}; stroke: {ink}; stroke-width: 1.6}}
.hinge, .ball {{fill: {soft}; stroke: {ink}; stroke-width: 1.2}}
.open {{stroke-width: 0}}
.glint {{fill: {paper}}}
.ground {{fill: none; stroke: {ink}; stroke-width: 1.8}}
.hatch, .thread {{fill: none; stroke: {ink}; stroke-width: 1}}
.spring {{fill: none; stroke: {ink}; stroke-width: 1.6}}
.barrel {{fill: none; stroke: {soft}; stroke-linecap: butt}}
.mass {{fill: {paper}; stroke: {ink}; stroke-width: 1}}
.quarter {{fill: {ink}}}
.ghost path {{stroke: {ghost}; fill: none}}
.way {{fill: none; stroke: {accent}; stroke-width: 1.6}}
.leader {{fill: none; stroke: {ghost}; stroke-width: 1}}
"""
SOLID_STYLE = """
.solids path {{fill: currentColor; stroke: currentColor; stroke-width: .6}}
.solids .edge {{fill: none; stroke: {edge}; stroke-width: .8}}
.solids .hatch, .solids .way, .solids .grid {{fill: none; stroke: {ink}; stroke-width: 1}}
.solids .grid {{stroke: {ghost}}}
.solids .way {{stroke: {accent}; stroke-width: 1.8}}
"""
"""Rules for solids in space."""
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2937",
    "soft": "#cbd5e1",
    "ghost": "#cbd5e1",
    "accent": "#be123c",
    "edge": "#334155",
    "rim": "#000000",
    "shadow": "#e8edf3",
}
DARK = {
    "paper": "#111827",
    "ink": "#e5e7eb",
    "soft": "#475569",
    "ghost": "#374151",
    "accent": "#fb7185",
    "edge": "#64748b",
    "rim": "#5b6b82",
    "shadow": "#0b111e",
}
THEMES = {"light": LIGHT, "dark": DARK}


def refuse_other_themes(verb: str, theme: object) -> None:
    """An error that lists the themes, unless it is one of them."""
    if theme not in THEMES:
        raise StructureError(f"{verb}: there is no theme {theme!r}; {way_out(str(theme), THEMES)}")


ISOMETRIC = np.array([[-0.70710678, 0.70710678, 0.0], [-0.35355339, -0.35355339, 0.8660254]])
"""From the world to paper, seen from (1, 1, 0.8): x to the left, y to the right, z up."""
FROM_Z = np.eye(2, 3)


class Paper:
    """From the world to pixels; y goes down on paper."""

    def __init__(self, scene: Scene, more: Iterable[Array] = ()) -> None:
        self.view = FROM_Z if scene.plane else ISOMETRIC
        self.away = np.cross(self.view[0], self.view[1])
        points = [
            p
            for k in range(len(scene.poses))
            for mark in scene.marks
            for p in reach(scene, mark, k)
        ]
        others = [p for way in (*(way for _, way in scene.paths), *more) for p in way]
        flat = np.array([*points, *others]) @ self.view.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        span = np.maximum(high - low, 1e-9 + 0.02 * float((high - low).max()))
        self.scale = float(min(np.array(SIZE) / span))
        self.low, self.span = low, span * self.scale
        self.size = self.span + 2 * MARGIN
        longest = max((len(name) for name, _ in scene.labels), default=0)
        if not scene.plane:
            self.shift = np.zeros(2)
            grouped = max((len(names) for names, _ in named_places(scene, self)), default=0)
            longest = max(longest, int(0.6 * grouped))
        least = np.array([max(260.0, 160.0 + 16.0 * longest), 160.0])
        self.shift = np.maximum(least - self.size, 0.0) / 2
        self.size = np.maximum(self.size, least)

    def at(self, p: Array) -> Array:
        """Pixels of points in the world, (..., 2)."""
        x = (np.asarray(p) @ self.view.T - self.low) * self.scale
        x[..., 1] = self.span[1] - x[..., 1]
        return np.asarray(x + MARGIN + self.shift)


def reach(scene: Scene, mark: Mark, k: int) -> Array:
    """Points that the picture has to hold: of an axis only its place."""
    places = scene.places(mark, k)
    return places[:1] if mark.kind in AXIAL else places


AXIAL = ("pin", "block", "slot", "ball", "cross", "cylinder", "screw", "plane")
"""Marks whose second point gives a direction."""


def scheme(
    scene: Scene,
    *,
    theme: str = "light",
    names: bool = True,
    masses: bool = False,
    faces: int = FACES,
) -> Drawing:
    """The picture of a scene at its first position, the others as ghosts."""
    visuals, unread = visuals_of(scene.shapes, scene.folder, faces, finest=_spread(scene) / 90)
    boxes = [*extent(scene, visuals, range(len(scene.poses)))]
    floor = floor_below(np.concatenate(boxes)) if boxes else None
    paper = Paper(scene, [*boxes, *(floor.lines() if floor else ())])
    pen = pen_of(scene, paper)
    body = [*_ghosts(scene, paper, pen)]
    labels = Labels(*paper.size)
    marks = ordered(scene, masses=masses)
    if scene.plane:
        body += _ways(scene, paper)
        body += [
            SYMBOLS[mark.kind](_pixels(scene, paper, mark), pen_of(scene, paper, mark))
            for mark in marks
        ]
    else:
        space = space_of(scene, visuals, 1.3 * pen.size / paper.scale, masses=masses)
        body += [*solids(space, paper, floor), *(f"<desc>{escape(each)}</desc>" for each in unread)]
        if boxes:
            labels.busy.append(Busy(shape_points(space, paper), 9.0))
    for mark in marks:
        apart = 9.0 if scene.plane else 14.0
        labels.keep_off(busy(mark, _pixels(scene, paper, mark), pen), apart * pen.size)
    if names:
        body += [
            labels.text(name, [paper.at(scene.place(point))], optional=bool(visuals))
            for name, point in named_places(scene, paper)
        ]
    rules = "" if scene.plane else SOLID_STYLE.lstrip()
    width, height = paper.size
    head = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    return Drawing(
        f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-{theme}' {head} role='img'>"
        f"<title>{escape(scene.name or 'mechanism')}</title><style>{style(theme, rules)}</style>"
        "<rect class='page' width='100%' height='100%'/>" + "".join(body) + "</svg>\n"
    )


def _spread(scene: Scene) -> float:
    """How far the joints of a scene are apart."""
    places = np.array([scene.place(point) for mark in scene.marks for point in mark.points[:1]])
    return float(np.ptp(places, axis=0).max())


def ordered(scene: Scene, *, masses: bool) -> list[Mark]:
    """The marks in the order in which they lie above each other."""
    order = list(SYMBOLS)
    shown = [mark for mark in scene.marks if masses or mark.kind != "mass centre"]
    return sorted(shown, key=lambda mark: order.index(mark.kind))


def style(theme: str, more: str = "") -> str:
    """The rules of a theme; each names it, since pictures of both may stand on one page."""
    palette = (THEMES[theme]["soft"], *HUES)
    hues = [f".b{i} {{stroke: {hue}; fill: {hue}}}" for i, hue in enumerate(palette)]
    rules = [*hues, *(STYLE + more).format(**THEMES[theme]).strip().splitlines()]
    own = []
    for rule in rules:
        names, _, rest = rule.partition(" {")
        own.append(", ".join(f".korba-{theme} {name}" for name in names.split(", ")) + f" {{{rest}")
    return "\n".join(own)


def busy(mark: Mark, pixels: Array, pen: Pen) -> Array:
    """Where a symbol is, for names to keep off."""
    if mark.kind == "base":
        left, right = np.array([[-13.0, 17.0], [13.0, 17.0]]) * pen.size
        return pixels[0] + np.array([left, right])
    if mark.kind == "plate":
        return np.concatenate([pixels, pixels[:1]])
    return pixels[:1] if mark.kind in AXIAL else pixels


def _pixels(scene: Scene, paper: Paper, mark: Mark, k: int = 0) -> Array:
    """Pixels of a mark; the direction of an axis as a vector of at most one pixel."""
    places = scene.places(mark, k)
    pixels = paper.at(places)
    if mark.kind in AXIAL and len(places) > 1:
        along = places[1] - places[0]
        flat = (paper.view @ along) / float(np.linalg.norm(along))
        pixels[1] = pixels[0] + flat * [1.0, -1.0]
    return pixels


def pen_of(scene: Scene, paper: Paper, mark: Mark | None = None) -> Pen:
    """Symbols are smaller where joints are close together."""
    places = np.array([paper.at(scene.place(point)) for _, point in scene.labels]).reshape(-1, 2)
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) if len(places) else np.zeros(0)
    near = float(np.min(apart[apart > 4.0], initial=60.0))
    link = 0 if mark is None else scene.bodies.index(mark.body)
    number = (link - 1) % len(HUES) + 1 if link else 0
    return Pen(float(np.clip(near / 34.0, 0.5 if scene.plane else 0.7, 1.0)), number)


def _ghosts(scene: Scene, paper: Paper, pen: Pen) -> Iterator[str]:
    symbols = SYMBOLS if scene.plane else SPATIAL
    for k in range(1, len(scene.poses)):
        shown = [
            symbols[mark.kind](_pixels(scene, paper, mark, k), Pen(0.35 * pen.size))
            for mark in scene.marks
            if mark.kind in LINKS
        ]
        yield f"<g class='ghost'>{''.join(shown)}</g>"


def _ways(scene: Scene, paper: Paper) -> Iterator[str]:
    for _, way in scene.paths:
        yield path(paper.at(way), "way")


def named_places(scene: Scene, paper: Paper) -> Iterator[tuple[str, Attached]]:
    """Names of joints, those at one place together."""
    groups: list[tuple[list[str], Attached, Array]] = []
    for name, point in scene.labels:
        place = paper.at(scene.place(point))
        for names, _, other in groups:
            if np.hypot(*(place - other)) < 3.0:
                names.append(name)
                break
        else:
            groups.append(([name], point, place))
    for names, point, _ in groups:
        yield ", ".join(dict.fromkeys(names)), point
