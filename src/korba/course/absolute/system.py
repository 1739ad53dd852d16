"""Planar mechanisms in absolute coordinates: configuration, velocities, accelerations.

    Phi(q, t) = [Phi^P(q); Phi^C(q, t)] = 0                                     (2.95), (3.49)
    Phi_q q' = -Phi_t,     Phi_q q'' = gamma                                    (3.52), (3.57)

q has x, y and Theta of every moving link, and beta of every cam pair. Positions come from Newton's
method, started by (2.147) from the step before; a step whose correction is not small beside it is
halved, so that one branch is followed. Equations to spare (passive constraints) are solved by least
squares, and freedoms that nothing drives (a roller's spin) move as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import StructureError
from ...spatial.rotation import Array
from .pairs import TURN, Constraint, PlanarState, Rows, stacked

RANK = 1e-10
"""Singular values below this part of the largest one count as zero."""


@dataclass(frozen=True)
class Balance:
    """Unknowns against equations."""

    links: int
    parameters: int
    """Profile parameters of cam pairs, one unknown each."""
    pair_equations: int
    driver_equations: int
    rank: int
    """Rank of Phi_q at the position."""

    @property
    def unknowns(self) -> int:
        """3n and the profile parameters."""
        return 3 * self.links + self.parameters

    @property
    def redundant(self) -> int:
        """Equations to spare: passive constraints."""
        return self.pair_equations + self.driver_equations - self.rank

    @property
    def free(self) -> int:
        """Freedoms that nothing drives."""
        return self.unknowns - self.rank

    def __str__(self) -> str:
        lines = [
            f"unknowns   3 x {self.links} links + {self.parameters} profile = {self.unknowns}",
            f"equations  {self.pair_equations} of pairs + {self.driver_equations} of drivers",
            f"rank {self.rank}: {self.redundant} redundant, {self.free} free",
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class AbsoluteSystem:
    """Links, pairs and drivers; `start` is a position near a solution."""

    links: tuple[str, ...]
    pairs: tuple[Constraint, ...]
    drivers: tuple[Constraint, ...]
    start: Array

    def __post_init__(self) -> None:
        if len(self.start) < 3 * len(self.links):
            raise StructureError(
                f"start: expected x, y, Theta of {len(self.links)} links and the profile "
                f"parameters, got {len(self.start)} values"
            )

    @cached_property
    def scale(self) -> float:
        """A typical length: how far from its link's origin the farthest point of a pair is."""
        points = [np.zeros(2), *(getattr(pair, "s_k", np.zeros(2)) for pair in self.pairs)]
        points += [getattr(pair, "s_j", np.zeros(2)) for pair in self.pairs]
        return float(np.max(np.linalg.norm(points, axis=1))) or 1.0

    @cached_property
    def units(self) -> Array:
        """What every unknown is measured in: the typical length, or 1 rad."""
        found = np.ones(len(self.start))
        for i in range(len(self.links)):
            found[3 * i : 3 * i + 2] = self.scale
        return found

    def rows(self, q: Any, v: Any = None, t: float = 0.0, *, running: float = 1.0) -> Rows:
        """All equations at a state, pairs first."""
        q = np.asarray(q, dtype=float)
        s = PlanarState(q, np.zeros(len(q)) if v is None else np.asarray(v), t, running)
        return stacked([each.rows(s) for each in (*self.pairs, *self.drivers)])

    def balance(self, q: Any = None, t: float = 0.0) -> Balance:
        """The 3n balance of the book, with the rank at a position."""
        rows = self.rows(self.start if q is None else q, None, t)
        return Balance(
            len(self.links),
            len(self.start) - 3 * len(self.links),
            sum(pair.count for pair in self.pairs),
            sum(driver.count for driver in self.drivers),
            _rank(rows.phi_q * self.units),
        )

    def position(self, t: float, start: Any = None, shift: Any = 0.0) -> tuple[Array, list[float]]:
        """q with Phi(q, t) = shift by Newton's method, and the size of every step."""
        q = np.array(self.start if start is None else start, dtype=float)
        sizes: list[float] = []
        for _ in range(20):
            rows = self.rows(q, None, t)
            step = self.solved(rows.phi_q, shift - rows.phi)
            q = q + step
            sizes.append(float(np.max(np.abs(step) / self.units, initial=0.0)))
            if _ended(sizes):
                break
        return q, sizes

    def rates(self, q: Array, t: float, *, shift_rate: Any = 0.0, running: float = 1.0) -> Any:
        """q' by (3.52) and q'' by (3.57), one after the other with the same matrix."""
        rows = self.rows(q, None, t, running=running)
        v = self.solved(rows.phi_q, shift_rate - rows.phi_t)
        a = self.solved(rows.phi_q, self.rows(q, v, t, running=running).gamma)
        return v, a

    def solved(self, phi_q: Array, right: Array) -> Array:
        """phi_q x = right, of least size in typical lengths where it leaves something free."""
        if not np.all(np.isfinite(phi_q)) or not np.all(np.isfinite(right)):
            return np.full(len(self.start), np.nan)
        heavy = np.abs(phi_q).max(axis=1, initial=0.0)
        weight = 1.0 / np.where(heavy > 0, heavy, 1.0)
        A = phi_q * self.units * weight[:, None]
        return np.asarray(np.linalg.lstsq(A, right * weight, rcond=RANK)[0] * self.units)

    def number(self, link: str) -> int:
        """Number of a link, from 1; the base is 0."""
        if link not in self.links:
            raise StructureError(f"there is no link {link!r}; there are {', '.join(self.links)}")
        return self.links.index(link) + 1


@dataclass(frozen=True, eq=False)
class AbsoluteMotion:
    """Absolute coordinates over time, with their rates: arrays of shape (times, unknowns)."""

    system: AbsoluteSystem
    t: Array
    q: Array
    v: Array
    a: Array

    def link(self, name: str) -> tuple[Array, Array, Array]:
        """(x, y, Theta) of a link over time, its velocity and its acceleration, (times, 3) each."""
        k = 3 * self.system.number(name)
        return self.q[:, k - 3 : k], self.v[:, k - 3 : k], self.a[:, k - 3 : k]

    def point(self, name: str, at: Any) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point of a link (3.60), (3.62)."""
        q, v, a = self.link(name)
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        x, y = np.asarray(at, dtype=float)[:2]
        arm = np.stack([c * x - s * y, s * x + c * y], axis=1)
        across = arm @ TURN.T
        w, e = v[:, 2:], a[:, 2:]
        return q[:, :2] + arm, v[:, :2] + w * across, a[:, :2] + e * across - w**2 * arm

    @property
    def gap(self) -> float:
        """Largest residual of all equations."""
        rows = [
            self.system.rows(q, None, float(t)).phi for q, t in zip(self.q, self.t, strict=True)
        ]
        return float(np.max(np.abs(rows), initial=0.0))


def point_homogeneous(q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Any:
    """A, A' and A'' of a link: r = A r_i, r' = A' r_i, r'' = A'' r_i (2.10), (3.63), (3.64)."""
    c, s = np.cos(q[2]), np.sin(q[2])
    R, B = np.array([[c, -s], [s, c]]), np.array([[-s, -c], [c, -s]])
    parts = (
        (R, q, 1.0),
        (v[2] * B, v, 0.0),
        (a[2] * B - v[2] ** 2 * R, a, 0.0),
    )
    return tuple(
        np.block([[turn, np.reshape(shift[:2], (2, 1))], [np.zeros((1, 2)), np.array([[one]])]])
        for turn, shift, one in parts
    )


def _ended(sizes: list[float]) -> bool:
    """Whether steps are at rounding level, or no longer shrink."""
    stalls = len(sizes) > 1 and not sizes[-1] <= 0.5 * sizes[-2]
    return not sizes[-1] >= 1e-14 or (stalls and (sizes[-1] < 1e-9 or len(sizes) > 6))


def _rank(A: Array) -> int:
    heavy = np.abs(A).max(axis=1, initial=0.0, keepdims=True)
    s = np.linalg.svd(A / np.where(heavy > 0, heavy, 1.0), compute_uv=False)
    return int(np.sum(s > RANK * max(1.0, float(s[0]) if len(s) else 1.0)))
