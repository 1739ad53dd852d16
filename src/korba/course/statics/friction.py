"""Friction as it is drawn and as it is written, one pair at a time (Gronowicz 4.3.5, 4.3.6).

F_jk is the force of link j on link k, and friction on k has the sense of v_jk = v_j - v_k, its
moment that of w_jk = w_j - w_k. What a pair transmits with friction has

    a higher pair  the angle rho = arctan mu to the normal                                   (4.62)
    a pin          a line that touches the friction circle, h = r mu' / sqrt(1 + mu'^2)      (4.64)
    a guide        two forces, each at the angle rho, where it touches                   (Fig. 4.23)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...display import described
from ...door import public
from ...errors import StructureError
from ...model.rubbing import RUNNING
from ...spatial.rotation import Array


class FrictionLine(NamedTuple):
    """The line of a force with friction: a point of it, and the direction of the force."""

    point: Array
    direction: Array

    def __repr__(self) -> str:
        return described(self)


class GuideFriction(NamedTuple):
    """Friction T along a guide, its moment M, and the forces N_T1, N_T2 that stand for both."""

    T: Any
    M: Any
    first: Any
    second: Any


@public
def friction_angle(mu: Any) -> Any:
    """Rho = arctan mu: the angle of the total force to the normal (4.62).

    >>> round(float(np.degrees(kb.course.friction_angle(0.1))), 4)
    5.7106
    """
    return np.arctan(mu)


@public
def pin_coefficient(mu: Any, running: str = "run-in") -> Any:
    """Mu' of a pin in its bearing: 4/pi mu where it is run in, pi/2 mu where it is new.

    >>> round(kb.course.pin_coefficient(0.1), 4), round(kb.course.pin_coefficient(0.1, "new"), 4)
    (0.1273, 0.1571)
    """
    if running not in RUNNING:
        raise StructureError(f"running: expected one of {', '.join(RUNNING)}, got {running!r}")
    return RUNNING[running] * mu


@public
def friction_circle(radius: Any, mu: Any, running: str = "plain") -> Any:
    """H: the radius of the friction circle of a pin (4.64).

    >>> round(float(kb.course.friction_circle(0.02, 0.2)), 9)
    0.003922323
    """
    own = pin_coefficient(mu, running)
    return radius * own / np.sqrt(1.0 + own * own)


@public
def friction_line(P: Any, Q: Any, circles: Any, turning: Any, pulls: bool = False) -> FrictionLine:
    """The line of the force of a rod on its neighbour at P, with friction in both its pins.

    `circles` are the radii of the friction circles at P and Q, `turning` the angular velocities of
    the rod against its neighbours there. The rod pushes its neighbours apart, or pulls them. The
    line touches both circles where the moment of the force on each neighbour has the sense of
    `turning`: two inner or two outer tangents.

    >>> line = kb.course.friction_line((0.3, 0.08), (0.05, 0.4), (0.004, 0.004), (-1, -1), True)
    >>> round(float(np.degrees(np.arctan2(*line.direction[::-1]))), 3)
    126.87
    """
    P, Q = np.asarray(P, dtype=float)[:2], np.asarray(Q, dtype=float)[:2]
    (h_P, h_Q), (w_P, w_Q) = circles, turning
    d = P - Q
    off = np.sign(w_P) * h_P + np.sign(w_Q) * h_Q
    length = float(np.hypot(*d))
    if not abs(off) < length:
        raise StructureError(
            f"the friction circles of {h_P:g} m and {h_Q:g} m meet at pins {length:g} m apart, so "
            "that no line of a force touches them; the rod jams"
        )
    lean = float(np.arcsin(off / length))
    angle = np.arctan2(d[1], d[0]) + (np.pi + lean if pulls else -lean)
    u = np.array([np.cos(angle), np.sin(angle)])
    n = np.array([-u[1], u[0]])
    return FrictionLine(P - np.sign(w_P) * h_P * n, u)


@public
def cam_friction(normal: Any, angle: Any, speed: Any, mu: Any) -> Array:
    """F^T_jk of a higher pair: its normal force and friction against the slip (4.66)-(4.69).

    `angle` is the direction of the normal force N, `speed` the velocity v_jk = v_j - v_k (x, y).

    >>> kb.course.cam_friction(100.0, np.pi / 2, (-1.0, 0.0), 0.1).round(9)
    array([-10., 100.])
    """
    n = np.array([np.cos(angle), np.sin(angle)])
    across = np.abs(normal * n[::-1])
    return np.asarray(normal * n + mu * np.sign(speed) * across)


@public
def pin_friction(normal: Any, omega: float, mu: float, radius: float) -> tuple[Array, float]:
    """F^T_jk and M_T of a pin: the total force at its centre and its moment (4.77), (4.78).

    `normal` is the normal force of the bush j on the pin k (x, y), `omega` is w_jk = w_j - w_k and
    `mu` is mu'. The total force turned by the friction angle is the normal one.

    >>> F, M = kb.course.pin_friction((0.0, 100.0), 2.0, 0.1, 0.02)
    >>> F.round(9), round(M, 9)
    (array([ 10., 100.]), 0.2)
    """
    x, y = np.asarray(normal, dtype=float)
    way = np.sign(omega)
    return np.array([x, y]) + way * mu * np.array([y, -x]), float(
        way * mu * radius * np.hypot(x, y)
    )


@public
def guide_friction(
    contacts: tuple[Any, Any], speed: Any, mu: Any, *, half_height: Any, length: Any
) -> GuideFriction:
    """T, M and the forces N_T of a guide from what its two contacts carry (4.79)-(4.84).

    `contacts` are N1 and N2 across the guide, `length` apart; `speed` is v_jk, of the guide against
    the slider. N_T1, N_T2 do to the slider what N1, N2 and the friction's moment do.

    >>> own = kb.course.guide_friction((60.0, -20.0), 1.0, 0.1, half_height=0.03, length=0.2)
    >>> np.round(own, 9).tolist()
    [8.0, 0.12, 59.4, -19.4]
    """
    first, second = contacts
    way = np.sign(speed)
    M = way * mu * half_height * (first + second)
    T = way * mu * (np.abs(first) + np.abs(second))
    return GuideFriction(T, M, first - M / length, second + M / length)


@public
def guide_normals(
    together: tuple[Any, Any], speed: Any, mu: Any, *, half_height: Any, length: Any
) -> tuple[Any, Any]:
    """N1 and N2 of a guide, recovered from N_T1 and N_T2: the inverse of (4.83).

    >>> pair = kb.course.guide_normals((59.4, -19.4), 1.0, 0.1, half_height=0.03, length=0.2)
    >>> np.round(pair, 9).tolist()
    [60.0, -20.0]
    """
    first, second = together
    M = np.sign(speed) * mu * half_height * (first + second)
    return first + M / length, second - M / length


@public
def mesh_efficiency(mu: Any, teeth: int, other_teeth: int, inner: bool = False) -> Any:
    """Of a pair of involute wheels:  1 - pi mu (1 / z_1 + 1 / z_2), minus for a ring.

    It is the mean over a mesh with one to two pairs of teeth in contact. Source: Niemann & Winter
    (2003), Maschinenelemente 2, section 21.10.

    >>> round(kb.course.mesh_efficiency(0.08, 20, 60), 4)
    0.9832
    """
    for z in (teeth, other_teeth):
        if z < 1:
            raise StructureError(f"mesh_efficiency: expected numbers of teeth above 0, got {z}")
    sides = 1.0 / teeth - 1.0 / other_teeth if inner else 1.0 / teeth + 1.0 / other_teeth
    return 1.0 - np.pi * mu * abs(sides)
