"""Options of commands that plot their answer, and the file that they plot to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from .completion import names
from .options import Source, Theme
from .parameters import option, writes

PICTURES = (".svg", ".png", ".pdf", ".html")
"""Endings of files that hold plots."""


@dataclass(frozen=True, kw_only=True)
class Plots:
    """Where an answer is plotted, and how."""

    plot: Annotated[bool, option("Plot it to NAME-COMMAND.svg, with the name of FILE.")] = False
    picture: Annotated[
        Path | None, writes("Plot it to this .svg, .png, .pdf or .html file.", PICTURES)
    ] = None
    degrees: Annotated[
        bool | None,
        option("Angles of plots; without it as the file has them.", "--degrees/--radians"),
    ] = None
    theme: Theme = "light"

    def target(self, source: Source, command: str) -> Path | None:
        """The file that was named, or with --plot one named after FILE and the command."""
        named = Path(f"{source.file.stem}-{command}.svg") if self.plot else None
        return self.picture or named

    def shown(self) -> dict[str, Any]:
        """Options of `kb.plot`."""
        return {"degrees": self.degrees, "theme": self.theme}


@dataclass(frozen=True, kw_only=True)
class Curves(Plots):
    """Plots over something, and of vectors."""

    over: Annotated[str, option("Column along x of plots, such as A.", complete=names("joint"))] = (
        "t"
    )
    hodograph: Annotated[
        list[str] | None,
        option(
            "Point (or joint, of forces) whose vector is plotted; may be repeated.",
            complete=names("point"),
        ),
    ] = None

    def shown(self) -> dict[str, Any]:
        """Options of `kb.plot`."""
        return {**super().shown(), "over": self.over, "hodographs": self.hodograph or ()}


@dataclass(frozen=True, kw_only=True)
class MotionCurves(Curves):
    """Plots of a motion."""

    columns: Annotated[
        list[str] | None,
        option("Column to plot, by name or pattern 'v_*'; may be repeated.", "--column"),
    ] = None
    phase: Annotated[
        list[str] | None,
        option("Coordinate to plot its velocity over; may be repeated.", complete=names("joint")),
    ] = None

    def shown(self) -> dict[str, Any]:
        """Options of `kb.plot`."""
        return {**super().shown(), "columns": self.columns or (), "phase": self.phase or ()}
