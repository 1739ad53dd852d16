"""`kb.live`: a mechanism that moves in a page by its own program, with its sizes as sliders.

The page has two programs of the mechanism as JavaScript (kb.generate): the routine that closes the
loops for a value of the input and for sizes, and the places of all points of the drawing. Dragging
the crank or a slider computes the mechanism anew, on the branch that was drawn, and the curve of a
point with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from ..codegen import Program, trace
from ..door import public
from ..errors import StructureError, way_out
from ..expr import variables
from ..expr.node import as_expr
from ..files.toml_file import redimension
from ..kinematics.velocity import body_pose
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..model.parameters import names_in
from ..solve.assemble import assemble
from ..spatial.rotation import Array
from ..verbs.designs import DESIGN, sizes_of
from ..verbs.generate import generate
from ..verbs.systems import any_system
from ..workspace.input_range import input_range
from .animate import Animation
from .draw import poses
from .labels import Labels
from .scene import Attached, Mark, Scene, scene_of
from .scheme import THEMES, Paper, busy, named_places, ordered, pen_of, style
from .symbols import SYMBOLS

STEPS = 120
"""Positions of a curve."""
ROOM = (0.35, 2.5)
"""Ends of a slider, in values of its size."""
LINES = {"bar": 6.5, "rail": 5.0}
"""Marks that are lines, and how wide."""
STAMPS = ("pin", "slot", "base", "end", "mass centre", "ball")
RIGID = ("wheel", "curve", "ground rail")


@public
def live(
    m: Mechanism,
    coordinate: str | None = None,
    *,
    sizes: Sequence[str] | None = None,
    path: str = "",
    names: bool = True,
    theme: str = "light",
) -> Animation:
    """A planar mechanism of one freedom as one HTML page in which it lives.

    Drag the crank, or a slider for a size: the mechanism's own program, with its sizes as inputs,
    closes the loops anew on the branch of the drawing, and the curve of `path` ("coupler.P", or
    the last joint between moving bodies) follows. The input is that of the first drive, or
    `coordinate`; `sizes` are all lengths among the parameters. The page needs no network.

        >>> page = kb.live(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
        >>> page.count("data-size='")
        4
    """
    if theme not in THEMES:
        raise StructureError(f"live: there is no theme {theme!r}; {way_out(theme, THEMES)}")
    if not m.plane:
        raise StructureError(
            f"live: mechanism {m.name!r} is spatial; pages that live are for plane = 'xy', "
            "kb.animate plays its motions"
        )
    lead = coordinate or _first_input(m)
    way = input_range(m, lead)
    shown = scene_of(m, poses(m, way.q(np.linspace(*way.ends, 25))))
    chosen = _sizes(m, shown, sizes)
    page = _Page(m, shown, chosen, Paper(shown), names)
    traced = page.number(_traced(m, shown, path))
    figure = page.figure(theme)
    low, high = way.ends
    hub, handle = _hub(m, shown, lead)
    data = {
        "q": assemble(m, {lead: way.input.value}).q.tolist(),
        "parts": page.parts,
        "scale": page.paper.scale,
        "shift": page.paper.at(np.zeros(3)).tolist(),
        "traced": traced,
        "steps": STEPS,
        "low": low,
        "high": high,
        "round": way.full_turn,
        "rate": (high - low) / 4.0,
        "hub": None if hub is None else page.number(hub),
        "handle": None if handle is None else page.number(handle),
        "count": len(page.points),
    }
    programs = _programs(m, lead, chosen, page.program())
    inputs = "".join(_sliders(m, lead, way.input.value, (low, high), chosen, turns=way.input.turns))
    here = files("korba.show") / "page"
    scripts = [(here / name).read_text("utf-8") for name in ("figure.js", "live.js")]
    return Animation(
        Template((here / "live.html").read_text("utf-8")).substitute(
            THEMES[theme],
            title=escape(m.name or "mechanism"),
            style=style(theme),
            figure=figure,
            inputs=inputs,
            data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
            script="\n".join([*scripts, *programs]),
        )
    )


def _programs(m: Mechanism, lead: str, sizes: tuple[str, ...], places: Program) -> Iterator[str]:
    """Both programs as functions of the page, each in a scope of its own."""
    closing = generate(assemble, m, "javascript", name="f", values=(lead,), parameters=sizes)
    for name, text in (
        ("assemble", closing),
        ("places", generate(places, m, "javascript", name="f")),
    ):
        yield f"const {name} = (() => {{\n{text.replace('export ', '')}\nreturn f;\n}})();"


def _first_input(m: Mechanism) -> str:
    """The coordinate of the first drive of a joint, or the first coordinate."""
    driven = [getattr(drive, "joint", None) for drive in m.drives]
    known = [name for name in driven if name in m.coordinates]
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
    system = any_system(m, tuple(free))
    placed = drawing(system.m)
    points = [_own(system.m, placed, p) for mark in scene.marks for p in mark.points]
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
        if mark.kind in ("pin", "slot") and "ground" not in _bodies(m, mark.name)
    ]
    return (free or moving or [scene.marks[-1].points[0]])[-1]


def _bodies(m: Mechanism, joint: str) -> tuple[str, str]:
    own = next(j for j in m.joints if j.name == joint)
    return own.parent, own.child


def _hub(m: Mechanism, scene: Scene, lead: str) -> tuple[Attached | None, Attached | None]:
    """What a crank is dragged about, and by: its pin on the base and its farthest point."""
    for mark in scene.marks:
        if mark.kind == "pin" and mark.name == lead and "ground" in _bodies(m, lead):
            body = next(name for name in _bodies(m, lead) if name != "ground")
            own = [p for each in scene.marks if each.body == body for p in each.points if p.source]
            pin = scene.place(mark.points[0])
            far = [p for p in own if np.hypot(*(scene.place(p) - pin)[:2]) > 1e-6 * scene.scale]
            return (mark.points[0], far[0]) if far else (None, None)
    return None, None


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


class _Page:
    """Parts of the drawing, and the points that they need, each once."""

    def __init__(
        self, m: Mechanism, scene: Scene, sizes: tuple[str, ...], paper: Paper, names: bool
    ) -> None:
        self.m, self.scene, self.sizes, self.paper, self.names = m, scene, sizes, paper, names
        self.points: dict[Attached, int] = {}
        self.parts: list[dict[str, Any]] = []

    def number(self, point: Attached) -> int:
        """Where a point stands among all."""
        return self.points.setdefault(point, len(self.points))

    def figure(self, theme: str) -> str:
        """The drawing, each part marked with its number."""
        labels = Labels(*self.paper.size)
        body = ["<path class='way' d='M0,0'/>"]
        for mark in ordered(self.scene, masses=False):
            pixels = self.paper.at(self.scene.places(mark))
            labels.keep_off(busy(mark, pixels, pen_of(self.scene, self.paper)), 9.0)
            body += self._drawn(mark)
        for name, point in named_places(self.scene, self.paper) if self.names else ():
            start = self.paper.at(self.scene.place(point))
            text = labels.text(name, [start])
            inner = f"<g transform='translate({-start[0]:.2f} {-start[1]:.2f})'>{text}</g>"
            body.append(self._group("stamp", [point], inner))
        width, height = self.paper.size
        head = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' class='korba-{theme}' {head} role='img'>"
            "<rect class='page' width='100%' height='100%'/>" + "".join(body) + "</svg>"
        )

    def _part(self, kind: str, points: Sequence[Attached], **more: Any) -> str:
        self.parts.append({"kind": kind, "points": [self.number(p) for p in points], **more})
        return f"data-part='{len(self.parts) - 1}'"

    def _group(self, kind: str, points: Sequence[Attached], inner: str, **more: Any) -> str:
        return f"<g {self._part(kind, points, **more)}>{inner}</g>"

    def _drawn(self, mark: Mark) -> Iterator[str]:
        pen = pen_of(self.scene, self.paper, mark)
        symbol, ends = SYMBOLS[mark.kind], mark.points
        if mark.kind in LINES:
            yield self._line("path", ends, f"link b{pen.body}", LINES[mark.kind] * pen.size)
        elif mark.kind == "slot way":
            yield self._line("path", ends, f"link b{pen.body}", 17 * pen.size)
            yield self._line("path", ends, "groove", 10.5 * pen.size)
        elif mark.kind == "plate":
            yield self._line("hull", ends, f"plate b{pen.body}", 6.5 * pen.size)
        elif mark.kind in STAMPS:
            yield self._group("stamp", ends[:1], symbol(np.zeros((1, 2)), pen))
        elif mark.kind in RIGID:
            own = np.array([[p.at[0], -p.at[1]] for p in ends]) * self.paper.scale
            frame = [Attached(mark.body, (0.0, 0.0, 0.0)), Attached(mark.body, (1.0, 0.0, 0.0))]
            yield self._group("rigid", frame, symbol(own, pen))
        elif len({p.body for p in ends}) > 1:
            a, b = self.paper.at(self.scene.places(mark))
            length = max(float(np.hypot(*(b - a))), 1.0)
            drawn = symbol(np.array([[0.0, 0.0], [length, 0.0]]), pen)
            yield self._group("tie", ends, drawn, length=length)
        else:
            yield self._group("stamp", ends[:2], symbol(np.array([[0.0, 0.0], [1.0, 0.0]]), pen))

    def _line(self, kind: str, points: Sequence[Attached], style: str, width: float) -> str:
        return f"<path class='{style}' stroke-width='{width:.1f}' {self._part(kind, points)}/>"

    def program(self) -> Program:
        """From coordinates and sizes to x, y of all points, in the world."""
        system = any_system(self.m, self.sizes)
        placed = drawing(system.m)

        def places(q: Any, *_: Any) -> Array:
            rows = [
                body_pose(system.tree, q, p.body).point(_own(system.m, placed, p))
                for p in self.points
            ]
            return np.array([row[:2] for row in rows])

        inputs = {"q": system.tree.nq, **({"p": len(self.sizes)} if self.sizes else {})}
        return trace(places, inputs, self.m.name)


def _own(m: Mechanism, placed: Any, point: Attached) -> Array:
    """A point in its body's frame, by sizes where a joint or a name places it."""
    kind, _, name = point.source.partition(" ")
    if kind == "joint":
        joint = next(j for j in m.joints if j.name == name)
        return np.asarray((placed.X_PF if joint.parent == point.body else placed.X_BM)(joint).p)
    if kind == "point":
        return np.array(dict(m.body(point.body).points)[name])
    return np.array(point.at)
