"""`korba motion`: a driven mechanism over a cycle or a time, printed, written and drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import typer

from ..model.mechanism import Mechanism
from ..show.plots.motion import motion_plot, state_columns
from ..spatial.rotation import Array
from ..trajectory.places import PointMotion
from ..trajectory.summary import tidied
from ..trajectory.trajectory import Trajectory
from .answers import answered, read
from .commands import command
from .driven import Driven, Positions, Speed, Until, cycle_time, driven, moved, stop
from .motion_files import MotionFiles
from .options import (
    AsJson,
    Columns,
    CsvFile,
    Degrees,
    Floating,
    Hodograph,
    MechanismFile,
    Over,
    Overwrite,
    PageFile,
    Phase,
    PictureFile,
    Plotted,
    Points,
    TableFile,
    Theme,
    picture_file,
)
from .overlays import Overlays, overlays_of


@command("korba motion four-bar.toml --plot --over A --degrees")
def motion(
    file: MechanismFile,
    *,
    floating: Floating = None,
    cycle: Positions = 360,
    until: Until = None,
    drive: Driven = None,
    speed: Speed = None,
    point: Points = None,
    csv: CsvFile = None,
    out: TableFile = None,
    plot: Plotted = False,
    picture: PictureFile = None,
    columns: Columns = None,
    over: Over = "t",
    degrees: Degrees = False,
    phase: Phase = None,
    hodograph: Hodograph = None,
    page: PageFile = None,
    show: Overlays = None,
    theme: Theme = "light",
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Move a mechanism by its drives: positions, velocities and accelerations over a cycle."""
    files = MotionFiles(csv, out, picture_file(file, "motion", plot, picture), page)
    files.check(force)
    played = {"theme": theme, **overlays_of(show)}
    m = driven(read(file, floating), drive, speed)
    times = np.linspace(0.0, cycle_time(m) if until is None else until, cycle + 1)
    places = {text: _place(m, text, "--hodograph") for text in hodograph or ()}
    places |= {text: _place(m, text, "--point") for text in point or ()}
    done, stopped = moved(m, times)
    paths = {text: done.point(body, at) for text, (body, at) in places.items()}
    followed, moving = ({name: paths[name] for name in own or ()} for own in (point, hodograph))
    table = done.with_columns(points := _point_columns(followed))
    names = [*(name for name in done.names if name not in done.extra), *points]
    data = _summary(done, stopped, {name: table[name] for name in names})
    told = tidied(table, names)
    shown: dict[str, Any] = {
        "columns": columns or state_columns(done, over),
        "over": over,
        "degrees": degrees,
    }
    drawn = partial(motion_plot, done, **shown, phase=phase or (), points=followed, moving=moving)
    written = files.outputs(table, names, lambda p: replace(drawn(), theme=theme).save(p), played)
    answered(data, _report(done, stopped, data, told), as_json, written)
    stop(done, stopped)


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


def _report(done: Trajectory, stopped: str, data: dict[str, Any], told: dict[str, Array]) -> str:
    """What was moved, and how far."""
    name = done.mechanism.name or "mechanism"
    lines = [
        f"{name!r}: {data['positions']} positions from t = {done.t[0]:g} s to "
        f"{done.t[-1]:g} s; loops closed to {data['gap']:.1e}",
        f"nearest to a dead point: {data['singularity']:.3g} of 1",
        "",
        f"{'':<24}{'from':>14}{'to':>14}",
    ]
    lines += [f"{key:<24}{x.min():>14.6g}{x.max():>14.6g}" for key, x in told.items()]
    lines += ["", *(f"note: {note}" for note in data["notes"])] if data["notes"] else []
    return "\n".join([*lines, *(["", stopped] if stopped else [])])


def _place(m: Mechanism, text: str, option: str) -> tuple[str, Any]:
    """Body and point of `coupler.tip`, `coupler:tip` or `coupler:0.3,0.1`."""
    body, _, at = text.rpartition(":" if ":" in text else ".")
    if not body:
        raise typer.BadParameter(
            f"expected BODY.POINT such as coupler.tip, or coupler:0.3,0.1, got {text!r}",
            param_hint=option,
        )
    m.body(body)
    try:
        return body, tuple(float(x) for x in at.split(","))
    except ValueError:
        return body, at
