"""Symmetric equations with few entries in a row, as straight-line code:  K x = b,  K = L D L'.

An unknown goes when it stands with the fewest others (minimum degree), so that the equations of a
long chain of bodies fill in no more than its joints have in common, and their count of operations
grows with the number of bodies. K is positive definite over the unknowns that are `sure`: they go
first, and no pivots are chosen while it runs. Of the others as many go as the rank says, each time
the one with the largest pivot, by selects; the rest is zero, as their equations follow from others.
Source: George & Liu (1989), The evolution of the minimum degree ordering algorithm; Higham (2002),
Accuracy and Stability of Numerical Algorithms, section 10.3.
"""

from __future__ import annotations

from typing import Any

from ..expr import less, where
from ..expr.node import present
from ..kinematics.orthogonal import Line


def symmetric_solved(
    K: list[Line], right: list[Any], sure: set[int], rank: int, sizes: list[Any]
) -> tuple[list[Any], list[Any]]:
    """x, and the pivots in their sizes; K by the entries of its rows."""
    rows, b = [dict(line) for line in K], list(right)
    left, done, pivots = set(sure), [], []
    while left:
        k = min(left, key=lambda i: (len(rows[i]), i))
        left.remove(k)
        row = rows[k]
        pivot = row.pop(k)
        shares = _taken_off(rows, b, k, 1.0 / pivot)
        pivots.append(pivot)
        done.append((k, 1.0 / pivot, shares))
    x: list[Any] = [0.0] * len(rows)
    rest = [i for i in range(len(rows)) if i not in sure]
    dense = [[rows[i].get(j, 0.0) for j in rest] for i in rest]
    found, more = _largest_first(
        dense, [b[i] for i in rest], rank - len(sure), [sizes[i] for i in rest]
    )
    for i, value in zip(rest, found, strict=True):
        x[i] = value
    for k, inverse, shares in reversed(done):
        x[k] = b[k] * inverse
        for i, share in shares.items():
            x[k] = x[k] - share * x[i]
    return x, pivots + more


def _taken_off(rows: list[Line], b: list[Any], k: int, inverse: Any) -> Line:
    """An unknown taken out of all other rows; its shares of them."""
    row = rows[k]
    shares = {i: x * inverse for i, x in row.items()}
    for i, share in shares.items():
        del rows[i][k]
        b[i] = b[i] - share * b[k]
        for j, x in row.items():
            if j >= i:
                rows[i][j] = rows[j][i] = rows[i].get(j, 0.0) - share * x
    return shares


def _largest_first(
    K: list[list[Any]], b: list[Any], rank: int, sizes: list[Any]
) -> tuple[list[Any], list[Any]]:
    """x with as many pivots as the rank, the largest first; swaps of places are undone at last."""
    n, swaps, pivots = len(b), [], []
    for s in range(rank):
        for k in range(s + 1, n if rank < n else 0):
            swap = less(K[s][s] * sizes[k], K[k][k] * sizes[s])
            _swapped(K, swap, s, k)
            for each in (b, sizes):
                each[s], each[k] = where(swap, each[k], each[s]), where(swap, each[s], each[k])
            swaps.append((swap, s, k))
        pivots.append(K[s][s] / sizes[s])
        inverse = 1.0 / K[s][s]
        for i in range(s + 1, n):
            share = K[i][s] * inverse
            b[i] = b[i] - share * b[s]
            for j in range(i, n):
                K[i][j] = K[j][i] = K[i][j] - share * K[s][j]
    x: list[Any] = [0.0] * n
    for s in reversed(range(rank)):
        total = b[s]
        for j in range(s + 1, rank):
            total = total - K[s][j] * x[j]
        x[s] = total / K[s][s]
    for swap, s, k in reversed(swaps):
        x[s], x[k] = where(swap, x[k], x[s]), where(swap, x[s], x[k])
    return x, pivots


def _swapped(K: list[list[Any]], swap: Any, s: int, k: int) -> None:
    """Rows and columns s and k of a symmetric matrix swapped, if so; those before s are done."""
    n = len(K)
    K[s][s], K[k][k] = where(swap, K[k][k], K[s][s]), where(swap, K[s][s], K[k][k])
    for j in range(n):
        if j not in (s, k):
            one, other = where(swap, K[k][j], K[s][j]), where(swap, K[s][j], K[k][j])
            K[s][j] = K[j][s] = one
            K[k][j] = K[j][k] = other


def normal_matrix(lines: list[Line], weights: Any) -> list[Line]:
    """K = J W J' of rows by their entries, with weights on a diagonal."""
    columns: dict[int, list[int]] = {}
    for i, line in enumerate(lines):
        for j in line:
            columns.setdefault(j, []).append(i)
    K: list[Line] = [{} for _ in lines]
    for j, meeting in columns.items():
        for place, i in enumerate(meeting):
            weighted = lines[i][j] * weights[j]
            for k in meeting[place:]:
                K[i][k] = K[k][i] = K[i].get(k, 0.0) + weighted * lines[k][j]
    return [{k: x for k, x in line.items() if present(x)} for line in K]
