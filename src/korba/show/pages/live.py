"""`kb.live`: a mechanism that moves in a page by its own program, with its sizes as sliders.

The page has programs of the mechanism as JavaScript (live_programs.py). Dragging a point or a
slider leads the mechanism to the new inputs and sizes on the branch that was drawn, and the curves
over the whole range of an input follow (web/living.js). What the page shows is in one value,
`korba.state`, in full precision.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from ...display import Page
from ...door import public
from ...errors import StructureError, refuse_unknown
from ...expr.display_units import DisplayUnits, spelled
from ...expr.units import KINDS
from ...model.body import GROUND
from ...model.display_units import display_units
from ...model.drawing import drawing
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.reasons import counted
from ...system.sizes import refuse_other_sizes
from ...system.system import any_system, refuse_rolling
from ...verbs.designs import size_display
from ...wording import named
from ..drawings.draw import poses
from ..plots.hues import link_hues
from ..schemes.paper import HUES, hue
from ..schemes.rails import rails_of
from ..schemes.scene import Attached, Scene, scene_of
from ..schemes.scheme import style
from ..schemes.themes import (
    OF_PAGES,
    recoloured,
    refuse_other_themes,
    theme_rules,
    themed_names,
    variables,
)
from .figure import Figure
from .held import with_base_held, with_limits_as_drawn, with_stiff_joints
from .live_drives import coordinate_kinds
from .live_inputs import (
    Input,
    Size,
    first_input,
    fixed_sizes,
    free_sizes,
    input_names,
    inputs_of,
    limits_of,
    size_rows,
    start_of,
)
from .live_programs import LivePrograms, Panel
from .live_robots import grouped, poses_of, tools
from .live_space import SpaceFigure

__all__ = ["first_input", "live"]

SECONDS = 4.0
"""In which an input goes through its range."""
HANDLES = ("joint", "point", "centre", "foot", "end")
"""What a point that one can drag is placed by."""
SCRIPTS = {
    True: ("frame.js", "figure.js", "living.js", "panels.js", "live.js"),
    False: ("frame.js", "space.js", "living.js", "panels.js", "live_space.js", "live.js"),
}
"""Of a page of a plane mechanism, and of a spatial one."""


@public
def live(
    m: Mechanism,
    coordinate: str | Sequence[str] | None = None,
    *,
    parameters: Sequence[str] | None = None,
    path: str | Sequence[str] = "",
    names: bool = True,
    theme: str = "auto",
) -> Page:
    """A mechanism as one HTML page in which it lives.

    Drag a point, a slider of an input or one of a size: the mechanism's own program, with its sizes
    as inputs, closes the loops anew on the branch of the drawing. Curves over the range of the
    input follow: places, velocities and accelerations of coordinates and of the points `path`
    ("coupler.P", or "hand" for the origin of its frame, one or several; else the last joint between
    moving bodies), the transmission angle, what the drives have to do, and the force in a joint.
    Inputs are `coordinate`, then what drives move, coordinates or cylinders by their lengths, and
    other coordinates, as many as there are freedoms; curves run over the first, until another is
    moved. `parameters` are all that the
    mechanism's shape or its drives depend on. A base that floats is held, elastic joints move as
    stiff ones. A joint that is drawn beyond its limits begins in the middle of its range in a robot
    without loops; with loops it may come back from there. `theme` is "light", "dark", or "auto":
    that of the reader's system. The page needs no network.

        >>> page = kb.live(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
        >>> page.count("data-size='")
        5
    """
    refuse_other_themes("live", theme, OF_PAGES)
    if not isinstance(m, Mechanism):
        raise StructureError(f"live: expected a mechanism, got {m!r:.60}")
    refuse_rolling("live", m)
    m = with_stiff_joints(with_base_held(m))
    if any_system(m).tree.closing:
        m = with_limits_as_drawn(m)
    chosen = input_names(m, coordinate)
    start = start_of(m)
    inputs = inputs_of(m, chosen, start)
    shown = poses(m, np.concatenate([start[None], *(q for _, q in inputs)]))
    scene = scene_of(m, shown)
    if parameters is not None:
        refuse_other_sizes(m, parameters)
    known = free_sizes(m) if parameters is None else tuple(parameters)
    programs = LivePrograms(
        m, chosen, known, tuple(_followed(m, scene, path, 1 + len(inputs[0][1])))
    )
    figure = _picture(m, scene, names=names)
    for _, point in programs.followed:
        figure.number(point)
    placed = [*figure.points, *figure.shapes]
    moving = programs.sizes_in(x for p in placed for x in programs.points(p))
    wanted = {*known} if parameters is not None else moving | programs.used()
    rows = [(row, row.name in wanted) for row in size_rows(m, known, moving)]
    data = _data(programs, figure, [each for each, _ in inputs], rows, start)
    return Page(_page(m, programs, figure, data, theme))


def _picture(m: Mechanism, scene: Scene, *, names: bool) -> Figure | SpaceFigure:
    """The drawing of a plane mechanism, with rails that follow, or the solids of a spatial one."""
    if not scene.plane:
        return SpaceFigure(scene, names=names)
    rails = {rail.joint.name: rail for rail in rails_of(m, drawing(m), scene.poses)}
    return Figure(scene, names=names, rails=rails)


ROUGH = 1e6
"""How much wider than rounding leaves them loops may be open in a page."""
HINTS = {
    True: "Drag a moving point or a body, a slider or a curve; numbers take units, such as 45 deg.",
    False: "Drag a point to move it, the rest to turn the view; numbers take units, as in 45 deg.",
}
"""What can be dragged in a page of the plane, and in one of space."""


def _page(
    m: Mechanism,
    programs: LivePrograms,
    figure: Figure | SpaceFigure,
    data: dict[str, Any],
    theme: str,
) -> str:
    """The page from its parts."""
    here = files("korba.show") / "web"
    scripts = [(here / name).read_text("utf-8") for name in SCRIPTS[bool(m.plane)]]
    written = programs.javascript([*figure.points], figure.shapes)
    ways = "".join(
        f"<path class='way b{hue(figure.scene, point.body)}' d='M0,0'/>"
        for _, point in programs.followed
    )
    return Template((here / "live.html").read_text("utf-8")).substitute(
        themed_names(),
        theme=theme,
        rules=theme_rules(),
        title=escape(m.name or "mechanism"),
        style=recoloured(style("light"), variables()),
        figure=figure.svg("light", ways),
        inputs="".join([*tools(m, programs.inputs, data["poses"]), *_inputs(m, data["inputs"])]),
        sizes="".join([*_controls(data), *_kept(fixed_sizes(m))]),
        hint=HINTS[bool(m.plane)],
        outputs="".join(_options(each["name"] for each in data["outputs"])),
        forces="".join(_force_choice(programs, data)),
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script="\n".join([*scripts, "const programs = {};", *written]),
    )


def _data(
    programs: LivePrograms,
    figure: Figure | SpaceFigure,
    inputs: Sequence[Input],
    sizes: Sequence[tuple[Size, bool]],
    q: Array,
) -> dict[str, Any]:
    """What the page needs to know besides its programs."""
    traced = [{"name": name, "point": figure.number(p)} for name, p in programs.followed]
    outputs = sorted(_outputs(programs), key=lambda each: _rank(programs, each["name"]))
    m, tree = programs.m, any_system(programs.m).tree
    return {
        "inputs": [each._asdict() for each in inputs],
        "poses": poses_of(m, [each.name for each in inputs]),
        "sizes": [
            {**each._asdict(), "shown": shown, "read": _read(size_display(m, each.name), each.unit)}
            for each, shown in sizes
        ],
        "shown": _kinds_shown(m),
        "coordinates": [tree.coordinates[i] for i in tree.free_q],
        "q": q.tolist(),
        "limits": _limits(programs.m),
        "units": programs.loops.q_units.tolist(),
        "length": programs.loops.scale,
        "mass": sum(body.mass for body in programs.m.bodies),
        "gravity": float(np.linalg.norm(programs.m.gravity or 0.0)),
        "tolerance": max(ROUGH * programs.loops.rounding, programs.loops.digits),
        "traced": traced,
        "outputs": outputs,
        "others": [_panel(m, each) for each in programs.others()],
        "forces": [_panel(m, each) for each in programs.forces()],
        "count": len(figure.points),
        "axes": programs.axes,
        "handles": [
            i
            for p, i in figure.points.items()
            if p.body != GROUND and p.source.partition(" ")[0] in HANDLES
        ],
        "seconds": SECONDS,
        "hues": [variables()[hue] for hue in HUES],
        **_drawn(figure),
    }


def _drawn(figure: Figure | SpaceFigure) -> dict[str, Any]:
    """What the page draws."""
    if isinstance(figure, SpaceFigure):
        bodies = figure.scene.bodies
        on = [bodies.index(p.body) for p in figure.points]
        return {"bodies": bodies, "on": on, "space": figure.data}
    return {
        "parts": figure.parts,
        "scale": figure.paper.scale,
        "shift": figure.paper.at(np.zeros(3)).tolist(),
        "box": figure.paper.size.tolist(),
    }


def _rank(programs: LivePrograms, name: str) -> int:
    """Free points first, then slides and angles of the base, other points, other coordinates."""
    points, kinds = dict(programs.followed), coordinate_kinds(programs.m)
    if name in points:
        free = points[name].source.startswith("point ") or len(programs.inputs) > 1
        return 0 if free else 3
    base = {x for j in programs.m.joints if j.joins(GROUND) for x in j.coordinates()}
    if name in programs.inputs:
        return 5
    return 4 if name not in base else 1 if kinds[name] == "length" else 2


def _outputs(programs: LivePrograms) -> Iterator[dict[str, Any]]:
    for each in programs.outputs():
        panels = [_panel(programs.m, panel, each.name) for panel in each.panels]
        yield {"name": each.name, "panels": panels}


def _panel(m: Mechanism, panel: Panel, of: str = "") -> dict[str, Any]:
    """A panel, and the numbers of the colours of its lines: those of the links they are about."""
    hues = link_hues(m)
    own = hues.get(of, hues.get(of.removeprefix("pin "), hues.get(of.partition(".")[0])))
    names = [name.removeprefix("force in ") for name in (panel.lines or (panel.name,))]
    return {**panel._asdict(), "hues": [hues.get(name, own) for name in names]}


def _read(shown: DisplayUnits, si: str) -> list[Any]:
    """How a page tells a quantity: how many of its unit are one in SI, and the unit."""
    return [float(shown.values(1.0, si)), shown.unit(si).replace("^2", "²")]


def _kinds_shown(m: Mechanism) -> dict[str, list[Any]]:
    """The same of kinds of quantities of which the mechanism was written in some unit."""
    shown = display_units(m)
    known = dict(shown.by)
    return {kind: _read(shown, si) for kind, si in KINDS.items() if spelled(si) in known}


def _limits(m: Mechanism) -> list[list[float | None]]:
    """Least and greatest values of the independent coordinates; None without a limit."""
    return [[float(x) if np.isfinite(x) else None for x in row] for row in limits_of(m)]


def _followed(
    m: Mechanism, scene: Scene, path: str | Sequence[str], swept: int
) -> Iterator[tuple[str, Attached]]:
    """The points whose curves are drawn, by name."""
    asked = ([path] if path else []) if isinstance(path, str) else path
    for name in asked:
        body, _, point = name.partition(".")
        known = dict(m.body(body).points) | ({} if point else {"": (0.0, 0.0, 0.0)})
        refuse_unknown("point", point, known, "live", f" of body {body!r}")
        x, y, z = (float(c) for c in known[point])
        yield name, Attached(body, (x, y, z), f"point {point}" if point else "origin")
    if not asked:
        traced = _traced(m, scene, swept)
        kind, _, own = traced.source.partition(" ")
        yield (f"{traced.body}.{own}" if kind == "point" else f"pin {own}"), traced


def _traced(m: Mechanism, scene: Scene, swept: int) -> Attached:
    """The point of a plate that is no joint, or the last joint between moving bodies.

    Of several such points the last that the first input moves, in its `swept` positions.
    """
    tips = [p for mark in scene.marks if mark.kind in ("plate", "bar") for p in mark.points]
    joined = [mark.points[0] for mark in scene.marks if mark.kind in ("pin", "slot", "ball")]
    free = [p for p in tips if p.source.startswith("point ")]
    fixed = {joint.name for joint in m.joints if joint.joins(GROUND)}
    moving = [p for p in joined if p.source.partition(" ")[2] not in fixed]
    ranked = [*free[::-1], *moving[::-1], *tips[::-1], scene.marks[-1].points[0]]

    def moves(p: Attached) -> bool:
        places = np.array([scene.place(p, k) for k in range(swept)])
        return bool(np.ptp(places, axis=0).max() > 1e-6 * scene.scale)

    return next(filter(moves, ranked), ranked[0])


def _inputs(m: Mechanism, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Sliders of inputs with their numbers, and what is said of those that have no way to go."""
    yield grouped(m, {each["name"]: _row("data-input", each) for each in rows})
    held = [each["name"] for each in rows if not each["high"] > each["low"]]
    if held:
        names = escape(", ".join(held))
        yield f"<p>Not moved here: {names}. Loops and limits let it go neither way as drawn.</p>"


def _controls(data: dict[str, Any]) -> Iterator[str]:
    """Sliders of sizes with their numbers."""
    yield "<hr>" if any(each["shown"] for each in data["sizes"]) else ""
    for each in data["sizes"]:
        if each["shown"]:
            yield _row("data-size", each)


def _kept(names: Sequence[str]) -> Iterator[str]:
    """What the page says of sizes that it cannot change."""
    if names:
        yield f"<p>Not changed here: {escape(', '.join(names))} (use {named('redimension')}).</p>"


def _options(names: Iterable[str]) -> Iterator[str]:
    return (f"<option>{escape(name)}</option>" for name in names)


def _force_choice(programs: LivePrograms, data: dict[str, Any]) -> Iterator[str]:
    """The joint whose force is shown, or why there are no forces."""
    if data["forces"]:
        names = ["no joint", *(each["name"].removeprefix("force in ") for each in data["forces"])]
        yield "<div class='row wide'><span>force in</span>"
        yield "<select class='force' aria-label='force in'>"
        yield from _options(names)
        yield "</select></div>\n"
    elif programs.no_forces:
        yield f"<p>No forces are shown: {escape(programs.no_forces)}.</p>"
    else:
        few = counted(programs.passive, "passive constraint")
        way = f"use {named('reactions')}"
        yield f"<p>Forces in joints are not shown: {few} leave them open ({way}).</p>"


def _row(kind: str, each: dict[str, Any]) -> str:
    name = escape(each["name"], quote=True)
    limits = f"min='{each['low']!r}' max='{each['high']!r}' step='any' value='{each['value']!r}'"
    limits += "" if each["high"] > each["low"] else " disabled"
    return (
        f"<div class='row'><span>{name}</span>"
        f"<input type='text' class='number' aria-label='{name} as a number' autocomplete='off'>"
        f"<input type='range' {kind}='{name}' {limits} aria-label='{name}'></div>\n"
    )
