"""Freedoms of a mechanism that no drive moves: idle ones, and those that a motion must explain.

A mechanism is taken apart: every link has a twist of its own, every joint velocities of its own,
and J ties them by the rows of joints, couplings and drives. What J leaves at the drawing,

    J u = 0                                                                                  (1)

are freedoms without a drive. One that moves nothing else, such as the spin of a rod between two
balls, is idle: a screw fixed in its link. The others are named by velocities of joints, one for
each. Their efforts are 0 in a motion that the loads give; in a tree, where nothing else could carry
them, they are part of the joints' wrenches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..expr import Expr, evaluate
from ..kinematics.rows import Moving, coupled, driven, entries, tied
from ..model.drawing import drawing, typical_length
from ..model.drive import Columns, Drive
from ..model.parameters import resolved
from ..positions.allowed import parted
from ..positions.rank import governing_rows
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, cross, skew
from ..structure.mobility import mobility
from ..structure.undriven import undriven
from ..system.decisions import NumbersDecideError, decision
from ..system.system import System, Tie, ties
from ..wording import named
from .newton_euler import body_wrench

ROUNDING = 1e-10
"""Part of an idle screw, in radians and typical lengths, that rounding leaves."""


class Freedoms(NamedTuple):
    """Those that no drive moves."""

    undriven: tuple[int, ...] = ()
    """Numbers of velocities of joints, one for each freedom that is not idle."""
    held: tuple[int, ...] = ()
    """Those of them whose efforts are unknowns: in trees, and where constraints are to spare.

    In determinate loops none is needed, and none is lost where its joint is at a dead centre.
    """
    idle: tuple[Array, ...] = ()
    """The screws of idle ones."""

    @property
    def loose(self) -> bool:
        """Whether some are neither driven nor held, so that equations may disagree."""
        return len(self.held) < len(self.undriven)


def freedoms(system: System) -> Freedoms:
    """The freedoms of a system that no drive moves."""
    if system.common is None:
        return _freedoms(system)
    undriven, held, idle = joint_freedoms(system)
    return Freedoms(undriven, held, _no_screws(system, idle))


@decision
def joint_freedoms(system: System) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Those that are velocities of joints, which of them are held, and how many others are idle."""
    found = _freedoms(system)
    return found.undriven, found.held, len(found.idle)


@decision
def idle_count(system: System, undriven: tuple[int, ...]) -> int:
    """How many freedoms are idle."""
    return len(idle_screws(system, undriven))


def _no_screws(system: System, idle: int) -> tuple[Array, ...]:
    """The screws of idle freedoms where there are none: they are made of numbers."""
    if idle:
        raise NumbersDecideError(f"mechanism {system.m.name!r} has freedoms along screws")
    return ()


def _freedoms(system: System) -> Freedoms:
    at, J, units = drawn_rows(system, system.drives)
    left = kernel(J * units)
    if not len(left):
        return Freedoms()
    if not system.ties or system.rolls:
        places = tuple(governing_rows(left[:, at.first :].T))
        return Freedoms(places, places)
    m = system.in_numbers
    report = mobility(m)
    names = undriven(m).chosen if report.undriven else ()
    places = tuple(system.tree.velocity_of(name) for name in names)
    return Freedoms(places, places if report.passive else (), tuple(idle_screws(system, places)))


def kernel(J: Array) -> Array:
    """(1): rows that span the motions which J leaves; a row of J counts by its direction alone."""
    return parted(J, np.ones(J.shape[1]), 1.0, len(J)).N.T


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


def idle_screws(system: System, undriven: Sequence[int] = ()) -> list[Array]:
    """Idle freedoms as the twists of all links, each in the link's own frame: (links, 6)."""
    if system.common is not None:
        return [*_no_screws(system, idle_count(system, tuple(undriven)))]
    tree = system.tree
    at, J, units = drawn_rows(system, system.drives)
    others = np.zeros((len(undriven), J.shape[1]))
    others[range(len(undriven)), [at.first + place for place in undriven]] = 1.0
    screws, size = [], len(at.space)
    for motion in separated(kernel(np.concatenate([J, others]) * units)) * units:
        twists = np.zeros((len(tree.links), 6))
        twists[:, list(at.space)] = motion[: at.first].reshape(-1, size)
        turned = [in_axes(X.R.T, V) for X, V in zip(at.X_WL, twists, strict=True)]
        screws.append(numbers_of(system, turned))
    if system.parameters:
        _refuse_turning(system, screws)
    return screws


def _refuse_turning(system: System, screws: Sequence[Array]) -> None:
    """An error where the line along which a link moves idly is another one in another design."""
    least = ROUNDING * np.repeat([1.0, scale_of(system)], 3)
    for tie in ties(system.tree, system.m.joints):
        for link, X in ((tie.parent, tie.X_LF), (tie.child, tie.X_LM)):
            for screw in screws if link >= 0 else ():
                xi = np.where(np.abs(screw[link]) < least, 0.0, screw[link])
                parts = *X.R.T @ (xi[3:] + cross(xi[:3], X.p)), *X.R.T @ xi[:3]
                if any(isinstance(x, Expr) and x.op != "constant" for x in parts):
                    name = system.tree.links[link].name
                    raise StructureError(
                        f"mechanism {system.m.name!r}: body {name!r} moves idly about a line that "
                        "depends on a size that is to be an input; put the points of the body on "
                        f"one of its axes, or make each design by {named('redimension')}"
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


def off_line(system: System, free: Freedoms) -> tuple[float, ...]:
    """Of each idle freedom the force, in a unit of its acceleration, that is off its own line.

    A mass centre on the line of a spin, and the line a principal axis, give none.
    """
    scale, most = scale_of(system), []
    for screws in free.idle:
        parts = [0.0]
        for link, xi in zip(system.tree.links, screws, strict=True):
            f, n = (numbers_of(system, x) for x in body_wrench(link, skew(xi[:3]), xi[3:]))
            axis = xi[:3] / (np.linalg.norm(xi[:3]) or 1.0)
            whole, off = (np.linalg.norm([*f, *x / scale]) for x in (n, n - axis * (axis @ n)))
            parts.append(float(off) if off > ROUNDING * whole else 0.0)
        most.append(max(parts))
    return tuple(most)


def numbers_of(system: System, values: Any) -> Array:
    """Numbers; where sizes are symbols, with those that the mechanism itself has for them."""
    if not system.parameters:
        return np.array(values, dtype=float)
    own = resolved(dict(system.m.parameters)).names
    sizes = {f"p[{i}]": float(own[x].value) for i, x in enumerate(system.parameters)}
    return evaluate(values, sizes)


def scale_of(system: System) -> Any:
    """A typical length."""
    if system.common is not None:
        return system.scale
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
