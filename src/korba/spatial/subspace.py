"""Subspaces of twists, in numbers: what a joint frees, what it forbids, what several span.

They are of one joint or of a few, in three or six components of the order of one. Ranks of loops,
which have sizes and units, are those of the room `positions`.
"""

from __future__ import annotations

import numpy as np

from .rotation import Array

LOST = 1e-9
"""Singular values below this part of the largest, or of 1, are none."""


def spanned(columns: Array) -> Array:
    """Orthonormal basis of what columns span."""
    U, s, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(U[:, s > LOST * max(1.0, s.max(initial=0.0))])


def complement(S: Array) -> Array:
    """Orthonormal columns perpendicular to those of S: unit vectors where those of S are."""
    size, count = S.shape
    if np.all(np.count_nonzero(S, axis=0) == 1):
        return np.eye(size)[:, ~S.any(axis=1)]
    return np.asarray(np.linalg.qr(S, mode="complete")[0][:, count:])


def nearest_complement(S: Array) -> Array:
    """The same with columns as near to unit vectors as they can be, in their order."""
    size, found = len(S), dict[int, Array]()
    P = np.eye(size) - S @ pseudo_inverse(S)
    for _ in range(size - S.shape[1]):
        k = int(np.argmax(np.diag(P)))
        found[k] = P[k] / np.sqrt(P[k, k])
        P = P - np.outer(found[k], found[k])
    return np.array([found[k] for k in sorted(found)]).reshape(-1, size).T


def pseudo_inverse(S: Array) -> Array:
    """S^+: the least rates that bring a motion nearest to a twist, any batch axes first."""
    if S.ndim == 2:
        G = S.T @ S
        squares = G.diagonal()
        if np.count_nonzero(G) == np.count_nonzero(squares):  # columns are perpendicular
            return np.asarray(S.T / np.where(squares > 0.0, squares, 1.0)[:, None])
    return np.asarray(np.linalg.pinv(S))
