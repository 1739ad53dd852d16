"""Velocity and acceleration plans as pictures (SVG text).

A plan is drawn with its pole, named vectors with arrowheads coloured by their kind, the images of
the links shaded, and a bar of round length as its scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

import numpy as np

from ..course.plane.plans import Plan, PlanVector
from ..display import Drawing
from ..spatial.rotation import Array
from .svg_sheet import FILLS, FONT, MARGIN, Sheet, dot, legend, outline, sheet, svg

COLORS = {
    "absolute": "#111827",
    "relative": "#1d4ed8",
    "normal": "#047857",
    "tangential": "#b45309",
    "coriolis": "#be123c",
    "sliding": "#7c3aed",
}
"""Colour of every kind of vector."""
ALONG = (0.5, 0.35, 0.65, 0.8)
"""Where beside its vector a label may stand."""


def plan_drawing(plan: Plan) -> Drawing:
    """A velocity or acceleration plan as the text of an SVG picture.

    >>> Path("plan.svg").write_text(kb.plan_drawing(plan))                       # doctest: +SKIP
    """
    drawn = [v for v in plan.vectors if np.linalg.norm(v.vector) > 1e-9 * _reach(plan)]
    ends = [np.zeros(2), *(p for v in drawn for p in (v.start, v.end))]
    paper, width = sheet(ends)
    colors = {kind: c for kind, c in COLORS.items() if any(v.kind == kind for v in drawn)}
    body = [*_images(plan, paper)]
    arrows = [_arrow(paper, v) for v in drawn]
    for v in drawn:
        paper.add_line(v.name, paper.at(v.start), paper.at(v.end))
    names = {name: p for name, p in plan.images.items() if np.linalg.norm(p) > 1e-9 * _reach(plan)}
    labels = [dot(paper, np.zeros(2), "o", "#111827")]
    labels += [dot(paper, p, _small(name), "#111827") for name, p in _apart(names).items()]
    labels += [
        paper.label(v.name, [paper.at(v.start + s * v.vector) for s in ALONG], COLORS[v.kind])
        for v in drawn
        if v.kind != "absolute"
    ]
    top = paper.height + 2 * MARGIN
    body += [*arrows, *labels, _bar(paper, top, plan.unit), *legend(colors, 20, top + 42, step=100)]
    title = f"{plan.quantity.capitalize()} plan of {plan.mechanism or 'the mechanism'}"
    return svg(title, max(width + 2 * MARGIN, 100.0 * len(colors) + 40), top + 68, body)


def _reach(plan: Plan) -> float:
    return max((float(np.linalg.norm(p)) for p in plan.images.values()), default=0.0) or 1.0


def _small(name: str) -> str:
    """Image points have small letters: b is the image of B."""
    head, bracket, rest = name.partition("(")
    return head.lower() + bracket + rest


def _apart(points: dict[str, Array]) -> dict[str, Array]:
    """Points at one place under one name."""
    found: dict[str, Array] = {}
    size = max((float(np.abs(p).max()) for p in points.values()), default=1.0)
    for name, p in points.items():
        for other, q in list(found.items()):
            if np.abs(p - q).max() < 1e-6 * size:
                found[f"{other}, {name}"] = found.pop(other)
                break
        else:
            found[name] = p
    return found


def _images(plan: Plan, paper: Sheet) -> Iterator[str]:
    """Shaded images of links with three or more points."""
    for i, (body, names) in enumerate(plan.links.items()):
        corners = outline([paper.at(plan.images[name]) for name in names])
        if len(names) > 2:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            yield (
                f"<polygon points='{path}' fill='{FILLS[i % len(FILLS)]}' stroke='none'>"
                f"<title>image of {escape(body)}</title></polygon>"
            )


def _arrow(paper: Sheet, v: PlanVector) -> str:
    """A line with an arrowhead that ends in its point."""
    p, q = paper.at(v.start), paper.at(v.end)
    length = float(np.linalg.norm(q - p))
    u = (q - p) / max(length, 1e-9)
    n = np.array([-u[1], u[0]])
    head = min(9.0, 0.5 * length)
    tip = " ".join(
        f"{x:.1f},{y:.1f}" for x, y in (q, q - head * u + 3.2 * n, q - head * u - 3.2 * n)
    )
    color, wide = COLORS[v.kind], 1.2 if v.kind == "absolute" else 1.8
    end = q - 0.8 * head * u
    return (
        f"<g><title>{escape(v.name)}</title><line x1='{p[0]:.1f}' y1='{p[1]:.1f}' "
        f"x2='{end[0]:.1f}' y2='{end[1]:.1f}' stroke='{color}' stroke-width='{wide}'/>"
        f"<polygon points='{tip}' fill='{color}'/></g>"
    )


def _bar(paper: Sheet, top: float, unit: str) -> str:
    """A bar of 1, 2 or 5 times a power of ten."""
    wanted = 110.0 / paper.scale
    power = 10.0 ** np.floor(np.log10(wanted))
    length = max((f * power for f in (1.0, 2.0, 5.0) if f * power <= wanted), default=power)
    x, y, wide = 20.0, top + 16, length * paper.scale
    return (
        f"<path d='M{x:.1f},{y - 5:.1f} v10 m0,-5 h{wide:.1f} m0,-5 v10' stroke='#111827' "
        f"fill='none' stroke-width='1.5'/><text x='{x + wide + 8:.1f}' y='{y + 4:.1f}' {FONT} "
        f"font-size='12' fill='#111827'>{length:g} {escape(unit.replace('^2', '²'))}</text>"
    )
