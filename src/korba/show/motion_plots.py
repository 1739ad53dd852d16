"""Panels of a motion: its columns by unit, phase portraits, paths and hodographs of points.

Curves are smooth: where a motion has fewer than `ENOUGH` times, further ones are put between them.
Over a step h from y0 to y1, with s from 0 to 1, a coordinate follows its velocity and acceleration,

    y = H0 y0 + H1 h y0' + H2 h^2 y0'' + the same from the other end, with s -> 1 - s       (1)

with Hermite's polynomials of degree five (H2 = 0 and degree three for velocities); columns whose
rate is not known follow a cubic spline, and where they jump Akima's, which does not swing there.

Source: Hairer, Norsett, Wanner (1993), Solving Ordinary Differential Equations I, section II.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np
from scipy.interpolate import Akima1DInterpolator, CubicSpline

from ..errors import StructureError, way_out
from ..spatial.rotation import Array
from ..trajectory.places import PointMotion
from ..trajectory.trajectory import Trajectory
from .panels import Line, Panel, Plot, Series, by_unit, curves_in_plane, labelled, panels_of

ENOUGH = 600
"""Points of a curve from which on it looks smooth."""
FEWEST = 6
"""Times from which on a curve can be told between them."""
JUMPY = 0.05
"""Swing of a cubic spline, beside the range of its values, that betrays a jump."""
ENERGIES = ("kinetic", "potential", "work", "balance")
"""Columns of a simulation that are shown beside its state."""


class Smooth:
    """Values at enough times for smooth curves."""

    def __init__(self, t: Array) -> None:
        self.t = t
        few = FEWEST <= len(t) < ENOUGH
        self.parts = -(-ENOUGH // (len(t) - 1)) if few else 1

    def column(self, motion: Trajectory, name: str, degrees: bool = False) -> Series:
        """A column by its name, in SI units or with degrees."""
        rates = [name]
        if any(name == j.name and j.nq == j.nv == 1 for j in motion.mechanism.joints):
            rates = [name, f"v_{name}", f"a_{name}"]
        elif name[:2] == "v_" and name[2:] in motion.velocities:
            rates = [name, f"a_{name[2:]}"]
        values = self.between(*(motion[each] for each in rates if each in motion.names))
        column = Series(name, values, motion.units[name])
        return column.in_degrees() if degrees else column

    def between(self, y: Array, *rates: Array) -> Array:
        """Values (times, ...) at further times too, by (1)."""
        if self.parts == 1:
            return np.asarray(y, dtype=float)
        t = self.t
        s = np.arange(self.parts) / self.parts
        h = np.diff(t)
        if not rates and np.isfinite(y).all() and np.all(h > 0):
            fine = (t[:-1, None] + h[:, None] * s).ravel()
            inner = _spline(t, y, fine)
        else:
            shape = (1, -1, *(1,) * (np.ndim(y) - 1))
            H, G = ([each.reshape(shape) for each in _hermite(x, len(rates))] for x in (s, 1.0 - s))
            h = h.reshape(-1, *(1,) * np.ndim(y))
            inner = sum(
                h**k * (H[k] * x[:-1, None] + (-1.0) ** k * G[k] * x[1:, None])
                for k, x in enumerate((y, *rates))
            )
            inner = np.asarray(inner).reshape(-1, *np.shape(y)[1:])
        return np.concatenate([inner, y[-1:]])


def motion_plot(
    motion: Trajectory,
    *,
    columns: Sequence[str] = (),
    over: str = "t",
    degrees: bool = False,
    phase: Sequence[str] = (),
    points: Mapping[str, PointMotion] | None = None,
    moving: Mapping[str, PointMotion] | None = None,
) -> Plot:
    """Panels of columns over one of them, phase portraits, paths of points, and hodographs."""
    if motion.shape:
        raise StructureError("plot: this is a batch of motions; take one, such as motion.run(0)")
    smooth = Smooth(motion.t)
    x = smooth.column(motion, chosen([over], motion.names)[0], degrees)
    names = chosen(columns, motion.names)
    panels = [*by_unit((smooth.column(motion, name, degrees) for name in names), x)]
    panels += _portraits(motion, smooth, chosen(phase, motion.coordinates), degrees)
    views = ("xy",) if motion.mechanism.plane else ("xy", "xz")
    paths = {k: smooth.between(p.position, p.velocity, p.acceleration) for k, p in _all(points)}
    panels += curves_in_plane(paths, views, "m", "", "paths of points")
    rates = {k: smooth.between(p.velocity, p.acceleration) for k, p in _all(moving)}
    panels += curves_in_plane(rates, views, "m/s", "v_", "hodographs of velocities")
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
            raise StructureError(f"plot: there is no column {each!r:.60}; {way_out(each, names)}")
        columns.update(dict.fromkeys(own))
    return list(columns)


def _portraits(
    motion: Trajectory, smooth: Smooth, names: Iterable[str], degrees: bool
) -> Iterator[Panel]:
    """Velocities over their coordinates, in one panel for each unit."""
    lines: dict[tuple[str, str], list[Line]] = {}
    for name in names:
        if name not in motion.velocities:
            raise StructureError(
                f"plot: phase: coordinate {name!r:.60} has no velocity of its own; "
                f"{way_out(name, motion.velocities)}"
            )
        q, v = (smooth.column(motion, each, degrees) for each in (name, f"v_{name}"))
        lines.setdefault((q.unit, v.unit), []).append(Line(name, q.values, v.values))
    for (q_unit, v_unit), own in lines.items():
        one = own[0].name if len(own) == 1 else ""
        x = labelled(one or "coordinate", q_unit)
        y = labelled(f"v_{one}" if one else "velocity", v_unit)
        yield from panels_of(own, x, y, "phase portrait" if one else "phase portraits")


def _all(points: Mapping[str, PointMotion] | None) -> Iterable[tuple[str, PointMotion]]:
    return (points or {}).items()


def _spline(t: Array, y: Array, fine: Array) -> Array:
    """A cubic spline, or where that swings beyond jumps Akima's."""
    calm = Akima1DInterpolator(t, y, method="makima")(fine)
    spline = CubicSpline(t, y)(fine)
    swing = np.abs(spline - calm).max(axis=0)
    return np.asarray(np.where(swing <= JUMPY * np.ptp(y, axis=0), spline, calm))


def _hermite(s: Array, rates: int) -> list[Array]:
    """Polynomials of the value and its rates at the near end, (1)."""
    if rates == 0:
        return [1 - s]
    if rates == 1:
        return [1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3]
    return [
        1 - 10 * s**3 + 15 * s**4 - 6 * s**5,
        s - 6 * s**3 + 8 * s**4 - 3 * s**5,
        (s**2 - 3 * s**3 + 3 * s**4 - s**5) / 2,
    ]
