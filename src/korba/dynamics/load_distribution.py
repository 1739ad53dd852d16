"""Who carries what the equations of all bodies leave open, and what they do not leave open.

Constraints or drives to spare give more unknowns x than equations A x = b. What is given is the x
of least  sum (x_k / u_k)^2;  all that balances itself, A y = 0, may come to it. The units u_k say
who carries:

    least      1 for forces, a typical length for moments
    elastic    u_k^2 = stiffness of the joint in this direction: then the sum is twice the energy
               of the springs, and bodies that hang in such springs settle there (Castigliano)
    effort     with drives to spare: the least squares of the drives' efforts, by their weights,
               before all else; a joint counts for nothing beside them

What counts for nothing, or gives way least, has a unit that is RIGID times larger.

With Q, orthonormal rows that span the rows of A in units of `least`, the projector on what is
left open is

    P = 1 - Q' Q                                                                           (1)

and a component is unique where its own entry of P vanishes. Turned into other axes, P tells of
those. Source: Wojtyra & Fraczek (2013), Solvability of reactions in rigid multibody systems with
redundant nonholonomic constraints, Multibody System Dynamics 30.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..kinematics.orthogonal import Line, row_basis
from ..model.drive import Drive
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.system import System
from .freedoms import drawn_rows, kernel, scale_of
from .kinetostatics import Equations, least_units

RIGID = 1e6
"""How much larger the unit of what does not give way is: squared, the error that it makes."""
Stiffness = Mapping[str, tuple[float, float]]
"""Of joints by name: against shifts and against turns; infinite where they do not give way."""


def spare_drives(system: System) -> int:
    """How many more motions are driven than there are freedoms to be driven."""
    count = sum(drive.count for drive in system.drives)
    if count < 2:
        return 0
    if not system.parameters:
        report = mobility(system.m)
        return max(count - (report.velocities - report.undriven), 0)
    rows = [drawn_rows(system, drives) for drives in (system.drives, ())]
    driven, free = (len(kernel(J * units)) for _, J, units in rows)
    return count - (free - driven)


def turning(m: Mechanism, drive: Drive) -> list[bool]:
    """Of each motion that a drive prescribes: whether it is an angle, so that its effort turns."""
    if drive.coordinate is None:
        return [key == "angle" for key in drive.given]
    joint = next(j for j in m.joints if drive.coordinate in (j.name, *j.coordinates()))
    kinds = dict(zip(joint.coordinates(), joint.coordinate_kinds, strict=True))
    return [kinds.get(drive.coordinate, joint.coordinate_kinds[0]) != "length"]


def distributed(
    system: System,
    equations: Equations,
    stiffness: Stiffness | None = None,
    weights: Mapping[str, float] | None = None,
) -> Equations:
    """The equations with the units of a distribution; of drives to spare by their weights."""
    if not equations.leave_open:
        return equations
    least = least_units(equations)
    units = list(least) if stiffness is None else _elastic(equations, stiffness)
    if spare_drives(system):
        weakest = min(unit / own for unit, own in zip(units, least, strict=True))
        units = [RIGID / weakest * unit for unit in units]
        for place, unit in zip(drive_places(equations), effort_units(system, weights), strict=True):
            units[place] = unit
    return replace(equations, units=tuple(units))


def _elastic(equations: Equations, stiffness: Stiffness) -> list[float]:
    """Roots of stiffnesses; what is rigid is far stiffer than all that gives way."""
    own = least_units(equations)
    units = [np.inf] * len(own)
    size = len(equations.at.space)
    for n, tie in enumerate(equations.ties):
        shift, turn = stiffness.get(tie.joint.name, (np.inf, np.inf))
        for k, row in enumerate(equations.at.space):
            units[size * n + k] = float(np.sqrt(turn if row < 3 else shift))
    soft = [unit / least for unit, least in zip(units, own, strict=True) if unit < np.inf]
    hard = RIGID * max(soft, default=1.0)
    return [u if u < np.inf else hard * least for u, least in zip(units, own, strict=True)]


def drive_places(equations: Equations) -> range:
    """Where the efforts of the drives stand among the unknowns."""
    end = equations.columns - equations.idle
    return range(end - sum(drive.count for drive in equations.at.tree.m.drives), end)


def motion_names(m: Mechanism) -> tuple[str, ...]:
    """The names of all that drives prescribe: the drive's, with the motion's where it has more."""
    return tuple(
        drive.name if drive.count == 1 else f"{drive.name}.{key}"
        for drive in m.drives
        for key in drive.given
    )


def units_of_efforts(m: Mechanism) -> dict[str, str]:
    """The units of all that drives have to do, by the name of the motion: "N m" or "N"."""
    turns = [turn for drive in m.drives for turn in turning(m, drive)]
    return dict(zip(motion_names(m), ("N m" if turn else "N" for turn in turns), strict=True))


def effort_units(system: System, weights: Mapping[str, float] | None) -> list[float]:
    """Of every motion that is driven, moments in typical lengths: 1 / root of its weight."""
    m, scale, own = system.m, scale_of(system), weights or {}
    return [
        (scale if unit == "N m" else 1.0) / float(np.sqrt(own.get(name, 1.0)))
        for name, unit in units_of_efforts(m).items()
    ]


def left_open(equations: Equations, maps: Sequence[Array]) -> tuple[Array, Array]:
    """(1): of every joint the block of P, its wrench taken by a map; of every drive its entry.

    A map takes a joint's unknowns, moments in typical lengths, to other axes or another point.
    """
    Q = [q for q, _ in row_basis(equations.A, [[]] * len(equations.A), least_units(equations))]
    size, blocks = len(equations.at.space), []
    for n, T in enumerate(maps):
        own = range(size * n, size * n + size)
        blocks.append(T @ projector(Q, own, own) @ T.T)
    drives = [projector(Q, [k], [k])[0, 0] for k in drive_places(equations)]
    return np.array(blocks), np.array(drives)


def projector(Q: Sequence[Line], rows: Sequence[int], columns: Sequence[int]) -> Array:
    """A part of (1)."""
    P = np.array([[1.0 * (i == j) for j in columns] for i in rows], dtype=object)
    for q in Q:
        for a, i in enumerate(rows):
            for b, j in enumerate(columns):
                if i in q and j in q:
                    P[a, b] = P[a, b] - q[i] * q[j]
    return P


class Split(NamedTuple):
    """How efforts may be split: the least ones, all that goes with them, and what may be added."""

    x: Array
    """Unknowns with least efforts."""
    X: Array
    """What a unit of each effort beyond that adds to them, in columns."""
    R: Array
    """The projector on efforts that something needs, in units of the efforts."""
    units: tuple[float, ...]


def split(equations: Equations) -> Split:
    """What a split of efforts within limits is found with, from equations that are `distributed`.

    Where joints count for nothing, P of the efforts alone is a projector too: on the efforts that
    fight each other. R = 1 - P is the one on those that move the mechanism.
    """
    rights = [[value] for value in equations.b]
    basis = row_basis(equations.A, rights, equations.units, twice=True)
    Q, places = [q for q, _ in basis], drive_places(equations)
    count = equations.columns - equations.idle
    x: list[Any] = [0.0] * count
    for q, (c,) in basis:
        for j in q.keys() & {*range(count)}:
            x[j] = x[j] + q[j] * equations.units[j] * c
    P = projector(Q, range(count), places)
    X = P * np.array(equations.units[:count], dtype=object)[:, None]
    R = np.eye(len(places)) - P[places.start : places.stop]
    return Split(np.array(x), X, R, tuple(equations.units[k] for k in places))
