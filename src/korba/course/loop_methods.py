"""The methods of the course for positions of a vector loop, each for every shape of loop.

The loops are the table of loop_shapes.py, with (1) and (2) there. Every method gives the unknowns
for arrays of theta_1 and one of two signs:

                             +1, "open"                              -1, "crossed"
    four-bar                 C to the left of the line from B to D   to its right
    slider-crank             C further along the guide               less far
    inverted slider-crank    B ahead of D along the guide, s > 0     behind it

Their lines do not check whether the links reach each other; the verbs of loop_motion.py do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from .construction import circle_point
from .iterations import newton
from .loop_shapes import Loop, Position

BRANCHES = {"open": 1, "crossed": -1}


def vector(loop: Loop, theta: Array, sign: int) -> Position:
    """Projections of the vector loop (2.48), one unknown eliminated (2.51), which gives (2).

        theta = arg(P, Q) +- arccos(-S / |P, Q|)

    and the other unknown from (2.48). The arc cosine is taken as an arc tangent, which keeps its
    digits.
    """
    (name, equation), *_ = loop.shape.equations.items()
    P, Q, S = equation(loop, loop.to_D(theta))
    angle = np.arctan2(Q, P) + sign * np.arctan2(_root(P * P + Q * Q - S * S), -S)
    return loop.completed(theta, **{name: angle})


def complex_numbers(loop: Loop, theta: Array, sign: int) -> Position:
    """The loop and its conjugate (2.66)-(2.74): a quadratic in w = e^(i theta) for each angle.

        (P - i Q) w^2 + 2 S w + (P + i Q) = 0                                      (2.71), (2.74)

    With z = d - a e^(i theta_1), from B to D, that of a four-bar's rocker is
    c z~ w^2 + (z z~ + c^2 - b^2) w + c z = 0. In the product before (2.74) the print has the signs
    of d d~ and d a~ exchanged.
    """

    def solved(P: Any, Q: Any, S: Any) -> Any:
        return np.angle((-S + 1j * sign * _root(P * P + Q * Q - S * S)) / (P - 1j * Q))

    return _every_angle(loop, theta, solved)


def freudenstein(loop: Loop, theta: Array, sign: int) -> Position:
    """(2) in u = tan(theta / 2) for each unknown angle, Freudenstein's equation (2.52)-(2.59).

        (S - P) u^2 + 2 Q u + (S + P) = 0

    For a four-bar these are C_1 ... C_6 of (2.55) and (2.58) times 2 a c and 2 a b. Corrected: C_3
    has + k_3, which the print leaves out, and C_4 has + k_4 cos theta_1, where it has a minus. The
    same sign in (2.56) and (2.59) is the same configuration.
    """
    return _every_angle(loop, theta, lambda P, Q, S: _half_angle(S - P, 2 * Q, S + P, -sign))


def _every_angle(loop: Loop, theta: Array, solved: Callable[[Any, Any, Any], Any]) -> Position:
    """Each unknown angle from its own equation (2), a length by projection."""
    z = loop.to_D(theta)
    angles = {name: solved(*equation(loop, z)) for name, equation in loop.shape.equations.items()}
    return loop.completed(theta, **angles)


def construction(loop: Loop, theta: Array, sign: int) -> Position:
    """The drawing board (2.3.1.1): circles, lines and tangents, one position after another."""
    rows = [
        loop.shape.drawn(loop, circle_point((0.0, 0.0), loop.a, angle), sign)
        for angle in theta.ravel()
    ]
    return Position(*(np.reshape(column, theta.shape) for column in np.reshape(rows, (-1, 3)).T))


def newton_raphson(loop: Loop, theta: Array, sign: int, start: Any = None) -> Position:
    """Newton's method on the projections (2.48), with the Jacobian A of (3.38).

    The start is what one reads off a drawing to scale, in whole degrees and hundredths of the
    greatest length, unless it is given; then every position starts from the one before.
    """
    names = loop.shape.unknowns
    units = np.array([loop.size / 100 if name == "s" else np.radians(1) for name in names])
    rows, guess = [], start
    for angle in theta.ravel():
        if start is None:
            at = construction(loop, np.asarray(angle), sign)
            guess = units * np.round([float(getattr(at, name)) for name in names] / units)
        residual, matrix = partial(loop.residual, angle), partial(loop.matrix, angle)
        guess = newton(residual, matrix, guess, tolerance=1e-14 * loop.size).x
        rows.append(guess)
    columns = (np.reshape(column, theta.shape) for column in np.reshape(rows, (-1, 2)).T)
    return loop.completed(theta, **dict(zip(names, columns, strict=True)))


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


METHODS: dict[str, Callable[..., Position]] = {
    "freudenstein": freudenstein,
    "vector": vector,
    "complex": complex_numbers,
    "construction": construction,
    "newton": newton_raphson,
}
