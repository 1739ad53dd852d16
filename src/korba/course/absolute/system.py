"""Mechanisms in absolute coordinates: configuration, velocities, accelerations.

The unknowns q are x, y and Theta of every moving link and beta of every cam pair. The equations
(equations.py) are those of a system with every body free and every joint a tie, in which the
joints' own coordinates u (angles, strokes) are unknowns too. They are taken out joint by joint:
Phi = r(q, u) of a joint has the columns E = r_u, which are constant or nearly so, and with W
orthonormal and perpendicular to them

    u' = -E^+ (r_q q' + r_t),       W' r_q q' = -W' r_t                                     (1)

leaves the equations of the pair in the book: two of a revolute, W being the unit vectors x and y,
two of a prismatic, one of a yoke (2.84), where W is across the slot. Rows of drives that speak of u
get it from the left of (1). Positions come from Newton's method, started by (2.147) from the step
before; a step whose correction is not small beside it is halved, so that one branch is followed.
Equations to spare (passive constraints) are solved by least squares, and freedoms that nothing
drives (a roller's spin) move as little as possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import public
from ...errors import StructureError
from ...kinematics.rows import Moving, tied
from ...libraries import undisturbed
from ...model.mechanism import Mechanism
from ...positions.loop_system import LoopSystem
from ...positions.rank import least_solution, rank_of, self_stresses
from ...spatial.rotation import Array
from ...spatial.subspace import nearest_complement, pseudo_inverse
from ...system.system import System, Tie, loosened
from .balance import AGREE, Balance
from .equations import Equations, Rows


@dataclass(frozen=True, eq=False)
class Reduced:
    """The equations at a state over the unknowns q, and the way back to the joints' own u."""

    of: AbsoluteSystem
    full: Rows
    T: Array
    """From all rows to those of the book."""
    E_inverse: Array
    """E^+ of all joints: from all rows to the u."""

    @cached_property
    def rows(self) -> Rows:
        """Phi, Phi_q, gamma and Phi_t of the book."""
        phi, phi_q, gamma, phi_t = (self.T @ x for x in vars(self.full).values())
        return Rows(phi, phi_q[:, self.of.kept], gamma, phi_t)

    def whole(self, q: Array, right: Array) -> Array:
        """The rates of all coordinates that solve Phi_x x = right, from those of the unknowns."""
        x = np.zeros(self.full.phi_q.shape[1])
        x[self.of.kept] = q
        x[self.of.own] = self.E_inverse @ (right - self.full.phi_q @ x)
        return x


@dataclass(frozen=True, eq=False)
class AbsoluteSystem(Displayed):
    """The equations of a mechanism in absolute coordinates of its bodies' frames."""

    m: Mechanism
    equations: Equations

    @property
    def system(self) -> System:
        """The mechanism with every body free and every joint a tie."""
        return self.equations.system

    @cached_property
    def loops(self) -> LoopSystem:
        """The same ties as loops, for what coordinates and velocities are measured in."""
        return LoopSystem(self.system.tree, (), ())

    @property
    def drawn(self) -> Array:
        """All coordinates in the drawing, those of the joints too."""
        return self.loops.drawn

    @property
    def start(self) -> Array:
        """The unknowns in the drawing."""
        return np.asarray(self.drawn[self.places])

    @property
    def freedoms(self) -> int:
        """Unknowns of a link, and rows of a joint: 3 in a plane, 6 in space."""
        return len(self.system.space)

    @cached_property
    def places(self) -> Array:
        """Places of the unknowns q among all coordinates."""
        return self._unknowns("coordinates", "q")

    @cached_property
    def kept(self) -> Array:
        """Places of their rates among all velocities."""
        return self._unknowns("velocities", "v")

    def _unknowns(self, names: str, key: str) -> Array:
        """Places of what the links have, then of the profile parameters."""
        every, links = list(getattr(self.system.tree, names)), self.system.tree.links
        profiles = [
            every.index(getattr(joint, names)()[joint.coordinate_names.index(own)])
            for joint in self.system.m.joints
            for own in joint.profile_coordinates
        ]
        last = max((getattr(link, key).stop for link in links), default=0)
        return np.array([*range(last), *profiles], dtype=int)

    @cached_property
    def own(self) -> Array:
        """Places of the rates of the joints' own coordinates, but profile parameters."""
        return np.setdiff1d(np.arange(self.system.tree.nv), self.kept)

    def _own_of(self, tie: Tie) -> Array:
        """Places in `own` of those of a tie."""
        return np.flatnonzero((self.own >= tie.v.start) & (self.own < tie.v.stop))

    @cached_property
    def units(self) -> Array:
        """What every unknown is measured in: the typical length, or 1 rad."""
        return np.asarray(self.loops.units[self.kept])

    @cached_property
    def driver_equations(self) -> int:
        """Count of the equations of drivers; they come last."""
        return sum(drive.count for drive in self.system.drives)

    def rows(self, q: Any, v: Any = None, t: float = 0.0) -> Rows:
        """The equations of the book at a state of the unknowns, pairs first.

        The joints' own coordinates follow from q; angles are those nearest to the drawing's.
        """
        x = self.completed(q)
        still = self.reduced(x, None, t)
        if v is None:
            return still.rows
        return self.reduced(x, still.whole(np.asarray(v), -still.full.phi_t), t).rows

    def reduced(self, x: Array, v: Any, t: float, running: float = 1.0) -> Reduced:
        """The equations at a state of all coordinates, the joints' own taken out (1)."""
        with undisturbed():
            from scipy.linalg import block_diag

        full = self.equations.at(x, v, t, running=running)
        E, first = full.phi_q[:, self.own], self.freedoms * len(self.system.ties)
        own = [
            E[self.freedoms * k : self.freedoms * (k + 1), self._own_of(tie)]
            for k, tie in enumerate(self.system.ties)
        ]
        spare = ((0, 0), (0, len(E) - first))
        inverse, W = (
            np.pad(block_diag(np.zeros((0, 0)), *map(of, own)), spare)
            for of in (pseudo_inverse, lambda S: nearest_complement(S).T)
        )
        rest = np.eye(len(E))[first:] - E[first:] @ inverse
        return Reduced(self, full, np.concatenate([W, rest]), inverse)

    def completed(self, q: Any, near: Array | None = None) -> Array:
        """All coordinates at the unknowns q: each joint's own so that its gap is across E.

        Half the way with the columns that kinematics writes, which turn any angle, and then by
        Newton's method.
        """
        x = np.array(self.drawn if near is None else near, dtype=float)
        x[self.places] = q
        for _ in range(20):
            at, step = Moving(self.system.tree, x), np.zeros(self.system.tree.nv)
            for tie in self.system.ties:
                row, own = tied(at, tie), self.own[self._own_of(tie)]
                if len(own):
                    S = np.column_stack([row.J[i] for i in own]).astype(float)
                    step[own] = -pseudo_inverse(S) @ row.residual.astype(float)
            x = self.equations.moved(x, step)
            if np.abs(step).max(initial=0.0) < 1e-3:
                break
        for _ in range(4):
            gap = self.reduced(x, None, 0.0)
            x = self.equations.moved(x, gap.whole(np.zeros(len(self.kept)), -gap.full.phi))
        return x

    def balance(self, q: Any = None, t: float = 0.0) -> Balance:
        """The 3n balance of the book with the rank at a position, and whether equations agree.

        An inconsistent system is not refused: the answer says who contradicts whom.
        """
        A, _ = self._scaled(self.rows(self.start if q is None else q, None, t).phi_q)
        count, drivers = len(self.system.tree.links), self.driver_equations
        rank = rank_of(A).rank
        parameters = len(self.kept) - self.freedoms * count
        counts = count, self.freedoms, parameters, len(A) - drivers, drivers, rank
        if rank == len(A):
            return Balance(*counts)
        return Balance(*counts, *self._contradictions(q, t))

    def _contradictions(self, q: Any, t: float) -> tuple[float, float, tuple[str, ...]]:
        """What no position and no velocity near a position can meet, and the drivers in it.

        Phi_q x = b has a solution where b is in the range of Phi_q (Kronecker and Capelli); what is
        left of b outside of it, in typical lengths and radians, contradicts the rest.
        """
        x, _ = self.closed(self.completed(self.start if q is None else q), t)
        rows = self.reduced(x, None, t).rows
        A, heavy = self._scaled(rows.phi_q)
        outside = self_stresses(A)
        rests = [outside @ (outside.T @ (b / heavy)) for b in (rows.phi, rows.phi_t)]
        owners = [drive.name for drive in self.system.drives for _ in range(drive.count)]
        first = len(A) - len(owners)
        gaps = [float(np.abs(rest).max(initial=0.0)) for rest in rests]
        names = [
            owner
            for rest, gap in zip(rests, gaps, strict=True)
            for i, owner in enumerate(owners)
            if gap > AGREE and abs(rest[first + i]) > 1e-6 * gap
        ]
        return gaps[0], gaps[1], tuple(dict.fromkeys(names))

    def _scaled(self, phi_q: Array) -> tuple[Array, Array]:
        """Phi_q in typical lengths and radians with rows of size 1, and what they were."""
        A = phi_q * self.units
        heavy = np.abs(A).max(axis=1, initial=0.0)
        heavy = np.where(heavy > 0, heavy, 1.0)
        return A / heavy[:, None], heavy

    def position(self, t: float, start: Any = None) -> tuple[Array, list[float]]:
        """q with Phi(q, t) = 0 by Newton's method, and the size of every step."""
        x, sizes = self.closed(self.completed(self.start if start is None else start), t)
        return np.asarray(x[self.places]), sizes

    def closed(self, x: Array, t: float, shift: Any = 0.0) -> tuple[Array, list[float]]:
        """All coordinates with Phi(x, t) = shift by Newton's method, and the size of every step."""
        sizes: list[float] = []
        for _ in range(20):
            at = self.reduced(x, None, t)
            right = shift - at.full.phi
            step = self.solved(at, right)
            x = self.equations.moved(x, step)
            sizes.append(float(np.max(np.abs(step[self.kept]) / self.units, initial=0.0)))
            if _ended(sizes):
                break
        return x, sizes

    def rates(self, x: Array, t: float, *, shift_rate: Any = 0.0, running: float = 1.0) -> Any:
        """x' by (3.52) and x'' by (3.57), one after the other with the same matrix."""
        at = self.reduced(x, None, t, running)
        v = self.solved(at, shift_rate - at.full.phi_t)
        at = self.reduced(x, v, t, running)
        return v, self.solved(at, at.full.gamma)

    def solved(self, at: Reduced, right: Array) -> Array:
        """Phi_x x = right, of least size in typical lengths where it leaves something free."""
        phi_q, b = at.rows.phi_q, at.T @ right
        A, heavy = self._scaled(phi_q)
        return at.whole(least_solution(A, b / heavy) * self.units, right)

    def residual(self, t: Array, x: Array) -> float:
        """Largest residual of all equations over a motion of all coordinates."""
        at = self.equations.at
        rows = [at(each, None, float(time)).phi for each, time in zip(x, t, strict=True)]
        return float(np.max(np.abs(rows), initial=0.0))


@public
def absolute_system(m: Mechanism) -> AbsoluteSystem:
    """The equations of a mechanism in absolute coordinates of its bodies' frames.

    In space a body has its position and quaternion, counted from where it is drawn, and the
    unknowns of velocity are its twist: six.
    """
    if not m.bodies:
        raise StructureError(f"mechanism {m.name!r} has no bodies, so no coordinates of them")
    return AbsoluteSystem(m, Equations(loosened(m)))


def _ended(sizes: list[float]) -> bool:
    """Whether steps are at rounding level, or no longer shrink."""
    stalls = len(sizes) > 1 and not sizes[-1] <= 0.5 * sizes[-2]
    return not sizes[-1] >= 1e-14 or (stalls and (sizes[-1] < 1e-9 or len(sizes) > 6))
