"""The mass matrix factored once, for many right-hand sides:  M = L' D L along the tree.

With the velocities in the order of the links, L has entries only where one velocity lies on the
path of another to the base; elimination from the tips to the base fills no zero. Each pivot is
inverted once, so that a right-hand side takes products only; nothing branches, for numbers and for
symbols. Source: Featherstone (2008), Rigid Body Dynamics Algorithms, section 6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..expr.node import present
from ..spatial.rotation import Array
from ..system.tree import Tree


@dataclass(frozen=True, eq=False)
class Factors:
    """L (below the diagonal) and 1/D of a mass matrix, for numbers and symbols."""

    order: tuple[int, ...]
    """Which velocity stands at each place of the factors."""
    paths: tuple[tuple[int, ...], ...]
    """For each place those before it on the way to the base, the nearest first."""
    L: Array
    pivots: list[Any]
    """1/D."""

    def solve(self, B: Array) -> Array:
        """X with M X = B; B has one column or several."""
        X = np.array(B, dtype=np.result_type(self.L, B))[list(self.order)]
        for k in reversed(range(len(X))):
            for i in self.paths[k]:
                X[i] = X[i] - self.L[k, i] * X[k]
        for k, path in enumerate(self.paths):
            X[k] = X[k] * self.pivots[k]
            for i in path:
                X[k] = X[k] - self.L[k, i] * X[i]
        found = np.empty_like(X)
        found[list(self.order)] = X
        return found

    def inward(self, B: dict[int, Any]) -> dict[int, Any]:
        """L^-T b by its entries: the first half of `solve`, in the places of the factors."""
        places = {velocity: k for k, velocity in enumerate(self.order)}
        X = {places[j]: entry for j, entry in B.items()}
        for k in reversed(range(len(self.order))):
            if k in X:
                for i in self.paths[k]:
                    X[i] = X.get(i, 0.0) - self.L[k, i] * X[k]
        return X

    def outward(self, X: dict[int, Any]) -> dict[int, Any]:
        """L^-1 D^-1 x: the second half of `solve`, by velocity."""
        Y: list[Any] = []
        for k, path in enumerate(self.paths):
            y = X[k] * self.pivots[k] if k in X else 0.0
            for i in path:
                y = y - self.L[k, i] * Y[i]
            Y.append(y)
        return dict(zip(self.order, Y, strict=True))

    def inverse(self) -> Array:
        """M^-1, symmetric: each pair of entries is made once, the shorter way."""
        places = list(self.order)
        ordered = self.solve(np.eye(len(places)))[np.ix_(places, places)]
        upper = np.triu_indices(len(places), 1)
        ordered[upper[1], upper[0]] = ordered[upper]
        found = np.empty_like(ordered)
        found[np.ix_(places, places)] = ordered
        return found


def factored(tree: Tree, M: Array) -> Factors:
    """The factors of the mass matrix of a tree; couplings fill it, then it is taken as dense."""
    if tree.couplings:
        return _factored(np.array(M, dtype=object), range(len(M)), _dense(len(M)))
    return _factored(np.array(M, dtype=object), *_along(tree))


def factored_apart(M: Array, kept: Sequence[int]) -> Factors:
    """The factors of a matrix of blocks on the diagonal, over some of the velocities."""
    places = {j: k for k, j in enumerate(kept)}
    paths = [[places[i] for i in reversed(kept[:k]) if present(M[j, i])] for j, k in places.items()]
    return _factored(np.array(M, dtype=object), kept, paths)


def along(tree: Tree) -> Sequence[int]:
    """The velocities, those nearer to the base first."""
    return range(tree.nv) if tree.couplings else _along(tree)[0]


def solve_symmetric(A: Array, B: Array) -> Array:
    """X with A X = B, for any symmetric positive definite A, eliminated from its first row on.

    Of A the part below the diagonal is read.
    """
    return _factored(A.T, range(len(A))[::-1], _dense(len(A))).solve(B)


def _factored(M: Array, order: Sequence[int], paths: list[list[int]]) -> Factors:
    H = M[np.ix_(order, order)]
    pivots: list[Any] = [None] * len(order)
    for k in reversed(range(len(order))):
        pivots[k] = 1.0 / H[k, k]
        for at, i in enumerate(paths[k]):
            share = H[k, i] * pivots[k]
            for j in paths[k][at:]:
                H[i, j] = H[i, j] - share * H[k, j]
            H[k, i] = share
    return Factors(tuple(order), tuple(map(tuple, paths)), H, pivots)


def _along(tree: Tree) -> tuple[list[int], list[list[int]]]:
    """Velocities in the order of the links, and the path of each to the base."""
    order: list[int] = []
    paths: list[list[int]] = []
    ends: dict[int, list[int]] = {-1: []}
    for number, link in enumerate(tree.links):
        path = ends[link.parent]
        for i in range(link.v.start, link.v.stop):
            order.append(i)
            paths.append(path)
            path = [len(paths) - 1, *path]
        ends[number] = path
    return order, paths


def _dense(n: int) -> list[list[int]]:
    return [list(reversed(range(k))) for k in range(n)]
