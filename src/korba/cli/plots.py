"""Options of commands that plot and play their answer, and the files that they write of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import korba as kb

from ..show.overlays.catalogue import OVERLAYS
from .answers import Output
from .options import Source
from .parameters import Text, one_of


def overlays_of(show: Iterable[str] | None, _: str = "") -> dict[str, Any]:
    """Overlays by name, True or what was chosen; one that is not known is wrong usage."""
    overlays = dict(map(_overlay, show or ()))
    for each in overlays:
        one_of(each, OVERLAYS, "--show")
    return overlays


def _overlay(given: str) -> tuple[str, Any]:
    """`velocities`, or `velocities=B,C`."""
    name, _, chosen = given.partition("=")
    several = [each.strip() for each in chosen.split(",") if each.strip()]
    one = several[0] if len(several) == 1 else several
    return name.strip().replace("-", "_"), one or True


SHOW = Text(
    f"Lay over it {', '.join(OVERLAYS)}; of some only: velocities=B,C. May be repeated.",
    complete=lambda: list(OVERLAYS),
    check=overlays_of,
)
"""What is laid over pictures and played motions."""
FILES = ("plot", "picture")
"""Options that say where plots go."""


@dataclass(frozen=True, kw_only=True)
class Plots:
    """Where an answer is plotted, and how."""

    plot: bool = False
    picture: Path | None = None
    degrees: bool | None = None
    theme: str = "light"

    def target(self, source: Source, command: str) -> Path | None:
        """The file that was named, or with --plot one named after FILE and the command."""
        return self.picture or (source.beside(f"-{command}.svg") if self.plot else None)

    def shown(self) -> dict[str, Any]:
        """Options of `kb.plot`."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: x for name, x in own.items() if name not in FILES and x is not None}


@dataclass(frozen=True, kw_only=True)
class Curves(Plots):
    """Plots over something, and of vectors."""

    over: str = "t"
    hodographs: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class MotionCurves(Curves):
    """Plots of a motion."""

    columns: list[str] | None = None
    phase: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class MotionFiles:
    """Files of a motion, where they are wanted: its table, all of it, and one that plays it."""

    texts: ClassVar = {"show": SHOW}
    csv: Path | None = None
    whole: Path | None = None
    page: Path | None = None
    show: list[str] | None = None

    def outputs(
        self,
        table: kb.Trajectory,
        names: Sequence[str],
        picture: Path | None,
        plot: Callable[[Path], object],
        theme: str,
    ) -> list[Output]:
        """What is written of a motion: the columns that are named, all of it, plots, a page."""
        what = f"the motion, {len(table.t)} rows"
        played: dict[str, Any] = {"theme": theme, **overlays_of(self.show)}
        return [
            Output(self.csv, f"{what} of {', '.join(names)}", lambda p: table.save(p, names)),
            Output(self.whole, what, table.save),
            Output(picture, "plots of the motion", plot),
            Output(self.page, "the motion, played", lambda p: kb.animate(table, p, **played)),
        ]
