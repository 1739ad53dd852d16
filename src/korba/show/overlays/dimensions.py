"""Sizes laid over a picture of the plane: lengths of links, of the base, offsets, radii, angles.

A length is measured between two points of one body. Where it is one of the mechanism's parameters,
and follows it, it can be told by its name. Dimension lines stand where they cover least.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...files.toml_file import redimension
from ...model.body import GROUND
from ...spatial.rotation import Array, cross
from ...verbs.designs import sizes_of
from ...wording import named
from ..schemes.scene import Attached, Mark, Note, Scene, attached, scene_of
from .overlay import Parts, View, arc, names_of, world

UNITS = ((1e-3, 1e6, "µm"), (5.0, 1e3, "mm"), (5e3, 1.0, "m"), (np.inf, 1e-3, "km"))
"""Sizes of pictures up to which a unit is used, and how many of it are a metre."""
NAMES = "names"


class Measure(NamedTuple):
    """A length between two points of one body: of which element, and along which line."""

    owner: str
    a: Attached
    b: Attached
    kind: str = "dimension"
    """Or "radius"."""
    way: tuple[float, float] | None = None
    """Direction in which its dimension line is moved aside; else across it."""

    @property
    def length(self) -> float:
        """In metres."""
        return float(np.linalg.norm(np.subtract(self.a.at, self.b.at)))


def dimensions(view: View, chosen: Any) -> Parts:
    """Lengths of links and of the base, radii, and angles of cranks; `"names"` for parameters."""
    view.in_plane("dimensions", f"{named('live')} shows its parameters with their values")
    factor, unit = next((f, u) for size, f, u in UNITS if view.size <= size)
    measures = list(_measures(view.scene))
    if chosen not in (True, NAMES):
        owners = names_of("dimensions", chosen, dict.fromkeys(m.owner for m in measures))
        measures = [m for m in measures if m.owner in owners]
    called = _parameters(view) if chosen == NAMES else {}
    angles = list(_angles(view))
    taken = [*_lines(view.scene), *(np.array([p.at for p in mark.points]) for mark in angles)]
    for measure in measures:
        text = called.get(measure) or f"{measure.length * factor:.5g}"
        if measure.kind == "radius":
            ends = (view.scene.place(measure.a), view.scene.place(measure.b))
            yield Mark("radius", tuple(map(world, ends)), text=f"R {text}")
        else:
            yield _placed(view, measure, text, taken)
    yield from angles
    if measures:
        yield Note(f"lengths in {unit}")


def _measures(scene: Scene) -> Iterator[Measure]:
    """What has a length in a picture, each once."""
    known: list[Measure] = []
    for measure in (*_of_links(scene), *_of_wheels(scene), *_of_ground(scene)):
        again = any(_same(measure, other, 1e-6 * scene.scale) for other in known)
        if measure.length > 1e-6 * scene.scale and not again:
            known.append(measure)
            yield measure


def _same(one: Measure, two: Measure, near: float) -> bool:
    """Whether two lengths are one: both ends, or of circles on a body the middle and the size."""
    if one.a.body != two.a.body or one.kind != two.kind:
        return False
    if one.kind == "radius":
        apart = float(np.linalg.norm(np.subtract(one.a.at, two.a.at)))
        return max(apart, abs(one.length - two.length)) < near
    return {one.a.at, one.b.at} == {two.a.at, two.b.at}


def _of_links(scene: Scene) -> Iterator[Measure]:
    """Distances of the joints of every link."""
    for mark in scene.marks:
        if not all(p.source.startswith(("joint ", "point ")) for p in mark.points):
            continue  # a bar to a guide or to a mass centre is no size
        if mark.kind == "bar":
            yield Measure(mark.name, mark.points[0], mark.points[-1])
        elif mark.kind == "plate" and len(mark.points) == 3:
            for a, b in combinations(mark.points, 2):
                yield Measure(mark.name, a, b)
        elif mark.kind == "plate":
            for a, b in pairwise(mark.points):
                yield Measure(mark.name, a, b)


def _of_wheels(scene: Scene) -> Iterator[Measure]:
    """Radii of circles that the mechanism has; that of a disc of inertia is nowhere given."""
    for mark in scene.marks:
        given = not mark.points[0].source.startswith("beside")
        if given and mark.kind in ("wheel", "curve") and len(mark.points) > 8:
            ring = np.array([p.at for p in mark.points])
            centre = ring[:-1].mean(axis=0)
            radii = np.linalg.norm(ring - centre, axis=1)
            if np.ptp(radii) < 1e-6 * radii.max():
                corner = mark.points[len(ring) // 8]
                yield Measure(mark.name, Attached(mark.body, attached(centre)), corner, "radius")


def _of_ground(scene: Scene) -> Iterator[Measure]:
    """Distances of the bearings of the base along x and y, and offsets of its guides."""
    bases = [mark.points[0] for mark in scene.marks if mark.kind == "base"]
    for a, b in pairwise(sorted(bases, key=lambda p: p.at[:2])):
        corner = Attached(GROUND, (b.at[0], a.at[1], a.at[2]))
        yield Measure(GROUND, a, corner, way=(0.0, -1.0))
        yield Measure(GROUND, corner, b, way=(1.0, 0.0))
    for rail in scene.marks:
        if rail.kind == "ground rail" and bases:
            p, q = (np.array(end.at) for end in rail.points)
            u = (q - p) / np.linalg.norm(q - p)
            near = min(bases, key=lambda base: _aside(base, p, u))
            foot = world(p + u * float((np.array(near.at) - p) @ u))
            yield Measure(GROUND, near, foot, way=(-u[0], -u[1]))


def _aside(base: Attached, p: Array, u: Array) -> float:
    return float(np.linalg.norm(cross(np.array(base.at) - p, u)))


def _placed(view: View, measure: Measure, text: str, taken: list[Array]) -> Mark:
    """A dimension line beside its length, where it covers least."""
    a, b = view.scene.place(measure.a), view.scene.place(measure.b)
    n = np.array([*(measure.way or _across(a, b)), 0.0])
    step, best = 0.06 * view.size, (np.inf, a, b)
    for side in (1.0, -1.0):
        for count in (1.0, 1.8, 2.6):
            off = side * count * step * n * (1.3 if measure.a.body == GROUND else 1.0)
            cost = _covered(a + off, b + off, taken, 0.5 * step) + 0.4 * count
            cost += 0.3 * (side < 0 and measure.way is not None)
            best = min(best, (cost, a + off, b + off), key=lambda each: each[0])
    _, c, d = best
    taken.append(_samples(c, d))
    return Mark("dimension", tuple(map(world, (a, b, c, d))), text=text)


def _across(a: Array, b: Array) -> tuple[float, float]:
    x, y = (b - a)[:2] / np.linalg.norm(b - a)
    return (-y, x)


def _covered(a: Array, b: Array, taken: list[Array], near: float) -> float:
    """How many pieces of other lines a line comes near to."""
    own = _samples(a, b)
    return sum(
        float((np.linalg.norm(own[:, None] - other[None], axis=-1).min(axis=1) < near).mean()) * 6
        for other in taken
    )


def _lines(scene: Scene) -> list[Array]:
    """Pieces of what is drawn already."""
    drawn = [mark for mark in scene.marks if mark.kind in ("bar", "plate", "rail", "ground rail")]
    pairs = [(p, q) for mark in drawn for p, q in combinations(scene.places(mark), 2)]
    pins = [scene.place(point)[None] for _, point in scene.labels]
    return [*(_samples(p, q) for p, q in pairs), *pins]


def _samples(p: Array, q: Array) -> Array:
    return np.asarray(p + np.linspace(0.0, 1.0, 13)[:, None] * (q - p))


def _angles(view: View) -> Iterator[Mark]:
    """Angles of driven cranks, from the x axis."""
    driven = {drive.coordinate for drive in view.m.drives}
    for mark in view.scene.marks:
        joint = next((j for j in view.m.joints if j.name == mark.name), None)
        if mark.kind != "pin" or mark.name not in driven or joint is None:
            continue
        if GROUND not in (joint.parent, joint.child):
            continue
        body = joint.child if joint.parent == GROUND else joint.parent
        pin = view.scene.place(mark.points[0])
        bars = [
            view.scene.places(bar)
            for bar in view.scene.marks
            if bar.name == body and bar.kind in ("bar", "plate")
        ]
        ends = [p for bar in bars for p in bar if np.linalg.norm(p - pin) > 1e-6 * view.size]
        if ends:
            x, y, _ = ends[0] - pin
            angle = float(np.arctan2(y, x)) % (2 * np.pi)
            radius = min(0.11 * view.size, 0.75 * float(np.hypot(x, y)))
            start = world(pin + np.array([1.35 * radius, 0.0, 0.0]))
            points = (world(pin), start, *arc(pin, radius, 0.0, angle))
            yield Mark("angle", points, text=f"{np.degrees(angle):.4g}°")


def _parameters(view: View) -> dict[Measure, str]:
    """Names of the lengths that are parameters: those that follow when a parameter grows."""
    measures, names = list(_measures(view.scene)), dict[Measure, str]()
    called = [name for name, _ in view.m.parameters]
    for name, value in zip(called, map(float, sizes_of(view.m, called)), strict=True):
        alike = [abs(m.length - value) <= 1e-9 * abs(value) for m in measures]
        if not any(alike):
            continue
        try:
            other = redimension(view.m, **{name: 1.001 * value})
        except ModelError:  # wheels that would not fit: their sizes go together
            continue
        grown = list(_measures(scene_of(other, view.scene.poses)))
        if len(grown) != len(measures):
            continue
        for same, one, two in zip(alike, measures, grown, strict=True):
            if same and abs(two.length / one.length - 1.001) < 1e-6:
                names.setdefault(one, name)
    return names
