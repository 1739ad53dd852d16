"""Steps of least size towards smaller residuals, after Levenberg and Marquardt.

    (J J' + mu 1) y = -Phi,   x = J' y                                                  (1)

with everything in typical units. mu shrinks with success, so the end is Newton's method; with rows
to spare or freedoms left over it is the step of least size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..spatial.rotation import Array

MOST_STEPS = 200
LONGEST = 0.5
"""Of a step, in radians and typical lengths."""
Rows = Callable[[Array], tuple[Array, Any]]
"""Phi and J at a position; J may be sparse."""
Moved = Callable[[Array, Array], Array]
"""A position moved by a step x."""
JointPoints = dict[str, list[tuple[str, Array]]]
"""Joints of every body, and where they are in the world."""


def least_steps(
    rows: Rows, moved: Moved, q: Array, closed: float, least_gain: float = 0.0
) -> tuple[Array, float]:
    """The position reached, and its largest residual.

    It ends where a good step gains no more than a `least_gain` of the sum of squares.
    """
    mu = 1e-2
    phi, J = rows(q)
    for _ in range(MOST_STEPS):
        if float(np.max(np.abs(phi), initial=0.0)) <= closed:
            break
        x = _least_step(J, phi, mu)
        longest = float(np.max(np.abs(x), initial=0.0))
        x = x * min(1.0, LONGEST / max(longest, 1e-300))
        new = moved(q, x)
        new_phi, new_J = rows(new)
        gain = 1.0 - float(new_phi @ new_phi) / float(phi @ phi)
        if gain > 0.0:
            q, phi, J, mu = new, new_phi, new_J, max(mu * 0.1, 1e-16)
        else:
            mu = max(mu * 10, 1e-14)
        if longest < 1e-14 or mu > 1e12 or 0.0 < gain < least_gain:
            break
    return q, float(np.max(np.abs(phi), initial=0.0))


def _least_step(J: Any, phi: Array, mu: float) -> Array:
    """(1): least squares on [J; sqrt(mu) 1]; for many unknowns through sparse factors."""
    n = J.shape[1]
    if not n:
        return np.zeros(0)
    if isinstance(J, np.ndarray):
        stacked = np.concatenate([J, np.sqrt(mu) * np.eye(n)])
        rest = np.concatenate([-phi, np.zeros(n)])
        if not (np.all(np.isfinite(stacked)) and np.all(np.isfinite(rest))):
            return np.zeros(n)  # sizes of 1e200 m: there is no way on
        return np.asarray(np.linalg.lstsq(stacked, rest, rcond=1e-13)[0])
    from scipy import sparse
    from scipy.sparse.linalg import splu

    normal = J.T @ J + max(mu, 1e-13) * sparse.identity(n)
    return np.asarray(splu(normal.tocsc()).solve(-(J.T @ phi)))


def length_changes(points: JointPoints, r: Array) -> list[tuple[float, str]]:
    """Links of two joints that would have to be longer or shorter to take a gap r away.

    One of length l along u by  r'r / (r'u); by how much, and in words.
    """
    ways = []
    for body, ends in points.items():
        if len(ends) != 2:
            continue
        (one, p), (two, p_2) = ends
        d = p_2 - p
        length = float(np.linalg.norm(d))
        along = abs(float(r @ d)) / length if length > 0 else 0.0
        if along > 0.2 * np.linalg.norm(r):
            change = float(r @ r) / along
            text = f"{body!r} ({length:.6g} m from {one} to {two}) by about {change:.4g} m"
            ways.append((change, text))
    return ways
