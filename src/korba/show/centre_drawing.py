"""Instantaneous centres on their mechanism, as a picture (SVG text).

Centres of joints are black, others red, with the lines of Kennedy's constructions dashed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..course.plane.centres import Centre, InstantCentres
from ..display import Drawing
from ..door import public
from ..model.body import GROUND
from ..spatial.rotation import Array
from . import svg_sheet as svg


@public
def centre_drawing(centres: InstantCentres) -> Drawing:
    """The instantaneous centres on their mechanism as the text of an SVG picture.

    Centres far outside the mechanism, and those at infinity, are told below it.
    """
    joints = {name: np.asarray(X.p[:2], dtype=float) for name, X in centres.at.X_WM.items()}
    middle = np.mean(list(joints.values()), axis=0)
    size = max(float(np.abs(p - middle).max()) for p in joints.values()) or 1.0
    near = [c for c in centres.centres if c.finite and np.abs(c.point - middle).max() < 4 * size]
    paper, width = svg.sheet([*joints.values(), *(c.point for c in near)])
    body = list(_links(centres, joints, paper))
    body += [line for centre in near for line in _lines(centres, centre, paper)]
    for here in svg.coinciding([c.point for c in near]):
        first, *others = (_number(centres, near[i]) for i in here)
        known = any(near[i].method == "joint" for i in here)
        text = ", ".join([first, *(other[2:] for other in others)])
        body.append(svg.dot(paper, near[here[0]].point, text, "#111827" if known else "#be123c"))
    top = paper.height + 2 * svg.MARGIN
    told = [", ".join(f"{i} {body}" for i, body in enumerate(centres.at.bodies))]
    told += [str(c) for c in centres.centres if c not in near]
    body += [svg.words((20, top + 18 * i), text, "#374151") for i, text in enumerate(told)]
    title = f"Instantaneous centres of {centres.m.name or 'the mechanism'}"
    return svg.picture(title, max(width + 2 * svg.MARGIN, 420), top + 18 * len(told) + 12, body)


def _links(centres: InstantCentres, joints: dict[str, Array], paper: svg.Sheet) -> Iterator[str]:
    """Links as polygons between their joints; the base is not drawn."""
    for i, body in enumerate(centres.at.bodies):
        own = [joints[j.name] for j in centres.m.joints if j.joins(body)]
        if body != GROUND and len(own) > 1:
            edge = " stroke='#374151' stroke-width='2.5' stroke-linejoin='round'"
            yield svg.link(paper, own, i, edge, body)


def _lines(centres: InstantCentres, centre: Centre, paper: svg.Sheet) -> Iterator[str]:
    """Dashed lines from a constructed centre to the centres it was constructed from."""
    for k in centre.through:
        for other in (centres[body, k] for body in centre.bodies):
            if other.finite:
                ends = paper.at(centre.point), paper.at(other.point)
                yield svg.line(*ends, "#9ca3af", 1, " stroke-dasharray='5 4'")


def _number(centres: InstantCentres, centre: Centre) -> str:
    """`S_20`, by the numbers of the links, the base being 0."""
    one, two = (centres.at.bodies.index(body) for body in centre.bodies)
    first, second = (two, one) if one == 0 else (one, two)
    return f"S_{first}{second}" if max(one, two) < 10 else f"S_{first},{second}"
