"""A spatial scene as solids: bars, pins, balls and meshes, each a form placed on a body.

Links are round bars and plates; a revolute pair is a short sleeve along its axis, a cylindrical one
a long sleeve on a rod, a screw has its thread, a universal pair is a cross. Springs, dampers and
cylinders are stretched between two bodies. Printers of solids (shaded.py as SVG, web/space.js by
WebGL) know nothing of joints: a new symbol is one function in `SYMBOLS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model.body import GROUND
from ...spatial.rotation import Array, cross, rotation_aligning
from .forms import Form, flat_outline, prism, ring, tube, unit
from .scene import Attached, Mark, Scene, attached
from .visuals import Visual

HUES = ("#3b82f6", "#10b981", "#f59e0b", "#8b5cf6", "#a9551c", "#06b6d4", "#84cc16", "#ec4899")
"""Colours of bodies, in the order of the mechanism."""
METAL, STEEL = "#b6c0cd", "#76828f"
"""Of joints, and of their pins and rods."""
DOWN = np.array([0.0, 0.0, -1.0])
SPOKE = 8
"""Every so manieth point of a rim has a spoke."""


@dataclass(frozen=True, eq=False)
class Part:
    """A form on a body, or stretched between two points, with its colour."""

    form: str
    color: str
    body: str
    X: Array
    """From the form to the body's frame, (4, 4), affine; of a stretched part its width alone."""
    ends: tuple[Attached, ...] = ()
    kind: str = ""
    """That of the mark it belongs to, "shape" of what a body looks like."""


@dataclass
class Space:
    """Forms by name, and the parts that use them."""

    scene: Scene
    unit: float
    """Length of a pixel of the symbols."""
    forms: dict[str, Form] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def world(self, part: Part, k: int = 0) -> Array:
        """From the form to the world at position k, (4, 4)."""
        if not part.ends:
            return np.asarray(self.scene.poses[k, self.scene.bodies.index(part.body)] @ part.X)
        p, q = (self.scene.place(end, k) for end in part.ends)
        X = np.eye(4)
        X[:3, :3] = (
            rotation_aligning((q - p) if np.any(q - p) else (0.0, 0.0, 1.0)) @ part.X[:3, :3]
        )
        X[:3, 2], X[:3, 3] = q - p, p
        return X

    def color(self, body: str) -> str:
        """The colour of a body."""
        number = self.scene.bodies.index(body)
        return HUES[(number - 1) % len(HUES)] if number else METAL

    def add(self, form: str, color: str, body: str, X: Array, kind: str, *ends: Attached) -> None:
        """A part of a form that is known by its name, or has been added."""
        if form not in self.forms:
            self.forms[form] = unit(form)
        self.parts.append(Part(form, color, body, X, ends, kind))

    def rod(
        self,
        body: str,
        p: Any,
        q: Any,
        wide: float,
        color: str,
        *,
        kind: str,
        form: str = "cylinder",
    ) -> None:
        """A form from p to q on a body, so many pixels wide on each side; none where they meet."""
        along = np.subtract(q, p)
        if not np.any(along):
            return
        X = np.eye(4)
        X[:3, :3] = rotation_aligning(along) * [wide * self.unit, wide * self.unit, 1.0]
        X[:3, 2], X[:3, 3] = along, p
        if form == "box":
            X[:3, 3] = np.add(p, q) / 2
        self.add(form, color, body, X, kind)

    def ball(self, point: Attached, wide: float, color: str, kind: str) -> None:
        """A ball at a point."""
        X = np.diag([*np.full(3, wide * self.unit), 1.0])
        X[:3, 3] = point.at
        self.add("ball", color, point.body, X, kind)

    def plate(self, mark: Mark, form: Form, color: str) -> None:
        """A flat form on a body."""
        name = f"plate {len(self.forms)}"
        self.forms[name] = form
        self.add(name, color, mark.body, np.eye(4), mark.kind)


def space_of(
    scene: Scene, visuals: Iterable[Visual], pixel: float, *, masses: bool = False
) -> Space:
    """The solids of a spatial scene and of what its bodies look like."""
    space = Space(scene, pixel)
    seen = {visual.body for visual in visuals}
    if seen:  # frames without mass and shape are no bodies to be seen
        heavy = {mark.body for mark in scene.marks if mark.kind == "mass centre"}
        given = {body for body, _ in scene.shapes}
        seen |= {body for body in scene.bodies if body not in heavy | given}
    for mark in scene.marks:
        known = masses or mark.kind != "mass centre"
        if known and not hidden(mark, scene, seen):
            SYMBOLS[mark.kind](space, mark)
    for visual in visuals:
        _show(space, visual)
    return space


def hidden(mark: Mark, scene: Scene, seen: Iterable[str]) -> bool:
    """Whether shapes stand for a mark: links with shapes, and joints between such links."""
    if mark.kind in ("mass centre", *TIES):
        return False
    held = scene.holds.get(mark.name, (mark.body,)) if mark.kind not in LINKS else (mark.body,)
    return bool(seen) and all(body in seen or body == GROUND for body in held)


LINKS = ("bar", "plate", "barrel", "piston")
TIES = ("rod", "rope", "spring", "damper", "actuator")


def _show(space: Space, visual: Visual) -> None:
    color = visual.color or space.color(visual.body)
    if visual.form is not None:
        space.forms[visual.name] = visual.form
    space.add(visual.name, color, visual.body, visual.X, "shape")


def _axis(mark: Mark) -> tuple[Array, Array]:
    """Place and unit direction of an axis, on the body of its place."""
    p, q = (np.array(point.at) for point in mark.points[:2])
    return p, (q - p) / np.linalg.norm(q - p)


def _along(
    space: Space, mark: Mark, half: float, wide: float, color: str, *, form: str = "cylinder"
) -> None:
    """A form along the axis of a joint."""
    p, u = _axis(mark)
    way = u * half * space.unit
    space.rod(mark.body, p - way, p + way, wide, color, kind=mark.kind, form=form)


def _bar(space: Space, mark: Mark) -> None:
    """A round bar, which ends where the solid of its joint begins."""
    ends = [np.array(point.at) for point in mark.points]
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    joints = {f"joint {name}" for name, _ in space.scene.labels}
    for i, side in ((0, 1.0), (1, -1.0)):
        if mark.points[i].source in joints and length > 30.0 * space.unit:
            ends[i] = ends[i] + side * 5.0 * space.unit / length * way
    space.rod(mark.body, ends[0], ends[1], 3.4, space.color(mark.body), kind=mark.kind)


def _plate(space: Space, mark: Mark) -> None:
    points = np.array([p.at for p in mark.points])
    color, flat = space.color(mark.body), flat_outline(points)
    if flat is None:
        middle = points.mean(axis=0)
        for p in points:
            if np.any(p != middle):
                space.rod(mark.body, middle, p, 3.0, color, kind=mark.kind)
        space.ball(Attached(mark.body, attached(middle)), 4.0, color, mark.kind)
        return
    outline, normal = flat
    space.plate(mark, prism(outline, normal * 5.0 * space.unit), color)


def _curve(space: Space, mark: Mark) -> None:
    points = np.array([p.at for p in mark.points])
    if len(points) == 2:
        _bar(space, mark)
        return
    points = points[:-1] if np.allclose(points[0], points[-1]) else points
    area = cross(points - points.mean(axis=0), np.roll(points, -1, axis=0) - points.mean(axis=0))
    across = 5.0 * space.unit * area.sum(axis=0) / np.linalg.norm(area.sum(axis=0))
    form = prism(points, across)
    if _encloses(space.scene, mark):
        middle = points.mean(axis=0)
        out = (points - middle) / np.linalg.norm(points - middle, axis=1)[:, None]
        form = ring(points, points + 12.0 * space.unit * out, across)
    space.plate(mark, form, space.color(mark.body))


def _encloses(scene: Scene, mark: Mark) -> bool:
    """Whether it is a wheel with teeth inside: the one that it meshes with is inside of it."""
    own = scene.places(mark)
    middle = own[:-1].mean(axis=0)
    radius = float(np.linalg.norm(own - middle, axis=1).max())
    return any(
        np.linalg.norm(scene.places(other) - middle, axis=1).max() < (1 + 1e-6) * radius
        for other in scene.marks
        if mark.kind == other.kind == "wheel" and mark.name == other.name and mark is not other
    )


def _base(space: Space, mark: Mark) -> None:
    """A foot below a bearing, or above it where its link hangs down."""
    p, scene = np.array(mark.points[0].at), space.scene
    hangs = 0.0
    for link in scene.marks:
        own = link.kind in LINKS and link.body in scene.holds.get(mark.name, ())
        if own or (link.kind in TIES and link.name == mark.name):
            places = scene.places(link) - p
            if np.linalg.norm(places, axis=1).min() < 1e-6 * scene.scale:
                along = places.sum(axis=0)
                hangs = float(along @ DOWN / max(np.linalg.norm(along), 1e-300))
    _foot(space, p, mark.kind, -DOWN if hangs > 0.8 else DOWN)


def _foot(space: Space, p: Array, kind: str, way: Array = DOWN) -> None:
    """A bearing's foot: a cone on a plate."""
    u = space.unit * way
    space.rod(GROUND, p + 17 * u, p + 3 * u, 8.0, METAL, kind=kind, form="cone")
    space.rod(GROUND, p + 19.5 * u, p + 17 * u, 28.0, METAL, kind=kind, form="box")


def _ground_rail(space: Space, mark: Mark) -> None:
    p, q = sorted((np.array(point.at) for point in mark.points), key=lambda p: float(p[2]))
    space.rod(GROUND, p, q, 5.0, STEEL, kind=mark.kind, form="box")
    steep = (q - p)[2] > 0.86 * np.linalg.norm(q - p)
    for end in (p,) if steep else (p, q):
        _foot(space, end, "base")


def _rail(space: Space, mark: Mark) -> None:
    a, b = mark.points
    space.rod(mark.body, a.at, b.at, 5.0, space.color(mark.body), kind=mark.kind, form="box")


def _hinge(space: Space, mark: Mark) -> None:
    _along(space, mark, 12.5, 2.6, STEEL)
    _along(space, mark, 9.0, 6.0, METAL)


def _sleeve(space: Space, mark: Mark) -> None:
    _along(space, mark, 22.0, 3.0, STEEL)
    _along(space, mark, 14.0, 6.0, METAL)


def _screw(space: Space, mark: Mark) -> None:
    _along(space, mark, 22.0, 3.2, STEEL)
    _along(space, mark, 20.0, 4.2, STEEL, form="thread")
    _along(space, mark, 5.5, 8.5, METAL)


def _guide(space: Space, mark: Mark) -> None:
    """A block; a slender one where a ball, a pin or a cross in its middle is to be seen."""
    scene, place = space.scene, space.scene.place(mark.points[0])
    inside = any(
        other.kind in ("ball", "pin", "cross")
        and np.linalg.norm(scene.place(other.points[0]) - place) < 7.0 * space.unit
        for other in scene.marks
    )
    half, wide = (15.0, 9.0) if inside else (12.0, 16.0)
    _along(space, mark, half, wide, space.color(mark.body), form="box")


def _barrel(space: Space, mark: Mark) -> None:
    p, q = (point.at for point in mark.points)
    space.rod(mark.body, p, q, 5.2, space.color(mark.body), kind=mark.kind)


def _piston(space: Space, mark: Mark) -> None:
    p, q = (point.at for point in mark.points)
    space.rod(mark.body, p, q, 2.8, space.color(mark.body), kind=mark.kind)


def _collar(space: Space, mark: Mark) -> None:
    _along(space, mark, 2.2, 6.2, METAL)


def _round(space: Space, mark: Mark) -> None:
    """A ball as large as it is, with two seams by which one sees it turn."""
    centre = np.array(mark.points[0].at)
    x, y, z = (np.array(mark.points[i].at) - centre for i in (1, 3, 5))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.stack([x, y, z], axis=1), centre
    space.add("fine ball", space.color(mark.body), mark.body, X, mark.kind)
    for axes in ([x, y, z], [y, z, x]):
        X = X.copy()
        X[:3, :3] = np.stack(axes, axis=1)
        space.add("seam", STEEL, mark.body, X, mark.kind)


def _tread(space: Space, mark: Mark) -> None:
    """A wheel: its rim, and spokes by which one sees it turn."""
    points = np.array([p.at for p in mark.points])
    middle, wide = points[:-1].mean(axis=0), 2.6 * space.unit
    radius = float(np.linalg.norm(points[0] - middle))
    wide = min(wide, 0.2 * radius)
    way = middle + (points - middle) * (1.0 - wide / radius)
    space.plate(mark, tube(way, wide), space.color(mark.body))
    for p in way[:-1:SPOKE]:
        space.rod(mark.body, middle, p, 1.3, space.color(mark.body), kind=mark.kind)


def _floor(space: Space, mark: Mark) -> None:
    """A thin plate below what rolls or slides on it."""
    points = np.array([p.at for p in mark.points])
    normal = cross(points[1] - points[0], points[3] - points[0])
    across = 2.0 * space.unit * normal / np.linalg.norm(normal)
    color = METAL if mark.body == GROUND else space.color(mark.body)
    space.plate(mark, prism(points - across / 2, across), color)


def _ball(space: Space, mark: Mark) -> None:
    space.ball(mark.points[0], 7.0, METAL, mark.kind)


def _cross(space: Space, mark: Mark) -> None:
    """Both axes of a universal pair; the first is fixed to the other body."""
    space.ball(mark.points[0], 4.6, METAL, mark.kind)
    for at in (1, 2):
        if len(mark.points) > at:
            body = mark.points[at].body
            start = np.array(mark.points[0].at if body == mark.body else mark.points[3].at)
            along = np.array(mark.points[at].at) - start
            way = along / np.linalg.norm(along) * space.unit
            space.rod(body, start - 10 * way, start + 10 * way, 2.4, STEEL, kind=mark.kind)
            for side in (-1, 1):
                ends = start + side * 8 * way, start + side * 11.5 * way
                space.rod(body, *ends, 4.0, METAL, kind=mark.kind)


def _flat(space: Space, mark: Mark) -> None:
    p, u = _axis(mark)
    low, high = p - 2.0 * space.unit * u, p + 4.0 * space.unit * u
    space.rod(mark.body, low, p, 28.0, METAL, kind=mark.kind, form="box")
    space.rod(mark.body, p, high, 7.0, STEEL, kind=mark.kind)


def _stretched(form: str, wide: float, color: str) -> Callable[[Space, Mark], None]:
    def shown(space: Space, mark: Mark) -> None:
        X = np.diag([wide * space.unit, wide * space.unit, 1.0, 1.0])
        space.add(form, color, mark.body, X, mark.kind, *mark.points)

    return shown


def _end(space: Space, mark: Mark) -> None:
    space.ball(mark.points[0], 3.4, STEEL, mark.kind)


def _mass(space: Space, mark: Mark) -> None:
    space.ball(mark.points[0], 5.0, "#111827", mark.kind)


SYMBOLS: dict[str, Callable[[Space, Mark], None]] = {
    "bar": _bar,
    "plate": _plate,
    "wheel": _curve,
    "curve": _curve,
    "base": _base,
    "end": _end,
    "ground rail": _ground_rail,
    "rail": _rail,
    "slot way": _rail,
    "rod": _stretched("cylinder", 2.2, STEEL),
    "rope": _stretched("cylinder", 1.0, STEEL),
    "spring": _stretched("spring", 6.0, STEEL),
    "damper": _stretched("damper", 6.5, METAL),
    "actuator": _stretched("actuator", 5.5, METAL),
    "block": _guide,
    "guide": _guide,
    "slot": _ball,
    "pin": _hinge,
    "ball": _ball,
    "cross": _cross,
    "cylinder": _sleeve,
    "screw": _screw,
    "plane": _flat,
    "barrel": _barrel,
    "piston": _piston,
    "collar": _collar,
    "round": _round,
    "tread": _tread,
    "floor": _floor,
    "mass centre": _mass,
}
"""Solids of marks by their kind."""
