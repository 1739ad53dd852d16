"""Rank of the constraint matrix: dense by singular values, large and sparse by inertia.

For a sparse matrix the count of singular values below `tolerance` is the count of negative pivots
of  A'A - tolerance^2 1  (Sylvester's law of inertia), one sparse factorisation. With the same
tolerance it is told which rows are independent, and which step of least size they ask for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import StructureError
from ..libraries import undisturbed
from ..spatial.rotation import Array

if TYPE_CHECKING:
    from scipy import sparse

TOLERANCE = 1e-7
"""Singular values below this share of the largest count as zero."""
STEP = 1e-9
"""The same where a step of Newton's method is taken: this decides no rank. Where branches cross
(plates on parallel rods) steps along directions that are nearly lost tell them apart.
"""
DENSE_UP_TO = 500
"""Largest matrix side for which singular values are computed."""


@dataclass(frozen=True, eq=False)
class Rank:
    """Rank and null spaces; `left` (dependencies of rows) is None for large matrices."""

    rank: int
    null: Array
    """Columns span the null space: the velocities that the constraints allow."""
    left: Array | None
    """Columns span the left null space: the dependencies of constraints (self-stresses)."""
    smallest: float
    """Smallest singular value above the tolerance, relative to the largest; 0 if unknown."""


def rank_of(A: sparse.csr_matrix | Array, tolerance: float = TOLERANCE) -> Rank:
    """Rank of a dense or sparse matrix whose entries are of the order of one."""
    rows, columns = A.shape
    if not np.all(np.isfinite(A if isinstance(A, np.ndarray) else A.data)):
        raise StructureError(
            "the constraints are not finite numbers in this position: the sizes differ too much, "
            "or a law has no value there"
        )
    if min(A.shape) == 0:
        return Rank(0, np.eye(columns), np.eye(rows), 0.0)
    return _dense(A, tolerance) if max(A.shape) <= DENSE_UP_TO else _sparse(A, tolerance)


def _first(worth: Array) -> int:
    """The first row that adds anything."""
    return int(np.argmax(worth >= TOLERANCE))


def governing_rows(rows: Array, choice: Callable[[Array], int] = _first) -> list[int]:
    """Numbers of rows (..., rows, freedoms), of the order of one, that determine all others.

    One after the other is taken by `choice`, from what every row adds to those before, which is
    the least of all positions; in the end none adds anything.
    """
    if not rows.size:
        return []
    left = np.array(rows, dtype=float).reshape(-1, *rows.shape[-2:])
    taken: list[int] = []
    while len(taken) < min(rows.shape[-2:]):
        worth = np.linalg.norm(left, axis=-1).min(axis=0, initial=np.inf)
        if not worth[k := choice(worth)] >= TOLERANCE:
            break
        taken.append(k)
        along = left[:, k] / np.linalg.norm(left[:, k], axis=-1, keepdims=True)
        left -= (left @ along[..., None]) * along[:, None, :]
    return taken


def dependent_rows(A: Array, weights: Array) -> set[int]:
    """Rows of a dense matrix that repeat others; rows of small weight go first."""
    if min(A.shape) == 0:
        return set()
    with undisturbed():
        from scipy.linalg import qr

    _, R, order = qr((A * weights[:, None]).T, pivoting=True, mode="economic")
    count = int(np.sum(np.abs(np.diag(R)) > TOLERANCE * abs(R[0, 0])))
    return set(order[count:].tolist())


def least_solution(A: sparse.csr_matrix | Array, b: Array, cut: float = STEP) -> Array:
    """The smallest x with A x as near b as can be; A may have dependent rows.

    Singular values of small matrices below the part `cut` of the largest do not count. Numbers that
    are not finite give an x that is not.
    """
    if not isinstance(A, np.ndarray) and A.shape[1] <= 400:
        A = A.toarray()
    entries = A if isinstance(A, np.ndarray) else A.data
    if not (np.all(np.isfinite(entries)) and np.all(np.isfinite(b))):
        return np.full(A.shape[1], np.nan)
    if isinstance(A, np.ndarray):
        try:
            return np.asarray(np.linalg.lstsq(A, b, rcond=cut)[0])
        except np.linalg.LinAlgError:  # numbers far apart, where singular values do not converge
            return np.full(A.shape[1], np.nan)
    with undisturbed():
        from scipy import sparse
        from scipy.sparse.linalg import splu

    weak = 1e-13 * sparse.identity(A.shape[0], format="csc")
    return np.asarray(A.T @ splu((A @ A.T + weak).tocsc()).solve(b))


def self_stresses(A: sparse.csr_matrix | Array) -> Array:
    """Columns span the left null space, of large matrices too."""
    left = rank_of(A).left
    return _dense(A, TOLERANCE).left if left is None else left  # type: ignore[return-value]


def _dense(A: sparse.csr_matrix | Array, tolerance: float) -> Rank:
    dense: Array = A if isinstance(A, np.ndarray) else A.toarray()
    U, s, Vt = np.linalg.svd(dense)
    rank = int(np.sum(s > tolerance * s[0])) if s[0] > 0 else 0
    smallest = float(s[rank - 1] / s[0]) if rank else 0.0
    return Rank(rank, Vt[rank:].T, U[:, rank:], smallest)


def _sparse(A: sparse.csr_matrix | Array, tolerance: float) -> Rank:
    with undisturbed():
        from scipy import sparse
        from scipy.sparse.linalg import splu

    A = sparse.csr_matrix(A)
    columns = A.shape[1]
    normal = (A.T @ A).tocsc()
    shift = tolerance**2 * max(float(normal.diagonal().max()), 1.0)
    factor = splu(
        normal - shift * sparse.identity(columns, format="csc"),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    nullity = int(np.sum(factor.U.diagonal() < 0))
    return Rank(columns - nullity, _null_space(factor, columns, nullity), None, 0.0)


def _null_space(factor: object, columns: int, nullity: int) -> Array:
    """Orthonormal null vectors by inverse iteration from fixed random starts."""
    X = np.random.default_rng(20030).standard_normal((columns, nullity))
    for _ in range(4):
        X = factor.solve(X) if nullity else X  # type: ignore[attr-defined]
        X = np.linalg.qr(X)[0]
    return np.asarray(X)
