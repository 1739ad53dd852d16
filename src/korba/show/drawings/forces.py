"""Force polygons of a position as an SVG picture: one for each group, each with its own scale.

Forces have the colours of the links that they act on, their kinds are told by their names and, of
weights, inertia forces and the parts along legs, by dashes. The force in the inner pair of a dyad
is the line that closes the part of its first leg. Forces that are zero have no arrow.
"""

from __future__ import annotations

import numpy as np

from ...course.statics.polygons import ForcePlan, ForcePolygon
from ...display import Drawing
from ..schemes import svg_sheet as svg
from .plane import ALONG, DASHES, INK, arrow, bar, hue_of, told

FOOT = 60.0
"""Room below a polygon for its scale."""
HEAD = 34.0
"""Room above it for its title."""


def of_forces(plan: ForcePlan, theme: str = "light") -> Drawing:
    """The force polygons of a position, on light or dark paper."""
    body, top, wide = list[str](), 0.0, 420.0
    every = [v for polygon in plan.polygons for v in (*polygon.vectors, *polygon.inner)]
    for polygon in plan.polygons:
        lines, width, height = _one(plan, polygon)
        body.append(f"<g transform='translate(0,{top:.1f})'>")
        body += [*lines, "</g>"]
        top, wide = top + height, max(wide, width)
    links = {v.link for v in every}
    colors = {name: hue_of(plan, name) for name in plan.bodies if name in links}
    body += told(colors, {v.kind for v in every}, top + 20)
    title = f"Force polygons of {plan.mechanism or 'the mechanism'}"
    return svg.picture(title, wide, top + 68, body, theme)


def _one(plan: ForcePlan, polygon: ForcePolygon) -> tuple[list[str], float, float]:
    """The picture of one polygon, its width and height."""
    every = (*polygon.inner, *polygon.vectors)
    reach = max((float(np.linalg.norm(v.vector)) for v in every), default=0.0)
    drawn = [v for v in every if np.linalg.norm(v.vector) > 1e-9 * reach]
    group = polygon.group
    title = f"{group.number}. {group.signature}: {', '.join(group.bodies)}"
    lines = [svg.words((20, 24), title, "#111827", 14, " font-weight='bold'")]
    if not drawn:
        return [*lines, svg.words((20, 48), "no forces", "#374151")], 420.0, 64.0
    paper, width = svg.sheet([p for v in drawn for p in (v.start, v.end)])
    for v in drawn:
        paper.add_line(v.name, paper.at(v.start), paper.at(v.end))
    inside = [
        arrow(paper, [v], hue_of(plan, v.link), DASHES.get(v.kind, ""), [np.zeros(2)])
        for v in drawn
    ]
    inside.append(svg.dot(paper, np.zeros(2), "o", "#111827"))
    inside += [
        paper.label(v.name, [paper.at(v.start + s * v.vector) for s in ALONG], INK) for v in drawn
    ]
    foot = paper.height + 2 * svg.MARGIN
    inside.append(bar(paper, foot, "N", shown=polygon.shown))
    moved = [f"<g transform='translate(0,{HEAD:.1f})'>", *inside, "</g>"]
    return [*lines, *moved], width + 2 * svg.MARGIN, HEAD + foot + FOOT
