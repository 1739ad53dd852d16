"""Files of a motion that is asked for at a terminal: tables, plots, and pages that play it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..show.pages.animate import animate
from ..trajectory.trajectory import Trajectory
from .answers import Output, free, known
from .options import PLAYED

TABLES: dict[str, Callable[[Trajectory, Path], None]] = {
    ".parquet": Trajectory.to_parquet,
    ".csv": Trajectory.to_csv,
    ".npz": Trajectory.save,
}
"""How a motion is written, by the ending of the file."""


class MotionFiles(NamedTuple):
    """Where each goes, if it is wanted."""

    csv: Path | None
    out: Path | None
    picture: Path | None
    page: Path | None

    def check(self, force: bool) -> None:
        """Refuse endings that name no format, and files that are there."""
        known(self.out, TABLES, "--out")
        known(self.page, PLAYED, "--animate")
        free(force, *self)

    def outputs(
        self,
        table: Trajectory,
        names: Sequence[str],
        plot: Callable[[Path], object],
        played: Mapping[str, Any],
    ) -> list[Output]:
        """What is written of a motion: the columns that are named, all of it, plots, a page.

        `played` are options of `kb.animate`.
        """
        what = f"the motion, {len(table.t)} rows"
        return [
            Output(self.csv, f"{what} of {', '.join(names)}", lambda p: table.to_csv(p, names)),
            Output(self.out, what, lambda p: TABLES[p.suffix.lower()](table, p)),
            Output(self.picture, "plots of the motion", plot),
            Output(self.page, "the motion, played", lambda p: animate(table, p, **played)),
        ]
