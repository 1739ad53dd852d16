"""Ways to go from 0 to 1: the laws by which followers of cams rise, as functions of expressions.

For x below 0 each is 0, above 1 it is 1: a rise, a dwell and a fall are a difference of two,

    15 mm*(cycloidal(phi/(100 deg)) - cycloidal((phi - 150 deg)/(110 deg)))

    harmonic(x)    (1 - cos(pi x))/2                        acceleration jumps at both ends
    cycloidal(x)   x - sin(2 pi x)/(2 pi)
    poly345(x)     10 x^3 - 15 x^4 + 6 x^5
    poly4567(x)    35 x^4 - 84 x^5 + 70 x^6 - 20 x^7        no jerk at the ends
    trapezoid(x)   modified: acceleration a sin(4 pi x) to x = 1/8, a to 3/8, a cos(4 pi (x - 3/8))
                   to 1/2, then the same downwards; a = 8 pi/(2 + pi)

Source: Norton (2009), Cam Design and Manufacturing Handbook, chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from korba.expr.node import Expr, build, constant

Rise = Callable[[Expr], Expr]


def _harmonic(x: Expr) -> Expr:
    return 0.5 - 0.5 * (math.pi * x).cos()


def _cycloidal(x: Expr) -> Expr:
    return x - (2 * math.pi * x).sin() / (2 * math.pi)


def _poly345(x: Expr) -> Expr:
    return x**3 * (10.0 + x * (6.0 * x - 15.0))


def _poly4567(x: Expr) -> Expr:
    return x**4 * (35.0 + x * (x * (70.0 - 20.0 * x) - 84.0))


def _trapezoid(x: Expr) -> Expr:
    """Integrals of the acceleration, piece by piece; above 1/2 it is 1 - s(1 - x)."""
    a, w = 8 * math.pi / (2 + math.pi), 4 * math.pi
    early = build("less", x, constant(0.5))
    y = early.where(x, 1.0 - x)
    first = a / w * (y - (w * y).sin() / w)
    s1 = a / w * (1 / 8 - 1 / w)
    second = s1 + a / w * (y - 1 / 8) + a / 2 * (y - 1 / 8) ** 2
    s2 = s1 + a / w / 4 + a / 32
    z = y - 3 / 8
    third = s2 + (a / w + a / 4) * z + a / w**2 * (1.0 - (w * z).cos())
    half = (y < 1 / 8).where(first, (z < 0.0).where(second, third))
    return early.where(half, 1.0 - half)


_RISES: dict[str, Rise] = {
    "harmonic": _harmonic,
    "cycloidal": _cycloidal,
    "poly345": _poly345,
    "poly4567": _poly4567,
    "trapezoid": _trapezoid,
}
NAMES = tuple(_RISES)


def rise(name: str, x: Expr) -> Expr:
    """The expression of a rise at x."""
    inside = _RISES[name](x)
    below = build("less_equal", x, constant(0.0)).where(constant(0.0), inside)
    return build("less", x, constant(1.0)).where(below, constant(1.0))
