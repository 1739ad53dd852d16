"""`korba forces`: what goes through joints over a cycle, what drives do, what friction takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

from ..model.summary import friction_not_used
from ..spatial.rotation import Array
from .answers import Output
from .commands import command
from .driven import Cycle, stop
from .options import Source, WrittenAnswer
from .plots import Curves


@command("korba forces slider-crank.toml --plot --over A")
def forces(
    source: Source,
    *,
    cycle: Cycle,
    plots: Curves,
    friction: bool = False,
    csv: Path | None = None,
    answer: WrittenAnswer,
) -> None:
    """Forces in every joint over a cycle, what the drives have to do, losses by joint."""
    target = plots.target(source, "forces")
    answer.free(csv, target)
    motion, stopped = cycle.moved(source.read())
    found = kb.reactions(motion.mechanism, motion, friction=friction)
    data = _data(motion, found, stopped)
    table = motion.with_columns(more := found.columns)
    names = ["t", *motion.mechanism.coordinates, *more]
    what, plot = f"forces, {len(motion.t)} rows of {', '.join(names)}", "plots of the forces"
    written = Output(csv, what, lambda path: table.save(path, names))
    shown = {"along": motion, **plots.shown()}
    answer(
        data,
        f"{replace(found, notes=tuple(data['notes']))}\n{stopped}".rstrip(),
        written,
        Output(target, plot, lambda path: kb.plot(found, path, **shown)),
    )
    stop(motion, stopped or ("" if data["ok"] else "jammed"))


def _data(motion: kb.Trajectory, found: kb.results.Reactions, stopped: str) -> dict[str, Any]:
    """Largest forces and moments of joints, what drives range over, means of losses."""
    sizes = {
        name: [float(np.fmax.reduce(np.linalg.norm(x[:, i], axis=1))) for x in parts]
        for parts in [(np.asarray(found.force), np.asarray(found.moment))]
        for i, name in enumerate(found.joints)
    }
    data: dict[str, Any] = {
        "ok": not stopped and not np.any(found.jammed),
        "positions": len(motion.t),
        "time": float(motion.t[-1]),
        "status": stopped or "finished",
        "joints": {name: {"force": f, "moment": n} for name, (f, n) in sizes.items()},
        "drives": {name: _range(motion.t, x) for name, x in found.driving.items()},
        "notes": _notes(motion, found),
    }
    if (plain := found.frictionless) is not None:
        data["drives_without_friction"] = {
            name: _range(motion.t, x) for name, x in plain.driving.items()
        }
        data["losses"] = {name: _mean(motion.t, x) for name, x in found.losses.items()}
    return data


def _notes(motion: kb.Trajectory, found: kb.results.Reactions) -> list[str]:
    """What is to be said; that friction is not used only where it is not."""
    rubbed = friction_not_used(motion.mechanism) if found.losses else ()
    return [note for note in dict.fromkeys((*found.notes, *motion.notes)) if note not in rubbed]


def _range(t: Array, x: Array) -> dict[str, float]:
    """Ends over the positions that have an answer, and the mean if all have one."""
    least, most = (float(end.reduce(x, initial=np.nan)) for end in (np.fmin, np.fmax))
    return {"least": least, "most": most, "mean": _mean(t, x)}


def _mean(t: Array, x: Array) -> float:
    """Mean over the time; of one position its value."""
    whole = float(t[-1] - t[0])
    return float(np.trapezoid(x, t) / whole) if whole else float(x[0])
