"""Instantaneous centres on their mechanism, as a picture (SVG text).

Centres of joints are black, others red, with the lines of Kennedy's constructions dashed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

import numpy as np

from ..course.plane.centres import Centre, InstantCentres
from ..display import Drawing
from ..model.body import GROUND
from ..spatial.rotation import Array
from .svg_sheet import FILLS, FONT, MARGIN, Sheet, dot, outline, sheet, svg


def centre_drawing(centres: InstantCentres) -> Drawing:
    """The instantaneous centres on their mechanism as the text of an SVG picture.

    Centres far outside the mechanism, and those at infinity, are told below it.
    """
    joints = {name: np.asarray(X.p[:2], dtype=float) for name, X in centres.at.X_WM.items()}
    middle = np.mean(list(joints.values()), axis=0)
    size = max(float(np.abs(p - middle).max()) for p in joints.values()) or 1.0
    near = [c for c in centres.centres if c.finite and np.abs(c.point - middle).max() < 4 * size]
    paper, width = sheet([*joints.values(), *(c.point for c in near)])
    body = list(_links(centres, joints, paper))
    body += [line for centre in near for line in _lines(centres, centre, paper)]
    for text, p, known in _together(centres, near):
        body.append(dot(paper, p, text, "#111827" if known else "#be123c"))
    top = paper.height + 2 * MARGIN
    words = [", ".join(f"{i} {body}" for i, body in enumerate(centres.at.bodies))]
    words += [str(c) for c in centres.centres if c not in near]
    body += list(_words(words, top))
    title = f"Instantaneous centres of {centres.m.name or 'the mechanism'}"
    return svg(title, max(width + 2 * MARGIN, 420), top + 18 * len(words) + 12, body)


def _links(centres: InstantCentres, joints: dict[str, Array], paper: Sheet) -> Iterator[str]:
    """Links as polygons between their joints; the base is not drawn."""
    for i, body in enumerate(centres.at.bodies):
        own = [joints[j.name] for j in centres.m.joints if j.joins(body)]
        if body != GROUND and len(own) > 1:
            corners = outline([paper.at(p) for p in own])
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            yield (
                f"<polygon points='{path}' fill='{FILLS[i % len(FILLS)]}' stroke='#374151' "
                "stroke-width='2.5' stroke-linejoin='round'>"
                f"<title>{escape(body)}</title></polygon>"
            )


def _lines(centres: InstantCentres, centre: Centre, paper: Sheet) -> Iterator[str]:
    """Dashed lines from a constructed centre to the centres it was constructed from."""
    here = paper.at(centre.point)
    for k in centre.through:
        for body in centre.bodies:
            other = centres[body, k]
            if other.finite:
                there = paper.at(other.point)
                yield (
                    f"<line x1='{here[0]:.1f}' y1='{here[1]:.1f}' x2='{there[0]:.1f}' "
                    f"y2='{there[1]:.1f}' stroke='#9ca3af' stroke-width='1' "
                    "stroke-dasharray='5 4'/>"
                )


def _number(centres: InstantCentres, centre: Centre) -> str:
    """`S_20`, by the numbers of the links, the base being 0."""
    one, two = (centres.at.bodies.index(body) for body in centre.bodies)
    first, second = (two, one) if one == 0 else (one, two)
    return f"S_{first}{second}" if max(one, two) < 10 else f"S_{first},{second}"


def _together(centres: InstantCentres, near: Sequence[Centre]) -> list[tuple[str, Array, bool]]:
    """Labels of centres, those at one place in one; whether a joint gives it."""
    found: list[tuple[str, Array, bool]] = []
    size = max((float(np.abs(c.point).max()) for c in near), default=1.0) or 1.0
    for centre in near:
        text, known = _number(centres, centre), centre.method == "joint"
        for i, (other, q, was) in enumerate(found):
            if np.abs(centre.point - q).max() < 1e-6 * size:
                found[i] = (f"{other}, {text[2:]}", q, was or known)
                break
        else:
            found.append((text, centre.point, known))
    return found


def _words(lines: Sequence[str], top: float) -> Iterator[str]:
    """The numbers of the links, and centres outside the picture."""
    for i, line in enumerate(lines):
        yield (
            f"<text x='20' y='{top + 18 * i:.0f}' {FONT} font-size='12' fill='#374151'>"
            f"{escape(line)}</text>"
        )
