"""Plans of velocities and accelerations, levers and centres as SVG pictures.

A plan is drawn with its pole, named vectors with arrowheads in the colours of their links (absolute
ones in ink; dashes tell their kinds), the images of the links shaded in these, and a bar of round
length as its scale. Dots at ends lie below the heads. Vectors that are zero have no arrow, and
those that have both ends in common share one, as v_B and v_BA of a crank about a fixed point A do.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from xml.sax.saxutils import escape

import numpy as np

from ...course.plane.centres import InstantCentres
from ...course.plane.plans import Plan, PlanVector
from ...course.statics.lever import Lever
from ...course.statics.polygons import ForcePlan
from ...display import Drawing
from ...expr.display_units import IN_SI, DisplayUnits
from ...spatial.rotation import Array
from ..overlays.catalogue import overlaid
from ..overlays.overlay import round_value
from ..schemes import svg_sheet as svg
from ..schemes.paper import HUES
from ..schemes.scene import scene_of
from ..schemes.scheme import scheme

INK = "#111827"
"""Of words, and of what is about no link."""
DASHES = {"normal": "7 4", "coriolis": "2 4", "inertia": "9 3 2 3", "weight": "2 3"}
"""Strokes of vectors of these kinds; others are solid."""
ALONG = (0.5, 0.35, 0.65, 0.8)
"""Where beside its vector a label may stand."""


def of_plan(plan: Plan, theme: str = "light") -> Drawing:
    """A velocity or acceleration plan."""
    shared = _arrows(plan)
    drawn = [vectors[0] for vectors in shared]
    ends = [np.zeros(2), *(p for v in drawn for p in (v.start, v.end))]
    paper, width = svg.sheet(ends)
    body = [*_images(plan, paper)]
    arrows = [
        arrow(
            paper,
            vectors,
            hue_of(plan, vectors[0].link),
            DASHES.get(vectors[0].kind, ""),
            dots=plan.images.values(),
        )
        for vectors in shared
    ]
    for v in drawn:
        paper.add_line(v.name, paper.at(v.start), paper.at(v.end))
    dots = [*_ends(plan, paper)]
    labels = [
        *(
            paper.label(v.name, [paper.at(v.start + s * v.vector) for s in ALONG], INK)
            for v in drawn
        ),
    ]
    colors = {"absolute": INK}
    colors |= {
        body: hue_of(plan, body) for body in plan.bodies if any(v.link == body for v in drawn)
    }
    top = paper.height + 2 * svg.MARGIN
    body += [
        *dots,
        *arrows,
        *labels,
        bar(paper, top, plan.unit, shown=plan.shown),
        *told(colors, {v.kind for v in drawn}, top + 42),
    ]
    title = f"{plan.quantity.capitalize()} plan of {plan.mechanism or 'the mechanism'}"
    wide = max(width + 2 * svg.MARGIN, 100.0 * len(colors) + 40)
    return svg.picture(title, wide, top + 90, body, theme)


def told(colors: Mapping[str, str], kinds: Container[str], top: float) -> Iterator[str]:
    """What colours and, in a row below, dashes mean."""
    dashes = {kind: dash for kind, dash in DASHES.items() if kind in kinds}
    yield from svg.legend(colors, 20, top, step=100)
    yield from svg.legend(dict.fromkeys(dashes, "#6b7280"), 20, top + 22, step=100, dashes=dashes)


FORCES = 0.4
"""Length of the largest force on a lever, beside its longest arm."""


def of_lever(lever: Lever, theme: str = "light") -> Drawing:
    """The turned plan, arms from its pole, and the forces at their tips to a scale of theirs."""
    reach, sizes = _reach(lever), [float(np.linalg.norm(each.force)) for each in lever.forces]
    scale = FORCES * reach / (max(sizes, default=0.0) or 1.0)
    drawn = [
        PlanVector(each.name, each.kind, each.tip, each.tip + scale * each.force, each.link)
        for each, size in zip(lever.forces, sizes, strict=True)
        if scale * size > 1e-3 * reach
    ]
    ends = [np.zeros(2), *lever.images.values(), *(p for v in drawn for p in (v.start, v.end))]
    paper, width = svg.sheet(ends)
    arms = [svg.line(paper.at(np.zeros(2)), paper.at(v.start), "#9ca3af", 1.2) for v in drawn]
    for v in drawn:
        paper.add_line(v.name, paper.at(v.start), paper.at(v.end))
    labels = [
        *_ends(lever, paper),
        *(
            paper.label(v.name, [paper.at(v.start + s * v.vector) for s in ALONG], INK)
            for v in drawn
        ),
    ]
    top, links = paper.height + 2 * svg.MARGIN, {v.link for v in drawn}
    colors = {body: hue_of(lever, body) for body in lever.bodies if body in links}
    couples = [each for each, size in zip(lever.forces, sizes, strict=True) if not size]
    lines = [f"{lever.drive} balances it with {lever.told}"]
    lines += [
        f"{each.name} turns it with {lever.shown.told(each.moment, lever.unit, 6)}"
        for each in couples
    ]
    body = [
        *_images(lever, paper),
        *arms,
        *(arrow(paper, [v], hue_of(lever, v.link), DASHES.get(v.kind, "")) for v in drawn),
        *labels,
        bar(paper, top, "N", scale, lever.shown),
        *told(colors, {v.kind for v in drawn}, top + 42),
        *(svg.words((20, top + 90 + 18 * i), text, INK) for i, text in enumerate(lines)),
    ]
    title = f"Zhukovsky's lever of {lever.mechanism or 'the mechanism'}"
    wide = max(width + 2 * svg.MARGIN, 100.0 * len(colors) + 40)
    return svg.picture(title, wide, top + 98 + 18 * len(lines), body, theme)


def hue_of(plan: Plan | Lever | ForcePlan, link: str) -> str:
    """The colour of a link, as in pictures of the mechanism; ink for none."""
    return HUES[plan.bodies.index(link) % len(HUES)] if link in plan.bodies else INK


def _ends(plan: Plan | Lever, paper: svg.Sheet) -> Iterator[str]:
    """The pole, and the end points of the vectors with small letters."""
    yield svg.dot(paper, np.zeros(2), "o", "#111827")
    images = [(n, p) for n, p in plan.images.items() if np.linalg.norm(p) > 1e-9 * _reach(plan)]
    for here in svg.coinciding([p for _, p in images]):
        name = _small(", ".join(images[i][0] for i in here))
        yield svg.dot(paper, images[here[0]][1], name, "#111827")


def _arrows(plan: Plan) -> list[list[PlanVector]]:
    """The vectors that are not zero; those with the same two ends together."""
    small, arrows = 1e-9 * _reach(plan), list[list[PlanVector]]()
    for v in plan.vectors:
        if np.linalg.norm(v.vector) <= small:
            continue
        ends = np.array([v.start, v.end])
        for arrow in arrows:
            if np.abs(ends - [arrow[0].start, arrow[0].end]).max() <= small:
                arrow.append(v)
                break
        else:
            arrows.append([v])
    return arrows


def _reach(plan: Plan | Lever) -> float:
    return max((float(np.linalg.norm(p)) for p in plan.images.values()), default=0.0) or 1.0


def _small(name: str) -> str:
    """Image points have small letters: b is the image of B."""
    head, bracket, rest = name.partition("(")
    return head.lower() + bracket + rest


def _images(plan: Plan | Lever, paper: svg.Sheet) -> Iterator[str]:
    """Shaded images of links with three or more points."""
    for body, names in plan.links.items():
        if len(names) > 2:
            points = (plan.images[name] for name in names)
            own = hue_of(plan, body)
            yield svg.link(paper, points, own, " fill-opacity='0.16'", f"image of {body}")


CLEAR = svg.DOT + 1.0
"""Pixels between the middle of a dot and the head that points at it."""


def arrow(
    paper: svg.Sheet,
    vectors: list[PlanVector],
    color: str,
    dash: str = "",
    dots: Iterable[Array] = (),
) -> str:
    """A line with an arrowhead, for vectors with the same ends.

    It ends in its point, or, where one of the `dots` is there, at the rim of this.
    """
    v, name = vectors[0], " = ".join(each.name for each in vectors)
    p, q = paper.at(v.start), paper.at(v.end)
    if any(np.linalg.norm(paper.at(dot) - q) < 1.0 for dot in dots):
        q = q - (q - p) * min(CLEAR / max(float(np.linalg.norm(q - p)), 1e-9), 0.5)
    length = float(np.linalg.norm(q - p))
    u = (q - p) / max(length, 1e-9)
    n = np.array([-u[1], u[0]])
    head = min(9.0, 0.5 * length)
    tip = (q, q - head * u + 3.2 * n, q - head * u - 3.2 * n)
    wide = 1.2 if v.kind == "absolute" else 1.8
    stroke = f" stroke-dasharray='{dash}'" if dash else ""
    shaft = svg.line(p, q - 0.8 * head * u, color, wide, stroke)
    return f"<g><title>{escape(name)}</title>{shaft}{svg.polygon(tip, color)}</g>"


def bar(
    paper: svg.Sheet, top: float, si: str, drawn: float = 1.0, shown: DisplayUnits = IN_SI
) -> str:
    """A bar of 1, 2 or 5 times a power of ten, of what is `drawn` so long for one in SI."""
    unit, drawn = shown.unit(si), drawn / float(shown.values(1.0, si))
    length = round_value(110.0 / (paper.scale * drawn))
    x, y, wide = 20.0, top + 16, length * paper.scale * drawn
    bar = f"<path d='M{x:.1f},{y - 5:.1f} v10 m0,-5 h{wide:.1f} m0,-5 v10' stroke='#111827' "
    text = f"{length:g} {unit.replace('^2', '²')}"
    return f"{bar}fill='none' stroke-width='1.5'/>" + svg.words(
        (x + wide + 8, y + 4), text, "#111827"
    )


def of_centres(centres: InstantCentres, theme: str = "light") -> Drawing:
    """The instantaneous centres on their mechanism.

    Centres far outside the mechanism, and those at infinity, are told below it. The same as
    `kb.draw(motion, k, centres=True)`, of centres that are there already.
    """
    poses = np.array([[centres.at.X_WB[body].matrix() for body in centres.at.bodies]], dtype=float)
    title = f"Instantaneous centres of {centres.m.name or 'the mechanism'}"
    scene = replace(scene_of(centres.m, poses), name=title)
    shown = overlaid(scene, centres.m, {"centres": centres, "drives": False})
    return scheme(shown, theme=theme)
