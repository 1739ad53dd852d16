"""The verb `configurations`: every way in which a mechanism can be assembled.

A planar mechanism of revolute and prismatic joints, slots and rigid joints is solved completely,
structural group by structural group (planar_modes.py): dyads in closed form, groups of a higher
class by homotopy. Any other mechanism is searched from many random starts (search.py); then the
answer says so and how often each mode was met. Modes come with the one of the drawing first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..display import Listed, Table
from ..door import public
from ..errors import AssemblyError
from ..expr import variables
from ..kinematics.couplings import law_value
from ..model.display_units import coordinates_told
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..positions.closed import residual_at
from ..positions.loop_system import LoopSystem, loop_system
from ..positions.loops import CLOSED
from ..progress import Progress
from ..spatial.rotation import Array
from ..structure.groups import Groups, groups
from ..system.store import kept
from .configuration import (
    Configuration,
    assembled,
    configuration,
    freedoms,
    held_values,
    without_idle,
)
from .planar_modes import Bar, Places, Tally, no_bar, planar_modes
from .polynomial import Plane, plane_of
from .search import SAME, Question, apart, search, truly


@dataclass(frozen=True, eq=False)
class Configurations(Listed[Configuration]):
    """Assembly modes of a mechanism, the one of the drawing first; `print` shows a table."""

    listed = "modes"
    mechanism: str
    modes: tuple[Configuration, ...]
    held: dict[str, float]
    """Values of the coordinates that were held."""
    method: str
    """`closed form`, `homotopy` or `search`."""
    complete: bool
    """Whether these are all modes there are."""
    note: str
    """What was done, and why modes are missing or may be."""
    paths: int = 0
    """Paths that the homotopy followed."""
    starts: int = 0
    """Random starts of the search."""
    met: tuple[int, ...] = ()
    """How many starts led to each mode; 0 for one reached from the drawing only."""

    def __str__(self) -> str:
        """What was found, and every coordinate in every mode."""
        count = f"{len(self)} assembly mode" + ("" if len(self) == 1 else "s")
        m = self.modes[0].m if self.modes else None
        held = (
            coordinates_told(m, self.held) if m else {k: f"{x:.6g}" for k, x in self.held.items()}
        )
        at = ", ".join(f"{name} = {value}" for name, value in held.items())
        known = "all there are" if self.complete else "there may be more"
        lines = [
            f"{count if self.modes else 'No assembly mode'} of {self.mechanism!r}"
            + (f" with {at}" if at else "")
            + f" ({self.method}, {known})",
            self.note,
        ]
        if self.modes:
            lines.append("")
        told = [coordinates_told(mode.m, mode.tidied, 9) for mode in self.modes[:6]]
        for name in told[0] if told else ():
            cells = "".join(f"{mode[name]:>18}" for mode in told)
            lines.append(f"{name:>16}{cells}" + ("  ..." if len(self) > 6 else ""))
        return "\n".join(line for i, line in enumerate(lines) if line or i > 1)

    def _table(self) -> Table:
        modes = self.modes[:6]
        names = list(modes[0].values) if modes else []
        told = [coordinates_told(mode.m, mode.tidied) for mode in modes]
        rows = [(name, *(mode[name] for mode in told)) for name in names]
        heads = ("coordinate", *(f"mode {k}" for k in range(len(modes))))
        return Table(str(self).partition("\n\n")[0], heads, rows)


@public
def configurations(
    m: Mechanism,
    values: Mapping[str, float | str] | None = None,
    *,
    t: float = 0.0,
    starts: int | None = None,
    limit: int = 4096,
    progress: bool | Callable[[float], object] | None = None,
) -> Configurations:
    """All assembly modes in which the named coordinates have the given values.

        >>> print(kb.configurations(m, {"A": 0.3}))
        2 assembly modes of 'four-bar' with A = 17.1887 deg (closed form, all there are)
        1 dyad in closed form
        <BLANKLINE>
                       A    17.1887339 deg    17.1887339 deg
                       D    55.4876878 deg   -77.1492325 deg
                       B     9.6081868 deg   -65.6471992 deg
                       C    28.6907672 deg   -28.6907672 deg

    Without values the mechanism's drives hold at the time `t`. Planar mechanisms without cams and
    gears are solved completely; others are searched from `starts` random starts, by default from
    as many as meet every mode several times. `complete` says which it was. If there is no mode,
    the answer is empty and its `note` says why. A wrong number of values is a `StructureError`; so
    are more modes than `limit`. `progress` shows a bar (by itself after a second at a terminal) or
    is called with the paths or starts that are made.
    """

    def bar(span: float, unit: str) -> Progress:
        return Progress(progress, span, "looking for modes", unit)

    asked = question(m, values or {}, t)
    plane, order = _algebraic(asked)
    if plane is not None:
        places, tally = planar_modes(plane, order, limit, bar)
        if not tally.large:
            return _solved(asked, plane, places, tally)
    return searched(asked, starts, bar)


def question(m: Mechanism, given: Mapping[str, Any], t: float) -> Question:
    """The loops with the named coordinates held, or the drives; idle freedoms kept still."""
    names = tuple(given)

    def made() -> tuple[LoopSystem, Groups]:
        system = loop_system(m, names, drives=not names)
        held_values(system.tree, given)
        bare = replace(system.m, drives=()) if names or not system.drives else system.m
        parts = groups(bare, None if bare.drives else list(names))
        free = freedoms(system, system.drawn, t) if parts.local else 0
        return without_idle(system, system.drawn, t, free), parts

    system, parts = kept(m, ("modes", names), made)
    return Question(system, held_values(system.tree, given), t, parts)


def _algebraic(asked: Question) -> tuple[Plane | None, list[tuple[str, ...]]]:
    """The mechanism as polynomials with its groups of bodies; None where it is not algebraic."""
    system, m = asked.system, asked.system.m
    if not m.plane or any(not joint.algebraic for joint in m.joints):
        return None, []
    if any(drive.coordinate is None and not drive.algebraic for drive in system.drives):
        return None, []
    loose = _loose(m)
    drawn = dict(zip(system.names, system.drawn, strict=True))
    held = asked.given | {
        name: float(drawn[name])
        for name, place in zip(system.names, system.own, strict=True)
        if place >= 0 and place in system.still_velocities
    }
    for coupling in system.tree.couplings:
        if set(variables(coupling.law)) - {"t"} <= held.keys():
            held[coupling.coordinate] = float(law_value(coupling.law, held | {"t": 0.0}))
        elif coupling.coordinate not in {joint.name for joint, _ in loose}:
            return None, []
    bodies = {body for _, body in loose}
    order = [tuple(b for b in part.bodies if b not in bodies) for part in asked.groups.groups]
    return plane_of(m, held, system.drives, asked.t), [each for each in order if each]


def _loose(m: Mechanism) -> list[tuple[Joint, str]]:
    """Joints to bodies that hang on nothing else and follow a coupling: rotors of motors."""
    count: dict[str, int] = {}
    for joint in m.joints:
        for body in (joint.parent, joint.child):
            count[body] = count.get(body, 0) + 1
    return [(j, j.child) for j in m.joints if j.name in m.dependent and count[j.child] == 1]


def _solved(asked: Question, plane: Plane, places: list[Places], tally: Tally) -> Configurations:
    """The answer of a planar mechanism, its modes in Korba's coordinates."""
    q = np.array([_coordinates(asked, plane, each) for each in places])
    q = q.reshape(len(places), asked.system.tree.nq)
    closed = truly(asked.system, q, asked.wanted, asked.t)
    complete = not tally.total("lost") and not tally.free and len(closed) == len(places)
    method = "homotopy" if tally.higher else "closed form"
    modes = _ordered(asked, closed, _from_drawing(asked))[0] if closed else ()
    note = _told(tally, found=bool(places))
    if len(closed) < len(places):
        note += f"; {len(places) - len(closed)} positions found did not close to rounding"
    return Configurations(
        asked.system.m.name, modes, asked.given, method, complete, note, tally.total("paths")
    )


def _coordinates(asked: Question, plane: Plane, places: Places) -> Array:
    """Independent coordinates of bodies at their places; held ones exactly as given."""
    found: dict[str, float] = {}
    for pair in plane.pairs:
        parent, child = (places.get(b) for b in (pair.joint.parent, pair.joint.child))
        if parent is not None and child is not None:
            values = pair.coordinates(parent, child, plane.unit)
            found |= zip(pair.joint.coordinates(), values, strict=True)
    found |= plane.held
    return np.array([found[name] for name in asked.system.names])


def _told(tally: Tally, *, found: bool) -> str:
    """What was done, and what is missing."""

    def links(groups_: set[tuple[str, ...]]) -> str:
        return "; ".join(sorted(", ".join(bodies) for bodies in groups_))

    parts = []
    if tally.dyads:
        count = len(tally.dyads)
        parts.append(f"{count} dyad{'s' if count > 1 else ''} in closed form")
    if tally.higher:
        parts.append(
            f"homotopy for {links(tally.higher)}: {tally.total('paths')} paths, "
            f"{tally.total('infinite')} of them to infinity and {tally.total('complex')} to "
            "complex positions"
        )
    if lost := tally.total("lost"):
        parts.append(f"the ends of {lost} paths are not certain")
    if tally.free:
        parts.append(f"in some position {links(tally.free)} can move although all is held")
    if tally.blocked - tally.free:
        where = " on some branch" if found else ""
        parts.append(f"no position{where} for {links(tally.blocked - tally.free)}")
    return "; ".join(parts)


def searched(asked: Question, starts: int | None, bar: Bar = no_bar) -> Configurations:
    """The answer of a search."""
    system, start = asked.system, _from_drawing(asked)
    result = search(asked, start.q, None if starts is None else max(1, starts), bar)
    found, counts, starts = result.q, result.counts, result.starts
    closed = sum(counts)
    if (
        start.closed
        and min(apart(system, start.q, found, asked.groups.local), default=1.0) > 10 * SAME
    ):
        found, counts = [start.q, *found], [0, *counts]
    modes, order = _ordered(asked, found, start)
    met = tuple(counts[k] for k in order)
    note = f"{closed} of {starts} random starts closed the loops"
    note += f", in these modes {', '.join(map(str, met))}" if met else ""
    note += f"; a search does not prove that there {'are no others' if met else 'is none'}"
    return Configurations(
        system.m.name, modes, asked.given, "search", False, note, starts=starts, met=met
    )


class _Start(NamedTuple):
    """The position that assembling from the drawing gives; whether on its branch, and closed."""

    q: Array
    followed: bool
    closed: bool


def _from_drawing(asked: Question) -> _Start:
    system = asked.system
    if residual_at(system, system.drawn, asked.wanted, asked.t) <= CLOSED:
        return _Start(system.drawn, followed=True, closed=True)
    try:
        q, followed = assembled(system, asked.held, asked.t)
    except AssemblyError:
        return _Start(system.drawn, followed=False, closed=False)
    return _Start(q, followed, closed=True)


def _ordered(
    asked: Question, found: list[Array], start: _Start
) -> tuple[tuple[Configuration, ...], list[int]]:
    """Modes by their distance from the one of the drawing, and their numbers before that."""
    away = apart(asked.system, start.q, found, asked.groups.local)
    order = sorted(range(len(found)), key=lambda k: away[k])
    same = [start.followed and each <= 10 * SAME for each in away]
    modes = tuple(
        configuration(asked.system, found[k], asked.held, asked.t, followed=same[k]) for k in order
    )
    return modes, order
