"""Where a function of one number vanishes between two values at which its signs differ.

Inverse quadratic interpolation where the last three points tell that it will do well, else halving.
Source: Chandrupatla (1997), Advances in Engineering Software 28, 145-149.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import KorbaError

MOST = 300
"""Turns; halving takes 1100 from the largest to the least number, and is hardly ever needed."""

_Point = tuple[float, float]


def root_between(
    f: Callable[[float], float], low: float, high: float, xtol: float = 1e-12, rtol: float = 1e-15
) -> float:
    """A root of f between `low` and `high`, to within xtol + rtol |x|."""
    a, b = float(high), float(low)
    f_a, f_b = float(f(a)), float(f(b))
    if f_a * f_b > 0.0:
        raise KorbaError(f"no root is known to lie between {low:g} and {high:g}: signs are equal")
    c, f_c, t = b, f_b, 0.5
    for _ in range(MOST):
        best, least = (a, f_a) if abs(f_a) < abs(f_b) else (b, f_b)
        if least == 0.0:
            return best
        margin = 0.5 * (xtol + rtol * abs(best)) / abs(b - a)
        if margin >= 0.5:
            return best
        x = a + min(max(t, margin), 1.0 - margin) * (b - a)
        f_x = float(f(x))
        if (f_x > 0.0) == (f_a > 0.0):
            c, f_c = a, f_a
        else:
            c, f_c, b, f_b = b, f_b, a, f_a
        a, f_a = x, f_x
        t = _share((a, f_a), (b, f_b), (c, f_c))
    return best


def _share(one: _Point, two: _Point, three: _Point) -> float:
    """The part of the way from the first to the second at which to look next."""
    (a, f_a), (b, f_b), (c, f_c) = one, two, three
    if c == b or f_c in {f_a, f_b}:
        return 0.5
    xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    if not (phi**2 < xi and (1.0 - phi) ** 2 < 1.0 - xi):
        return 0.5
    way = f_a / (f_b - f_a) * f_c / (f_b - f_c)
    return way + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
