"""The inner problem of the semi-canonical form: the z that maximises  b'z - z'Az/2,  so  A z = b.

A is known by its product with a vector only. Three ways:

conjugate directions from unit vectors, each made conjugate to those before; n of them always do,
and no length is divided by that could vanish, so it is written as a straight program:

    d_i = e_i - sum_j (e_i'A d_j / d_j'A d_j) d_j,     z = sum_i (d_i'b / d_i'A d_i) d_i      (1)

conjugate gradients, with the same directions made from the residuals r = b - A z: at most n steps
but for rounding, fewer from a near start:

    z += alpha d,  r -= alpha A d,  d = r + (r'r / r_old'r_old) d,  alpha = r'r / d'A d      (2)

minimal residuals, with y = A z - b:

    z -= gamma y,  y -= gamma A y,  gamma = (Ay, y) / (Ay, Ay)      (3.3)

Both iterations stop when the step |z_new - z| is below the tolerance, or by the residual when

    |y| <= tolerance / bound,   bound >= every gamma (or alpha)      (3.4)

Source: Dunskaya & Pyatnitsky (1996), (3.2)-(3.4); Hestenes & Stiefel (1952) for (1) and (2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import SimulationError
from ..spatial.rotation import Array

Product = Callable[[Array], Array]
"""z -> A z."""


class Stop(NamedTuple):
    """When an iteration ends: by its step always, by (3.4) after some iterations."""

    tolerance: Any
    limit: Any
    after: Any
    """Iterations after which (3.4) holds too: n for conjugate gradients, which then should end."""


@dataclass(frozen=True, eq=False)
class Iteration:
    """One solver: how it starts and how it goes on, as plain formulas for numbers and symbols.

    start(product, z, b) and step(product, x) give the state x of the iteration in one vector: z,
    then residual and direction, at the end the square of the residual, the square of the last step
    and the last gamma (or alpha).
    """

    name: str
    vectors: int
    start: Callable[[Product, Any, Any], Array]
    step: Callable[[Product, Any], Array]

    def size(self, n: int) -> int:
        """Elements of x for n unknowns."""
        return self.vectors * n + 3


def conjugate_solution(product: Product, b: Any, order: Sequence[int]) -> Array:
    """z with A z = b by conjugate directions (1) from the unit vectors in the given order."""
    b = np.asarray(b)
    z = np.zeros(len(b), dtype=object)
    found: list[tuple[Array, Array, Any]] = []
    for i in order:
        d = np.zeros(len(b), dtype=object)
        d[i] = 1.0
        Ad = np.asarray(product(d), dtype=object)
        for d_j, Ad_j, D_j in found:
            share = Ad_j[i] / D_j
            d, Ad = d - share * d_j, Ad - share * Ad_j
        found.append((d, Ad, Ad[i]))  # d'A d, for d differs from e_i by what is conjugate to it
        z = z + (d @ b) / Ad[i] * d
    return z


def _dot(a: Array, b: Array) -> Any:
    """a'b, summed by halves: products far apart do not wait for each other."""
    terms = a * b
    while len(terms) > 1:
        half = len(terms) // 2
        terms = np.concatenate([terms[:half] + terms[half : 2 * half], terms[2 * half :]])
    return terms[0]


def _conjugate_start(product: Product, z: Any, b: Any) -> Array:
    r = b - product(z)
    return np.concatenate([z, r, r, [_dot(r, r), 1.0, 0.0]])


def _conjugate_step(product: Product, x: Any) -> Array:
    """(2)."""
    z, r, d = np.split(x[:-3], 3)
    Ad = product(d)
    alpha = x[-3] / _dot(d, Ad)
    rest = r - alpha * Ad
    square = _dot(rest, rest)
    sizes = [square, alpha * alpha * _dot(d, d), alpha]
    return np.concatenate([z + alpha * d, rest, rest + (square / x[-3]) * d, sizes])


def _residual_start(product: Product, z: Any, b: Any) -> Array:
    y = product(z) - b
    return np.concatenate([z, y, [_dot(y, y), 1.0, 0.0]])


def _residual_step(product: Product, x: Any) -> Array:
    """(3.3), with the residual carried along: one product each."""
    z, y = np.split(x[:-3], 2)
    Ay = product(y)
    gamma = _dot(Ay, y) / _dot(Ay, Ay)
    rest = y - gamma * Ay
    return np.concatenate([z - gamma * y, rest, [_dot(rest, rest), gamma * gamma * x[-3], gamma]])


CONJUGATE = Iteration("conjugate", 3, _conjugate_start, _conjugate_step)
MINIMAL_RESIDUAL = Iteration("minimal-residual", 2, _residual_start, _residual_step)
SOLVERS = {solver.name: solver for solver in (CONJUGATE, MINIMAL_RESIDUAL)}


def not_converged(stop: Stop) -> SimulationError:
    """What is said of an inner problem that does not end."""
    return SimulationError(
        f"the inner problem has not come to the tolerance {stop.tolerance:g} in {stop.limit} "
        "iterations; use conjugate directions, a larger tolerance or a higher limit"
    )
