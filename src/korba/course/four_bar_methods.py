"""The four-bar ABCD: positions by the methods of the course, velocities, accelerations.

A is the origin, D = (d, 0); AB = a at the angle theta_1, BC = b at theta_2, DC = c at theta_3:

    a e^(i theta_1) + b e^(i theta_2) = d + c e^(i theta_3)                            (2.47, 2.66)

Every method gives theta_2 and theta_3 for arrays of theta_1 and one of two signs: +1 puts C to the
left of the line from B to D ("open"), -1 to its right ("crossed"). Their lines do not check whether
the links reach each other; `four_bar` does. Velocities and accelerations follow from the vector
loop differentiated once and twice (Gronowicz, Example 3.3):

    w_2 BC - w_3 DC = -w_1 AB                                                              (3.38)
    e_2 BC - e_3 DC = -e_1 AB - i (w_1^2 AB + w_2^2 BC - w_3^2 DC)                         (3.39)

with AB = a e^(i theta_1) and so on, both divided by i; the print writes their real and imaginary
parts. The coupler point M lies at the distance e from B, at the angle beta from BC (2.43), (2.44).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import AssemblyError, StructureError
from ..spatial.rotation import Array
from ..verbs.states import refuse_other
from .construction import circle_point, circles_meet
from .iterations import newton

BRANCHES = {"open": 1, "crossed": -1}
IN_LINE = 3e-7
"""Sine of the angle between coupler and rocker that rounding leaves at a dead point."""

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
    return _columns(found, theta)


def _columns(found: list[Any], theta: Array) -> Angles:
    """Pairs of angles, one for each theta, as two arrays of its shape."""
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
    found, guess = [], start
    for angle in theta.ravel():
        if start is None:
            drawn = np.ravel(construction(sizes, np.asarray(angle), sign))
            guess = np.radians(np.round(np.degrees(drawn)))
        gap = partial(loop_gap, sizes, angle)
        run = newton(gap, lambda x: loop_matrix(sizes, *x), guess, tolerance=1e-14 * max(sizes))
        guess = run.x
        found.append(guess)
    return _columns(found, theta)


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


METHODS: dict[str, Callable[..., Angles]] = {
    "freudenstein": freudenstein,
    "vector": vector,
    "complex": complex_numbers,
    "construction": construction,
    "newton": newton_raphson,
}


@dataclass(frozen=True, eq=False)
class FourBarMotion(Displayed):
    """A four-bar at one crank angle or many: arrays of the shape of `theta1`.

    What has two columns is of the coupler BC and of the rocker DC: `omega` and `epsilon`.
    """

    theta1: Array
    theta2: Array
    theta3: Array
    omega: Array
    epsilon: Array
    B: Array
    C: Array
    M: Array
    """Coupler point, shape (..., 2), with its velocity and acceleration below."""
    v_M: Array
    a_M: Array


@public
def four_bar(
    a: float,
    b: float,
    c: float,
    d: float,
    theta: Any,
    *,
    method: str = "freudenstein",
    branch: str = "open",
    omega: Any = 0.0,
    epsilon: Any = 0.0,
    coupler: tuple[float, float] = (0.0, 0.0),
    start: Any = None,
    unreached: str = "raise",
) -> FourBarMotion:
    """The four-bar with crank a, coupler b, rocker c and base d at crank angles theta.

    `method` is "freudenstein", "vector", "complex", "construction" or "newton"; all agree. The
    branch is "open" (C left of the line from B to D) or "crossed". `omega` and `epsilon` are the
    crank's angular velocity and acceleration, `coupler` is (e, beta) of the coupler point, `start`
    is (theta_2, theta_3) for Newton's method and decides the branch. Angles at which the links do
    not reach each other are an `AssemblyError`, or nan with `unreached="nan"`.
    """
    sizes = _sizes(a, b, c, d)
    refuse_other("method", method, METHODS)
    refuse_other("branch", branch, BRANCHES)
    refuse_other("unreached", unreached, ("raise", "nan"))
    theta, omega, epsilon = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (theta, omega, epsilon))
    )
    reached = _reached(sizes, theta)
    if unreached == "raise" and not reached.all():
        raise _not_reached(sizes, float(theta[~reached].flat[0]))
    angles = np.full((2, *theta.shape), np.nan)
    more = {"start": start} if method == "newton" else {}
    angles[:, reached] = METHODS[method](sizes, theta[reached], BRANCHES[branch], **more)
    angles = np.pi - (np.pi - angles) % (2 * np.pi)  # in (-pi, pi]
    return _moving(sizes, np.stack([theta, *angles]), (omega, epsilon), coupler)


def _moving(sizes: Sizes, angles: Array, crank: tuple[Array, Array], coupler: Any) -> FourBarMotion:
    """Rates by (3.38) and (3.39), and points, at solved angles."""
    (a, b, c, _), (omega, epsilon), (e, beta) = sizes, crank, coupler
    AB, BC, DC, BM = (
        size * np.exp(1j * angle)
        for size, angle in zip((a, b, c, e), [*angles, angles[1] + beta], strict=True)
    )
    moving = np.abs(omega) + np.abs(epsilon)
    w = _solved(BC, DC, -omega * AB, np.where(omega != 0, angles[0], np.nan))
    bend = omega**2 * AB + w[0] ** 2 * BC - w[1] ** 2 * DC
    bent = _solved(BC, DC, -epsilon * AB - 1j * bend, np.where(moving != 0, angles[0], np.nan))
    v_M = 1j * (omega * AB + w[0] * BM)
    a_M = (1j * epsilon - omega**2) * AB + (1j * bent[0] - w[0] ** 2) * BM
    points = (AB, AB + BC, AB + BM, v_M, a_M)
    rates = (np.stack(pair, axis=-1) for pair in (w, bent))
    pairs = (np.stack([z.real, z.imag], axis=-1) for z in points)
    return FourBarMotion(*(np.asarray(each) for each in (*angles, *rates, *pairs)))


def _solved(BC: Array, DC: Array, right: Array, theta: Array) -> tuple[Array, Array]:
    """Real x, y with x BC - y DC = right; a dead point is an error unless theta is nan (rest)."""
    det = (BC * DC.conjugate()).imag
    dead = np.abs(det) <= IN_LINE * np.abs(BC) * np.abs(DC)
    if np.any(dead & ~np.isnan(theta)):
        at = float(theta[dead & ~np.isnan(theta)].flat[0])
        raise StructureError(
            f"four-bar at theta = {at:.12g} rad: coupler and rocker are in line, a dead point; "
            "velocities are not determined there"
        )
    safe = np.where(dead, 1.0, det)
    return (right * DC.conjugate()).imag / safe, (right * BC.conjugate()).imag / safe


def _sizes(a: float, b: float, c: float, d: float) -> Sizes:
    for name, size in zip("abcd", (a, b, c, d), strict=True):
        if not 0 < size < np.inf:
            raise StructureError(f"four-bar: {name} must be a length above 0, got {size!r}")
    return float(a), float(b), float(c), float(d)


def _distance(sizes: Sizes, theta: Array) -> Array:
    """BD."""
    a, _, _, d = sizes
    return np.asarray(np.hypot(d - a * np.cos(theta), a * np.sin(theta)))


def _reached(sizes: Sizes, theta: Array) -> Array:
    """Whether coupler and rocker can span BD."""
    _, b, c, _ = sizes
    BD, slack = _distance(sizes, theta), 4e-16 * max(sizes)
    return np.asarray((b + c + slack >= BD) & (abs(b - c) - slack <= BD) & (BD > 0))


def _not_reached(sizes: Sizes, theta: float) -> AssemblyError:
    _, b, c, _ = sizes
    BD = float(_distance(sizes, np.asarray(theta)))
    low, high = abs(b - c), b + c
    message = f"four-bar at theta = {theta:.9g} rad cannot be assembled: B and D are {BD:.9g} apart"
    if BD == 0:
        return AssemblyError(f"{message}, so coupler and rocker turn freely about one point")
    gap = max(low - BD, BD - high)
    text = f"{message}, coupler and rocker span {low:.9g} to {high:.9g}; {gap:.4g} is missing"
    return AssemblyError(text, {"BC": gap})
