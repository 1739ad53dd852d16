"""Loops, held coordinates and drives of a mechanism: what is solved, and what it is measured in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.drawing import drawing
from ..model.drive import Drive
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.tree import Tree
from .idle import Still, still_velocity

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

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.tree.m

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
    def scale(self) -> float:
        """A typical length of the mechanism."""
        return drawing(self.m).scale

    @cached_property
    def closed(self) -> float:
        """Residual of closed loops, in typical lengths and radians: what rounding leaves."""
        joints = drawing(self.m).X_WM.values()
        farthest = max((float(np.abs(X.p).max()) for X in joints), default=0.0)
        return max(CLOSED, 4 * float(np.finfo(float).eps) * farthest / self.scale)

    @property
    def tolerance(self) -> float:
        """Residual above which a position is open, in typical lengths and radians."""
        return 1e3 * self.closed

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

    @cached_property
    def still_velocities(self) -> tuple[int, ...]:
        """Velocities that are zero because a link with no other freedom is kept still."""
        alone = [still_velocity(self.tree, still) for still in self.still]
        return tuple(k for k in alone if k is not None)
