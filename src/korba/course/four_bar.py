"""The four-bar: positions by a method of one's choice, velocities, accelerations, coupler point.

Velocities and accelerations follow from the vector loop differentiated once and twice
(Gronowicz, Example 3.3):

    A (w_2, w_3) = -a (-sin theta_1, cos theta_1) w_1                                      (3.38)
    A (e_2, e_3) = (b w_2^2 cos theta_2 - c w_3^2 cos theta_3 + ..., ...)                  (3.39)

and the coupler point M lies at the distance e from B, at the angle beta from BC (2.43), (2.44).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..errors import AssemblyError, StructureError
from ..spatial.rotation import Array
from .four_bar_methods import METHODS, Sizes, loop_matrix, newton_raphson

BRANCHES = {"open": 1, "crossed": -1}
IN_LINE = 3e-7
"""Sine of the angle between coupler and rocker that rounding leaves at a dead point."""


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
    _refuse_names(method, branch, unreached)
    theta, omega, epsilon = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (theta, omega, epsilon))
    )
    reached = _reached(sizes, theta)
    if unreached == "raise" and not reached.all():
        raise _not_reached(sizes, float(theta[~reached].flat[0]))
    theta_2, theta_3 = np.full(theta.shape, np.nan), np.full(theta.shape, np.nan)
    found = _angles(method, sizes, theta[reached], BRANCHES[branch], start)
    theta_2[reached], theta_3[reached] = found
    return _moving(sizes, (theta, theta_2, theta_3), (omega, epsilon), coupler)


def _angles(method: str, sizes: Sizes, theta: Array, sign: int, start: Any) -> tuple[Array, Array]:
    """Angles of coupler and rocker, each in (-pi, pi]."""
    if method == "newton":
        found = newton_raphson(sizes, theta, sign, start)
    else:
        found = METHODS[method](sizes, theta, sign)
    return _wrapped(found[0]), _wrapped(found[1])


def _wrapped(angle: Array) -> Array:
    return np.asarray(np.pi - (np.pi - angle) % (2 * np.pi))


def _moving(
    sizes: Sizes, angles: tuple[Array, Array, Array], input_: tuple[Array, Array], coupler: Any
) -> FourBarMotion:
    """Rates and points at solved angles."""
    a, b, _, _ = sizes
    theta, theta_2, theta_3 = angles
    omega, epsilon = rates(sizes, angles, input_)
    B = a * _along(theta)
    e, beta = coupler
    M, v_M, a_M = (
        crank + arm
        for crank, arm in zip(
            _turning(a, theta, *input_),
            _turning(e, theta_2 + beta, omega[..., 0], epsilon[..., 0]),
            strict=True,
        )
    )
    C = B + b * _along(theta_2)
    return FourBarMotion(theta, theta_2, theta_3, omega, epsilon, B, C, M, v_M, a_M)


def rates(
    sizes: Sizes, angles: tuple[Array, Array, Array], input_: tuple[Array, Array]
) -> tuple[Array, Array]:
    """(w_2, w_3) and (e_2, e_3) by (3.38) and (3.39), right as printed; shape (..., 2)."""
    a, b, c, _ = sizes
    theta, theta_2, theta_3 = angles
    omega, epsilon = input_
    A = loop_matrix(sizes, theta_2, theta_3)
    turns = np.stack([theta, theta_2, theta_3], axis=-1)
    cos, sin = np.cos(turns), np.sin(turns)
    w = _solved(A, -a * np.stack([-sin[..., 0], cos[..., 0]], -1) * omega[..., None], theta, omega)
    x = b * cos[..., 1] * w[..., 0] ** 2 - c * cos[..., 2] * w[..., 1] ** 2
    y = b * sin[..., 1] * w[..., 0] ** 2 - c * sin[..., 2] * w[..., 1] ** 2
    x = x + a * sin[..., 0] * epsilon + a * cos[..., 0] * omega**2
    y = y - a * cos[..., 0] * epsilon + a * sin[..., 0] * omega**2
    return w, _solved(A, np.stack([x, y], -1), theta, np.abs(omega) + np.abs(epsilon))


def _solved(A: Array, right: Array, theta: Array, moving: Array) -> Array:
    """A x = right; a crank at rest needs no solution, one that moves needs no dead point."""
    det = A[..., 0, 0] * A[..., 1, 1] - A[..., 0, 1] * A[..., 1, 0]
    dead = np.abs(det) <= IN_LINE * np.prod(np.linalg.norm(A, axis=-2), axis=-1)
    if np.any(dead & (moving != 0)):
        at = float(theta[dead & (moving != 0)].flat[0])
        raise StructureError(
            f"four-bar at theta = {at:.12g} rad: coupler and rocker are in line, a dead point; "
            "velocities are not determined there"
        )
    safe = np.where(dead | (moving == 0), 1.0, det)
    x = (A[..., 1, 1] * right[..., 0] - A[..., 0, 1] * right[..., 1]) / safe
    y = (A[..., 0, 0] * right[..., 1] - A[..., 1, 0] * right[..., 0]) / safe
    return np.stack([x, y], axis=-1)


def _along(angle: Array) -> Array:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _turning(
    radius: float, angle: Array, omega: Array, epsilon: Array
) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration of the end of a turning arm."""
    r = radius * _along(angle)
    across = np.stack([-r[..., 1], r[..., 0]], axis=-1)
    return r, omega[..., None] * across, epsilon[..., None] * across - omega[..., None] ** 2 * r


def _sizes(a: float, b: float, c: float, d: float) -> Sizes:
    for name, size in zip("abcd", (a, b, c, d), strict=True):
        if not 0 < size < np.inf:
            raise StructureError(f"four-bar: {name} must be a length above 0, got {size!r}")
    return float(a), float(b), float(c), float(d)


def _refuse_names(method: str, branch: str, unreached: str) -> None:
    choices = (
        ("method", method, METHODS),
        ("branch", branch, BRANCHES),
        ("unreached", unreached, ("raise", "nan")),
    )
    for what, name, known in choices:
        if name not in known:
            raise StructureError(f"{what}: expected one of {', '.join(known)}, got {name!r}")


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
