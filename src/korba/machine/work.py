"""Speeds of a reduced model by the work of its loads: the integral form of its motion.

Where loads depend on the position alone (and on the direction of the motion), kinetic energy is
what there was and the work since (Gronowicz 4.129),

    E(x) = 1/2 I_0 v_0^2 + W(x),    W(x) = integral of Q dx,    v^2 = 2 E / I          (1)
    t(x) = integral of dx / v                                                          (2)

Where E falls to zero the work does not suffice: the mechanism stops there. From rest (2) begins
with an infinite slope, so it is integrated by s with  x - x_0 = d = (x_1 - x_0) s^2. All is a
function of the distance d, since W(x_0 + d) cancels as d -> 0; and W(d) is d times a mean force. At
rest where Q = 0 it would take for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..display import Tabled, columns
from ..door import public, real_array
from ..errors import StructureError
from ..forces.loads import depends_on_time
from ..model.mechanism import Mechanism
from ..model.summary import drives_not_followed
from ..solve.bracketed import root_between
from ..spatial.rotation import Array
from ..system.system import any_system
from ..verbs.systems import refuse_indefinite
from ..wording import named
from .panels import EXACT, Panels, resolved
from .reduction import Reduction, reduce

LOADS = "the loads"
"""What leads a motion of a reduced model."""
RESTING = 1e-200
"""A speed that is none, but has a sign."""
FASTEST = 1e12
"""Speed, in rad/s or m/s, above which energies are beyond all sense."""
SAMPLES = 64
"""Positions at which loads are looked at."""


@dataclass(frozen=True, eq=False)
class Speeds(Tabled):
    """Speeds at positions, from the work of the loads; nan beyond a stop."""

    rows_of = (
        ("x", 0),
        ("speed", 0),
        ("t", 0),
        ("work", 0),
    )

    coordinate: str
    x: Array
    speed: Array
    t: Array
    """Times of passage since the start; infinite from rest where the loads balance each other."""
    work: Array
    """Of all loads since the start."""
    stops: float | None
    """Where the work does not suffice to go on; None where it does."""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = zip(self.x, self.speed, self.t, self.work, strict=True)
        rows = [(self.coordinate, "speed", "t, s", "work, J")]
        rows += [(f"{x:.6g}", f"{v:.6g}", f"{t:.6g}", f"{w:.6g}") for x, v, t, w in shown]
        stop = "" if self.stops is None else f"stops at {self.coordinate} = {self.stops:.10g}"
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([*columns(rows), *[stop] * bool(stop), *notes])


@public
def speeds(
    m: Mechanism,
    coordinate: str,
    x: Any,
    *,
    q: float | None = None,
    speed: float = 0.0,
    flywheel: float = 0.0,
) -> Speeds:
    """Speeds of a coordinate at positions x, from the work of all loads since the start.

    The motion starts with `speed` at the position `q` (as drawn), towards the positions, which
    all lie on one side. Loads may depend on the position and on the direction of the motion; with
    the speed or the time in them ask `kb.run_up`. Drives do not count. Beyond where the work does
    not suffice speeds are nan, and `stops` is where it is.

    >>> engine = kb.linkages.slider_crank("50 mm", "150 mm")
    >>> kb.speeds(engine, "A", [np.pi], speed=20.0).speed.round(6)
    array([34.165626])
    """
    refuse_beyond("speeds", speed)
    r = reduce(m, coordinate, flywheel=flywheel)
    wanted = np.atleast_1d(real_array("x", x)).ravel()
    begin = r.start if q is None else q
    far = wanted[np.argmax(np.abs(wanted - begin))] if wanted.size else begin
    way = float(np.sign(far - begin))
    if np.any((wanted - begin) * way < 0) or speed * way < 0:
        raise StructureError(
            f"speeds: expected positions on one side of the start {begin:.6g}, where the speed "
            f"{speed:g} leads to"
        )
    refuse_timed(r)
    near = (way or 1.0) * (abs(speed) or 1.0)
    refuse_varying(varying(r, samples(r), 0.5 * near, 2.0 * near))
    refuse_massless(r)
    notes = drives_not_followed(m, LOADS)
    if not way:
        same = np.zeros(wanted.shape)
        return Speeds(coordinate, wanted, same + speed, same, same, None, notes)
    panels = r.panels(begin, float(far), way * max(abs(speed), RESTING), origin=begin)
    made = Run(r, begin, panels, speed)
    refuse_varying(made.varying)
    d, stop = wanted - begin, made.stop
    going = np.ones(wanted.shape, dtype=bool) if stop is None else (stop - d) * way > 0
    parts = np.full((3, *wanted.shape), np.nan)
    parts[:, going] = way * made.speed(d[going]), made.times(d[going]), made.work(d[going])
    stops = None if stop is None else begin + stop
    return Speeds(coordinate, wanted, parts[0], parts[1], parts[2], stops, notes)


@dataclass(frozen=True, eq=False)
class Run:
    """(1) on the panels of a way, in distances d from its start."""

    reduction: Reduction
    start: float
    panels: Panels
    begin: float
    """The speed at the start."""

    @property
    def way(self) -> float:
        """1, or -1 where the coordinate falls."""
        return float(np.sign(self.panels.edges[-1]))

    @cached_property
    def energy(self) -> float:
        """Kinetic energy at the start."""
        return 0.5 * float(self.reduction(self.start).inertia) * self.begin**2

    def work(self, d: Any) -> Array:
        """W."""
        return self.panels.integral(self.panels.values[2], d)

    def speed(self, d: Any) -> Array:
        """|v|; 0 where there is no energy."""
        energy = self.energy + self.work(d)
        inertia = self.panels.at(self.panels.values[0], d)
        return np.sqrt(2 * np.maximum(energy, 0.0) / inertia)

    @property
    def stop(self) -> float | None:
        """Where the energy first falls to zero after the start."""
        d = self.way * np.sort(self.way * np.append(self.panels.x.ravel(), self.panels.edges[1:]))
        short = np.flatnonzero(self.energy + self.work(d) <= 0)
        if not len(short):
            return None
        k = int(short[0])
        if k == 0:
            return 0.0
        return root_between(lambda at: self.energy + float(self.work(at)), d[k - 1], d[k])

    @property
    def varying(self) -> list[str]:
        """Names of the loads that are others at these speeds than at that of the start."""
        d = self.panels.x.ravel()
        first = self.way * max(abs(self.begin), RESTING)
        later = self.way * np.maximum(self.speed(d), RESTING)
        return varying(self.reduction, self.start + d, first, later)

    @property
    def balanced(self) -> bool:
        """Whether it starts from rest where the loads balance each other, to rounding."""
        force = self.panels.values[2]
        first = float(self.panels.at(force, 0.0))
        return not self.begin and abs(first) <= EXACT * float(np.abs(force).max())

    def times(self, d: Array) -> Array:
        """(2)."""
        last = float(np.abs(d).max(initial=0.0))
        if not last:
            return np.zeros(d.shape)
        if self.balanced:
            return np.where(d == 0.0, 0.0, np.inf)

        def slowness(s: Array) -> Array:
            return (2 * last * s / self.speed(self.way * last * s * s))[None]

        done = resolved(slowness, 0.0, 1.0)
        return done.integral(done.values[0], np.sqrt(np.abs(d) / last))


def varying(r: Reduction, x: Array, speed: Any, other: Any) -> list[str]:
    """Names of the loads that are not the same at positions x at two speeds of one direction."""
    one, two = (r(x, each).forces for each in (speed, other))
    top = max((float(np.abs(each).max()) for each in two.values()), default=0.0)
    return [name for name in one if not np.abs(one[name] - two[name]).max() <= 1e-12 * top]


def samples(r: Reduction) -> Array:
    """Positions over the range of a coordinate, away from its ends."""
    low, high = r.range.ends
    return low + (high - low) * (np.arange(SAMPLES) + 0.5) / SAMPLES


def refuse_timed(r: Reduction) -> None:
    """An error for loads that depend on the time."""
    if depends_on_time(any_system(r.m).tree):
        refuse_varying([force.name for force in r.m.forces if force.timed])


def refuse_varying(names: Sequence[str]) -> None:
    """An error for loads whose work a position does not tell."""
    if names:
        raise StructureError(
            f"speeds: loads {', '.join(names)} depend on the speed or the time, so positions alone "
            f"do not tell their work; ask {named('run_up')} for the motion in time"
        )


def refuse_beyond(verb: str, speed: float) -> None:
    """An error for speeds that nothing has."""
    if abs(speed) > FASTEST:
        raise StructureError(f"{verb}: speed: expected at most {FASTEST:g}, got {speed:g}")


def refuse_massless(r: Reduction) -> None:
    """An error where nothing that has mass moves with the coordinate, or less than nothing."""
    inertia = r(samples(r)).inertia
    if not np.all(inertia > 1e-30):
        x = samples(r)[int(np.argmin(inertia))]
        if inertia.min() < 0:
            refuse_indefinite(any_system(replace(r.m, drives=())))
            raise StructureError(
                f"mechanism {r.m.name!r}: what it reduces to {r.coordinate} is {inertia.min():.4g} "
                f"{r.units[0]} at {x:.6g}, less than nothing, which no real body has; correct the "
                "masses and inertias that are kept as_given"
            )
        empty = [body.name for body in r.m.bodies if not body.mass]
        raise StructureError(
            f"mechanism {r.m.name!r} moves no mass at {r.coordinate} = {x:.6g}, so its forces give "
            f"no acceleration; give bodies mass= or inertia= ({', '.join(empty[:6])} have no mass)"
        )
