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

In a tree whose drives do not move all of it, whatever a joint needs to follow the motion is in its
wrench, and (2) is left out. Source: Gronowicz (2003), (4.35), for any joints and in space too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..expr import Expr, evaluate
from ..kinematics.couplings import AllMotion
from ..kinematics.orthogonal import Line, least_norm, present, solved_lines
from ..kinematics.rows import Moving, Row, coupled, driven, entries, tied
from ..kinematics.sweep import swept
from ..model.drawing import drawing, typical_length
from ..model.drive import Columns, Drive
from ..model.parameters import resolved
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, skew
from ..system.system import Loads, System, Tie, ties
from .newton_euler import body_wrench, outward
from .recursions import link_values

ROUNDING = 1e-10
"""Part of an idle screw that rounding leaves."""


@dataclass(frozen=True, eq=False)
class Apart(Moving):
    """A tree at coordinates of all joints, taken apart: links and joints have their own velocities.

    The unknowns are the twist of every link about its origin, in world axes, then the velocities of
    all joints.
    """

    @property
    def first(self) -> int:
        """Number of the first velocity of a joint."""
        return len(self.space) * len(self.tree.links)

    def twist_columns(self, link: int, p: Array) -> Columns:
        """(w, velocity at p) of a link for a unit of each component of its twist."""
        if link < 0:
            return {}
        x, y, z = p - self.X_WL[link].p
        arms = [[0, -z, y], [z, 0, -x], [-y, x, 0]]  # e_k x r
        T = np.eye(6, dtype=object)
        T[3:, :3] = np.array(arms, dtype=object).T
        size = len(self.space)
        return {size * link + k: T[:, row] for k, row in enumerate(self.space)}

    def coordinate(self, name: str) -> tuple[Any, Columns]:
        """Value of a coordinate that is its own velocity, and the column of its rate."""
        q, columns = super().coordinate(name)
        return q, {self.first + i: column for i, column in columns.items()}

    def tie_columns(self, tie: Tie, S: Array) -> Columns:
        """A column for each of a tie's own velocities."""
        return {self.first + i: column for i, column in super().tie_columns(tie, S).items()}


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
    """One for each joint, then for couplings and drives."""
    A: list[Line]
    b: list[Any]
    scale: float
    """A typical length."""
    idle: int = 0
    """Unknown accelerations of idle freedoms, after those of the rows."""
    units: tuple[float, ...] = ()
    """What squares are counted in where the equations leave unknowns open (sharing.py)."""

    @property
    def columns(self) -> int:
        """Count of the unknowns."""
        return sum(len(row.residual) for row in self.rows) + self.idle

    @property
    def leave_open(self) -> bool:
        """Whether there are more unknowns than equations: constraints or drives are to spare."""
        return self.columns > len(self.A)


def follows(system: System) -> bool:
    """Whether loops or drives say where each effort comes from, so that (2) holds."""
    return bool(system.ties) or sum(drive.count for drive in system.drives) == system.tree.nv > 0


def equations(system: System, x: AllMotion, loads: Loads, t: Any = 0.0) -> Equations:
    """(1) and (2) at a motion of all joints."""
    tree = system.tree
    at = Apart(tree, x.q)
    joints = ties(tree, tree.m.joints)
    rows = [tied(at, tie) for tie in joints]
    b = [part for wrench in required(system, at, x, loads) for part in wrench]
    if follows(system):
        rows += [coupled(at, coupling) for coupling in tree.m.couplings]
        rows += [driven(at, drive, t) for drive in system.drives]
        efforts = -np.array(loads.tau, dtype=object)
        for tie in joints:
            efforts[tie.v] = efforts[tie.v] + tie.joint.damping * x.v[tie.v]
        b += list(efforts)
    A = transposed(entries(rows), len(b))
    if not system.ties:
        return Equations(at, joints, rows, A, b, scale_of(system))
    screws = idle_screws(system, t)
    for n, xi in enumerate(screws, start=sum(len(row.residual) for row in rows)):
        for k, entry in enumerate(resistance(at, xi)):
            A[k][n] = -entry
    return Equations(at, joints, rows, A, b, scale_of(system), len(screws))


def idle_screws(system: System, t: Any = 0.0) -> list[Array]:
    """Idle freedoms as the twists of all links, each in the link's own frame: (links, 6)."""
    tree = system.tree
    at, J, units = drawn_rows(system, system.drives)
    _, s, Vt = np.linalg.svd(J * units)
    rank = int(np.sum(s > 1e-9 * s.max(initial=1.0)))
    screws, size = [], len(at.space)
    for motion in separated(Vt[rank:]) * units:
        twists = np.zeros((len(tree.links), 6))
        twists[:, list(at.space)] = motion[: at.first].reshape(-1, size)
        turned = [in_axes(X.R.T, V) for X, V in zip(at.X_WL, twists, strict=True)]
        screws.append(numbers_of(system, turned))
    if system.parameters:
        _refuse_turning(system, screws)
    return screws


def _refuse_turning(system: System, screws: Sequence[Array]) -> None:
    """An error where the line along which a link moves idly is another one in another design."""
    for tie in ties(system.tree, system.m.joints):
        for link, X in ((tie.parent, tie.X_LF), (tie.child, tie.X_LM)):
            for screw in screws if link >= 0 else ():
                xi = np.where(np.abs(screw[link]) < ROUNDING, 0.0, screw[link])
                parts = *X.R.T @ (xi[3:] + np.cross(xi[:3], X.p)), *X.R.T @ xi[:3]
                if any(isinstance(x, Expr) and x.op != "constant" for x in parts):
                    name = system.tree.links[link].name
                    raise StructureError(
                        f"mechanism {system.m.name!r}: body {name!r} moves idly about a line that "
                        "depends on a size that is to be an input; put the points of the body on "
                        "one of its axes, or make each design by kb.redimension"
                    )


def drawn_rows(system: System, drives: Sequence[Drive]) -> tuple[Apart, Array, Array]:
    """J of all joints, couplings and some drives at the drawing, and units of its unknowns.

    Sizes that are symbols have the numbers that the mechanism itself has for them.
    """
    tree = system.tree
    drawn = np.concatenate([*drawing(tree.m).q.values()])
    at = Apart(tree, numbers_of(system, drawn))
    rows = [tied(at, tie) for tie in ties(tree, tree.m.joints)]
    rows += [coupled(at, coupling) for coupling in tree.m.couplings]
    rows += [driven(at, drive, 0.0) for drive in drives]
    J = np.zeros((sum(len(row.residual) for row in rows), at.first + len(tree.velocities)))
    for i, line in enumerate(entries(rows)):
        J[i, list(line)] = numbers_of(system, list(line.values()))
    scale = scale_of(system)
    units = np.ones(J.shape[1])
    turning = [row < 3 for row in at.space]
    units[: at.first] = np.tile(np.where(turning, 1.0, scale), len(tree.links))
    lengths = [kind == "length" for joint in tree.m.joints for kind in joint.velocity_kinds]
    units[at.first :] = np.where(lengths, scale, 1.0)
    return at, J, units


def numbers_of(system: System, values: Any) -> Array:
    """Numbers; where sizes are symbols, with those that the mechanism itself has for them."""
    if not system.parameters:
        return np.array(values, dtype=float)
    own = resolved(dict(system.m.parameters)).names
    sizes = {f"p[{i}]": float(own[x].value) for i, x in enumerate(system.parameters)}
    return evaluate(values, sizes)


def scale_of(system: System) -> float:
    """A typical length."""
    points = drawing(system.m).points
    return typical_length(numbers_of(system, points.ravel().tolist()).reshape(-1, 3))


def separated(motions: Array) -> Array:
    """The same motions by rows, each with zeros where the others have their largest part.

    Freedoms of different links, such as two rollers, are then in different rows.
    """
    rows = np.array(motions)
    for i in range(len(rows)):
        place = int(np.argmax(np.abs(rows[i])))
        rows[i] /= rows[i, place]
        others = np.arange(len(rows)) != i
        rows[others] -= np.outer(rows[others, place], rows[i])
    return np.where(np.abs(rows) > 1e-11, rows, 0.0)


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


def parted(equations: Equations, x: Array) -> list[Array]:
    """The unknowns of every row of J."""
    return np.split(x, np.cumsum([len(row.residual) for row in equations.rows]))[:-1]


def in_world(at: Apart, tie: Tie, part: Array) -> tuple[Array, Array, Array]:
    """Force and moment of a joint on its child about M, from its unknowns, and where M is."""
    X_WM = at.pose(tie.child) @ tie.X_LM
    wrench = np.zeros(6, dtype=object)
    wrench[list(at.space)] = part
    if len(at.space) == 6:  # rows in space are in the axes of M
        wrench = np.concatenate([X_WM.R @ wrench[:3], X_WM.R @ wrench[3:]])
    return wrench[3:], wrench[:3], X_WM.p
