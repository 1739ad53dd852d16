"""`kb.live`: a mechanism that moves in a page by its own program, with its sizes as sliders.

The page has two programs of the mechanism as JavaScript (kb.generate): the routine that closes the
loops for a value of the input and for sizes, and the places of all points of the drawing. Dragging
the crank or a slider computes the mechanism anew, on the branch that was drawn, and the curve of a
point with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from ..codegen import Program, trace
from ..display import Page
from ..door import public
from ..errors import StructureError, way_out
from ..expr import variables
from ..expr.node import as_expr
from ..files.toml_file import redimension
from ..kinematics.velocity import body_pose
from ..model.body import GROUND
from ..model.drawing import Drawing, drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..model.parameters import names_in
from ..solve.assemble import assemble
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.designs import DESIGN, sizes_of
from ..verbs.generate import generate
from ..verbs.systems import any_system
from ..workspace.input_range import InputRange, input_range
from .draw import poses
from .figure import Figure
from .scene import Attached, Mark, Scene, scene_of
from .scheme import THEMES, refuse_other_themes, style

STEPS = 120
"""Positions of a curve."""
SECONDS = 4.0
"""In which the input goes through its range."""
ROOM = (0.35, 2.5)
"""Ends of a slider, in values of its size."""


@public
def live(
    m: Mechanism,
    coordinate: str | None = None,
    *,
    sizes: Sequence[str] | None = None,
    path: str = "",
    names: bool = True,
    theme: str = "light",
) -> Page:
    """A planar mechanism of one freedom as one HTML page in which it lives.

    Drag the crank, or a slider for a size: the mechanism's own program, with its sizes as inputs,
    closes the loops anew on the branch of the drawing, and the curve of `path` ("coupler.P", or
    the last joint between moving bodies) follows. The input is that of the first drive, or
    `coordinate`; `sizes` are all lengths among the parameters. The page needs no network.

        >>> page = kb.live(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
        >>> page.count("data-size='")
        4
    """
    refuse_other_themes("live", theme)
    if not m.plane:
        raise StructureError(
            f"live: mechanism {m.name!r} is spatial; pages that live are for plane = 'xy', "
            "kb.animate plays its motions"
        )
    lead = coordinate or first_input(m)
    way = input_range(m, lead)
    shown = scene_of(m, poses(m, way.q(np.linspace(*way.ends, 25))))
    chosen = _sizes(m, shown, sizes)
    figure = Figure(shown, names=names)
    data = _data(m, shown, figure, way, path)
    programs = _programs(m, lead, chosen, _program(m, chosen, [*figure.points]))
    start, turns = way.input.value, way.input.turns
    here = files("korba.show") / "page"
    scripts = [(here / name).read_text("utf-8") for name in ("figure.js", "live.js")]
    return Page(
        Template((here / "live.html").read_text("utf-8")).substitute(
            THEMES[theme],
            title=escape(m.name or "mechanism"),
            style=style(theme),
            figure=figure.svg(theme, "<path class='way' d='M0,0'/>"),
            inputs="".join(_sliders(m, lead, start, way.ends, chosen, turns=turns)),
            data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
            script="\n".join([*scripts, *programs]),
        )
    )


def _data(m: Mechanism, scene: Scene, figure: Figure, way: InputRange, path: str) -> dict[str, Any]:
    """What the page needs to know besides its programs."""
    low, high = way.ends
    grip = [figure.number(p) for p in _grip(m, scene, way.coordinate)]
    return {
        "traced": figure.number(_traced(m, scene, path)),
        "q": assemble(m, {way.coordinate: way.input.value}).q.tolist(),
        "parts": figure.parts,
        "scale": figure.paper.scale,
        "shift": figure.paper.at(np.zeros(3)).tolist(),
        "steps": STEPS,
        "low": low,
        "high": high,
        "round": way.full_turn,
        "rate": (high - low) / SECONDS,
        "grip": grip,
        "count": len(figure.points),
    }


def _programs(m: Mechanism, lead: str, sizes: tuple[str, ...], places: Program) -> Iterator[str]:
    """Both programs as functions of the page, each in a scope of its own."""
    closing = generate(assemble, m, "javascript", name="f", values=(lead,), parameters=sizes)
    for name, text in (
        ("assemble", closing),
        ("places", generate(places, m, "javascript", name="f")),
    ):
        yield f"const {name} = (() => {{\n{text.replace('export ', '')}\nreturn f;\n}})();"


def first_input(m: Mechanism) -> str:
    """The coordinate of the first drive of a joint, or the first coordinate."""
    driven = [getattr(drive, "joint", None) for drive in m.drives]
    known = [name for name in driven if name in m.coordinates]
    if not m.coordinates:
        raise StructureError(f"mechanism {m.name!r} has no coordinates: nothing moves in it")
    return known[0] if known else m.coordinates[0]


def _sizes(m: Mechanism, scene: Scene, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Those asked for, or all by numbers of their own that move points of the drawing.

    Curves and rails are drawn once; sizes that change them would leave the picture untrue.
    """
    if asked is not None:
        for name in asked:
            if _redraws(m, scene, name):
                raise StructureError(
                    f"live: size {name!r} changes a curve or a rail of mechanism {m.name!r}, which "
                    "the page draws once; leave it out of sizes"
                )
        return tuple(asked)
    own = {name for name, _ in m.parameters}
    free = [name for name, raw in m.parameters if not names_in(raw) & own]
    own_place = _Own(m, any_system(m, tuple(free)))
    points = [own_place(p) for mark in scene.marks for p in mark.points]
    used = {name for point in points for x in point for name in variables(as_expr(x))}
    moving = [name for i, name in enumerate(free) if f"{DESIGN}[{i}]" in used]
    return tuple(name for name in moving if not _redraws(m, scene, name))


def _redraws(m: Mechanism, scene: Scene, name: str) -> bool:
    """Whether a size changes what is drawn once: curves, and lines that blocks slide on."""
    (size,) = sizes_of(m, [name])
    other = scene_of(redimension(m, **{name: 1.001 * float(size)}), scene.poses)
    pairs = zip(scene.marks, other.marks, strict=True)
    return any(_changed(one, two, 1e-9 * scene.scale) for one, two in pairs)


def _changed(one: Mark, two: Mark, small: float) -> bool:
    before, after = (np.array([p.at for p in mark.points]) for mark in (one, two))
    if one.kind in ("wheel", "curve"):
        return bool(np.abs(before - after).max() > small)
    if one.kind not in ("rail", "slot way", "ground rail"):
        return False
    along = (before[1] - before[0]) / np.linalg.norm(before[1] - before[0])
    beside = np.cross(after - before[0], along)
    return bool(np.abs(beside).max() > small)


def _traced(m: Mechanism, scene: Scene, path: str) -> Attached:
    """The point whose curve is drawn."""
    if path:
        body, _, point = path.partition(".")
        known = dict(m.body(body).points)
        if point not in known:
            raise StructureError(
                f"live: body {body!r} has no point {point!r}; {way_out(point, known)}"
            )
        x, y, z = (float(c) for c in known[point])
        return Attached(body, (x, y, z), f"point {point}")
    tips = [p for mark in scene.marks if mark.kind == "plate" for p in mark.points]
    free = [p for p in tips if p.source.startswith("point ")]
    moving = [
        mark.points[0]
        for mark in scene.marks
        if mark.kind in ("pin", "slot") and GROUND not in _bodies(m, mark.name)
    ]
    return (free or moving or [scene.marks[-1].points[0]])[-1]


def _bodies(m: Mechanism, joint: str) -> tuple[str, str]:
    own = next(j for j in m.joints if j.name == joint)
    return own.parent, own.child


def _grip(m: Mechanism, scene: Scene, lead: str) -> list[Attached]:
    """What a crank is dragged about, and by: its pin on the base and another of its points."""
    for mark in scene.marks:
        if mark.kind == "pin" and mark.name == lead and GROUND in _bodies(m, lead):
            body = next(name for name in _bodies(m, lead) if name != GROUND)
            own = [p for each in scene.marks if each.body == body for p in each.points if p.source]
            pin = scene.place(mark.points[0])
            far = [p for p in own if np.hypot(*(scene.place(p) - pin)[:2]) > 1e-6 * scene.scale]
            return [mark.points[0], far[0]] if far else []
    return []


def _sliders(
    m: Mechanism,
    lead: str,
    value: float,
    ends: tuple[float, float],
    sizes: Sequence[str],
    *,
    turns: bool,
) -> Iterator[str]:
    unit = "deg" if turns else "mm"
    yield _slider("data-input", lead, (*ends, value), unit)
    for name, size in zip(sizes, sizes_of(m, sizes), strict=True):
        yield _slider("data-size", name, (ROOM[0] * size, ROOM[1] * size, size), "mm")


def _slider(kind: str, name: str, numbers: tuple[float, float, float], unit: str) -> str:
    low, high, value = map(float, numbers)
    limits = f"min='{low!r}' max='{high!r}' step='any' value='{value!r}'"
    return (
        f"<label><span>{escape(name)}</span><output></output>"
        f"<input type='range' {kind}='{escape(name)}' data-unit='{unit}' {limits}></label>\n"
    )


def _program(m: Mechanism, sizes: tuple[str, ...], points: Sequence[Attached]) -> Program:
    """From coordinates and sizes to x, y of all points, in the world."""
    system = any_system(m, sizes)
    own = _Own(m, system)

    def places(q: Any, *_: Any) -> Array:
        bodies = {p.body for p in points}
        X_WB = {body: body_pose(system.tree, q, body) for body in bodies}
        return np.array([X_WB[p.body].point(own(p))[:2] for p in points])

    return trace(places, {"q": system.tree.nq, **({DESIGN: len(sizes)} if sizes else {})}, m.name)


@dataclass(frozen=True)
class _Own:
    """Points in the frames of their bodies, as formulas of sizes."""

    m: Mechanism
    system: System

    @cached_property
    def placed(self) -> tuple[Drawing, Drawing]:
        """The drawing by sizes, and by numbers."""
        return drawing(self.system.m), drawing(self.m)

    def __call__(self, point: Attached) -> Array:
        """By sizes where a joint or a name places it."""
        kind, _, name = point.source.partition(" ")
        if kind == "point":
            return np.array(dict(self.system.m.body(point.body).points)[name])
        if not kind:
            return np.array(point.at)
        own, drawn = (
            np.asarray((at.X_PF if joint.parent == point.body else at.X_BM)(joint).p)
            for at, joint in zip(self.placed, self._joints(name), strict=True)
        )
        return own if kind == "joint" else own + (np.array(point.at) - drawn)

    def _joints(self, name: str) -> Iterator[Joint]:
        for m in (self.system.m, self.m):
            yield next(joint for joint in m.joints if joint.name == name)
