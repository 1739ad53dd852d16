"""Loads and drives that events switch off and on: one run after the other, each of its mechanism.

A run ends where an event switches something, and the next one begins there with the mechanism that
is left: its loads, its drives. Coordinates, switches, currents of motors and what rests against a
stop go over; where a drive is switched on, the nearest velocities that it allows are taken, and
what that takes counts as work, as all changes at events do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import KorbaError, StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.audit import Effort
from ..trajectory.columns import Column
from ..trajectory.events import Events
from ..trajectory.trajectory import FAILED, Trajectory
from .energies import audit_of, largest_of, least_energy
from .on_the_way import OnTheWay

VALUES = {"off": False, "on": True, 0: False, 1: True}
MOST_IN_NO_TIME, NO_TIME = 100, 1e-10
"""Phases that may follow each other, each within so many seconds."""


class Carried(NamedTuple):
    """What goes over from one run to the next."""

    t: float
    q: Any
    v: Any
    values: Mapping[str, float]
    """Switches, modes of holds and currents by name."""
    energy: float = 0.0
    """Kinetic and potential energy at its end, and the work till then."""
    work: float = 0.0


class Phase(NamedTuple):
    """A run, where it went on from, and what goes over from it."""

    run: Trajectory
    first: float
    """Kinetic and potential energy at its start."""
    end: Carried


@dataclass(frozen=True)
class Parts:
    """Loads and drives of a mechanism, and which events switch them."""

    m: Mechanism
    by_event: Mapping[str, Mapping[str, bool]]
    ends: frozenset[str] = frozenset()
    """Events that end the run as well."""
    off: frozenset[str] = frozenset()

    @property
    def mechanism(self) -> Mechanism:
        """What is left with some parts off."""
        if not self.off:
            return self.m
        forces = tuple(force for force in self.m.forces if force.name not in self.off)
        drives = tuple(drive for drive in self.m.drives if drive.name not in self.off)
        return replace(self.m, forces=forces, drives=drives)

    def after(self, names: Iterable[str]) -> Parts:
        """The parts after some events."""
        off = set(self.off)
        for name in names:
            for part, on in self.by_event.get(name, {}).items():
                (off.discard if on else off.add)(part)
        return replace(self, off=frozenset(off))


def parts_of(m: Mechanism, given: OnTheWay) -> tuple[Parts, OnTheWay]:
    """Which loads and drives are switched; the rest, with events that end a run there."""
    if not (given.events or given.switches):
        return Parts(m, {}, frozenset(), frozenset()), given
    own = {force.name for force in m.forces} | {drive.name for drive in m.drives}
    own -= {*m.coordinates, *(f"v_{name}" for name in m.velocities)}
    thrown = given.switches
    off = {name for name in own & thrown.keys() if not _on("events", name, thrown[name])}
    by_event, ends, left = {}, set(), []
    for event in given.events:
        mine = {name: x for name, x in event.change.items() if name in own}
        if not mine:
            left.append(event)
            continue
        what = f"event {event.name!r}"
        by_event[event.name] = {name: _on(what, name, x) for name, x in mine.items()}
        ends |= {event.name} if event.terminal else set()
        others = {name: x for name, x in event.change.items() if name not in own}
        left.append(replace(event, change=others, terminal=True))
    rest = {name: x for name, x in thrown.items() if name not in own}
    parts = Parts(m, by_event, frozenset(ends), frozenset(off))
    return parts, replace(given, events=tuple(left), switches=rest)


def _on(what: str, name: str, given: Any) -> bool:
    if isinstance(given, str | int | float) and given in VALUES:
        return VALUES[given]
    raise StructureError(
        f"{what}: {name!r} is a load or drive, which is switched off by 0 and on by 1, got "
        f"{given!r:.60}; to change a force by degrees let its law use a switch"
    )


@dataclass
class Phases:
    """Runs one after the other until one ends by itself."""

    parts: Parts
    ask: Callable[[Mechanism, Carried | None], Phase]
    """Makes a run of a mechanism from where the last one ended."""
    made: list[Phase] = field(default_factory=list)

    def followed(self) -> list[Phase]:
        """All of them."""
        crowd, end = 0, None
        while True:
            try:
                phase = self.ask(self.parts.mechanism, end)
            except KorbaError as error:
                if end is None:
                    raise
                return self._stopped(f"what is left cannot go on: {error}")
            self.made.append(phase)
            here = _last(phase.run)
            if not here & self.parts.by_event.keys() or here & self.parts.ends:
                return self.made
            span = phase.end.t - (self.made[-2].end.t if len(self.made) > 1 else -np.inf)
            crowd = crowd + 1 if span <= NO_TIME else 0
            if crowd > MOST_IN_NO_TIME:
                return self._stopped("events switch loads or drives again and again in no time")
            self.parts, end = self.parts.after(here), phase.end

    def _stopped(self, why: str) -> list[Phase]:
        """The runs so far, the last of which has no next one."""
        last = self.made[-1]
        message = f"stopped at t = {last.end.t:.9g} s: {why}"
        self.made[-1] = last._replace(run=replace(last.run, ended=FAILED, message=message))
        return self.made


def _last(run: Trajectory) -> set[str]:
    """Names of the events that ended a run."""
    if not run.message.startswith("ended by event"):
        return set()
    return {each.name for each in run.events if each.t == run.events[-1].t}


def joined(m: Mechanism, phases: list[Phase], gravity: Any) -> Trajectory:
    """One trajectory of all of them: work goes on from each to the next."""
    works, done, before = [], 0.0, phases[0].first
    for phase in phases:
        done += phase.first - before
        works.append(done + phase.run["work"])
        done, before = done + phase.end.work, phase.end.energy
    runs, last = [phase.run for phase in phases], phases[-1].run
    columns = {
        name: _column(name, runs) for name in dict.fromkeys(n for r in runs for n in r.extra)
    }
    work, start = np.concatenate(works), phases[0].first
    total = columns["kinetic"].values + columns["potential"].values - work
    columns |= {"work": Column(work, "J"), "balance": Column(total - start, "J")}
    t = np.concatenate([run.t for run in runs])
    counts = ("steps", "rejected", "evaluations", "stiff", "seconds")
    effort = {name: sum(getattr(run.effort, name) for run in runs) for name in counts}
    looped = [run.audit for run in runs if "residual" in run.audit.measures]
    residual = (
        partial(lambda: largest_of(np.array([each.residual for each in looped])))
        if looped
        else None
    )
    return replace(
        last,
        mechanism=m,
        t=t,
        q=np.concatenate([run.q for run in runs]),
        v=np.concatenate([run.v for run in runs]),
        accelerations=lambda: np.concatenate([run.a for run in runs]),
        extra=columns,
        remarks=tuple(dict.fromkeys(note for run in runs for note in run.remarks)),
        audit=audit_of(columns, partial(least_energy, m, gravity, len(t)), residual),
        effort=Effort(**effort),
        events=Events.joined([run.events for run in runs]),
    )


def _column(name: str, runs: list[Trajectory]) -> Column:
    """A column of all runs; zero where a run has none, as the current of a motor that is off."""

    def values() -> Array:
        return np.concatenate(
            [run[name] if name in run.extra else np.zeros(len(run.t)) for run in runs]
        )

    return Column(values, next(run.extra[name].unit for run in runs if name in run.extra))
