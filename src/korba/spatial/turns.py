"""Rotations kept as a product of turns about coordinate axes, applied one after the other.

A turn by the angle with cosine c and sine s about axis k mixes the other two components i, j:

    u_i' = c u_i - s u_j,    u_j' = s u_i + c u_j                                    (1)

so that Rx(alpha) Rz(q) u takes 8 products and 4 sums, or half of that where alpha is a quarter
turn, and no matrix is multiplied out. Of a matrix K the turn R K R' is

    t = c (K_ii - K_jj) - s (K_ij + K_ji)
    K_ii' = K_jj + c t,    K_jj' = K_ii - c t,    K_ij' = K_ij + s t,    K_ji' = K_ji + s t    (2)

and (1) for the row and the column of k. `Turns` takes the place of a 3 x 3 matrix in a `Pose`: the
operators are those of a matrix, and `np.asarray` gives it multiplied out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from typing import Any, NamedTuple

import numpy as np

from .rotation import Array


class Turn(NamedTuple):
    """A rotation about coordinate axis 0, 1 or 2."""

    axis: int
    c: Any
    s: Any

    def applied(self, u: Array) -> Array:
        """The turn of a vector, or of every column of a matrix (1)."""
        i, j = (self.axis + 1) % 3, (self.axis + 2) % 3
        turned = list(u)
        turned[i] = self.c * u[i] - self.s * u[j]
        turned[j] = self.s * u[i] + self.c * u[j]
        return np.array(turned)

    def congruent(self, K: Array) -> Array:
        """R K R' (2)."""
        i, j, k = (self.axis + 1) % 3, (self.axis + 2) % 3, self.axis
        t = self.c * (K[i, i] - K[j, j]) - self.s * (K[i, j] + K[j, i])
        along, across = self.c * t, self.s * t
        turned = np.array(K, dtype=np.result_type(K, np.asarray(t)))
        turned[i, i], turned[j, j] = K[j, j] + along, K[i, i] - along
        turned[i, j], turned[j, i] = K[i, j] + across, K[j, i] + across
        turned[k] = self.applied(K[k])
        turned[:, k] = self.applied(K[:, k])
        return turned

    def then(self, other: Turn) -> Turn:
        """The product with another turn about the same axis."""
        c = self.c * other.c - self.s * other.s
        return Turn(self.axis, c, self.s * other.c + self.c * other.s)


@dataclass(frozen=True, eq=False)
class Turns:
    """The product of `factors`, the last one applied first."""

    factors: tuple[Turn, ...]

    __array_ufunc__ = None  # array @ Turns is for __rmatmul__ to answer

    @property
    def T(self) -> Turns:
        """The inverse."""
        return Turns(tuple(Turn(axis, c, -s) for axis, c, s in reversed(self.factors)))

    def __matmul__(self, other: Any) -> Any:
        """The rotation of a vector or of columns; with other `Turns` their product."""
        if isinstance(other, Turns):
            return self._joined(other)
        for factor in reversed(self.factors):
            other = factor.applied(other)
        return other

    def __rmatmul__(self, other: Array) -> Array:
        """A matrix times the rotation."""
        return (self.T @ other.T).T

    def congruent(self, K: Array) -> Array:
        """R K R' of a 3 x 3 matrix."""
        for factor in reversed(self.factors):
            K = factor.congruent(K)
        return K

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The 3 x 3 matrix."""
        del copy
        return np.asarray(self @ np.eye(3), dtype=dtype)

    def _joined(self, other: Turns) -> Turns:
        if self.factors and other.factors and self.factors[-1].axis == other.factors[0].axis:
            middle = self.factors[-1].then(other.factors[0])
            return Turns((*self.factors[:-1], middle, *other.factors[1:]))
        return Turns(self.factors + other.factors)


def turn_z(R: Any) -> Turns:
    """The turn of a rotation that is known to be about z."""
    return Turns((Turn(2, R[0, 0], R[1, 0]),))


def zxz_angles(R: Array) -> tuple[float, float, float]:
    """Angles g, alpha, theta of R = Rz(g) Rx(alpha) Rz(theta); g = 0 where z stays on its line."""
    sine = float(np.hypot(R[0, 2], R[1, 2]))
    if sine < 1e-14:
        alpha = 0.0 if R[2, 2] > 0 else np.pi
        return 0.0, alpha, float(np.arctan2(R[1, 0] * R[2, 2], R[0, 0]))
    g = float(np.arctan2(R[0, 2], -R[1, 2]))
    x, y = np.cos(g) * R[0, :2] + np.sin(g) * R[1, :2]  # the first row of Rx(alpha) Rz(theta)
    return g, float(np.arctan2(sine, R[2, 2])), float(np.arctan2(-y, x))


def constant_turns(*turns: tuple[int, float]) -> Turns:
    """Turns by constant (axis, angle): quarter turns exact, whole turns left out."""
    factors = [Turn(axis, *exact(angle)) for axis, angle in turns]
    return Turns(tuple(factor for factor in factors if (factor.c, factor.s) != (1, 0)))


def exact(angle: float) -> tuple[float, float]:
    """Cosine and sine, with what is within rounding of a quarter turn made exact."""
    c, s = cos(angle), sin(angle)
    if min(abs(c), abs(s)) < 1e-14:
        return round(c) + 0.0, round(s) + 0.0
    return c, s
