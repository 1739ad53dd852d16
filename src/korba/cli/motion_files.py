"""Files of a motion that is asked for at a terminal: tables, plots, and pages that play it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ..show.pages.animate import animate
from ..trajectory.trajectory import Trajectory
from .answers import Output
from .options import CsvFile
from .overlays import Overlays, overlays_of
from .parameters import writes

TABLES: dict[str, Callable[[Trajectory, Path], None]] = {
    ".parquet": Trajectory.to_parquet,
    ".csv": Trajectory.to_csv,
    ".npz": Trajectory.save,
}
"""How a motion is written, by the ending of the file."""
PLAYED = (".html", ".gif", ".mp4")
"""Endings of files that play a motion."""


@dataclass(frozen=True, kw_only=True)
class MotionFiles:
    """Where each goes, if it is wanted."""

    csv: CsvFile = None
    out: Annotated[
        Path | None,
        writes("Write the motion to this .parquet, .csv or .npz file.", TABLES, "--out", "-o"),
    ] = None
    page: Annotated[
        Path | None,
        writes(
            "Write a page that plays the motion, .html, or a film, .gif or .mp4.",
            PLAYED,
            "--animate",
        ),
    ] = None
    show: Overlays = None

    def outputs(
        self,
        table: Trajectory,
        names: Sequence[str],
        picture: Path | None,
        plot: Callable[[Path], object],
        theme: str,
    ) -> list[Output]:
        """What is written of a motion: the columns that are named, all of it, plots, a page."""
        what = f"the motion, {len(table.t)} rows"
        played: dict[str, Any] = {"theme": theme, **overlays_of(self.show)}
        return [
            Output(self.csv, f"{what} of {', '.join(names)}", lambda p: table.to_csv(p, names)),
            Output(self.out, what, lambda p: TABLES[p.suffix.lower()](table, p)),
            Output(picture, "plots of the motion", plot),
            Output(self.page, "the motion, played", lambda p: animate(table, p, **played)),
        ]
