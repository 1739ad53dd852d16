"""Forces in all joints of a mechanism in a given motion: the equations of every body at once.

Each body moves with a twist of its own and each joint with velocities of its own; the joint ties
them by the rows of `kinematics/rows.py`. Their transpose carries the joints' forces: body by body,
about the origin of its link,

    sum of the joints' wrenches on the body  =  what its motion takes  -  what acts on it       (1)
    S' wrench  =  effort in the joint: its springs, dampers, loads, and its drive               (2)

The unknowns are the wrenches of the joints (of the parent on the child, about M), the efforts of
the drives, and what couplings carry. Together they are the matrix of the whole system, of which
the structural groups are the blocks. Where constraints are passive the equations leave some
unknowns open; then the least sum of squares is taken, moments counted in typical lengths.

A freedom that moves nothing else, such as the spin of a rod on two balls, is no missing drive: its
acceleration along its screw xi, fixed in the link, is one more unknown, with the column -I xi.

Other freedoms that no drive moves (freedoms.py) have an effort of their own among the unknowns,
where the equations need one. In determinate loops they need none: there are more rows than
unknowns then, which agree where the motion is one that the loads give.
Source: Gronowicz (2003), (4.35), for any joints and in space too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..expr.node import present
from ..kinematics.couplings import AllMotion
from ..kinematics.orthogonal import Line, least_norm, solved_lines
from ..kinematics.rows import Moving, Row, coupled, driven, entries, tied
from ..kinematics.sweep import swept
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, skew
from ..system.system import Loads, System, Tie, ties
from .force_method import ForceMethod
from .freedoms import Apart, Freedoms, freedoms, scale_of
from .newton_euler import body_wrench, outward
from .recursions import link_values


class GivenMotion(NamedTuple):
    """A motion of a system whose forces are asked for: what acts on it besides, and when."""

    system: System
    x: AllMotion
    loads: Loads
    t: Any = 0.0


@dataclass(frozen=True, eq=False)
class Equations:
    """A x = b of (1) and (2), with rows by their entries; x belongs to the rows of J."""

    at: Apart
    ties: tuple[Tie, ...]
    rows: list[Row]
    """One for each joint, then for couplings, freedoms that are held, and drives."""
    A: list[Line]
    b: list[Any]
    scale: float
    """A typical length."""
    idle: int = 0
    """Unknown accelerations of idle freedoms, after those of the rows."""
    units: tuple[float, ...] = ()
    """What squares are counted in where the equations leave unknowns open: load_distribution.py."""
    freedoms: Freedoms = Freedoms()
    """Those that no drive moves."""

    @property
    def columns(self) -> int:
        """Count of the unknowns."""
        return sum(len(row.residual) for row in self.rows) + self.idle

    @property
    def leave_open(self) -> bool:
        """Whether there are more unknowns than equations: constraints or drives are to spare."""
        return self.columns > len(self.A)

    def efforts(self, x: Array) -> Array:
        """Those of all that drives prescribe, from the unknowns."""
        end = self.columns - self.idle
        return x[end - sum(drive.count for drive in self.at.tree.m.drives) : end]


def equations(system: System, x: AllMotion, loads: Loads, t: Any = 0.0) -> Equations:
    """(1) and (2) at a motion of all joints."""
    tree, free = system.tree, freedoms(system)
    at = Apart(tree, x.q)
    joints = ties(tree, tree.m.joints)
    rows = [*(tied(at, tie) for tie in joints), *moving_rows(system, at, t, free)]
    b = [part for wrench in required(system, at, x, loads) for part in wrench]
    efforts = -np.array(loads.tau, dtype=object)
    for tie in joints:
        efforts[tie.v] = efforts[tie.v] + tie.joint.damping * x.v[tie.v]
    b += list(efforts)
    A = transposed(entries(rows), len(b))
    for n, xi in enumerate(free.idle, start=sum(len(row.residual) for row in rows)):
        for k, entry in enumerate(resistance(at, xi)):
            A[k][n] = -entry
    idle = len(free.idle)
    return Equations(at, joints, rows, A, b, scale_of(system), idle, freedoms=free)


def moving_rows(system: System, at: Moving, t: Any, free: Freedoms) -> list[Row]:
    """The rows of couplings, of freedoms that are held, and of drives."""
    return [
        *(coupled(at, coupling) for coupling in system.tree.m.couplings),
        *(_held(at, place) for place in free.held),
        *(driven(at, drive, t) for drive in system.drives),
    ]


def _held(at: Moving, place: int) -> Row:
    """The row of a joint's velocity by its number."""
    still, first = np.zeros(1), at.first if isinstance(at, Apart) else 0
    return Row(at.tree.velocities[place], still, {first + place: np.ones(1)}, still, still)


def resistance(at: Moving, xi: Array) -> list[Any]:
    """What an acceleration along idle screws takes of all links; xi where nothing resists."""
    parts = []
    for link, (X, V) in zip(at.tree.links, zip(at.X_WL, xi, strict=True), strict=True):
        f, n = body_wrench(link, skew(V[:3]), V[3:])
        parts.append(in_axes(X.R, np.concatenate([n, f]))[list(at.space)])
    if all(not present(x) for part in parts for x in part):
        parts = [in_axes(X.R, V)[list(at.space)] for X, V in zip(at.X_WL, xi, strict=True)]
    return [x for part in parts for x in part]


def transposed(lines: list[Line], columns: int) -> list[Line]:
    """The columns of a matrix given by the entries of its rows, those before a number."""
    found: list[Line] = [{} for _ in range(columns)]
    for i, line in enumerate(lines):
        for j, entry in line.items():
            if j < columns:
                found[j][i] = entry
    return found


def required(system: System, at: Apart, x: AllMotion, loads: Loads) -> list[Array]:
    """What the motion of each link takes less what acts on it, in the world about its origin."""
    tree = system.tree
    given = link_values(tree, {"q": x.q, "v": x.v, "a": x.a}, loads)
    own = swept(tree, [outward(system.gravity)], given)
    wrenches = [
        np.concatenate([X.R @ values["F"][:3], X.R @ values["F"][3:]])
        for X, values in zip(at.X_WL, own, strict=True)
    ]
    return [wrench[list(at.space)] for wrench in wrenches]


def solved(equations: Equations) -> Array:
    """The unknowns x in the order of the rows of J: wrenches of joints, of couplings and drives."""
    return solved_for(equations, [])[0]


def solved_for(equations: Equations, places: Sequence[int]) -> tuple[Array, Array]:
    """x, and what a unit of effort more in the given places of (2) adds to it, in columns.

    Accelerations of idle freedoms are at the end of x.
    """
    count = equations.columns
    rights = [[value, *(-1.0 * (i == k) for k in places)] for i, value in enumerate(equations.b)]
    if equations.leave_open:
        units = equations.units or least_units(equations)
        values = least_norm(equations.A, rights, units, twice=units != least_units(equations))
    else:
        values = solved_lines(equations.A, rights)[0]
    x = np.array([values[i] for i in range(count)], dtype=object).reshape(count, -1)
    return x[:, 0], x[:, 1:]


def least_units(equations: Equations) -> tuple[float, ...]:
    """1 for every unknown, a typical length for moments of joints."""
    own = [equations.scale if row < 3 else 1.0 for row in equations.at.space]
    joints = own * len(equations.ties)
    return (*joints, *[1.0] * (equations.columns - len(joints)))


def besides(equations: Equations, x: Array, b: Sequence[Any] | None = None) -> Array:
    """What unknowns x tell of freedoms without drives: accelerations of idle ones, efforts of those
    that are held, and where rows may disagree what is left over in them, b - A x.
    """
    first = equations.columns - equations.idle
    held = parted(equations, x)[len(equations.ties) + len(equations.at.tree.m.couplings) :]
    parts: list[Any] = [np.zeros(0), x[first:], *held[: len(equations.freedoms.held)]]
    if equations.freedoms.loose:
        rows = zip(equations.A, equations.b if b is None else b, strict=True)
        parts.append([b - sum((a * x[j] for j, a in line.items()), 0.0) for line, b in rows])
    return np.concatenate([np.asarray(part, dtype=object) for part in parts])


def parted(equations: Equations, x: Array) -> list[Array]:
    """The unknowns of every row of J."""
    return np.split(x, np.cumsum([len(row.residual) for row in equations.rows]))[:-1]


METHOD = ForceMethod(
    "newton-euler",
    "Gronowicz (2003), (4.35)",
    lambda _, equations: equations.efforts(solved(equations)),
    lambda _, equations: solved(equations),
    whole=True,
    undriven=True,
)
"""The matrix of the whole system."""
