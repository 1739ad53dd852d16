"""Symmetric positive definite systems without branches: A = L D L', for numbers and symbols.

Each pivot is divided by once; everything else multiplies by its reciprocal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial.rotation import Array


def solve_symmetric(A: Array, B: Array) -> Array:
    """X with A X = B; zeros of A are used where the dtype knows them (symbols fold them away)."""
    L, reciprocals = factors(A)
    X = np.array(B, dtype=object if A.dtype == object else np.result_type(A, B))
    n = len(reciprocals)
    for i in range(n):
        for k in range(i):
            X[i] = X[i] - L[i, k] * X[k]
    for i in range(n):
        X[i] = X[i] * reciprocals[i]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            X[i] = X[i] - L[k, i] * X[k]
    return X


def factors(A: Array) -> tuple[Array, list[Any]]:
    """Unit lower triangular L, and the reciprocals of the diagonal D, of A = L D L'."""
    n = len(A)
    L = np.array(np.eye(n), dtype=A.dtype)
    LD = np.array(A)
    reciprocals: list[Any] = []
    for j in range(n):
        for i in range(j, n):
            for k in range(j):
                LD[i, j] = LD[i, j] - LD[i, k] * L[j, k]
        reciprocals.append(1.0 / LD[j, j])
        for i in range(j + 1, n):
            L[i, j] = LD[i, j] * reciprocals[j]
    return L, reciprocals
