"""Friction circles on the scheme of a planar mechanism at a position, as an SVG picture.

Every pin with friction has its circle of radius h, and the force through it with friction is a line
that touches the circle; without friction it goes through the middle, dashed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..display import Drawing
from ..door import public
from ..errors import StructureError
from ..forces.friction import pin_lever
from ..model.body import GROUND
from ..model.joint import Joint
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from ..verbs.joint_wrenches import Reactions
from ..verbs.reactions import reactions
from . import svg_sheet as svg

CIRCLE, FORCE, SMOOTH, INK = "#be123c", "#1d4ed8", "#9ca3af", "#111827"
SMALLEST = 14.0
"""Pixels of the largest circle's radius, below which all are drawn larger."""
LONG = 140.0
"""Pixels of a force's line on either side of its pin."""


@public
def friction_drawing(motion: Trajectory, k: int = 0) -> Drawing:
    """Friction circles and the lines of the joints' forces at position k of a motion.

    Circles too small to be seen are drawn larger, and the picture says how many times.

    >>> Path("circles.svg").write_text(kb.friction_drawing(motion, 10))        # doctest: +SKIP
    """
    m = motion.mechanism
    if m.plane is None:
        raise StructureError(
            f"friction circles are drawn in a plane, and mechanism {m.name!r} is spatial"
        )
    if not -len(motion.t) <= k < len(motion.t):
        raise StructureError(f"k: there is no position {k}; the motion has {len(motion.t)}")
    q, v, a = (x[k][None] for x in (motion.q, motion.v, motion.a))
    found = reactions(m, q, v, a, t=motion.t[k], friction=True)
    places = {name: found[name].point[0, :2] for name in found.joints}
    paper, width = svg.sheet([*places.values()])
    circles = {joint.name: _circle(joint) for joint in m.joints if joint.name in found.friction}
    largest = max(circles.values(), default=0.0) * paper.scale
    times = 1.0 if largest == 0.0 or largest >= SMALLEST else float(np.ceil(SMALLEST / largest))
    body = list(_links(motion, places, paper))
    for name, place in places.items():
        if h := circles.get(name, 0.0):
            body += _lines(found, name, times, paper)
            body.append(_ring(paper, place, times * h * paper.scale))
    for alike in svg.coinciding([*places.values()]):
        names = [[*places][i] for i in alike]
        body += [svg.mark(paper, places[name], INK) for name in names[1:]]
        body.append(svg.dot(paper, places[names[0]], ", ".join(names), INK))
    top = paper.height + 2 * svg.MARGIN
    told = {"friction circle": CIRCLE, "with friction": FORCE, "without friction": SMOOTH}
    body += svg.legend(told, 20, top + 4, step=140)
    if times > 1:
        note = f"circles drawn {times:.0f} times as large"
        body.append(svg.words((20, top + 26), note, "#374151"))
    title = f"Friction circles of {m.name or 'the mechanism'}"
    return svg.picture(title, max(width + 2 * svg.MARGIN, 460), top + 40, body)


def _circle(joint: Joint) -> float:
    """Radius of a pin's friction circle; of other joints 0."""
    data = joint.friction
    return pin_lever(data, data.coefficient) if joint.role == "pin" and data is not None else 0.0


def _links(motion: Trajectory, places: dict[str, Array], paper: svg.Sheet) -> Iterator[str]:
    """Links between their joints; the base is not drawn."""
    m = motion.mechanism
    edge = " stroke='#d1d5db' stroke-width='2.5' stroke-linejoin='round'"
    for i, body in enumerate(m.bodies, start=1):
        own = [places[joint.name] for joint in m.joints if joint.joins(body.name)]
        if body.name != GROUND and len(own) > 1:
            yield svg.link(paper, own, i, edge, body.name)


def _ring(paper: svg.Sheet, place: Array, r: float) -> str:
    """A friction circle, which labels keep off."""
    x, y = paper.at(place)
    round_ = np.linspace(0.0, 2 * np.pi, 25)
    paper.labels.keep_off(np.array([x + r * np.cos(round_), y + r * np.sin(round_)]).T, 4.0)
    ring = f"fill='none' stroke='{CIRCLE}' stroke-width='2'"
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{r:.1f}' {ring}/>"


def _lines(found: Reactions, name: str, times: float, paper: svg.Sheet) -> Iterator[str]:
    """The lines of a pin's force: dashed without friction, and with it beside the middle."""
    dashed = " stroke-dasharray='5 4'"
    moment = float(found.friction[name][0, 0])
    for each, color, more in ((found.frictionless, SMOOTH, dashed), (found, FORCE, "")):
        if each is None:
            continue
        force, p = each[name].force[0, :2], each[name].point[0, :2]
        size = float(np.hypot(*force))
        if not 0 < size < np.inf:
            continue
        u = force / size
        arm = times * moment / size if each is found else 0.0
        middle = paper.at(p + arm * np.array([u[1], -u[0]]))
        way = np.array([u[0], -u[1]])
        ends = [middle + side * way * _room(paper, middle, side * way) for side in (-1.0, 1.0)]
        paper.labels.keep_off(np.array(ends), 4.0)
        yield svg.line(ends[0], ends[1], color, 1.5, more)


def _room(paper: svg.Sheet, p: Array, way: Array) -> float:
    """How far a line may go from a place before it leaves the paper above or below the figure."""
    low, high = 0.1 * svg.MARGIN, paper.height + 1.9 * svg.MARGIN
    if not way[1]:
        return LONG
    return min(LONG, float(((high if way[1] > 0 else low) - p[1]) / way[1]))
