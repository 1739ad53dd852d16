"""The four-bar ABCD by the methods of the course, one function each.

A is the origin, D = (d, 0); AB = a at the angle theta_1, BC = b at theta_2, DC = c at theta_3:

    a e^(i theta_1) + b e^(i theta_2) = d + c e^(i theta_3)                            (2.47, 2.66)

Every function gives theta_2 and theta_3 for arrays of theta_1 and one of two signs: +1 puts C to
the left of the line from B to D ("open"), -1 to its right ("crossed"). The lines do not check
whether the links reach each other; `four_bar` does.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from .construction import circle_point, circles_meet
from .newton import newton

Angles = tuple[Array, Array]
Sizes = tuple[float, float, float, float]
"""a, b, c, d."""


def construction(sizes: Sizes, theta: Array, sign: int) -> Angles:
    """Point C where the circles about B and D meet, then the angles (2.34)-(2.42)."""
    a, b, c, d = sizes
    found = []
    for angle in theta.ravel():
        B, D = circle_point((0.0, 0.0), a, angle), np.array([d, 0.0])
        both = circles_meet(B, b, D, c)
        C = both[0 if sign > 0 else -1]
        BC, DC = C - B, C - D
        found.append([np.arctan2(BC[1], BC[0]), np.arctan2(DC[1], DC[0])])  # (2.41), (2.42)
    angles = np.array(found).reshape(*theta.shape, 2)
    return angles[..., 0], angles[..., 1]


def vector(sizes: Sizes, theta: Array, sign: int) -> Angles:
    """Projections of the vector loop (2.48), theta_2 eliminated by squaring and adding (2.51).

        P cos theta_3 + Q sin theta_3 + S = 0,     theta_3 = arg(P, Q) +- arccos(-S / |P, Q|)

    and theta_2 from (2.48). The arc cosine is taken as an arc tangent, which keeps its digits.
    """
    a, b, c, d = sizes
    P, Q = 2 * c * (d - a * np.cos(theta)), -2 * a * c * np.sin(theta)
    S = a * a + c * c + d * d - b * b - 2 * a * d * np.cos(theta)
    opening = np.arctan2(_root(P * P + Q * Q - S * S), -S)
    theta_3 = np.arctan2(Q, P) + sign * opening
    y = c * np.sin(theta_3) - a * np.sin(theta)
    x = d + c * np.cos(theta_3) - a * np.cos(theta)
    return np.arctan2(y, x), theta_3


def freudenstein(sizes: Sizes, theta: Array, sign: int) -> Angles:
    """Freudenstein's equation in u = tan(theta / 2) for both angles (2.52)-(2.59).

    Corrected: C_3 has + k_3, which the print leaves out, and C_4 has + k_4 cos theta_1, where it
    has a minus. The same sign in (2.56) and (2.59) is the same configuration.
    """
    a, b, c, d = sizes
    cos, sin = np.cos(theta), np.sin(theta)
    k_1, k_2, k_3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    k_4, k_5 = d / b, (c * c - d * d - a * a - b * b) / (2 * a * b)
    C_1, C_2, C_3 = cos - k_1 - k_2 * cos + k_3, -2 * sin, k_1 - (k_2 + 1) * cos + k_3  # (2.55)
    C_4, C_5, C_6 = cos - k_1 + k_4 * cos + k_5, -2 * sin, k_1 + (k_4 - 1) * cos + k_5  # (2.58)
    return _half_angle(C_4, C_5, C_6, -sign), _half_angle(C_1, C_2, C_3, -sign)


def complex_numbers(sizes: Sizes, theta: Array, sign: int) -> Angles:
    """The loop times its conjugate (2.66)-(2.74), as quadratics in w = e^(i theta).

    With z = d - a e^(i theta_1), from B to D, b e^(i theta_2) = z + c w_3 and its conjugate give

        c z~ w_3^2 + (z z~ + c^2 - b^2) w_3 + c z = 0                                    (2.71)
        b z~ w_2^2 - (z z~ + b^2 - c^2) w_2 + b z = 0                                    (2.74)

    In the product before (2.74) the print has the signs of d d~ and d a~ exchanged.
    """
    a, b, c, d = sizes
    z = d - a * np.exp(1j * theta)
    zz = (z * z.conjugate()).real
    K_3, K_2 = zz + c * c - b * b, zz + b * b - c * c
    w_3 = (-K_3 + 1j * sign * _root(4 * c * c * zz - K_3 * K_3)) / (2 * c * z.conjugate())
    w_2 = (K_2 + 1j * sign * _root(4 * b * b * zz - K_2 * K_2)) / (2 * b * z.conjugate())
    return np.angle(w_2), np.angle(w_3)


def newton_raphson(sizes: Sizes, theta: Array, sign: int, start: Any = None) -> Angles:
    """Newton's method on the projections (2.48), with the Jacobian A of (3.38).

    The start is what one reads off a drawing to scale, in whole degrees, unless it is given; then
    every position starts from the one before.
    """
    found, guess = [], None if start is None else np.asarray(start, dtype=float)
    for angle in theta.ravel():
        if guess is None:
            drawn = np.ravel(construction(sizes, np.asarray(angle), sign))
            at = np.radians(np.round(np.degrees(drawn)))
        else:
            at = guess
        gap = partial(loop_gap, sizes, angle)
        run = newton(gap, lambda x: loop_matrix(sizes, *x), at, tolerance=1e-14 * max(sizes))
        found.append(run.x)
        guess = None if start is None else run.x
    angles = np.array(found).reshape(*theta.shape, 2)
    return angles[..., 0], angles[..., 1]


def loop_gap(sizes: Sizes, theta: float, x: Array) -> Array:
    """Projections of the loop (2.48) at angles (theta_2, theta_3) that may not close it."""
    a, b, c, d = sizes
    return np.array(
        [
            a * np.cos(theta) + b * np.cos(x[0]) - d - c * np.cos(x[1]),
            a * np.sin(theta) + b * np.sin(x[0]) - c * np.sin(x[1]),
        ]
    )


def loop_matrix(sizes: Sizes, theta_2: Any, theta_3: Any) -> Array:
    """A of (3.38), shape (..., 2, 2): the derivative of (2.48) by theta_2 and theta_3."""
    _, b, c, _ = sizes
    rows = [
        [-b * np.sin(theta_2), c * np.sin(theta_3)],
        [b * np.cos(theta_2), -c * np.cos(theta_3)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _half_angle(p: Array, q: Array, r: Array, sign: int) -> Array:
    """2 arctan of a root u of p u^2 + q u + r = 0, also where u is infinite.

    u = (-q +- root) : 2p = 2r : (-q -+ root), of which the larger pair has the digits.
    """
    root = sign * _root(q * q - 4 * p * r)
    one, two = (-q + root, 2 * p), (2 * r, -q - root)
    larger = np.hypot(*one) >= np.hypot(*two)
    y, x = (np.where(larger, first, second) for first, second in zip(one, two, strict=True))
    return np.asarray(2 * np.arctan2(y, x))


def _root(x: Array) -> Array:
    """Square root; at the ends of reach rounding may leave less than zero."""
    return np.asarray(np.sqrt(np.maximum(x, 0.0)))


METHODS = {
    "freudenstein": freudenstein,
    "vector": vector,
    "complex": complex_numbers,
    "construction": construction,
    "newton": newton_raphson,
}
