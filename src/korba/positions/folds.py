"""Where a path turns back: a fold, found by going on along the arc of closed positions.

Near a dead point what is driven reaches an extreme value along the curve of closed positions. With
the arc length as parameter the curve goes on: its tangent (v, s') is the null vector of the
matrix [J  dPhi/ds], s being the time or a held coordinate, and the fold is where s' changes sign,

    [J  dPhi/ds] (v, s') = 0,   |(v, s')| = 1,   s' = 0

Where the path passes its extreme value by little (a piston asked 3e-12 m beyond its reach) another
curve is near, on which s goes on. A step that lands there turns the bordered matrix
[J  dPhi/ds; v' s'] over, as follow.py's steps over a crossing do, and is halved.

Source: Keller (1977), Numerical solution of bifurcation and nonlinear eigenvalue problems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..spatial.rotation import Array
from .allowed import parted
from .follow import Along, Nodes, odd
from .least_steps import Equations, newton_steps

MOST = 8
"""Steps of Newton's method from the tangent to a closed position."""
FAST = 0.1
"""Radians or typical lengths in the longest step from which on it is the measure of s."""
State = tuple[Array, float]
"""Coordinates, and how far along the path."""


@dataclass(frozen=True, eq=False)
class Fold:
    """The place at which a path turns back."""

    s: float
    q: Array
    found: bool
    """Whether the path turns back there; else nothing goes on for another reason."""
    beyond: Array
    """A closed position a little further along the curve: on the other branch."""
    away: tuple[str, ...] = ()
    """Coordinates that run away as s is approached: no position is there, q is the last before."""


def fold_after(along: Along, nodes: Nodes) -> Fold:
    """The fold at which followed nodes end, or where slides run away; else the last of them."""
    if nodes.pole is not None:
        return Fold(nodes.pole.s, nodes.q[-1], False, nodes.q[-1], nodes.pole.names)
    ahead = float(np.sign(nodes.s[-1] - nodes.s[0]) or 1)
    for unit in _units(along, nodes):
        fold = _Curve(along, unit, ahead).fold((nodes.q[-1], float(nodes.s[-1])))
        if fold.found:
            return fold
    return last_of(nodes)


def _units(along: Along, nodes: Nodes) -> list[float]:
    """What s is measured in beside the coordinates: the longest step, then as fast as they move.

    Slow ones turn back within so little of the longest step that rounding hides it.
    """
    longest = float(np.max(np.abs(np.diff(nodes.s)), initial=0.0)) or 1.0
    speed = float(np.median([along.size(rate) for rate in nodes.rate]))
    return [longest, *([1 / speed] if 0 < speed * longest < FAST else [])]


def last_of(nodes: Nodes) -> Fold:
    """The last node, where nothing better is known."""
    return Fold(float(nodes.s[-1]), nodes.q[-1], False, nodes.q[-1])


@dataclass(frozen=True, eq=False)
class _Curve:
    """The closed positions around a path, by arc length; s counts in `unit`."""

    along: Along
    unit: float
    ahead: float

    def fold(self, here: State) -> Fold:
        """From a position along the curve to where it turns back."""
        tangent = self.tangent(here, None)
        tangent = tangent if tangent[-1] * self.ahead > 0 else -tangent
        h = 1e-4
        for _ in range(200):
            after = self.corrected(here, tangent, h)
            if after is None:
                h *= 0.5
                if h < 1e-12:
                    break
                continue
            new = self.tangent(after, tangent)
            if self.turned_over(here, tangent, after, new):
                h *= 0.5
                if h < 1e-12:
                    break
                continue
            if new[-1] * self.ahead <= 0:
                return self.bisected(here, tangent, h)
            here, tangent, h = after, new, min(2 * h, 0.05)
        return Fold(here[1], here[0], False, here[0])

    def bisected(self, here: State, tangent: Array, h: float) -> Fold:
        """Where s' = 0 between two positions, s' being nearly linear there."""
        low, high, best = 0.0, h, here
        while high - low > 1e-13:
            middle = 0.5 * (low + high)
            after = self.corrected(here, tangent, middle)
            if after is None:
                break
            best = after
            slope = self.tangent(after, tangent)[-1] * self.ahead
            low, high = (middle, high) if slope > 0 else (low, middle)
        beyond = self.corrected(here, tangent, low + max(h, 1e-2))
        return Fold(best[1], best[0], True, best[0] if beyond is None else beyond[0])

    def matrix(self, at: State) -> tuple[Array, Array]:
        """Residual, and [J  dPhi/ds] without units."""
        (q, s), system = at, self.along.system
        wanted, _, clock = self.along.inputs(s)
        phi, J = system.unitless(q, wanted, clock)
        sides = [self.along.inputs(s + sign * 1e-5 * self.unit) for sign in (1, -1)]
        after, before = (system.residuals(q, wanted, clock) for wanted, _, clock in sides)
        by_s = (after - before) / 2e-5 / system.size
        return phi, np.column_stack([J, by_s])

    def tangent(self, at: State, before: Array | None) -> Array:
        """Unit null vector of the matrix, continuing the direction before."""
        A = self.matrix(at)[1]
        vector = parted(A, np.ones(A.shape[1]), 1.0, rank=A.shape[1] - 1).N[:, -1]
        return np.asarray(-vector if before is not None and vector @ before < 0 else vector)

    def turned_over(self, at: State, tangent: Array, after: State, new: Array) -> bool:
        """Whether a step leads to another curve."""
        B = [np.vstack([self.matrix(x)[1], t]) for x, t in ((at, tangent), (after, new))]
        return odd(B[0].T @ B[1])

    def corrected(self, at: State, tangent: Array, h: float) -> State | None:
        """The closed position a distance h along the tangent."""

        def equations(at: State) -> tuple[float, Equations]:
            phi, A = self.matrix(at)
            gap = float(np.abs(phi).max(initial=0.0))
            return gap, lambda: (np.vstack([A, tangent]), np.append(-phi, 0.0))

        system = self.along.system
        start, closed = self.moved(at, h * tangent), system.rounding
        found, gap = newton_steps(equations, self.moved, start, closed, most=MOST)
        return found if gap <= 100 * closed else None

    def moved(self, at: State, x: Array) -> State:
        """A position after a small step."""
        system = self.along.system
        return system.moved(at[0], x[:-1] * system.units), float(at[1] + x[-1] * self.unit)
