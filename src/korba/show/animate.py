"""`kb.animate`: a motion as one page that plays it, without network.

A page has the poses of all bodies at no more than `FRAMES` positions of the motion. In the plane
it moves the parts of one drawing (figure.py) to points that are fixed to the bodies; in space it
projects such points itself, so that one can turn the mechanism.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from ..display import Page
from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from .draw import poses, ways_of
from .figure import Figure
from .live import first_input
from .scene import NEAR, Attached, Mark, Scene, scene_of
from .scheme import AXIAL, HUES, THEMES, Paper, named_places, refuse_other_themes, style

FRAMES = 400
"""Positions that a page keeps; between them it interpolates."""
PACES = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
"""Seconds of motion in a second."""
PLEASANT = 4.0
"""Seconds that a run should take to play."""
MOST_TRAILS = 24
"""Points among which one chooses those that leave a trail."""
TOLD = {"rad": (180 / np.pi, "°"), "m": (1000.0, " mm")}
"""Units of coordinates as a page tells them."""
SCRIPTS = ("figure.js", "plane.js", "player.js")


@public
def animate(
    motion: Trajectory,
    *,
    paths: Sequence[str] = (),
    names: bool = True,
    masses: bool = False,
    theme: str = "light",
    autoplay: bool = True,
) -> Page:
    """A motion as the text of one HTML page that plays it: play, pause, scrub, speed, trails.

    `paths` are points that leave a trail, "coupler.P"; of a planar mechanism others can be chosen
    in the page. A spatial mechanism can be turned with the mouse. The space bar plays and pauses,
    arrow keys go from frame to frame. The page needs nothing else; a notebook shows it.

        >>> motion = kb.motion(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), np.linspace(0, 1, 100))
        >>> page = kb.animate(motion)
        >>> page.count("data-part") > 8
        True
    """
    if not isinstance(motion, Trajectory):
        raise StructureError(
            f"animate: expected a motion (kb.motion, kb.simulate), got {motion!r:.60}"
        )
    refuse_other_themes("animate", theme)
    if motion.q.ndim != 2:
        raise StructureError("animate: this is a batch of motions; take one, such as motion.run(0)")
    chosen = np.unique(np.linspace(0, len(motion.t) - 1, FRAMES).astype(int))
    shown = scene_of(
        motion.mechanism, poses(motion.mechanism, motion.q[chosen]), ways_of(motion, paths)
    )
    if shown.plane:
        tracked = _tracked(motion.mechanism, shown, paths)
        offered = list(tracked)
        figure, data = _plane(shown, list(tracked.values()), theme, names=names, masses=masses)
    else:
        offered, ways = list(paths), [way[chosen] for _, way in shown.paths]
        figure, data = _space(shown, ways, theme, names=names, masses=masses)
    data |= {"t": [round(float(t), 9) for t in motion.t[chosen]], "autoplay": autoplay}
    data |= _input(motion, chosen)
    trails = _boxes({name: name in paths for name in offered})
    return Page(_page(shown.name or "motion", figure, trails, data, theme))


def _input(motion: Trajectory, chosen: Array) -> dict[str, Any]:
    """The coordinate that is told beside the time, in degrees or millimetres."""
    if not motion.mechanism.coordinates:
        return {}
    lead = first_input(motion.mechanism)
    factor, unit = TOLD.get(motion.units[lead], (1.0, " " + motion.units[lead]))
    values = np.round(factor * motion[lead][chosen], 4).tolist()
    return {"input": {"name": lead, "unit": unit, "values": values}}


def _tracked(m: Mechanism, scene: Scene, paths: Sequence[str]) -> dict[str, Attached]:
    """Points that may leave a trail: those asked for, then named points and joints that move."""
    own = {
        f"{body.name}.{name}": Attached(body.name, (float(x), float(y), float(z)), f"point {name}")
        for body in m.bodies
        for name, (x, y, z) in body.points
    }
    known = {name: own.get(name) or Attached(name, (0.0, 0.0, 0.0)) for name in paths}
    kept = [_way(scene, point) for point in known.values()]
    for name, point in [*named_places(scene, Paper(scene)), *own.items()]:
        way = _way(scene, point)
        still = np.ptp(way, axis=0).max() < NEAR * scene.scale
        if not still and all(np.abs(way - other).max() > NEAR * scene.scale for other in kept):
            known[name] = point
            kept.append(way)
    return dict(list(known.items())[: max(MOST_TRAILS, len(paths))])


def _way(scene: Scene, point: Attached) -> Array:
    """A point at all positions of a scene, (positions, 3)."""
    X = scene.poses[:, scene.bodies.index(point.body)]
    return np.asarray(X[:, :3, :3] @ point.at + X[:, :3, 3])


def _boxes(trails: dict[str, bool]) -> str:
    """A box to tick for each trail."""
    if not trails:
        return ""
    boxes = "".join(
        f"<label><input type='checkbox' data-way='{i}'{' checked' if on else ''}> "
        f"{escape(name)}</label>"
        for i, (name, on) in enumerate(trails.items())
    )
    return f"<details><summary>trails</summary>{boxes}</details>"


def _page(title: str, figure: str, trails: str, data: dict[str, Any], theme: str) -> str:
    here = files("korba.show") / "page"
    span = data["t"][-1] - data["t"][0]
    pace = min(PACES, key=lambda pace: abs(np.log(max(span, 1e-9) / pace / PLEASANT)))
    speeds = "".join(
        f"<option value='{each:g}'{' selected' if each == pace else ''}>{each:g} x</option>"
        for each in PACES
    )
    return Template((here / "player.html").read_text("utf-8")).substitute(
        THEMES[theme],
        title=escape(title),
        style=style(theme),
        figure=figure,
        trails=trails,
        speeds=speeds,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script="\n".join((here / name).read_text("utf-8") for name in SCRIPTS),
    )


def _plane(
    scene: Scene, trails: list[Attached], theme: str, *, names: bool, masses: bool
) -> tuple[str, dict[str, Any]]:
    """A drawing, the points that it needs, and poses x, y, angle of moving bodies at every frame.

    They are kept to eleven digits of the mechanism's size, so that what a page shows is the motion.
    """
    figure = Figure(scene, names=names, masses=masses)
    digits = 11 - int(np.ceil(np.log10(scene.scale)))
    numbers = [figure.number(point) for point in trails]
    X = scene.poses[:, 1:]
    angles = np.unwrap(np.arctan2(X[..., 1, 0], X[..., 0, 0]), axis=0)
    places = np.round(X[..., :2, 3], digits)
    frames = np.concatenate([places, np.round(angles, 11)[..., None]], axis=-1)
    points = [(scene.bodies.index(p.body), *np.round(p.at[:2], digits)) for p in figure.points]
    data = {
        "frames": frames.tolist(),
        "points": points,
        "parts": figure.parts,
        "trails": numbers,
        "scale": figure.paper.scale,
        "shift": figure.paper.at(np.zeros(3)).tolist(),
    }
    lines = [f"<polyline class='way' data-trail='{i}'/>" for i in range(len(trails))]
    return figure.svg(theme, *lines), data


LINES = ("bar", "plate", "rail", "ground rail", "slot way", "spring", "damper", "actuator")
BALLS = ("ball", "cross", "plane", "end")


def _space(
    scene: Scene, trails: list[Array], theme: str, *, names: bool, masses: bool
) -> tuple[str, dict[str, Any]]:
    """A canvas, and marks that it draws."""
    frames = np.unique(np.linspace(0, len(scene.poses) - 1, 12).astype(int))
    shown = [scene.places(mark, k)[: _counted(mark)] for mark in scene.marks for k in frames]
    every = np.concatenate(shown)
    centre = (every.min(axis=0) + every.max(axis=0)) / 2
    reach = every - centre
    colors = THEMES[theme]
    shine = "rgba(255,255,255,.45)"
    data = {
        "frames": [[_rows(X) for X in frame] for frame in scene.poses],
        "marks": list(_space_marks(scene)),
        "trails": [np.round(way, 9).tolist() for way in trails],
        "centre": centre.tolist(),
        "radius": float(np.linalg.norm(reach, axis=1).max()) or 1.0,
        "colors": {**colors, "shine": shine, "hues": [colors["soft"], *HUES]},
    }
    return "<canvas width='1280' height='920' style='width:640px;height:460px'></canvas>", data


def _counted(mark: Mark) -> int | None:
    return 1 if mark.kind in AXIAL else None


def _rows(X: Array) -> list[float]:
    return [*np.round(X[:3, :3].ravel(), 9).tolist(), *np.round(X[:3, 3], 9).tolist()]


def _space_marks(scene: Scene) -> Iterator[dict[str, Any]]:
    """Bars, axes, curves and balls, with points on bodies."""
    numbers = {body: i for i, body in enumerate(scene.bodies)}
    for mark in scene.marks:
        points = [[numbers[p.body], *p.at] for p in mark.points]
        link = numbers[mark.body]
        color = (link - 1) % len(HUES) + 1 if link else 0
        if mark.kind in LINES:
            pairs = [(0, 1)] if len(points) == 2 else [(i, i - 1) for i in range(len(points))]
            if len(points) > 3:
                middle = [points[0][0], *np.mean([p[1:] for p in points], axis=0).tolist()]
                points, pairs = [*points, middle], [(i, -1) for i in range(len(points))]
            for i, j in pairs:
                yield {"kind": "bar", "color": color, "points": [points[i], points[j]]}
        elif mark.kind in ("wheel", "curve"):
            yield {"kind": "curve", "color": color, "points": points}
        elif mark.kind in BALLS or mark.kind == "base":
            kind = "base" if mark.kind == "base" else "ball"
            yield {"kind": kind, "color": color, "points": points[:1]}
        elif mark.kind in AXIAL:
            at, along = np.array(points[0][1:]), np.array(points[1][1:])
            half = 0.06 * scene.scale * (along - at) / np.linalg.norm(along - at)
            ends = [[points[0][0], *p.tolist()] for p in (at - half, at + half)]
            yield {"kind": "axis", "color": color, "points": ends}
