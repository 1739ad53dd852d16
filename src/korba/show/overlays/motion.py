"""How a mechanism moves, laid over its picture: velocities, turns, centres, drives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...course.plane.centres import Centre, InstantCentres, instant_centres
from ...model.drive import Drive
from ...spatial.rotation import Array
from ..schemes.scene import Attached, Mark, Note
from .overlay import Parts, Vector, View, names_of, turning, world

FAR = 2.1
"""Sizes of the picture from its middle, beyond which a centre is told in words."""
STUB = 0.35
"""Sizes of the picture that a line goes towards such a centre."""
ONE = 1e-6
"""Sizes of the picture between points that are one."""


def velocities(view: View, chosen: Any) -> Parts:
    """Velocities of all joints, or of chosen points."""
    for name, point in _once(view, view.points("velocities", chosen)):
        value = view.twist("velocities", point)[3:]
        yield Vector("velocity", view.scene.place(point), value, "m/s", f"v_{name}")


def accelerations(view: View, chosen: Any) -> Parts:
    """Accelerations of all joints, or of chosen points."""
    for name, point in _once(view, view.points("accelerations", chosen)):
        value = view.acceleration("accelerations", point)[3:]
        yield Vector("acceleration", view.scene.place(point), value, "m/s^2", f"a_{name}")


def angular_velocities(view: View, chosen: Any) -> Parts:
    """Angular velocities of all bodies, or of chosen ones: in the plane arcs with their values."""
    for body in view.bodies("angular_velocities", chosen):
        w = view.twist("angular_velocities", Attached(body, (0.0, 0.0, 0.0)))[:3]
        if not view.scene.plane:
            yield Vector("turn", view.middle(body), w, "rad/s", f"ω_{body}")
        elif abs(w[2]) > 1e-9:
            yield turning(view, "turn", view.middle(body), w[2], view.shown.told(w[2], "rad/s", 3))


def drives(view: View, chosen: Any) -> Parts:
    """An arrow on every driven joint or actuator, in the sense of its motion."""
    t = 0.0 if view.motion is None else float(view.motion.t[view.k])
    names = names_of("drives", chosen, [drive.name for drive in view.m.drives])
    places = dict(view.scene.labels)
    for drive in (each for each in view.m.drives if each.name in names):
        sense = _sense(drive, t)
        if drive.ends:
            yield _stretching(view, drive, sense)
        joint = next((j for j in view.m.joints if j.name == drive.coordinate), None)
        if joint is None or joint.name not in places:
            continue
        text = "" if drive.name == f"drive {joint.name}" else drive.name
        if joint.turns:
            place = view.scene.place(places[joint.name])
            yield turning(view, "drive", place, sense, text, axis=view.axis(joint))
        elif joint.shifts_only:
            yield _pushing(view, joint.name, sense, text)


def _sense(drive: Drive, t: float) -> float:
    """The sign of a drive's velocity; of one that rests just then that of its next motion."""
    rates = np.asarray(drive.motion(t, 2)[0, 1:], dtype=float)
    return next((float(np.sign(rate)) for rate in rates if abs(rate) > 1e-12), 1.0)


def _pushing(view: View, joint: str, sense: float, text: str) -> Mark:
    """An arrow beside the block of a sliding pair."""
    kinds = ("block", "guide", "collar")
    block = next(m for m in view.scene.marks if m.name == joint and m.kind in kinds)
    p, along = view.scene.places(block)
    u = (along - p) / np.linalg.norm(along - p)
    beside = p + 0.06 * view.size * view.beside(u)
    ends = beside - 0.05 * view.size * u, beside + 0.05 * view.size * u
    return Mark("drive", tuple(world(e) for e in (ends if sense > 0 else ends[::-1])), text=text)


def _stretching(view: View, drive: Drive, sense: float) -> Mark:
    """An arrow beside an actuator, towards its far end where it grows longer."""
    tie = next(m for m in view.scene.marks if m.name == drive.name and len(m.points) == 2)
    a, b = view.scene.places(tie)
    u = (b - a) / max(float(np.linalg.norm(b - a)), 1e-300)
    middle = (a + b) / 2 + 0.05 * view.size * view.beside(u)
    ends = [world(middle + side * sense * 0.05 * view.size * u) for side in (-1.0, 1.0)]
    return Mark("drive", tuple(ends), text=drive.name)


def centres(view: View, chosen: Any) -> Parts:
    """Instantaneous centres, with the lines of Kennedy's constructions; far ones in words."""
    given = chosen if isinstance(chosen, InstantCentres) else _all_centres(view)
    bodies = given.at.bodies
    middle = np.mean([view.scene.place(point)[:2] for _, point in view.scene.labels], axis=0)
    near = [
        c for c in given.centres if c.finite and np.hypot(*(c.point - middle)) < FAR * view.size
    ]
    for centre in near:
        yield from _construction(view, given, centre, near)
    for alike in _together(view, near):
        first, *others = (_number(bodies, centre) for centre in alike)
        kind = "known centre" if any(c.method == "joint" for c in alike) else "centre"
        text = ", ".join([first, *(other[2:] for other in others)])
        yield Mark(kind, (world(alike[0].point),), text=text)
    yield Note(", ".join(f"{i} {body}" for i, body in enumerate(bodies)))
    for centre in given.centres:
        if centre not in near:
            yield Note(str(centre))


def _all_centres(view: View) -> InstantCentres:
    view.in_plane("centres", "take velocities and angular_velocities, which are drawn in space")
    if view.motion is not None:
        return instant_centres(view.motion, view.k)
    return instant_centres(view.m)


def _construction(
    view: View, given: InstantCentres, centre: Centre, near: list[Centre]
) -> Iterator[Mark]:
    """Lines from a constructed centre to the centres it was constructed from."""
    for k in centre.through:
        for other in (given[body, k] for body in centre.bodies):
            if other.homogeneous is not None:
                way = other.point - centre.point if other.finite else other.homogeneous[:2]
                if other not in near:
                    way = way * (STUB * view.size / np.hypot(*way))
                yield Mark("construction", (world(centre.point), world(centre.point + way)))


def _together(view: View, near: list[Centre]) -> list[list[Centre]]:
    """Centres, those at one place together."""
    places: list[list[Centre]] = []
    for centre in near:
        for alike in places:
            if np.hypot(*(centre.point - alike[0].point)) < ONE * view.size:
                alike.append(centre)
                break
        else:
            places.append([centre])
    return places


def _number(bodies: tuple[str, ...], centre: Centre) -> str:
    """`S_20`, by the numbers of the links, the base being 0."""
    one, two = (bodies.index(body) for body in centre.bodies)
    first, second = (two, one) if one == 0 else (one, two)
    return f"S_{first}{second}" if max(one, two) < 10 else f"S_{first},{second}"


def _once(view: View, points: list[tuple[str, Attached]]) -> Iterator[tuple[str, Attached]]:
    """Points without those that another joint has at the same place."""
    places: list[Array] = []
    for name, point in points:
        p = view.scene.place(point)
        if all(np.linalg.norm(p - other) > ONE * view.size for other in places):
            places.append(p)
            yield name, point
