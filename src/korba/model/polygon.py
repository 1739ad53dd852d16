"""Polygons: how their corners are given, their moments, and whether their sides cross.

For the corners (x_i, y_i) Green's theorem gives every moment as a sum over the sides (Steger 1996),

    integral x^p y^q dA = p! q! / (p + q + 2)!  sum_i (x_i y_i+1 - x_i+1 y_i)
        sum_k,l (k+l over k) (p+q-k-l over q-l) x_i+1^k x_i^(p-k) y_i+1^l y_i^(q-l)            (1)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial
from typing import Any

import numpy as np

from ..errors import ExpressionError
from ..expr import number
from ..spatial.rotation import Array
from .fields import Names, Spec, sequence
from .specs import NUMBER_OR_TEXT, array_of

Corner = tuple[float, float]


@dataclass(frozen=True)
class Corners(Spec):
    """Corners of a polygon: pairs of lengths."""

    schema = array_of(array_of(NUMBER_OR_TEXT, minItems=2, maxItems=2), minItems=3)

    def read(self, raw: Any, names: Names, owner: type) -> tuple[Corner, ...]:
        """Three or more pairs."""
        rows = [sequence(row, "a corner [x, y]") for row in sequence(raw, "corners [x, y]")]
        if len(rows) < 3 or any(len(row) != 2 for row in rows):
            raise ExpressionError("expected three or more corners [x, y] with two components each")
        return tuple((number(x, "length", names), number(y, "length", names)) for x, y in rows)

    def write(self, value: Any, planar: bool = False) -> Any:
        """A list of pairs."""
        return [list(corner) for corner in value]


class PolygonMoments:
    """Integrals of x^p y^q over a polygon, by (1); its corners go round either way."""

    def __init__(self, corners: tuple[Corner, ...]) -> None:
        ends = (*corners[1:], corners[0])
        self.sides = [(*a, *b) for a, b in zip(corners, ends, strict=True)]
        area = self._signed(0, 0)
        self.sign = abs(area) / area

    def __call__(self, p: int, q: int) -> Any:
        """The moment x^p y^q."""
        return self.sign * self._signed(p, q)

    def _signed(self, p: int, q: int) -> Any:
        total: Any = 0.0
        for x, y, x2, y2 in self.sides:
            inner = sum(
                comb(k + n, k) * comb(p + q - k - n, q - n) * x2**k * x ** (p - k) * y2**n
                * y ** (q - n)
                for k in range(p + 1)
                for n in range(q + 1)
            )  # fmt: skip
            total = total + (x * y2 - x2 * y) * inner
        return total * (factorial(p) * factorial(q) / factorial(p + q + 2))


def crossing(corners: tuple[Corner, ...]) -> str | None:
    """What is wrong with a polygon: no area, or sides that meet where they are not neighbours."""
    a = np.array(corners)
    b = np.roll(a, -1, axis=0)

    def side(p: Array, q: Array, r: Array) -> Array:
        u, w = q - p, r - p
        return u[..., 0] * w[..., 1] - u[..., 1] * w[..., 0]

    A, B, C, D = a[:, None], b[:, None], a[None], b[None]
    apart = (side(A, B, C) * side(A, B, D) < 0) & (side(C, D, A) * side(C, D, B) < 0)
    if np.any(apart):
        i, j = np.argwhere(apart)[0]
        return f"its sides from corner {i + 1} and from corner {j + 1} cross; give corners in order"
    twice = abs(float(np.sum(side(np.zeros(2), a, b))))
    return None if twice > 1e-12 * np.ptp(a) ** 2 else "its corners enclose no area"
