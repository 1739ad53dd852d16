"""`kb.steady_cycle`: how a machine runs over a turn that repeats itself, and how evenly.

In a steady turn the loads give as much work as they take, and the kinetic energy E = E_0 + W(x) is
back where it was. The speed is  w^2 = 2 E / I, its irregularity (Gronowicz 4.130, 4.131)

    delta = (w_max - w_min) / w_mean,    w_mean = (w_max + w_min) / 2                  (1)

and the book's own value with the inertia taken as constant, of the largest surplus of work (4.136),

    delta = (max W - min W) / (I w_mean^2)                                             (2)

Points (I, E) are the energy-mass diagram of Wittenbauer: a line from its origin to a point has the
slope psi = w^2 / 2, and the tangents from the origin touch it at w_max and w_min, where
Q - psi I' = 0.

Where loads depend on the position alone, W is an integral, and E_0 is what makes (1) the mean speed
that is asked for; a constant moment may balance the turn. Where they depend on the speed, such as
the moment of a motor, dE/dx = Q(x, w) is solved from panel to panel by collocation, and E_0 is what
comes back after a turn, or with a mean speed a constant moment makes it come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..display import Plotted, tidy
from ..door import public
from ..errors import StructureError
from ..forces.loads import depends_on_time
from ..model.display_units import display_units
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..model.summary import drives_not_followed
from ..solve.bracketed import root_between
from ..spatial.rotation import Array
from ..system.system import any_system
from ..trajectory.audit import Audit
from ..trajectory.columns import Column
from ..trajectory.trajectory import Trajectory
from .collocation import Marching, NoTurnError, secant
from .irregularity import Irregularity, extreme, irregular
from .motor import mean_force, steady_speed
from .panels import Panels
from .reduction import SAME, Reduction, reduce
from .work import LOADS, refuse_beyond, refuse_massless, samples, varying

NEARBY, SETTLED = 1e-3, 1e-12
"""Shares of the energy: of a second guess, and of the last step to the mean speed."""
FAST, GRADED = 500.0, (np.arange(1, 65) / 64) ** 4
"""Speed, in rad/s, below which loads are to fix one, and parts of it that are looked at."""
BALANCED = 1e-9
"""Share of the work that comes and goes in a turn that it may be off by."""


class EnergyMass(NamedTuple):
    """Wittenbauer's diagram: reduced inertia and kinetic energy over a turn."""

    x: Array
    inertia: Array
    energy: Array


class Surplus(NamedTuple):
    """The largest and the least work of a turn, and where they are."""

    work: float
    """max W - min W."""
    at_most: float
    at_least: float


@dataclass(frozen=True, eq=False)
class Cycle(Plotted):
    """A steady turn of a machine."""

    reduction: Reduction
    panels: Panels
    """Inertia, slope and force (with the balancing one) over the turn."""
    energy: float
    """Kinetic energy where the turn begins."""
    balancing: float
    """Constant force or moment on the coordinate that balances the turn, along its direction."""

    def speed(self, x: Any) -> Array:
        """The speed at positions of the coordinate."""
        way = self.way
        low = float(self.panels.edges[0])
        x = low + way * np.mod(way * (np.asarray(x, dtype=float) - low), 2 * np.pi)
        energy = self.energy + self.panels.integral(self.panels.values[2], x)
        return way * np.sqrt(2 * energy / self.panels.at(self.panels.values[0], x))

    @property
    def way(self) -> float:
        """1, or -1 where it turns backwards."""
        return float(np.sign(self.panels.edges[-1] - self.panels.edges[0]))

    @property
    def time(self) -> float:
        """Of a turn."""
        inside = self.panels.inside(self.panels.values[2])
        speed = np.sqrt(2 * (self.energy + inside) / self.panels.values[0])
        return float(abs(self.panels.sums(1 / speed)[-1]))

    @cached_property
    def irregularity(self) -> Irregularity:
        """(1), with the inertia as it is."""
        return irregular(self.panels, self.energy)

    @cached_property
    def surplus(self) -> Surplus:
        """The largest surplus of work (4.132), and where it begins and ends."""
        (high, most), (low, least) = (extreme(self.panels, 0.0, sign) for sign in (1.0, -1.0))
        return Surplus(most + least, high, low)

    @property
    def mean_inertia(self) -> float:
        """Mean of the reduced inertia over the turn."""
        return float(abs(self.panels.sums(self.panels.values[0])[-1]) / (2 * np.pi))

    @property
    def book(self) -> Irregularity:
        """(2): the irregularity with the inertia at its mean, at the same mean speed."""
        mean = self.irregularity.mean
        delta = self.surplus.work / (self.mean_inertia * mean**2)
        ends = mean * (1 + 0.5 * delta), mean * (1 - 0.5 * delta)
        return Irregularity(delta, mean, *ends, self.surplus.at_most, self.surplus.at_least)

    def energy_mass(self, count: int = 360) -> EnergyMass:
        """Wittenbauer's energy-mass diagram at so many positions of the turn, the end repeated."""
        x = np.linspace(self.panels.edges[0], self.panels.edges[-1], count + 1)
        energy = self.energy + self.panels.integral(self.panels.values[2], x)
        return EnergyMass(x, self.panels.at(self.panels.values[0], x), energy)

    def motion(self, count: int = 360) -> Trajectory:
        """The turn as a motion of all joints, at positions evenly apart, the end repeated."""
        edges, r = self.panels.edges, self.reduction
        x = np.linspace(edges[0], edges[-1], count + 1)
        inside = self.panels.inside(self.panels.values[2])
        slowness = np.sqrt(self.panels.values[0] / (2 * (self.energy + inside)))
        t = np.abs(self.panels.integral(slowness, x))
        speed = self.speed(x)
        speed[-1] = speed[0]
        q = r.q(x)
        model = r.at(q, speed)
        force = model.force + self.balancing
        a = (force - 0.5 * model.slope * speed**2) / model.inertia
        N, c = model.ratios, model.bends
        columns = {"inertia": Column(model.inertia, r.units[0]), "force": Column(force, r.units[1])}
        v, whole = N * speed[:, None], N * a[:, None] + c * speed[:, None] ** 2
        kept = Audit(energy=abs(float(self.panels.sums(self.panels.values[2])[-1])) / self.energy)
        moved = r.machine(self.balancing)
        said = drives_not_followed(r.m, LOADS)
        return Trajectory(
            moved, t, q, v, whole, extra=columns, method="steady", remarks=said, audit=kept
        )

    def __str__(self) -> str:
        name, shown = self.reduction.coordinate, display_units(self.reduction.m)
        work = float(tidy(self.surplus.work, self.energy))
        least, most = (
            shown.told(float(x), "rad") for x in (self.surplus.at_least, self.surplus.at_most)
        )
        lines = [
            f"steady turn of {self.reduction.m.name or 'mechanism'!r} by {name}, {self.time:.6g} s",
            f"  exact: {self.irregularity.told(shown)}",
            f"  book (inertia constant, {shown.told(self.mean_inertia, 'kg m^2')}): "
            f"{self.book.told(shown)}",
            f"  surplus of work {shown.told(work, 'J')} from {name} = {least} to {most}",
        ]
        if self.balancing:
            told = shown.told(self.balancing, self.reduction.units[1])
            lines.append(f"  balanced by a constant {told} on {name}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.reduction.notes)])


@public
def steady_cycle(
    m: Mechanism, coordinate: str, *, speed: float | None = None, flywheel: float = 0.0
) -> Cycle:
    """The turn of a crank that repeats itself under the loads of the mechanism.

    With a mean `speed` ((fastest + slowest)/2, in rad/s) a constant moment on the coordinate
    balances the turn where the loads alone do not: the load of an engine, the motor of a press.
    Without it the loads themselves must fix the speed, such as a motor whose moment falls with it.
    `flywheel` is inertia on the coordinate besides the mechanism's own. `.irregularity` has the
    speeds and where they are, `.book` the value with constant inertia, `.energy_mass()` the
    diagram of Wittenbauer, `.motion()` the turn for `kb.reactions`.

    >>> round(kb.steady_cycle(m, "A", speed=150.0).irregularity.delta, 6)
    0.869257
    """
    r = reduce(m, coordinate, flywheel=flywheel)
    return cycle_of(r, speed)


@np.errstate(all="ignore")  # energies that are not finite are judged
def cycle_of(r: Reduction, speed: float | None) -> Cycle:
    """The steady turn of a reduced model."""
    refuse_unsteady(r)
    refuse_massless(r)
    if speed is not None and not speed:
        raise StructureError("steady_cycle: expected a mean speed that is not 0")
    refuse_beyond("steady_cycle", speed or 0.0)
    way = 1.0 if speed is None else float(np.sign(speed))
    if not _varying(r, way, speed):
        return _by_work(r, speed, way)
    nominal = (
        abs(speed)
        if speed is not None
        else abs(steady_speed(r.m, r.coordinate, flywheel=r.flywheel).speed)
    )
    marching = Marching(r, r.panels(r.start, r.start + way * 2 * np.pi, way * nominal), way)
    energy = 0.5 * float(np.mean(marching.panels.values[0])) * nominal**2
    if speed is None:
        return _marched(marching, *marching.periodic(energy), 0.0)
    moment = -mean_force(r, way * nominal)

    def missing(energy: float) -> float:
        nonlocal moment
        moment, force = marching.balanced(energy, moment)
        return _marched(marching, energy, force, moment).irregularity.mean - nominal

    root = secant(missing, energy, (1 + NEARBY) * energy, SETTLED)
    if root is None:
        raise StructureError(
            f"steady_cycle: no constant moment gives mechanism {r.m.name!r} the mean speed "
            f"{speed:g} rad/s; give another speed=, or a flywheel="
        )
    moment, force = marching.balanced(root, moment)
    return _marched(marching, root, force, moment)


def _varying(r: Reduction, way: float, speed: float | None) -> list[str]:
    """Names of the loads that change within the speeds of a turn, 0 to twice their mean.

    Where that is not given, within all up to FAST.
    """
    most = FAST if speed is None else 2 * abs(speed)
    return varying(r, samples(r)[:, None], way * most, way * most * GRADED)


def _by_work(r: Reduction, speed: float | None, way: float) -> Cycle:
    """Loads of the position alone: (1) fixes the energy, a constant moment balances the turn."""
    panels = r.panels(r.start, r.start + way * 2 * np.pi, way * abs(speed or 1.0))
    inertia, slope, force = panels.values
    work = float(panels.sums(force)[-1])
    comes = float(np.abs(panels.sums(np.abs(force))[-1]))
    if speed is None:
        raise StructureError(
            f"steady_cycle: the loads of mechanism {r.m.name!r} do not depend on the speed and "
            f"give {work:.6g} J a turn, so they fix no speed; give speed=, or a motor whose "
            "moment falls with its speed"
        )
    balancing = 0.0 if abs(work) <= BALANCED * comes else -work / (way * 2 * np.pi)
    made = Panels(panels.edges, np.array([inertia, slope, force + balancing]))
    return Cycle(r, made, _energy(made, abs(speed), r), balancing)


def _energy(panels: Panels, mean: float, r: Reduction) -> float:
    """Kinetic energy at the beginning with which the mean speed is that."""
    inside = panels.inside(panels.values[2])
    least, most = -float(inside.min()), 0.5 * float(panels.values[0].max()) * (2 * mean) ** 2
    least = least + 1e-12 * (abs(least) + most)

    def missing(energy: float) -> float:
        return irregular(panels, energy).mean - mean

    most = most + 2 * max(least, 0.0) + float(np.ptp(inside))
    if missing(least) > 0:
        raise NoTurnError(
            f"steady_cycle: at a mean speed of {display_units(r.m).told(mean, 'rad/s')} mechanism "
            f"{r.m.name!r} does not get through a turn: its loads take "
            f"{display_units(r.m).told(float(np.ptp(inside)), 'J')} between two positions; "
            "give a higher speed= or a flywheel="
        )
    return root_between(missing, least, most, xtol=1e-14 * most, rtol=1e-15)


def _marched(marching: Marching, energy: float, force: Array, balancing: float) -> Cycle:
    inertia, slope, _ = marching.panels.values
    made = Panels(marching.panels.edges, np.array([inertia, slope, force]))
    return Cycle(marching.reduction, made, energy, balancing)


def refuse_unsteady(r: Reduction) -> None:
    """An error for what has no turn that could repeat itself."""
    name = r.m.name
    if not r.turns or not r.range.full_turn:
        raise StructureError(
            f"mechanism {name!r} has no turn of {r.coordinate} that could repeat itself: {r.range}"
        )
    if depends_on_time(any_system(r.m).tree):
        timed = ", ".join(force.name for force in r.m.forces if force.timed)
        raise StructureError(
            f"steady_cycle: loads {timed} of mechanism {name!r} depend on the time, so that turns "
            "are not alike; give them by the position of a coordinate"
        )
    if not r.periodic:
        raise StructureError(
            f"mechanism {name!r} is not the same after a turn of {r.coordinate}, so that turns are "
            "not alike; reduce it to a coordinate that turns once a cycle"
        )
    one, two = (r(samples(r) + whole, 1.0).forces for whole in (0.0, 2 * np.pi))
    weight = sum(body.mass for body in r.m.bodies) * float(np.linalg.norm(r.m.gravity or 0.0))
    top = max(float(np.abs(each).max()) for each in (*one.values(), *two.values()))
    top = top + weight * drawing(r.m).scale
    other = [key for key in one if np.abs(one[key] - two[key]).max() > SAME * top]
    if other:
        raise StructureError(
            f"steady_cycle: loads {', '.join(other)} of mechanism {name!r} are not the same after "
            f"a turn of {r.coordinate}, so that turns are not alike; give them by laws that "
            "repeat, such as a sine of it"
        )
