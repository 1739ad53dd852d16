"""`kb.animate`: a motion as one page that plays it, without network.

A page has the poses of all bodies at no more than `FRAMES` positions of the motion. In the plane
it moves the parts of one drawing (figure.py) to points that are fixed to the bodies; in space it
shows solids on the bodies by WebGL (space_page.py), so that one can turn the mechanism.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ...display import Page
from ...door import public
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...saving import save_by_ending
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from ..drawings.draw import poses, ways_of, with_meshes
from ..overlays.catalogue import overlaid_motion, refuse_other_overlays
from ..schemes.over_symbols import rules
from ..schemes.paper import Paper, hue, named_places, pen_of
from ..schemes.scene import NEAR, Attached, Scene, scene_of
from ..schemes.scheme import style
from ..schemes.themes import THEMES, refuse_other_themes
from .figure import Figure
from .film import ENDINGS as FILMS
from .film import Film, Looks
from .live import first_input
from .over_frames import drawn, held, in_space, legend
from .space_page import FACES, space_page

FRAMES = 400
"""Positions that a page keeps; between them it interpolates."""
OVERLAID = 180
"""Positions that one with overlays keeps: it goes from one to the next."""
POSES = 10_000
"""Poses of bodies, of all positions together, that a page of a spatial motion keeps."""
PACES = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
"""Seconds of motion in a second."""
PLEASANT = 4.0
"""Seconds that a run should take to play."""
MOST_TRAILS = 24
"""Points among which one chooses those that leave a trail."""
TOLD = {"rad": (180 / np.pi, "°"), "m": (1000.0, " mm")}
"""Units of coordinates as a page tells them."""
SCRIPTS = {
    True: ("frame.js", "figure.js", "plane.js", "player.js"),
    False: ("frame.js", "space.js", "player.js"),
}
"""Of a page of a plane motion, and of a spatial one."""


@public
def animate(
    motion: Trajectory,
    path: str | Path | None = None,
    *,
    paths: Sequence[str] = (),
    names: bool = True,
    masses: bool = False,
    meshes: bool | int = True,
    theme: str = "light",
    autoplay: bool = True,
    fps: float = 25.0,
    width: int = 640,
    seconds: float = PLEASANT,
    **overlays: Any,
) -> Page:
    """A motion as the text of one HTML page that plays it: play, pause, scrub, speed, trails.

    `paths` are points that leave a trail, "coupler.P"; others can be chosen in the page. A spatial
    mechanism is turned with the mouse; `meshes` is that of `kb.draw`. The space bar plays and
    pauses, arrow keys go from frame to frame. The page needs nothing else; a notebook shows it.
    Overlays are those of `kb.draw`, such as `velocities=True` or `reactions=["A"]`, to one scale.

    With a `path` it is written: .html, or as a film .gif or .mp4 (extra `film`) of so many frames a
    second `fps`, `width` in pixels, that plays in so many `seconds`, whatever the motion takes.

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
    refuse_other_overlays("animate", overlays)
    if motion.q.ndim != 2:
        raise StructureError("animate: this is a batch of motions; take one, such as motion.run(0)")
    looks = Looks(tuple(paths), names, masses, meshes, theme, overlays)
    page = _played(motion, looks, autoplay=autoplay)
    if path is None:
        return page
    film = partial(Film(fps, width, seconds, looks).write, motion)
    save_by_ending("animate", path, {".html": page.save, **dict.fromkeys(FILMS, film)})
    return page


def _played(motion: Trajectory, looks: Looks, *, autoplay: bool) -> Page:
    """The page that plays a motion."""
    m, theme = motion.mechanism, looks.theme
    most = FRAMES if m.plane else min(FRAMES, max(60, POSES // (1 + len(m.bodies))))
    most = min(most, OVERLAID) if looks.overlays else most
    chosen = np.unique(np.linspace(0, len(motion.t) - 1, most).astype(int))
    shown = scene_of(m, poses(m, motion.q[chosen]), ways_of(motion, looks.paths))
    shown = with_meshes("animate", shown, looks.meshes)
    tracked = _tracked(m, shown, looks.paths)
    frames = overlaid_motion(shown, motion, chosen, looks.overlays) if looks.overlays else []
    shown = held(shown, frames) if frames else shown
    make = _plane if shown.plane else _space
    figure, data = make(shown, [*tracked.values()], looks, frames)
    data |= {"t": [round(float(t), 9) for t in motion.t[chosen]], "autoplay": autoplay}
    data |= _input(motion, chosen)
    trails = _boxes({name: name in looks.paths for name in tracked})
    return Page(_page(shown, figure, trails, data, theme))


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
    first = replace(scene, poses=scene.poses[:1])
    joints = replace(scene, contacts=())
    for name, point in [*named_places(joints, Paper(first)), *own.items()]:
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


def _page(scene: Scene, figure: str, trails: str, data: dict[str, Any], theme: str) -> str:
    scripts = SCRIPTS["points" in data]
    here = files("korba.show") / "web"
    span = data["t"][-1] - data["t"][0]
    pace = min(PACES, key=lambda pace: abs(np.log(max(span, 1e-9) / pace / PLEASANT)))
    speeds = "".join(
        f"<option value='{each:g}'{' selected' if each == pace else ''}>{each:g} x</option>"
        for each in PACES
    )
    return Template((here / "player.html").read_text("utf-8")).substitute(
        THEMES[theme],
        scheme=theme,
        title=escape(scene.name or "motion"),
        style=style(theme, rules(theme, scene) if "over" in data else ""),
        figure=figure,
        trails=trails,
        speeds=speeds,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script="\n".join((here / name).read_text("utf-8") for name in scripts),
    )


def _plane(
    scene: Scene, trails: list[Attached], looks: Looks, overlaid: list[Scene]
) -> tuple[str, dict[str, Any]]:
    """A drawing, the points that it needs, and poses x, y, angle of moving bodies at every frame.

    They are kept to eleven digits of the mechanism's size, so that what a page shows is the motion.
    """
    figure = Figure(scene, names=looks.names, masses=looks.masses)
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
    lines = [
        f"<polyline class='way b{hue(scene, point.body)}' data-trail='{i}'/>"
        for i, point in enumerate(trails)
    ]
    if overlaid:
        size = pen_of(scene, figure.paper).size
        data["over"] = ["".join(drawn(each, figure.paper, size)) for each in overlaid]
    return figure.svg(looks.theme, *lines, overlaid=bool(overlaid)), data


def _space(
    scene: Scene, trails: list[Attached], looks: Looks, overlaid: list[Scene]
) -> tuple[str, dict[str, Any]]:
    """A space, with arrows at every frame."""
    faces = FACES if looks.meshes is True else int(looks.meshes)
    figure, data = space_page(
        scene,
        trails,
        looks.theme,
        names=looks.names,
        masses=looks.masses,
        faces=faces,
        arrows=bool(overlaid),
    )
    if overlaid:
        digits = 5 - int(np.ceil(np.log10(scene.scale)))
        data["over"] = in_space(overlaid, looks.theme, digits)
        figure += legend(overlaid, looks.theme)
    return figure, data
