"""`kb.animate`: a motion as one page that plays it, without network.

In the plane the page moves the parts of one drawing to their points (figure.py). In space it
projects points of bodies itself, so that one can turn the mechanism. Both are those of the motion,
at most `FRAMES` positions.
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
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from .draw import poses, ways_of
from .figure import Figure
from .scene import Mark, Scene, scene_of
from .scheme import AXIAL, HUES, THEMES, refuse_other_themes, style

FRAMES = 400
"""Positions that a page keeps; between them it interpolates."""
PACES = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
"""Seconds of motion in a second."""
PLEASANT = 4.0
"""Seconds that a run should take to play."""


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

    `paths` are points that leave a trail, "coupler.P". A spatial mechanism can be turned with the
    mouse. The page needs nothing else; a notebook shows it.

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
    trails = [way[chosen] for _, way in shown.paths]
    make = _plane if shown.plane else _space
    figure, data = make(shown, trails, theme, names=names, masses=masses)
    data |= {"t": [round(float(t), 9) for t in motion.t[chosen]], "autoplay": autoplay}
    return Page(_page(shown.name or "motion", figure, data, theme))


def _page(title: str, figure: str, data: dict[str, Any], theme: str) -> str:
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
        speeds=speeds,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script="\n".join((here / name).read_text("utf-8") for name in ("figure.js", "player.js")),
    )


def _plane(
    scene: Scene, trails: list[Array], theme: str, *, names: bool, masses: bool
) -> tuple[str, dict[str, Any]]:
    """A drawing, and where its points are at every frame."""
    figure = Figure(scene, names=names, masses=masses)
    ways = [f"<polyline class='way' data-trail='{i}'/>" for i in range(len(trails))]
    frames = [np.round(figure.places(k), 3).tolist() for k in range(len(scene.poses))]
    pixels = [np.round(figure.paper.at(way), 3).tolist() for way in trails]
    data = {"frames": frames, "parts": figure.parts, "trails": pixels}
    return figure.svg(theme, *ways), data


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
