"""`korba motion`: a driven mechanism over a cycle or a time, printed, written and drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..errors import DeadPointError, StructureError
from ..expr import Expr, derivative, variable, variables
from ..model.drives.joint_drive import JointDrive
from ..model.mechanism import Mechanism
from ..show.path_plot import draw_paths
from ..solve.motion import motion as moved
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from .commands import (
    AsJson,
    CsvFile,
    MechanismFile,
    PictureFile,
    Plotted,
    answered,
    app,
    picture_file,
    printed,
    read,
)


@app.command()
def motion(
    file: MechanismFile,
    *,
    cycle: Annotated[
        int, typer.Option(min=2, help="Positions over one turn of the first drive.")
    ] = 360,
    until: Annotated[
        float | None, typer.Option(help="End in seconds, instead of one turn.")
    ] = None,
    drive: Annotated[
        str | None,
        typer.Option(
            help="Coordinate to turn at 1 rad/s (or 1 m/s), instead of the file's drives."
        ),
    ] = None,
    point: Annotated[
        list[str] | None,
        typer.Option(help="Point to follow, coupler:tip or coupler:0.3,0.1; may be repeated."),
    ] = None,
    csv: CsvFile = None,
    parquet: Annotated[Path | None, typer.Option(help="Write it to this Parquet file.")] = None,
    plot: Plotted = False,
    picture: PictureFile = None,
    as_json: AsJson = False,
) -> None:
    """Move a mechanism by its drives: positions, velocities and accelerations over a cycle."""
    target = picture_file(file, plot, picture)
    m = answered(lambda: read(file), as_json)
    if drive is not None:
        m = answered(lambda: driven_by(m, drive), as_json)
    answer = answered(lambda: _summary(m, cycle, until, point or []), as_json)
    printed(answer, as_json)
    if csv is not None:
        answered(lambda: answer.table.to_csv(csv, answer.names), as_json)
        typer.echo(f"\nMotion: {csv}", err=as_json)
    if parquet is not None:
        answered(lambda: answer.table.to_parquet(parquet, answer.names), as_json)
        typer.echo(f"\nMotion: {parquet}", err=as_json)
    if target is not None:
        answered(lambda: draw_paths(answer.motion, answer.paths, target), as_json)
        typer.echo(f"\nPicture: {target}", err=as_json)
    if answer.stopped:
        raise typer.Exit(1)


class MotionSummary:
    """What was moved, and how far."""

    def __init__(self, motion: Trajectory, paths: dict[str, Any], stopped: str) -> None:
        self.motion, self.paths, self.stopped = motion, paths, stopped

    @cached_property
    def table(self) -> Trajectory:
        """The motion with the columns of the points."""
        return self.motion.with_columns(self.extra)

    @property
    def names(self) -> list[str]:
        """What is printed and written: t, q, v, a and the points."""
        return [*(n for n in self.motion.names if n not in self.motion.extra), *self.extra]

    @property
    def extra(self) -> dict[str, Array]:
        """Columns of the points: place, velocity and acceleration along x, y, z."""
        found: dict[str, Array] = {}
        for name, path in self.paths.items():
            for prefix, values in (
                ("", path.position),
                ("v_", path.velocity),
                ("a_", path.acceleration),
            ):
                found |= {f"{prefix}{name}.{axis}": values[:, i] for i, axis in enumerate("xyz")}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Ranges of every column, the gap and the measure of singularity."""
        motion, table = self.motion, self.table
        ranges = {n: [float(table[n].min()), float(table[n].max())] for n in self.names}
        return {
            "ok": not self.stopped,
            "positions": len(motion.t),
            "status": self.stopped or motion.status,
            "gap": motion.audit.gap,
            "singularity": motion.audit.singularity,
            "ranges": ranges,
            "notes": list(motion.notes),
        }

    def __str__(self) -> str:
        data = self.to_dict()
        name = self.motion.mechanism.name or "mechanism"
        lines = [
            f"{name!r}: {data['positions']} positions from t = {self.motion.t[0]:g} s to "
            f"{self.motion.t[-1]:g} s; loops closed to {data['gap']:.1e}",
            f"nearest to a dead point: {data['singularity']:.3g} of 1",
            "",
            f"{'':<24}{'from':>14}{'to':>14}",
        ]
        lines += [f"{key:<24}{a:>14.6g}{b:>14.6g}" for key, (a, b) in data["ranges"].items()]
        lines += ["", *(f"note: {note}" for note in data["notes"])] if data["notes"] else []
        return "\n".join([*lines, *(["", self.stopped] if self.stopped else [])])


def driven_by(m: Mechanism, coordinate: str) -> Mechanism:
    """The mechanism with one drive: a coordinate from its drawn value at unit speed."""
    for joint in m.joints:
        if coordinate in joint.coordinates():
            start = float(joint.drawn_coordinates[joint.coordinates().index(coordinate)])
            law = variable("t") + start
            return replace(m, drives=(JointDrive(f"drive of {coordinate}", coordinate, law),))
    raise StructureError(
        f"there is no coordinate {coordinate!r} to drive; there are {', '.join(m.coordinates)}"
    )


def cycle_time(m: Mechanism) -> float:
    """Time of one turn of the first drive, which must run at constant speed."""
    if not m.drives:
        raise StructureError(
            f"mechanism {m.name!r} has no drive; name a coordinate with --drive, such as "
            f"--drive {m.coordinates[0] if m.coordinates else 'A'}"
        )
    law = m.drives[0].laws[0] if m.drives[0].coordinate else None
    speed = derivative(law, "t") if isinstance(law, Expr) else None
    if speed is None or variables(speed) or not speed.value:
        raise StructureError(
            f"drive {m.drives[0].name!r} does not turn at a constant speed; give the end of the "
            "motion with --until"
        )
    return float(2 * np.pi / abs(float(speed.value)))


def _summary(m: Mechanism, cycle: int, until: float | None, points: list[str]) -> MotionSummary:
    times = np.linspace(0.0, cycle_time(m) if until is None else until, cycle + 1)
    places = {text: _place(m, text) for text in points}
    try:
        done, stopped = moved(m, times), ""
    except DeadPointError as error:
        done, stopped = error.motion, str(error)
    if done.status != "finished":
        stopped = f"interrupted at t = {done.t[-1]:g} s"
    paths = {text: done.point(body, at) for text, (body, at) in places.items()}
    return MotionSummary(done, paths, stopped)


def _place(m: Mechanism, text: str) -> tuple[str, Any]:
    """Body and point of `coupler:tip` or `coupler:0.3,0.1`."""
    body, _, at = text.rpartition(":")
    if not body:
        raise typer.BadParameter(
            f"expected BODY:POINT such as coupler:tip or coupler:0.3,0.1, got {text!r}",
            param_hint="--point",
        )
    m.body(body)
    try:
        return body, tuple(float(x) for x in at.split(","))
    except ValueError:
        return body, at
