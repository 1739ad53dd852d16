"""Curves that points of a mechanism draw while one coordinate goes through its whole range.

After a full turn the curve is closed. Between dead points it ends where the next branch begins, and
positions crowd there as q ~ sqrt(x - x_0); values spaced as  x = a + b cos(k pi / n)  spread them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed, Tabled
from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..solve.configuration import Configuration, present
from ..solve.configurations import configurations
from ..solve.search import SAME, apart
from ..spatial.rotation import Array
from ..trajectory.places import place
from ..verbs.options import ORIGIN, located
from .input_range import InputRange, input_range

FLAT = 1e-9
"""Part of its size by which a curve in the plane may leave it."""


@dataclass(frozen=True, eq=False)
class CurveBranch(Tabled):
    """The curve on one branch: values of the coordinate, positions and points."""

    rows_of = (
        ("values", 0),
        ("points", 1),
    )

    values: Array
    q: Array
    """Positions of the mechanism, shape (count, nq)."""
    points: Array
    """The curve, shape (count, 3), in the world."""
    range: InputRange

    @property
    def closed(self) -> bool:
        """Whether the curve comes back to its beginning on this branch."""
        return self.range.returns

    @property
    def length(self) -> float:
        """Length of the polygon through the points."""
        points = np.vstack([self.points, self.points[:1]]) if self.closed else self.points
        return float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))

    @property
    def area(self) -> float:
        """Area that a closed curve encloses in the plane, as a planimeter has it.

        Positive where the point goes counter-clockwise as the coordinate grows; loops of a curve
        that crosses itself count by their own sense. With z = x + iy of equal steps over a full
        turn,  z = sum c_k exp(i k t),  it is  pi sum k |c_k|^2.
        """
        if not self.closed:
            raise StructureError(
                "the curve does not come back to its beginning on this branch, so it encloses "
                "nothing; add the branch that goes on at its ends (branches='all')"
            )
        if np.ptp(self.points[:, 2]) > FLAT * np.ptp(self.points, axis=0).max():
            raise StructureError(
                "the curve is not in the plane of x and y, so it has no area there"
            )
        c = np.fft.fft(self.points[:, 0] + 1j * self.points[:, 1]) / len(self.points)
        k = np.fft.fftfreq(len(c), 1 / len(c))
        return float(np.pi * np.sum(k * np.abs(c) ** 2))


@dataclass(frozen=True, eq=False)
class CouplerCurve(Displayed):
    """What a point of a body draws; the branch of the drawing comes first."""

    body: str
    point: tuple[float, float, float]
    coordinate: str
    branches: tuple[CurveBranch, ...]
    complete: bool
    """Whether these are known to be all branches; False if only the drawing's was asked for."""

    @property
    def points(self) -> Array:
        """The curve on the first branch, shape (count, 3)."""
        return self.branches[0].points

    @property
    def values(self) -> Array:
        """Values of the coordinate on the first branch."""
        return self.branches[0].values


@public
def coupler_curve(
    m: Mechanism,
    body: str,
    point: Any = ORIGIN,
    *,
    coordinate: str,
    count: int = 360,
    held: Mapping[str, float] | None = None,
    branches: str = "drawn",
) -> CouplerCurve:
    """The curve of a point of a body over the whole range of a coordinate.

    The point is "coupler.P", or a body with the name of one of its points or a place in its frame.

    A coordinate that turns fully takes `count` equal steps from its drawn value, the end not
    repeated; else `count` values go from one limit to the other, denser at the ends. With
    `branches="all"` every assembly mode at the middle of the range has its curve.
    """
    body, at = located(m, body, point)
    if count < 2:
        raise StructureError(f"count: expected 2 or more points, got {count}")
    if branches not in {"drawn", "all"}:
        raise StructureError(f"branches: expected 'drawn' or 'all', got {branches!r}")
    first = input_range(m, coordinate, held)
    ranges, complete = [first], False
    if branches == "all":
        modes, complete = _other_modes(m, first)
        ranges += [input_range(m, coordinate, held, near) for near in modes]
    curves = tuple(_curve(m, body, at, found, count) for found in ranges)
    return CouplerCurve(body, at, coordinate, curves, complete)


def _curve(
    m: Mechanism, body: str, at: tuple[float, float, float], found: InputRange, count: int
) -> CurveBranch:
    low, high = found.ends
    if found.full_turn:
        values = low + 2 * np.pi * np.arange(count) / count
    else:
        values = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.linspace(0, np.pi, count))
        values[[0, -1]] = low, high
    q = found.q(values)
    return CurveBranch(values, q, place(m, q, body, at), found)


def _other_modes(m: Mechanism, found: InputRange) -> tuple[list[Configuration], bool]:
    """The assembly modes at the middle of a range, without the one that was followed."""
    low, high = found.ends
    middle = found.input.value if found.full_turn else 0.5 * (low + high)
    q = found.q(np.array([middle]))[0]
    system = found.input.system
    given = dict(zip(system.held, present(system, q, 0.0).tolist(), strict=True))
    modes = configurations(m, given)
    away = apart(system, q, [mode.q for mode in modes])
    return [x for x, far in zip(modes, away, strict=True) if far > 10 * SAME], modes.complete
