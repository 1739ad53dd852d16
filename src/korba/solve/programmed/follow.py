"""An arm whose point follows a path: q on the path, the velocities that keep it there, their rate.

With the position p(q) of the point and J = dp/dv, prescribed r(t):

    p(q) = r,    J v = rdot,    J a = rddot - Jdot v                                (4.2), (4.3)

Where the arm has freedoms to spare the velocity of least norm is taken, v = J' x with
(J J') x = rdot, and the acceleration is its rate: the part of  Jdot' x  that J does not see is
added to the solution of least norm. Components that no joint can move (height, for an arm that
turns about vertical axes) count as long as the path does not ask for them.

Source: Maryniak & Malecki, section 4, for an arm of two links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...codegen import Compiled
from ...errors import StructureError
from ...kinematics.rates import coordinate_rates
from ...kinematics.velocity import body_pose, jacobian, jacobian_rate
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...system.system import System
from ...system.tree import Tree
from ...verbs.states import drawn_coordinates
from ...verbs.verb import verb
from .path import Path

SINGULAR = 1e-7
"""Ratio of the least to the largest singular value of J at which an arm counts as singular."""
CLOSE = 1e-9
"""Largest distance from the path, in metres (of an arm of metres), that counts as on it."""


class Rates(NamedTuple):
    """What keeps the point on the path at a state."""

    v: Array
    a: Array
    qdot: Array
    sdot: float


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm, one of its points and a path."""

    m: Mechanism
    tree: Tree
    at: Compiled
    """(q, v) -> p, J, Jdot of the point, and qdot."""
    path: Path
    moving: Array
    """1 for every independent velocity that may be used, 0 for the others."""
    rank: int
    """How many of the prescribed components the joints can move."""

    def rates(self, q: Array, s: float, t: float) -> Rates:
        """Velocity of least norm that follows the path, and its rate."""
        _, rd, rdd, sdot = self.wanted(s, t)
        J, inverse = self._inverse(q, t)
        v = inverse @ rd
        if np.abs(J @ v - rd).max() > 1e-6 * max(1.0, float(np.abs(rd).max())):
            raise self.stuck(t, q, "the point cannot move along the path")
        _, _, change, qdot = self.at(q, v)
        Jdot = change[self._rows] * self.moving
        turn = Jdot.T @ (inverse.T @ v)
        a = inverse @ (rdd - Jdot @ v) + turn - inverse @ (J @ turn)
        return Rates(v, a, qdot, float(sdot))

    def wanted(self, s: float, t: float) -> tuple[Array, Array, Array, Array]:
        """r, rdot and rddot of the prescribed components, and sdot."""
        found = self.path.at(np.array([s]), np.array([t]), check_finite=False)
        if not all(np.all(np.isfinite(part)) for part in found):
            raise StructureError(
                f"path: it is not finite at t = {t:.6g} s (s = {s:.6g}); change the expressions "
                "or the times"
            )
        return found

    def on_path(self, q: Array, s: float, t: float) -> Array:
        """q moved onto the path by Newton's method."""
        wanted = self.wanted(s, t)[0]
        best, least = q, np.inf
        for _ in range(30):
            gap = wanted - self.position(q)[self._rows]
            size = float(np.linalg.norm(gap))
            if size >= least:
                break
            best, least = q, size
            q = moved(self.tree, self.at, q, self._inverse(q, t)[1] @ gap)
        if least > CLOSE * max(1.0, float(np.abs(wanted).max())):
            raise self.stuck(t, best, f"the point stays {least:.2g} m away from the path")
        return best

    def position(self, q: Array) -> Array:
        """The point in the world."""
        return self.at(q, np.zeros(self.tree.nv))[0]

    def path_error(self, q: Array, s: float, t: float) -> float:
        """Distance of the point from where it is to be."""
        return float(np.linalg.norm(self.wanted(s, t)[0] - self.position(q)[self._rows]))

    def stuck(self, t: float, q: Array, why: str) -> StructureError:
        """The error that says when and where the motion cannot go on."""
        pairs = zip(self.m.coordinates, q, strict=True)
        position = ", ".join(f"{name} = {value:.6g}" for name, value in pairs)
        return StructureError(
            f"programmed motion of {self.m.name!r}: {why} at t = {t:.6g} s ({position}); "
            "change the path, the start or the time before it"
        )

    @property
    def _rows(self) -> list[int]:
        return list(self.path.components)

    def _inverse(self, q: Array, t: float) -> tuple[Array, Array]:
        """J of the prescribed components, and its inverse of least norm."""
        J = self.at(q, np.zeros(self.tree.nv))[1][self._rows] * self.moving
        U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
        r = self.rank
        if sizes[r - 1] <= SINGULAR * sizes[0]:
            raise self.stuck(t, q, "the arm is in a singular position")
        return J, (Vt[:r].T / sizes[:r]) @ U[:, :r].T


def arm_on_path(tree: Tree, m: Mechanism, at: Compiled, path: Path, moving: Array) -> Arm:
    """The arm, with the rank that J has where no position is special."""
    rest = drawn_coordinates(tree)
    rng = np.random.default_rng(5)
    rank = 0
    for _ in range(3):
        step = rng.uniform(-0.5, 0.5, size=tree.nv)
        near = moved(tree, at, rest, step)
        J = at(near, np.zeros(tree.nv))[1][list(path.components)] * moving
        rank = max(rank, int(np.linalg.matrix_rank(J, tol=1e-9 * max(1.0, np.abs(J).max()))))
    if rank == 0:
        raise StructureError(
            f"programmed motion of {m.name!r}: no joint that may move moves the point; name "
            "another body, or leave joints out of `fixed`"
        )
    return Arm(m, tree, at, path, moving, rank)


def moved(tree: Tree, at: Compiled, q: Array, step: Array) -> Array:
    """q after a small motion; quaternions stay unit."""
    return tree.normalised(q + at(q, step)[3])


@verb()
def point_on_path(
    system: System, q: Any, v: Any, body: str, point: Any
) -> tuple[Array, Array, Array, Array]:
    """p, J, Jdot of a point of a body, and qdot."""
    J, Jdot = jacobian(system.tree, q, body, point), jacobian_rate(system.tree, q, v, body, point)
    p = body_pose(system.tree, q, body).point(np.array(point))
    return p, J[3:], Jdot[3:], coordinate_rates(system.tree, q, v)
