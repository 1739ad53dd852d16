"""`kb.report`: all that Korba knows of a mechanism on one page, which needs no network.

Every section asks one verb. Where the verb refuses, its sentence stands in the section: a page
never shows an answer that was not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ..display import Page
from ..door import public
from ..errors import DeadPointError, KorbaError, StructureError
from ..files.disk import write_text
from ..machine.reduction import reduce
from ..model.mechanism import Mechanism
from ..solve.cycle import cycle_time
from ..solve.motion import motion
from ..structure.mobility import mobility
from ..trajectory.trajectory import Trajectory
from ..verbs.crosscheck import crosscheck
from ..verbs.equations import equations
from ..verbs.reactions import reactions
from .animate import animate
from .draw import draw
from .live import first_input, live
from .plots import plot
from .scheme import THEMES, refuse_other_themes

POSITIONS = 181
"""Positions of a motion over its cycle."""


@public
def report(m: Mechanism, path: str | Path | None = None, *, theme: str = "light") -> Page:
    """All that Korba knows of a mechanism on one page without network; written to `path` if given.

    Its picture, the mechanism alive (or its motion, played), mobility with reasons, equations,
    motion over a cycle with its audit, forces with and without friction, reduced inertia, and all
    formulations side by side with their times. What a verb refuses is told in its place.

        >>> page = kb.report(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
        >>> page.count("<h2")
        8
    """
    if not isinstance(m, Mechanism):
        raise StructureError(f"report: expected a mechanism, got {m!r:.60}")
    refuse_other_themes("report", theme)
    made = list(_Sections(m, theme).all())
    links = "".join(f"<a href='#{_anchor(title)}'>{title}</a>" for title, _ in made)
    sections = "\n".join(
        f"<h2 id='{_anchor(title)}'>{title}</h2>\n{content}" for title, content in made
    )
    page = Template((files("korba.show") / "page" / "report.html").read_text("utf-8")).substitute(
        THEMES[theme],
        title=escape(m.name or "mechanism"),
        about=escape(m.description),
        links=links,
        sections=sections,
    )
    if path is not None:
        write_text(page, Path(path))
    return Page(page)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


class _Sections:
    """The sections of a page, each from one verb; motions are computed once."""

    def __init__(self, m: Mechanism, theme: str) -> None:
        self.m, self.theme = m, theme

    def all(self) -> Iterator[tuple[str, str]]:
        """Titles and contents; a refusal is the content of its section."""
        parts: dict[str, Callable[[], str]] = {
            "Mechanism": self.mechanism,
            "Alive": self.alive,
            "Mobility": lambda: _text(mobility(self.m)),
            "Equations": self.equations,
            "Motion": self.motion,
            "Forces": self.forces,
            "Reduced inertia": self.reduced,
            "Cross-check": lambda: _text(crosscheck(self.m)),
        }
        for title, make in parts.items():
            try:
                yield title, make()
            except KorbaError as error:
                yield title, f"<p class='said'>{escape(str(error))}</p>"

    def mechanism(self) -> str:
        """The picture, bodies and joints."""
        drawn = draw(self.m, masses=True, theme=self.theme)
        return f"<div class='figure'>{drawn}</div>{_text(self.m)}"

    def alive(self) -> str:
        """The mechanism alive, where it is planar and has one freedom, else its motion."""
        try:
            page = str(live(self.m, theme=self.theme))
        except KorbaError:
            page = str(animate(self.moved, theme=self.theme))
        return (
            f"<iframe height='640' title='{escape(self.m.name)}' srcdoc='{escape(page)}'></iframe>"
        )

    def equations(self) -> str:
        """Those of one coordinate, of motion, or in layers: the first that can be read."""
        try:
            return equations(self.m, coordinate=first_input(self.m)).mathml()
        except KorbaError:
            return equations(self.m).mathml()

    @cached_property
    def moved(self) -> Trajectory:
        """The motion by its drives over a cycle, as far as it goes."""
        times = np.linspace(0.0, cycle_time(self.m, "give it a drive that turns"), POSITIONS)
        try:
            return motion(self.m, times)
        except DeadPointError as error:
            return error.motion

    def motion(self) -> str:
        """Coordinates, velocities and accelerations over time, and the audit."""
        return self._plotted(self.moved, degrees=True) + _text(self.moved)

    def forces(self) -> str:
        """Forces in joints over the cycle, with friction where joints have it."""
        smooth = reactions(self.m, self.moved)
        shown = self._plotted(smooth, along=self.moved) + _text(smooth)
        if not any(joint.friction for joint in self.m.joints):
            return shown
        rough = reactions(self.m, self.moved, friction=True)
        both = self._plotted(rough, along=self.moved) + _text(rough)
        return f"<h3>without friction</h3>{shown}<h3>with friction</h3>{both}"

    def reduced(self) -> str:
        """The inertia and forces reduced to the input."""
        found = reduce(self.m, first_input(self.m))
        return self._plotted(found) + _text(found)

    def _plotted(self, result: Any, **options: Any) -> str:
        return f"<div class='figure'>{plot(result, theme=self.theme, **options).svg()}</div>"


def _text(result: object) -> str:
    return f"<pre>{escape(str(result))}</pre>"
