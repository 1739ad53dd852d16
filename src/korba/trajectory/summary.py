"""A trajectory in one screen: as text, as data, and as a table for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..display import Table, tidy
from ..model.display_units import display_units
from ..model.drawing import drawing
from ..spatial.rotation import Array

if TYPE_CHECKING:
    from .events import Occurrence
    from .trajectory import Trajectory

MOST = 8
"""Coordinates and velocities of which the end is told."""
ENDING = 9
"""Digits of that."""


def line(moved: Trajectory) -> str:
    """One line."""
    runs = moved.q.shape[:-2]
    many = f"{'x'.join(map(str, runs))} runs, " if runs else ""
    return (
        f"<Trajectory of {moved.mechanism.name or 'mechanism'!r}: {many}{_times(moved)}, "
        f"nq = {moved.mechanism.nq}, {_status(moved)}>"
    )


def text(moved: Trajectory) -> str:
    """How it ended and what it took, its audit, the last values, and the notes."""
    lines = [f"{moved.mechanism.name or 'mechanism'!r}: {_ending(moved)}"]
    took = "" if moved.effort is None else str(moved.effort)
    if moved.method or took:
        lines.append(f"  method   {', '.join(filter(None, (moved.method, took)))}")
    lines.append(f"  times    {_times(moved)}")
    if len(moved):
        if moved.audit:
            lines.append(f"  audit    {moved.audit}")
        lines += _ends(moved)
    if moved.events.names:
        lines.append(f"  events   {moved.events}")
    return "\n".join([*lines, *(f"  note: {note}" for note in moved.notes)])


def data(moved: Trajectory) -> dict[str, Any]:
    """The same, with the last row of what is at hand."""
    took = {} if moved.effort is None else moved.effort.to_dict()
    known = [name for name in moved.names if len(moved) and moved.known(name)]
    return {
        "ok": bool(np.all(np.asarray(moved.status) == "finished")),
        "mechanism": moved.mechanism.name,
        "method": moved.method,
        "status": np.asarray(moved.status).tolist(),
        "message": moved.message,
        "rows": len(moved),
        **{name: np.asarray(value).tolist() for name, value in took.items()},
        "audit": {name: np.asarray(x).tolist() for name, x in moved.audit.measures.items()},
        "last": {name: np.asarray(moved[name][..., -1]).tolist() for name in known},
        "events": [_event(each, moved.velocities) for each in moved.events],
        "notes": list(moved.notes),
    }


def _event(each: Occurrence, velocities: Sequence[str]) -> dict[str, Any]:
    """An event, and where it is an impact what that does."""
    own: dict[str, Any] = {"name": each.name, "t": each.t, "run": each.run}
    if each.also_shown:
        own["v_after"] = dict(zip(velocities, each.v_after.tolist(), strict=True))
        own["impulses"] = each.impulses
    return own


def table(moved: Trajectory) -> Table:
    """Where coordinates and velocities begin and end, and their extremes."""
    shown, columns = display_units(moved.mechanism), tidied(moved, _state(moved))
    own = {n: (moved.units[n], x) for n, x in columns.items() if x.ndim == 1 and len(x)}
    rows = [
        (name, shown.unit(si), *_ends_and_extremes(shown.values(x, si)))
        for name, (si, x) in own.items()
    ]
    caption = "\n".join([line(moved)[1:-1], *moved.notes])
    return Table(caption, ("", "unit", "first", "last", "least", "greatest"), rows)


def _ends_and_extremes(x: Array) -> tuple[float, ...]:
    return float(x[0]), float(x[-1]), float(x.min()), float(x.max())


def tidied(moved: Trajectory, names: Iterable[str]) -> dict[str, Array]:
    """Columns with 0 for what is rounding beside others of the motion, lengths by a typical one.

    Coordinates are judged beside 1 rad or a typical length, velocities and accelerations beside the
    largest of them and those of a swing, and other columns beside the largest of their unit.
    """
    typical, units = drawing(moved.mechanism).scale, moved.units
    kinds = {name: units[name].partition("/") for name in names}
    sizes = {name: typical if base == "m" else 1.0 for name, (base, _, _) in kinds.items()}
    groups = {
        name: per if base in ("m", "rad", "1") else units[name]
        for name, (base, _, per) in kinds.items()
    }
    swing = float(np.linalg.norm(moved.mechanism.gravity or 0.0)) / typical
    largest = {"": 1.0, "s": swing**0.5, "s^2": swing}
    for name, group in groups.items():
        own = float(np.nanmax(np.abs(moved[name]), initial=0.0)) / sizes[name]
        largest[group] = max(largest.get(group, 0.0), own)
    return {n: np.asarray(tidy(moved[n], sizes[n] * largest[groups[n]])) for n in groups}


def _status(moved: Trajectory) -> str:
    if isinstance(moved.status, str):
        return moved.status
    kinds, counts = np.unique(np.asarray(moved.status), return_counts=True)
    return ", ".join(f"{count} {kind}" for kind, count in zip(kinds, counts, strict=True))


def _ending(moved: Trajectory) -> str:
    """How it ended, and that it is doubtful."""
    doubtful = np.any(np.asarray(moved.status) != moved.ended)
    said = [_status(moved)] if doubtful or not moved.message else []
    return "; ".join([*said, *([moved.message] if moved.message else [])])


def _times(moved: Trajectory) -> str:
    if not len(moved):
        return "none of those asked for was reached"
    return f"{len(moved)} from {moved.t[0]:g} s to {moved.t[-1]:g} s"


def _state(moved: Trajectory) -> list[str]:
    """Names of coordinates and velocities."""
    return [*moved.coordinates, *(f"v_{name}" for name in moved.velocities)]


def _ends(moved: Trajectory) -> list[str]:
    """Last values of a single run."""
    if moved.q.ndim > 2:
        return []
    names = _state(moved)
    shown, columns = display_units(moved.mechanism), tidied(moved, names[:MOST])
    lines = [
        f"  {name:8} {shown.told(float(x[-1]), moved.units[name], ENDING)} at the end"
        for name, x in columns.items()
    ]
    more = len(names) - MOST
    return [*lines, f"  ...      {more} more"] if more > 0 else lines
