"""Panels of a motion: its columns by unit, phase portraits, paths and hodographs of points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial

import numpy as np

from ...errors import StructureError, refuse_unknown, way_out
from ...expr.display_units import DisplayUnits
from ...model.drawing import drawing
from ...trajectory.places import PointMotion
from ...trajectory.trajectory import Trajectory
from .hues import in_colours, link_hues
from .panels import (
    VIEWS,
    Component,
    Line,
    Panel,
    Plot,
    by_unit,
    curves_in_plane,
    labelled,
    panels_of,
    plotted_units,
)
from .smooth import Smooth

ENERGIES = ("kinetic", "potential", "work", "balance")
"""Columns of a simulation that are shown beside its state."""


def motion_plot(
    motion: Trajectory,
    *,
    columns: Sequence[str] = (),
    over: str = "t",
    degrees: bool | None = None,
    phase: Sequence[str] = (),
    points: Mapping[str, PointMotion] | None = None,
    moving: Mapping[str, PointMotion] | None = None,
) -> Plot:
    """Panels of columns over one of them, phase portraits, paths of points, and hodographs."""
    if motion.shape:
        raise StructureError("plot: this is a batch of motions; take one, such as motion.run(0)")
    smooth = Smooth.of(motion)
    units = plotted_units(motion.mechanism, degrees)
    x = smooth.column(motion, chosen([over], motion.names)[0]).shown(units)
    own = (smooth.column(motion, name) for name in chosen(columns, motion.names))
    coloured = partial(in_colours, hues=link_hues(motion.mechanism))
    panels = [*by_unit(own, x, _sizes_of_rates(motion), units, coloured)]
    portraits = _portraits(motion, smooth, chosen(phase, motion.coordinates), units)
    panels += [replace(panel, lines=tuple(coloured(panel.lines))) for panel in portraits]
    views = VIEWS[:1] if motion.mechanism.plane else VIEWS
    paths = {k: smooth.between(p.position, p.velocity, p.acceleration) for k, p in _all(points)}
    panels += curves_in_plane(paths, views, Component("", "m"), "paths of points", units)
    rates = {k: smooth.between(p.velocity, p.acceleration) for k, p in _all(moving)}
    title = "hodographs of velocities"
    panels += curves_in_plane(rates, views, Component("v_", "m/s"), title, units)
    if not panels:
        raise StructureError("plot: there is nothing to draw; this motion has no coordinates")
    return Plot(motion.mechanism.name or "mechanism", tuple(panels))


def state_columns(motion: Trajectory, over: str = "t") -> list[str]:
    """All coordinates, velocities and accelerations, and the energies of a simulation."""
    own = [n for n in motion.names if n not in motion.extra and n not in ("t", over)]
    return own + [name for name in ENERGIES if name in motion.extra]


def chosen(asked: Iterable[str], names: Sequence[str]) -> list[str]:
    """Names that are asked for, by themselves or by a pattern such as "v_*"."""
    columns: dict[str, None] = {}
    for each in asked:
        own = [each] if each in names else [n for n in names if fnmatchcase(n, each)]
        if not own:
            refuse_unknown("column", each, names, "plot")
        columns.update(dict.fromkeys(own))
    return list(columns)


def _sizes_of_rates(motion: Trajectory) -> dict[str, float]:
    """Of each unit, the rate of the fastest column at a typical length: beside it rounding is 0.

    Without it a panel in which nothing moves, as of the teeth of wheels on an arm, shows rounding.
    """
    length = drawing(motion.mechanism).scale
    slides = [motion.units[f"v_{name}"] == "m/s" for name in motion.velocities]
    unit = np.where(slides, length, 1.0)
    tops = (np.fmax.reduce(np.abs(x) / unit, axis=None, initial=0.0) for x in (motion.v, motion.a))
    rate, second = map(float, tops)
    second = max(second, rate**2)
    turning = {"rad/s": rate, "rad/s^2": second}
    sliding = {"m/s": length * rate, "m/s^2": length * second}
    return {**turning, **sliding}


def _portraits(
    motion: Trajectory, smooth: Smooth, names: Iterable[str], units: DisplayUnits
) -> Iterator[Panel]:
    """Velocities over their coordinates, in one panel for each unit."""
    lines: dict[tuple[str, str], list[Line]] = {}
    for name in names:
        if name not in motion.velocities:
            raise StructureError(
                f"plot: phase: coordinate {name!r:.60} has no velocity of its own; "
                f"{way_out(name, motion.velocities)}"
            )
        q, v = (smooth.column(motion, each).shown(units) for each in (name, f"v_{name}"))
        lines.setdefault((q.unit, v.unit), []).append(Line(name, q.values, v.values))
    for (q_unit, v_unit), own in lines.items():
        one = own[0].name if len(own) == 1 else ""
        x = labelled(one or "coordinate", q_unit)
        y = labelled(f"v_{one}" if one else "velocity", v_unit)
        yield from panels_of(own, x, y, "phase portrait" if one else "phase portraits")


def _all(points: Mapping[str, PointMotion] | None) -> Iterable[tuple[str, PointMotion]]:
    return (points or {}).items()
