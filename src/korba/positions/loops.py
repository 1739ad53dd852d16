"""Loops, held coordinates and drives of a mechanism: what is solved, and what it is measured in.

Idle freedoms are kept still: motions that move nothing else, such as the spin of a rod on two
balls. A link b that moves idly does so along a screw xi that is fixed in the link itself (the line
through its two balls, the axis of a roller). Against the link that it hangs on, which stands, it
must not move along xi:

    xi' W S(q_b) v_b = 0,    W = diag(1, 1, 1, 1/l^2, 1/l^2, 1/l^2)                    (1)

At every position the idle motion itself violates (1), v_b with S v_b = xi, so the row never falls
together with the others: idle freedoms do not limit the motion, whatever axes the joints have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Row, entries, equations
from ..model.drawing import drawing
from ..model.drive import Drive
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Tree


class Still(NamedTuple):
    """A link, and the weighted screw W xi in its frame along which it is kept from moving."""

    link: int
    along: tuple[float, ...]


def idle_motions(tree: Tree, q: Array, motions: Array, scale: float) -> tuple[Still, ...]:
    """What has to stand still so that none of the idle `motions`, shape (nv, count), is left."""
    q_all = np.asarray(all_coordinates(tree, q), dtype=float)
    place = {i: k for k, i in enumerate(tree.free_v)}
    weights = np.array([1.0, 1.0, 1.0, scale**-2, scale**-2, scale**-2])
    stills: list[Still] = []
    for number, link in enumerate(tree.links):
        columns = [place.get(i, -1) for i in range(link.v.start, link.v.stop)]
        if not motions.shape[1] or not columns or min(columns) < 0:
            continue
        S = np.asarray(link.joint.motion_subspace(q_all[link.q]), dtype=float)
        twists = np.sqrt(weights)[:, None] * (S @ motions[columns])
        U, s, Vt = np.linalg.svd(twists)
        rank = int(np.sum(s > 1e-9 * max(1.0, float(s.max(initial=0.0)))))
        stills += [Still(number, _tidy(np.sqrt(weights) * U[:, k])) for k in range(rank)]
        motions = motions @ Vt[rank:].T
    return tuple(stills)


def _tidy(xi: Array) -> tuple[float, ...]:
    """Components within rounding of 0 and 1 made exact: they fold away."""
    size = np.abs(xi).max()
    return tuple(float(x) for x in np.round(np.where(np.abs(xi) < 1e-13 * size, 0.0, xi), 15))


def still_row(tree: Tree, q_all: Array, still: Still) -> Row:
    """(1), in the independent velocities."""
    link, zero = tree.links[still.link], np.zeros(1)
    place = {i: k for k, i in enumerate(tree.free_v)}
    entries = np.array(still.along) @ link.joint.motion_subspace(q_all[link.q])
    J = {place[link.v.start + k]: np.array([x]) for k, x in enumerate(entries)}
    return Row("idle", zero, J, zero, zero)


def still_velocity(tree: Tree, still: Still) -> int | None:
    """The one velocity that stands still, where the link has no other."""
    link = tree.links[still.link]
    return tree.free_v.index(link.v.start) if link.v.stop - link.v.start == 1 else None


CLOSED = 1e-13
"""Residual of closed loops near the origin."""


@dataclass(frozen=True, eq=False)
class Loops:
    """What a position has to meet: loops, coordinates that are held, drives."""

    tree: Tree
    held: tuple[str, ...]
    drives: tuple[Drive, ...]
    still: tuple[Still, ...] = ()
    """Idle freedoms kept still, such as the spin of a roller."""
    sized: System | None = None
    """The system whose named parameters are symbols, if sizes are inputs of the programs."""
    length: Any = None
    """A typical length that is an input as well; None for that of the drawing."""
    structure: str = ""
    """The key of the structure, where all numbers are inputs (one_structure.py)."""

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.tree.m

    @property
    def formed(self) -> Tree:
        """The tree that formulas take: with sizes as numbers, or as symbols."""
        return self.tree if self.sized is None else self.sized.tree

    @property
    def laws(self) -> tuple[Drive, ...]:
        """The drives that formulas take."""
        return self.formed.m.drives if self.sized and self.drives else self.drives

    @property
    def parameters(self) -> tuple[str, ...]:
        """Named sizes that are inputs, in the order of `p`."""
        return self.sized.parameters if self.sized else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The independent coordinates."""
        return tuple(self.tree.coordinates[i] for i in self.tree.free_q)

    @cached_property
    def wanted(self) -> int:
        """Count of rows that are not loops: held coordinates and drives."""
        return len(self.held) + sum(drive.count for drive in self.drives)

    @property
    def height(self) -> int:
        """Rows of a loop."""
        return 3 if self.m.plane else 6

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """Whose equation every row is."""
        closing = {joint.name for joint in self.tree.closing}
        loops = [joint.name for joint in self.m.joints if joint.name in closing]
        drives = [drive.name for drive in self.drives for _ in range(drive.count)]
        return (
            *["idle"] * len(self.still),
            *(name for name in loops for _ in range(self.height)),
            *self.held,
            *drives,
        )

    @cached_property
    def drawn(self) -> Array:
        """The independent coordinates of the drawing."""
        placed = drawing(self.m)
        q_all = np.concatenate([np.zeros(0), *(placed.q[joint.name] for joint in self.m.joints)])
        return np.asarray(q_all[list(self.tree.free_q)], dtype=float)

    @cached_property
    def scale(self) -> Any:
        """A typical length of the mechanism."""
        return drawing(self.m).scale if self.length is None else self.length

    @cached_property
    def digits(self) -> float:
        """How wide loops are open for the digits of their file, in typical lengths and radians."""
        return drawing(self.m).digits

    @cached_property
    def rounding(self) -> float:
        """Residual of closed loops, in typical lengths and radians: what rounding leaves."""
        joints = drawing(self.m).X_WM.values()
        farthest = max((float(np.abs(X.p).max()) for X in joints), default=0.0)
        return max(CLOSED, 4 * float(np.finfo(float).eps) * farthest / self.scale)

    @property
    def tolerance(self) -> float:
        """Residual above which a position is open, in typical lengths and radians."""
        return max(1e3 * self.rounding, self.digits)

    @cached_property
    def size(self) -> Array:
        """What every residual is measured in: the typical length, or 1 rad."""
        loop = [1.0, *[self.scale] * 2] if self.m.plane else [1.0] * 3 + [self.scale] * 3
        loops = loop * len(self.tree.closing)
        return np.array([*[1.0] * len(self.still), *loops, *[1.0] * self.wanted])

    @cached_property
    def units(self) -> Array:
        """What every velocity is measured in: the typical length, or 1 rad."""
        return np.array([self.scale if x == "length" else 1.0 for x in self.tree.velocity_kinds])

    @cached_property
    def q_units(self) -> Array:
        """The same for every coordinate."""
        return np.array([self.scale if x == "length" else 1.0 for x in self.tree.coordinate_kinds])

    @cached_property
    def own(self) -> Array:
        """Place in v of the rate of every coordinate that is its own velocity, else -1."""
        place = {i: k for k, i in enumerate(self.tree.free_v)}
        places = [place.get(self.tree.rates.get(name, -1), -1) for name in self.names]
        return np.array(places, dtype=int)

    def rows(self, q: Array, wanted: Array, t: Any) -> list[Row]:
        """All rows at a position, in numbers or symbols.

        `wanted` are values of what is held, then additions to the drives, which are taken off
        their residuals.
        """
        held = dict(zip(self.held, wanted, strict=False))
        q_all = all_coordinates(self.formed, q)
        rows = [still_row(self.tree, q_all, still) for still in self.still]
        rows += equations(self.formed, q, t, held, self.laws)
        start = len(self.held)
        for k in range(len(rows) - len(self.drives), len(rows)):
            end = start + len(rows[k].residual)
            rows[k] = replace(rows[k], residual=rows[k].residual - wanted[start:end])
            start = end
        return rows

    def matrix(self, q: Any, t: float = 0.0) -> Array:
        """J of all rows at a position, in numbers."""
        lines = entries(self.rows(np.asarray(q, dtype=float), np.zeros(self.wanted), t))
        J = np.zeros((len(lines), self.tree.nv))
        for i, line in enumerate(lines):
            J[i, list(line)] = [float(x) for x in line.values()]
        return J

    @cached_property
    def still_velocities(self) -> tuple[int, ...]:
        """Velocities that are zero because a link with no other freedom is kept still."""
        alone = [still_velocity(self.tree, still) for still in self.still]
        return tuple(k for k in alone if k is not None)


def loops_of(system: System, held: tuple[str, ...] = (), *, driven: bool = True) -> Loops:
    """The loops of a system in numbers, with coordinates that are held, and its drives or not."""
    return Loops(system.tree, held, system.drives if driven else ())
