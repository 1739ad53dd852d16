"""Points, circles and lines: the drawing board of the graphic-analytic method.

Points are arrays (x, y). A construction finds the points of a mechanism one after another, each
where two known lines or circles meet; every intersection has a fixed order, so that one choice is
one way of assembling the mechanism (Gronowicz 2.3.1.1).

Two circles meet along the line of their centres: with d = |P Q| and the unit vector u from P to Q

    x = (d^2 + r_P^2 - r_Q^2) / (2 d),   h^2 = r_P^2 - x^2,   points  P + x u +- h u'        (1)

where u' is u turned by 90 deg. The book subtracts the equations of the circles and solves for y_C
(2.36)-(2.40; the print says that they are added); that fails for x_B = d, (1) does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..door import public
from ..errors import StructureError
from ..spatial.rotation import Array

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
    across = cross(u, w)
    _refuse_same(abs(across) < 1e-15, "the lines are parallel; they meet nowhere")
    return np.asarray(p + (cross(q - p, w) / across) * u)


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


def cross(u: Array, w: Array) -> float:
    """u_x w_y - u_y w_x."""
    return float(u[0] * w[1] - u[1] * w[0])


def _refuse_same(wrong: bool, message: str) -> None:
    if wrong:
        raise StructureError(message)
