"""Rank of the constraint matrix: dense by singular values, large and sparse by inertia.

For a sparse matrix the count of singular values below `tolerance` is the count of negative pivots
of  A'A - tolerance^2 1  (Sylvester's law of inertia), one sparse factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import StructureError
from ..spatial.rotation import Array

if TYPE_CHECKING:
    from scipy import sparse

TOLERANCE = 1e-7
"""Singular values below this share of the largest count as zero."""

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
