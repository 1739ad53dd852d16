"""A scene on paper: the mechanism in standard symbols, as SVG.

Planar scenes are seen from z; spatial ones from a corner, z up, with what is nearer above the rest.
Ghosts are the links at the other positions; names stand where they cover nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

import numpy as np

from ...display import Drawing
from ...errors import StructureError, way_out
from ...model.points import place_named
from ...spatial.rotation import Array
from . import over_symbols as over
from .floor import extent, floor_below
from .labels import Busy, Labels
from .paper import AXIAL, BRIGHT, HUES, Paper, hue, inked, pen_of
from .scene import Mark, Scene
from .shaded import covered, solids
from .space import space_of
from .symbols import SPATIAL, SYMBOLS, TURN, Pen, path, unit
from .texts import texts
from .themes import THEMES
from .visuals import visuals_of

FACES = 10_000
"""Triangles of all meshes of a picture; about a third of them are seen."""
COVERING = (("shape", 9.0, 12.0), ("base", 6.0, 4.0))
"""Solids that names keep off, by how many pixels, and what it costs to cover them: of shapes more
than to stand far from a joint."""
LINKS = (
    *("bar", "plate", "barrel", "piston", "rod", "rail"),
    *("slot way", "wheel", "curve", "tread", "round", "block"),
)
"""Marks that ghosts show."""
STYLE = """
.page {{fill: {paper}}}
text {{font: 13px Helvetica, Arial, sans-serif; fill: {ink}}}
.halo {{stroke: {paper}; stroke-width: 4; stroke-opacity: .8}}
.wide {{stroke-width: 6; stroke-opacity: 1}}
path, circle {{stroke-linejoin: round; stroke-linecap: round}}
.link {{fill: none}}
.plate {{fill-opacity: .22}}
.cam, .disc {{fill-opacity: .16; stroke-width: 2}}
.disc {{stroke: none}}
.pitch {{fill: none; stroke: {ink}; stroke-width: 1; stroke-dasharray: 9 3 2 3}}
.block {{stroke: {ink}; stroke-width: 1.4}}
.groove {{fill: none; stroke: {paper}}}
.pin, .bearing {{fill: {paper}; stroke: {ink}; stroke-width: 1.6}}
.ground {{fill: none; stroke: {ink}; stroke-width: 1.8}}
.hatch {{fill: none; stroke: {ink}; stroke-width: 1}}
.spring {{fill: none; stroke: {ink}; stroke-width: 1.6}}
.rod {{fill: none; stroke: {ink}}}
.barrel {{fill: {soft}; fill-opacity: .45; stroke: {ink}; stroke-width: 1.4}}
.mass {{fill: {paper}; stroke: {ink}; stroke-width: 1}}
.quarter {{fill: {ink}}}
.ghost path {{stroke: {ghost}; fill: none}}
.way {{fill: none; stroke-width: 1.6}}
text.said {{stroke: none}}
.leader {{fill: none; stroke: {edge}; stroke-width: 1; stroke-opacity: .6}}
"""
SOLID_STYLE = """
.solids path {{fill: currentColor; stroke: currentColor; stroke-width: 6}}
.solids .edge {{fill: none; stroke: {edge}; stroke-width: 8}}
.solids .hatch, .solids .way, .solids .grid {{fill: none; stroke: {ink}; stroke-width: 10}}
.solids .grid {{stroke: {ghost}}}
.solids .way {{stroke: {ink}; stroke-width: 18}}
"""
"""Rules for solids in space."""


def refuse_other_names(names: object) -> None:
    """An error that lists what names may be, unless it is one of them."""
    if not isinstance(names, bool) and names not in NAMES:
        raise StructureError(f"draw: there are no names {names!r}; {way_out(str(names), NAMES)}")


NAMES = ("joints", "bodies", "numbers", "all")
"""What may be named in a picture."""


def scheme(
    scene: Scene,
    *,
    theme: str = "light",
    names: bool | str = True,
    masses: bool = False,
    faces: int = FACES,
    within: Scene | None = None,
) -> Drawing:
    """The picture of a scene at its first position, the others as ghosts.

    The paper holds all positions of the scene, or of that `within` which it stands.
    """
    held = within or scene
    visuals, unread = visuals_of(scene.shapes, scene.folder, faces, finest=_spread(held) / 90)
    boxes = [*extent(held, visuals, range(len(held.poses)))]
    floor = floor_below(np.concatenate(boxes)) if boxes else None
    paper = Paper(held, [*boxes, *(floor.lines() if floor else ())])
    pen = pen_of(scene, paper)
    labels = Labels(*paper.size)
    marks = [(mark, _pixels(scene, paper, mark)) for mark in ordered(scene, masses=masses)]
    body = [*_ghosts(scene, paper, pen)]
    if scene.plane:
        body += _ways(scene, paper)
        body += [SYMBOLS[mark.kind](pixels, inked(pen, scene, mark)) for mark, pixels in marks]
    else:
        space = space_of(scene, visuals, 1.3 * pen.size / paper.scale, masses=masses)
        body += [*solids(space, paper, floor), *(f"<desc>{escape(each)}</desc>" for each in unread)]
        for kind, apart, weight in COVERING:
            if len(points := covered(space, paper, kind)):
                labels.busy.append(Busy(points, apart, weight=weight))
    apart = (9.0 if scene.plane else 14.0) * pen.size
    for mark, pixels in marks:
        if scene.plane or mark.kind != "base":
            labels.keep_off(busy(mark, pixels, pen), apart)
    if any(not over.looks_of(held)[mark.kind].quiet for mark in held.over):
        body = ["<g class='under'>", *body, "</g>"]
    laid = overlay_marks(scene, paper)
    body += [over.drawn_over(scene, mark, pixels, pen.size) for mark, pixels in laid]
    body += texts(labels, scene, paper, laid, names=names, optional=not scene.plane)
    if labels.left_out:
        paper.notes += over.note_lines(f"no room for {', '.join(labels.left_out)}", paper.size[0])
    told = over.rules(theme, scene) if held.over or paper.notes else ""
    rules = ("" if scene.plane else SOLID_STYLE.lstrip()) + told
    return _sheet(scene, theme, paper, body, rules)


def overlay_marks(scene: Scene, paper: Paper) -> list[tuple[Mark, Array]]:
    """What lies over the mechanism, in its order, and where it is in pixels."""
    laid = [(mark, _pixels(scene, paper, mark)) for mark in scene.over]
    order = list(over.looks_of(scene))
    return sorted(laid, key=lambda each: order.index(each[0].kind))


def _sheet(scene: Scene, theme: str, paper: Paper, body: list[str], rules: str) -> Drawing:
    """The whole picture, with its notes below."""
    head, notes = head_and_notes(scene, paper)
    return Drawing(
        f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-{theme}' {head} role='img'>"
        f"<title>{escape(scene.name or 'mechanism')}</title><style>{style(theme, rules)}</style>"
        "<rect class='page' width='100%' height='100%'/>" + "".join([*body, *notes]) + "</svg>\n"
    )


def head_and_notes(scene: Scene, paper: Paper) -> tuple[str, list[str]]:
    """Attributes of a picture that say its size, and the notes below it."""
    width, height = paper.size
    notes = [*over.drawn_notes(scene, paper.notes, paper.scale, height - 6)]
    height += over.LINE * len(paper.notes) + 4 * bool(paper.notes)
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    return size, notes


def _spread(scene: Scene) -> float:
    """How far the joints of a scene are apart."""
    places = np.array([scene.place(point) for mark in scene.marks for point in mark.points[:1]])
    return float(np.ptp(places, axis=0).max())


def ordered(scene: Scene, *, masses: bool) -> list[Mark]:
    """The marks in the order in which they lie above each other in the plane."""
    order = {kind: i for i, kind in enumerate(SYMBOLS)}
    shown = [mark for mark in scene.marks if masses or mark.kind != "mass centre"]
    return sorted(shown, key=lambda mark: order.get(mark.kind, len(order)))


def style(theme: str, more: str = "") -> str:
    """The rules of a theme; each names it, since pictures of both may stand on one page."""
    palette = (THEMES[theme]["soft"], *(BRIGHT if theme == "dark" else HUES))
    hues = [f".b{i} {{stroke: {own}; fill: {own}}}" for i, own in enumerate(palette)]
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
    if mark.kind == "guide":
        u = unit(pixels[1] - pixels[0]) * 12.0 * pen.size
        n = TURN @ unit(u) * 8.0 * pen.size
        return np.asarray(pixels[0] + np.array([u + n, n - u, -n - u, u - n]))
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
    bodies = dict.fromkeys(scene.bodies)
    for name, way in scene.paths:
        yield path(paper.at(way), f"way b{hue(scene, place_named(name, bodies)[0])}")
