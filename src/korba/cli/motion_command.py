"""`korba motion`: a driven mechanism over a cycle or a time, printed, written and drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..errors import DeadPointError, StructureError
from ..expr import variable
from ..model.drives.joint_drive import JointDrive
from ..model.mechanism import Mechanism
from ..show.plots import draw_paths
from ..solve.cycle import cycle_time as time_of_a_turn
from ..solve.motion import motion as moved
from ..spatial.rotation import Array
from ..trajectory.places import PointMotion
from ..trajectory.trajectory import DOUBTFUL, FINISHED, Trajectory
from .commands import (
    AsJson,
    CsvFile,
    MechanismFile,
    PictureFile,
    Plotted,
    command,
    picture_file,
    printed,
    read,
    written,
)


@command
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
    m = read(file) if drive is None else driven_by(read(file), drive)
    times = np.linspace(0.0, cycle_time(m) if until is None else until, cycle + 1)
    places = {text: _place(m, text) for text in point or ()}
    done, stopped = _moved(m, times)
    paths = {text: done.point(body, at) for text, (body, at) in places.items()}
    points = _point_columns(paths)
    table = done.with_columns(points)
    names = [*(name for name in done.names if name not in done.extra), *points]
    data = _summary(done, stopped, {name: table[name] for name in names})
    printed(data, _report(done, stopped, data), as_json)
    written("Motion", csv, lambda path: table.to_csv(path, names), as_json)
    written("Motion", parquet, lambda path: table.to_parquet(path, names), as_json)
    written("Picture", target, lambda path: draw_paths(done, paths, path), as_json)
    if stopped:
        raise typer.Exit(1)


def _point_columns(paths: dict[str, PointMotion]) -> dict[str, Array]:
    """Columns of the points: place, velocity and acceleration along x, y, z."""
    return {
        f"{prefix}{name}.{axis}": getattr(path, quantity)[:, i]
        for name, path in paths.items()
        for prefix, quantity in (("", "position"), ("v_", "velocity"), ("a_", "acceleration"))
        for i, axis in enumerate("xyz")
    }


def _summary(done: Trajectory, stopped: str, columns: dict[str, Array]) -> dict[str, Any]:
    """Ranges of every column, the gap and the measure of singularity."""
    return {
        "ok": not stopped,
        "positions": len(done.t),
        "status": stopped or done.status,
        "gap": done.audit.gap,
        "singularity": done.audit.singularity,
        "ranges": {name: [float(x.min()), float(x.max())] for name, x in columns.items()},
        "notes": list(done.notes),
    }


def _report(done: Trajectory, stopped: str, data: dict[str, Any]) -> str:
    """What was moved, and how far."""
    name = done.mechanism.name or "mechanism"
    lines = [
        f"{name!r}: {data['positions']} positions from t = {done.t[0]:g} s to "
        f"{done.t[-1]:g} s; loops closed to {data['gap']:.1e}",
        f"nearest to a dead point: {data['singularity']:.3g} of 1",
        "",
        f"{'':<24}{'from':>14}{'to':>14}",
    ]
    lines += [f"{key:<24}{a:>14.6g}{b:>14.6g}" for key, (a, b) in data["ranges"].items()]
    lines += ["", *(f"note: {note}" for note in data["notes"])] if data["notes"] else []
    return "\n".join([*lines, *(["", stopped] if stopped else [])])


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
    """Time of one turn of the first drive, or what to say at a terminal instead."""
    if not m.drives:
        raise StructureError(
            f"mechanism {m.name!r} has no drive; name a coordinate with --drive, such as "
            f"--drive {m.coordinates[0] if m.coordinates else 'A'}"
        )
    return time_of_a_turn(m, "give the end of the motion with --until")


def _moved(m: Mechanism, times: Array) -> tuple[Trajectory, str]:
    """The motion as far as it goes, and why it stopped."""
    try:
        done, stopped = moved(m, times), ""
    except DeadPointError as error:
        done, stopped = error.motion, str(error)
    if done.status not in (FINISHED, DOUBTFUL):
        stopped = f"interrupted at t = {done.t[-1]:g} s"
    return done, stopped or "; ".join(done.audit.doubts)


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
