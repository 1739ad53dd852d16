"""Velocity and acceleration plans, and instantaneous centres, as pictures (SVG text).

A plan is drawn with its pole, named vectors with arrowheads coloured by their kind, the images of
the links shaded, and a bar of round length as its scale. Centres are drawn on the mechanism: those
of joints black, others red, with the lines of Kennedy's constructions dashed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from ..analysis.plane.centres import Centre, InstantCentres
from ..analysis.plane.plans import Plan, PlanVector
from ..model.body import GROUND
from ..spatial.rotation import Array

COLORS = {
    "absolute": "#111827",
    "relative": "#1d4ed8",
    "normal": "#047857",
    "tangential": "#b45309",
    "coriolis": "#be123c",
    "sliding": "#7c3aed",
}
"""Colour of every kind of vector."""
FILLS = ("#dbeafe", "#d1fae5", "#fef3c7", "#ede9fe", "#fee2e2", "#e5e7eb")
"""Shades of links."""
FONT = "font-family='Helvetica, Arial, sans-serif'"
SIZE = (560.0, 440.0)
"""Room for the figure, in pixels."""
MARGIN = 70.0
ALONG = (0.5, 0.35, 0.65, 0.8)
"""Where beside its vector a label may stand."""
HALO = "stroke='white' stroke-width='4' stroke-linejoin='round'"


Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


@dataclass
class _Sheet:
    """Paper: from the figure's coordinates to pixels, and the places that labels took."""

    low: Array
    scale: float
    height: float
    taken: list[Box] = field(default_factory=list)
    lines: dict[str, Array] = field(default_factory=dict)
    """Points along every vector, in pixels: labels keep off them."""

    def at(self, p: Array) -> Array:
        """Pixels of a point; y goes up in the figure."""
        x, y = (np.asarray(p) - self.low) * self.scale
        return np.array([MARGIN + x, MARGIN + self.height - y])

    def add_line(self, name: str, p: Array, q: Array) -> None:
        """A vector that labels keep off, in pixels."""
        s = np.linspace(0.0, 1.0, 2 + int(np.linalg.norm(q - p) / 10))[:, None]
        self.lines[name] = p + s * (q - p)

    def label(self, text: str, near: Sequence[Array], color: str, size: int = 13) -> str:
        """A text beside one of some places, where it is free and nearest to its own vector."""
        wide, high = 0.58 * size * len(_plain(text)), float(size)
        best = None
        for p in near:
            for reach in (1.0, 1.7, 2.6):
                for angle in np.radians([-45, 0, 45, -90, 90, 180, -135, 135]):
                    away = np.array([wide / 2, high / 2]) + 7 * reach
                    middle = p + away * np.array([np.cos(angle), np.sin(angle)])
                    half = np.array([wide / 2, high / 2])
                    box = (*(middle - half), *(middle + half))
                    cost = self._cost(text, box, middle) + reach
                    if best is None or cost < best[0] - 1e-9:
                        best = cost, box
        box = best[1] if best is not None else (0.0, 0.0, 0.0, 0.0)
        self.taken.append(box)
        x, y = box[0], (box[1] + box[3]) / 2 + 0.35 * size
        start = f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}'"
        marked = _marked(text)
        return f"{start} {HALO}>{marked}</text>{start} fill='{color}'>{marked}</text>"

    def _cost(self, name: str, box: Box, middle: Array) -> float:
        """Labels and vectors that it covers, and whether another vector is nearer than its own."""
        cost = 20.0 * sum(_overlap(box, other) for other in self.taken)
        apart = {}
        for other, points in self.lines.items():
            low, high = np.array(box[:2]) - 2, np.array(box[2:]) + 2
            cost += 4.0 * bool(np.any(np.all((points > low) & (points < high), axis=1)))
            apart[other] = float(np.linalg.norm(points - middle, axis=1).min())
        own = apart.pop(name, None)
        if own is not None:
            cost += 6.0 * sum(distance < own for distance in apart.values())
        return cost


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _plain(text: str) -> str:
    return text.replace("^", "").replace("_", "")


def _marked(text: str) -> str:
    """`a^n_CB` with the n raised and CB lowered."""
    head, _, index = text.partition("_")
    letter, _, power = head.partition("^")
    parts = escape(letter)
    if power:
        parts += f"<tspan dy='-5' font-size='9'>{escape(power)}</tspan>"
    if index:
        parts += f"<tspan dy='{8 if power else 4}' font-size='9'>{escape(index)}</tspan>"
    return parts


def _sheet(points: Sequence[Array]) -> tuple[_Sheet, float]:
    """Paper for a figure of these points, and its width."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    span = np.maximum(high - low, 1e-9 * max(1.0, float(np.abs(high).max())))
    span = np.maximum(span, 0.05 * span.max())
    scale = float(min(np.array(SIZE) / span))
    width, height = span * scale
    return _Sheet(low, scale, float(height)), max(float(width), 300.0)


def plan_drawing(plan: Plan) -> str:
    """A velocity or acceleration plan as the text of an SVG picture.

    >>> Path("plan.svg").write_text(kb.plan_drawing(plan))                       # doctest: +SKIP
    """
    drawn = [v for v in plan.vectors if np.linalg.norm(v.vector) > 1e-9 * _reach(plan)]
    ends = [np.zeros(2), *(p for v in drawn for p in (v.start, v.end))]
    paper, width = _sheet(ends)
    kinds = [kind for kind in COLORS if any(v.kind == kind for v in drawn)]
    body = [*_images(plan, paper)]
    arrows = [_arrow(paper, v) for v in drawn]
    for v in drawn:
        paper.add_line(v.name, paper.at(v.start), paper.at(v.end))
    names = {name: p for name, p in plan.images.items() if np.linalg.norm(p) > 1e-9 * _reach(plan)}
    labels = [_dot(paper, np.zeros(2), "o", "#111827")]
    labels += [_dot(paper, p, _small(name), "#111827") for name, p in _apart(names).items()]
    labels += [
        paper.label(v.name, [paper.at(v.start + s * v.vector) for s in ALONG], COLORS[v.kind])
        for v in drawn
        if v.kind != "absolute"
    ]
    top = paper.height + 2 * MARGIN
    body += [*arrows, *labels, _bar(paper, top, plan.unit), *_legend(kinds, top + 42)]
    title = f"{plan.quantity.capitalize()} plan of {plan.mechanism or 'the mechanism'}"
    return _svg(title, max(width + 2 * MARGIN, 100.0 * len(kinds) + 40), top + 68, body)


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


def _images(plan: Plan, paper: _Sheet) -> Iterator[str]:
    """Shaded images of links with three or more points."""
    for i, (body, names) in enumerate(plan.links.items()):
        corners = _round([paper.at(plan.images[name]) for name in names])
        if len(names) > 2:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            yield (
                f"<polygon points='{path}' fill='{FILLS[i % len(FILLS)]}' stroke='none'>"
                f"<title>image of {escape(body)}</title></polygon>"
            )


def _round(corners: list[Array]) -> list[Array]:
    """Corners in their order round the middle."""
    middle = np.mean(corners, axis=0)
    return sorted(corners, key=lambda p: float(np.arctan2(*(p - middle)[::-1])))


def _arrow(paper: _Sheet, v: PlanVector) -> str:
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


def _dot(paper: _Sheet, p: Array, text: str, color: str) -> str:
    x, y = paper.at(p)
    mark = f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{color}'/>"
    return mark + paper.label(text, [np.array([x, y])], color, 14)


def _bar(paper: _Sheet, top: float, unit: str) -> str:
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


def _legend(kinds: Sequence[str], top: float) -> Iterator[str]:
    for i, kind in enumerate(kinds):
        x = 20 + 100 * i
        yield (
            f"<line x1='{x}' y1='{top:.0f}' x2='{x + 20}' y2='{top:.0f}' stroke='{COLORS[kind]}' "
            f"stroke-width='3'/><text x='{x + 26}' y='{top + 4:.0f}' {FONT} font-size='12' "
            f"fill='#374151'>{kind}</text>"
        )


def _svg(title: str, width: float, height: float, body: Sequence[str]) -> str:
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'>",
            f"<title>{escape(title)}</title>",
            "<rect width='100%' height='100%' fill='white'/>",
            *body,
            "</svg>",
            "",
        ]
    )


def centre_drawing(centres: InstantCentres) -> str:
    """The instantaneous centres on their mechanism as the text of an SVG picture.

    Centres far outside the mechanism, and those at infinity, are told below it.
    """
    joints = {name: np.asarray(X.p[:2], dtype=float) for name, X in centres.at.X_WM.items()}
    middle = np.mean(list(joints.values()), axis=0)
    size = max(float(np.abs(p - middle).max()) for p in joints.values()) or 1.0
    near = [c for c in centres.centres if c.finite and np.abs(c.point - middle).max() < 4 * size]
    paper, width = _sheet([*joints.values(), *(c.point for c in near)])
    body = list(_links(centres, joints, paper))
    body += [line for centre in near for line in _lines(centres, centre, paper)]
    for text, p, known in _together(centres, near):
        body.append(_dot(paper, p, text, "#111827" if known else "#be123c"))
    top = paper.height + 2 * MARGIN
    words = [", ".join(f"{i} {body}" for i, body in enumerate(centres.at.bodies))]
    words += [str(c) for c in centres.centres if c not in near]
    body += list(_words(words, top))
    title = f"Instantaneous centres of {centres.m.name or 'the mechanism'}"
    return _svg(title, max(width + 2 * MARGIN, 420), top + 18 * len(words) + 12, body)


def _links(centres: InstantCentres, joints: dict[str, Array], paper: _Sheet) -> Iterator[str]:
    """Links as polygons between their joints; the base is not drawn."""
    for i, body in enumerate(centres.at.bodies):
        own = [joints[j.name] for j in centres.m.joints if body in (j.parent, j.child)]
        if body != GROUND and len(own) > 1:
            corners = _round([paper.at(p) for p in own])
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            yield (
                f"<polygon points='{path}' fill='{FILLS[i % len(FILLS)]}' stroke='#374151' "
                "stroke-width='2.5' stroke-linejoin='round'>"
                f"<title>{escape(body)}</title></polygon>"
            )


def _lines(centres: InstantCentres, centre: Centre, paper: _Sheet) -> Iterator[str]:
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
