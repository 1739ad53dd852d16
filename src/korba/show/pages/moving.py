"""Any mechanism as a page in which it moves: alive where that is possible, else played, else still.

Mechanisms live (`kb.live`); where that is refused they play a cycle of their drives (`kb.animate`),
or without drives fall by their weight (`kb.simulate`); what has no motion at all is drawn.
"""

from __future__ import annotations

from html import escape

import numpy as np

from ...display import Page
from ...errors import DeadPointError, KorbaError, StructureError
from ...model.mechanism import Mechanism
from ...simulation.run import simulate
from ...solve.cycle import period
from ...solve.motion import motion
from ...trajectory.trajectory import Trajectory
from ..drawings.draw import draw
from ..schemes.themes import THEMES
from .animate import animate
from .live import live

POSITIONS = 121
"""Positions of a motion over its cycle."""
FALL = 4.0
"""Seconds that a robot without drives is let fall."""


def moving(m: Mechanism, *, theme: str = "light") -> Page:
    """The page of a mechanism in which it moves, as well as it can."""
    try:
        return live(m, theme=theme)
    except KorbaError:
        pass
    try:
        return animate(some_motion(m), theme=theme)
    except KorbaError as error:
        return _still(m, str(error), theme)


def some_motion(m: Mechanism, positions: int = POSITIONS) -> Trajectory:
    """A cycle of its drives as far as it goes, or without drives what its weight does."""
    if not m.drives:
        return simulate(m, FALL, times=positions, raise_on_failure=False)
    try:
        end = period(m)
    except StructureError:
        end = FALL
    try:
        return motion(m, np.linspace(0.0, end, positions))
    except DeadPointError as error:
        return error.motion


def _still(m: Mechanism, why: str, theme: str) -> Page:
    """The drawing, and why it does not move."""
    colors = THEMES[theme]
    return Page(
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(m.name)}</title>"
        f"<body style='margin:24px;font:15px/1.6 system-ui;background:{colors['paper']};"
        f"color:{colors['ink']}'><div>{draw(m, theme=theme)}</div>"
        f"<p>{escape(why)}</p></body></html>"
    )
