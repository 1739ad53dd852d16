"""Points, circles and lines: the drawing board of the graphic-analytic method.

Points are arrays (x, y). A construction finds the points of a mechanism one after another, each
where two known lines or circles meet; every intersection has a fixed order, so that one choice is
one way of assembling the mechanism (Gronowicz 2.3.1.1).

Two circles meet along the line of their centres: with d = |P Q| and the unit vector u from P to Q

    x = (d^2 + r_P^2 - r_Q^2) / (2 d),   h^2 = r_P^2 - x^2,   points  P + x u +- h u'        (1)

where u' is u turned by 90 deg. The book subtracts the equations of the circles and solves for y_C
(2.36)-(2.40; the print says that they are added); that fails for x_B = d, (1) does not.

The modification method finds positions that no direct construction does. Where known circles and
lines do not fix the next point, one pair is opened. The mechanism that is left is simpler and moves
with one parameter theta; the condition of the pair that was opened,

    F(theta) = (x_E - x_F)^2 + (y_E - y_F)^2 - l_EF^2 = 0                            (2.45), (2.46)

is one equation for it, whatever was opened. It has several roots, one for each way of assembling;
the motion chooses the one nearest to the position before (Gronowicz 2.3.1.2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..door import public
from ..errors import StructureError
from ..libraries import undisturbed
from ..solve.bracketed import root_between
from ..spatial.rotation import Array, cross_in_plane

TOUCHING = 1e-14
"""Squared half chord, in squared radii, below which two points count as one that touches."""


@public
def circle_point(centre: Any, radius: float, angle: float) -> Array:
    """Point of a circle at an angle from x (2.34), (2.35)."""
    return _point(centre) + radius * np.array([np.cos(angle), np.sin(angle)])


@public
def circles_meet(p: Any, radius_p: float, q: Any, radius_q: float) -> Array:
    """Where two circles meet, by (1): an array of 0, 1 or 2 points, the one left of P -> Q first.

    Circles that miss each other by rounding touch in one point.
    """
    p, q = _point(p), _point(q)
    d = float(np.linalg.norm(q - p))
    if d == 0.0:
        _refuse_same(radius_p == radius_q, "the circles are the same; give different centres")
        return np.zeros((0, 2))
    u = (q - p) / d
    x = (d * d + radius_p**2 - radius_q**2) / (2 * d)
    return _chord(p + x * u, turned(u), radius_p**2 - x * x, max(radius_p, radius_q) ** 2)


@public
def circle_meets_line(centre: Any, radius: float, point: Any, direction: Any) -> Array:
    """Where a circle meets a line: 0, 1 or 2 points, the one that lies further along it first."""
    centre, point, u = _point(centre), _point(point), _unit(direction)
    foot = point + ((centre - point) @ u) * u
    height = foot - centre
    return _chord(foot, u, radius**2 - float(height @ height), radius**2)


@public
def lines_meet(p: Any, along_p: Any, q: Any, along_q: Any) -> Array:
    """Where two lines meet, each given by a point and a direction."""
    p, q, u, w = _point(p), _point(q), _unit(along_p), _unit(along_q)
    across = cross_in_plane(u, w)
    _refuse_same(abs(across) < 1e-15, "the lines are parallel; they meet nowhere")
    return np.asarray(p + (cross_in_plane(q - p, w) / across) * u)


@public
def tangents(point: Any, centre: Any, radius: float) -> Array:
    """Where the tangents through a point touch a circle: 0, 1 or 2 points, by Thales."""
    point, centre = _point(point), _point(centre)
    middle = 0.5 * (point + centre)
    half = 0.5 * float(np.linalg.norm(centre - point))
    if 2 * half < radius * (1 - TOUCHING):
        return np.zeros((0, 2))
    return circles_meet(middle, half, centre, radius) if half else np.zeros((0, 2))


@public
def common_tangents(p: Any, radius_p: float, q: Any, radius_q: float) -> Array:
    """Lines that touch two circles: touching points, shape (0 ... 4, 2 circles, 2).

    The two outer ones come first. A tangent with the unit normal n has n'(Q - P) = r_P -+ r_Q.
    """
    p, q = _point(p), _point(q)
    d = float(np.linalg.norm(q - p))
    found = []
    for side in (1.0, -1.0):
        cosine = (radius_p - side * radius_q) / d if d else np.inf
        if abs(cosine) <= 1.0:
            for sine in (np.sqrt(1 - cosine**2), -np.sqrt(1 - cosine**2)):
                n = cosine * (q - p) / d + sine * turned(q - p) / d
                found.append([p + radius_p * n, q + side * radius_q * n])
    return np.array(found).reshape(-1, 2, 2)


def _chord(foot: Array, along: Array, h2: float, scale: float) -> Array:
    """Ends of a chord with the squared half length h2 about its middle."""
    if h2 < -TOUCHING * scale:
        return np.zeros((0, 2))
    if h2 <= TOUCHING * scale:
        return foot[None]
    h = np.sqrt(h2)
    return np.array([foot + h * along, foot - h * along])


def _point(p: Any) -> Array:
    return np.asarray(p, dtype=float)


def _unit(u: Any) -> Array:
    u = np.asarray(u, dtype=float)
    length = float(np.linalg.norm(u))
    _refuse_same(length == 0.0, "a direction has length 0; give one such as (1, 0)")
    return np.asarray(u / length)


def turned(u: Array) -> Array:
    """A vector turned by 90 deg: unit angular velocity x u."""
    return np.array([-u[1], u[0]])


def _refuse_same(wrong: bool, message: str) -> None:
    if wrong:
        raise StructureError(message)


@public
def roots_of(
    condition: Callable[[float], float],
    low: float,
    high: float,
    *,
    samples: int = 720,
    tolerance: float = 1e-9,
) -> Array:
    """All places from `low` to `high` where the removed condition F(theta) = 0 holds.

    F is scanned, changes of sign are bracketed and refined, and so are places where |F| comes down
    to zero without crossing it (below `tolerance` of its largest value). Where the mechanism that
    is left cannot be assembled, F is nan.
    """
    theta = np.linspace(low, high, samples + 1)
    values = np.array([condition(float(x)) for x in theta])
    size = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    found = [float(x) for x, f in zip(theta, values, strict=True) if f == 0.0]
    for k in range(samples):
        found += _crossing(condition, theta[k : k + 2], values[k : k + 2])
    for k in range(1, samples):
        found += _touching(condition, theta[k - 1 : k + 2], values[k - 1 : k + 2], tolerance * size)
    roots = np.sort(found)
    return roots[np.diff(roots, prepend=-np.inf) > 1e-9 * abs(high - low)]


@public
def nearest(roots: Any, previous: float, period: float | None = None) -> float:
    """The root that the motion reaches next: the one nearest to the position before."""
    roots = np.atleast_1d(np.asarray(roots, dtype=float))
    if not len(roots):
        raise StructureError("there is no root to choose from: the mechanism cannot be assembled")
    if period is not None:
        roots = previous + (roots - previous + period / 2) % period - period / 2
    return float(roots[np.argmin(np.abs(roots - previous))])


def _crossing(f: Callable[[float], float], ends: Array, values: Array) -> list[float]:
    """The root between two samples of opposite sign; a jump is none."""
    ends, values = _assembled_part(f, ends, values)
    if not (values[0] * values[1] < 0):
        return []
    root = root_between(f, ends[0], ends[1], xtol=1e-15, rtol=8.9e-16)
    return [root] if abs(f(root)) <= 1e-6 * np.abs(values).max() else []


def _assembled_part(f: Callable[[float], float], ends: Array, values: Array) -> tuple[Array, Array]:
    """The part of an interval in which the mechanism can be assembled, by bisection."""
    ends, values = ends.copy(), values.copy()
    if np.isfinite(values).sum() != 1:
        return ends, values
    out = int(np.isnan(values[1]))
    bad, good, value = ends[out], ends[1 - out], values[1 - out]
    for _ in range(52):
        middle = 0.5 * (bad + good)
        at = f(float(middle))
        if np.isnan(at):
            bad = middle
        else:
            good, value = middle, at
    ends[out], values[out] = good, value
    return ends, values


def _touching(
    f: Callable[[float], float], theta: Array, values: Array, small: float
) -> list[float]:
    """A place where |F| comes down to zero and goes up again, with the same sign."""
    with undisturbed():
        from scipy.optimize import minimize_scalar

    same = np.all(values > 0) or np.all(values < 0)
    size = np.abs(values)
    if not (same and size[1] <= min(size[0], size[2])):
        return []
    bounds = (theta[0], theta[2])
    low = minimize_scalar(lambda x: abs(f(x)), bounds=bounds, options={"xatol": 1e-12})
    return [float(low.x)] if low.fun <= small else []
