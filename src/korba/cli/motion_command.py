"""`korba motion`: a driven mechanism over a cycle or a time, printed, written and drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import korba as kb

from ..model.display_units import display_units
from ..show.plots.motion import motion_plot, state_columns
from ..spatial.rotation import Array
from ..trajectory.summary import tidied
from .commands import command
from .driven import Cycle, stop
from .options import Source, WrittenAnswer
from .plots import MotionCurves, MotionFiles


@command("korba motion four-bar.toml --plot --over A --degrees")
def motion(
    source: Source,
    *,
    cycle: Cycle,
    plots: MotionCurves,
    files: MotionFiles,
    point: list[str] | None = None,
    answer: WrittenAnswer,
) -> None:
    """Move a mechanism by its drives: positions, velocities and accelerations over a cycle."""
    target = plots.target(source, "motion")
    answer.free(files.csv, files.whole, target, files.page)
    m = source.read()
    places = {text: _place(m, text, "--hodograph") for text in plots.hodographs or ()}
    places |= {text: _place(m, text, "--point") for text in point or ()}
    done, stopped = cycle.moved(m)
    paths = {text: done.point(body, at) for text, (body, at) in places.items()}
    followed, moving = (
        {name: paths[name] for name in own or ()} for own in (point, plots.hodographs)
    )
    table, points = _with_points(done, followed)
    names = [*(name for name in done.names if name not in done.extra), *points]
    data = _summary(done, stopped, {name: table[name] for name in names})
    told = {name: (table.units[name], x) for name, x in tidied(table, names).items()}

    def drawn(path: Path) -> None:
        plot = motion_plot(
            done,
            columns=plots.columns or state_columns(done, plots.over),
            over=plots.over,
            degrees=plots.degrees,
            phase=plots.phase or (),
            points=followed,
            moving=moving,
        )
        replace(plot, theme=plots.theme).save(path)

    written = files.outputs(table, names, target, drawn, plots.theme)
    answer(data, _report(done, stopped, data, told), *written)
    stop(done, stopped)


def _with_points(
    done: kb.Trajectory, paths: dict[str, kb.results.PointMotion]
) -> tuple[kb.Trajectory, list[str]]:
    """The motion with columns of points, and their names: place and rates along x, y, z."""
    names = list[str]()
    for name, path in paths.items():
        for prefix, values, unit in (
            ("", path.position, "m"),
            ("v_", path.velocity, "m/s"),
            ("a_", path.acceleration, "m/s^2"),
        ):
            own = {f"{prefix}{name}.{axis}": values[:, i] for i, axis in enumerate("xyz")}
            done = done.with_columns(own, unit)
            names += own
    return done, names


def _summary(done: kb.Trajectory, stopped: str, columns: dict[str, Array]) -> dict[str, Any]:
    """Ranges of every column, the residual and the measure of singularity."""
    return {
        "ok": not stopped,
        "positions": len(done.t),
        "status": stopped or done.status,
        "residual": done.audit.residual,
        "singularity": done.audit.singularity,
        "ranges": {name: [float(x.min()), float(x.max())] for name, x in columns.items()},
        "notes": list(done.notes),
    }


def _report(
    done: kb.Trajectory, stopped: str, data: dict[str, Any], told: dict[str, tuple[str, Array]]
) -> str:
    """What was moved, and how far."""
    name = done.mechanism.name or "mechanism"
    lines = [
        f"{name!r}: {data['positions']} positions from t = {done.t[0]:g} s to "
        f"{done.t[-1]:g} s; loops closed to {data['residual']:.1e}",
        f"nearest to a dead point: {data['singularity']:.3g} of 1",
        "",
        f"{'':<24}{'from':>14}{'to':>14}",
    ]
    shown = display_units(done.mechanism)
    for key, (si, x) in told.items():
        ends = (shown.number(end, si) for end in (x.min(), x.max()))
        lines.append(f"{key:<24}{''.join(f'{end:>14}' for end in ends)}  {shown.unit(si)}")
    lines += ["", *(f"note: {note}" for note in data["notes"])] if data["notes"] else []
    return "\n".join([*lines, *(["", stopped] if stopped else [])])


def _place(m: kb.Mechanism, text: str, option: str) -> tuple[str, Any]:
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
