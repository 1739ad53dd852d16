"""Functions of a position on panels: values at the points of Gauss, integrals to rounding.

The way is cut into panels, each with the eight points of Gauss and Legendre. On a panel a function
is the polynomial through them, f = sum c_k P_k(u) with  c_k = (2k + 1)/2 sum_j w_j P_k(u_j) f_j,
and its integral is that of the polynomial. A panel whose last two coefficients tell of more is
halved, so a kink, such as that of a load whose sign follows the velocity, costs a few dozen halves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ..display import Displayed
from ..spatial.rotation import Array

POINTS = 8
U, WEIGHTS = legendre.leggauss(POINTS)
COEFFICIENTS = ((np.arange(POINTS) + 0.5) * legendre.legvander(U, POINTS - 1) * WEIGHTS[:, None]).T
"""From values at the points to coefficients."""
INTEGRAL = legendre.legval(U, legendre.legint(COEFFICIENTS, lbnd=-1)).T
"""From values at the points to integrals from the beginning of the panel to its points."""
FIRST = 16
"""Panels that a way is cut into at first."""
EXACT, DEEPEST = 1e-13, 44
"""Share of the largest integral that a panel may miss, and how often it is halved at most."""
MANY = 1000
"""Rough panels of one width, from which on they are taken as they are."""


@dataclass(frozen=True, eq=False)
class Panels(Displayed):
    """Several functions of x on panels."""

    edges: Array
    """Where panels begin and end, (panels + 1,), rising or falling."""
    values: Array
    """At the points of all panels, (functions, panels, POINTS)."""

    @property
    def x(self) -> Array:
        """The points, (panels, POINTS)."""
        return points(self.edges)

    def at(self, values: Array, x: Any) -> Array:
        """A function that has `values` at the points, anywhere on the way."""
        k, share = self._places(x)
        return _polynomials(values, k, share)

    def integral(self, values: Array, x: Any) -> Array:
        """Its integral from the beginning of the way to x.

        That over the part of a panel before x is the length of this part times the mean by its own
        points of Gauss, so that near the beginning of a way that starts at 0 nothing cancels.
        """
        k, share = self._places(x)
        means = _polynomials(values, k, np.multiply.outer(0.5 * (1 + U), share))
        part = np.diff(self.edges)[k] * share
        return self.sums(values)[k] + part * np.tensordot(0.5 * WEIGHTS, means, 1)

    def sums(self, values: Array) -> Array:
        """Its integrals from the beginning of the way to all edges."""
        return np.append(0.0, np.cumsum(0.5 * np.diff(self.edges) * (values @ WEIGHTS)))

    def inside(self, values: Array) -> Array:
        """Its integrals to all points, (panels, POINTS)."""
        half = 0.5 * np.diff(self.edges)[:, None]
        return self.sums(values)[:-1, None] + half * (values @ INTEGRAL.T)

    def _places(self, x: Any) -> tuple[Array, Array]:
        """Numbers of panels, and which share of them lies before x."""
        x = np.asarray(x, dtype=float)
        way = np.sign(self.edges[-1] - self.edges[0])
        k = np.searchsorted(way * self.edges, way * x, side="right") - 1
        k = np.clip(k, 0, len(self.edges) - 2)
        low, high = self.edges[k], self.edges[k + 1]
        return k, (x - low) / (high - low)


def _polynomials(values: Array, k: Array, share: Array) -> Array:
    """Those through the values on panels k, at shares of them; axes in front are free."""
    return legendre.legval(2 * share - 1, (values @ COEFFICIENTS.T).T[:, k], tensor=False)


def points(edges: Array) -> Array:
    """The points of Gauss on panels."""
    low, high = edges[:-1, None], edges[1:, None]
    return 0.5 * (low + high) + 0.5 * (high - low) * U


def resolved(functions: Callable[[Array], Array], low: float, high: float) -> Panels:
    """Panels from one position to another on which functions (functions, positions) are resolved.

    `functions` is called with many positions at once.
    """
    new = np.linspace(low, high, FIRST + 1)
    new = np.stack([new[:-1], new[1:]], axis=1)
    done: list[tuple[Array, Array]] = []
    scale: Any = 0.0
    for depth in range(DEEPEST):
        x = 0.5 * (new.sum(axis=1)[:, None] + np.diff(new, axis=1) * U)
        values = functions(x.ravel())
        values = values.reshape(len(values), *x.shape)
        scale = np.maximum(scale, np.abs(values).max(axis=(1, 2)))
        tail = np.abs(values @ COEFFICIENTS[-2:].T).sum(axis=2)
        share = np.abs(np.diff(new, axis=1)[:, 0] / (high - low))
        rough = np.any(tail * share > EXACT * scale[:, None], axis=0)
        if depth + 1 == DEEPEST or rough.sum() > MANY:  # the noise of rounding is rough everywhere
            rough[:] = False
        done.append((new[~rough], values[:, ~rough]))
        if not rough.any():
            break
        middle = new[rough].mean(axis=1)
        new = np.stack([new[rough][:, 0], middle, middle, new[rough][:, 1]], axis=1).reshape(-1, 2)
    panels = np.concatenate([each for each, _ in done])
    values = np.concatenate([each for _, each in done], axis=1)
    order = np.argsort(panels[:, 0] * np.sign(high - low))
    return Panels(np.append(panels[order, 0], high), values[:, order])
