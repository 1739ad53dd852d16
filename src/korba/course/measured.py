"""Moments of inertia from measured swings: a physical pendulum, and one on a wire that twists.

A body that swings about an axis at the distance r from its mass centre, from the angle phi to
-phi and back in the time T, has about the mass centre

    I_S = m g r (T_0 / 2 pi)^2 - m r^2,        T_0 = T agm(1, cos(phi/2))                    (1)

where agm is the arithmetic-geometric mean, which makes any swing a small one. Where r is not known
two axes on a line through S, c apart, tell it (Bessel, Kater): with l = g (T_0/2 pi)^2 of each,

    I_S / m = r (l - r) = s (l' - s),   r + s = c      =>      r = c (c - l') / (2 c - l - l')  (2)

On a wire of stiffness k, hung at its mass centre, I_S = k (T/2 pi)^2 - I_0 with I_0 of the empty
holder (3). Source: Gronowicz (2003), section 4.2.1, which names both measurements.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..display import described
from ..door import public
from ..errors import StructureError

ALIKE = 1e-9
"""Part of c below which 2 c - l - l' does not tell r."""


class MeasuredInertia(NamedTuple):
    """What a measured swing tells."""

    inertia: float
    """I_S, about the mass centre."""
    about_axis: float
    """About the axis of the swing."""
    arm: float
    """r, of the mass centre from the axis; 0 on a wire."""

    def __repr__(self) -> str:
        return described(self)


@public
def pendulum_inertia(
    mass: float,
    period: float,
    arm: float | None = None,
    *,
    other_period: float | None = None,
    between: float | None = None,
    amplitude: float = 0.0,
    gravity: float = 9.81,
) -> MeasuredInertia:
    """The moment of inertia of a body from the period of its swings about a fixed axis (1).

    `arm` is the distance of the mass centre from the axis. Without it the period about a second
    axis tells it (2): `other_period`, and how far the axes are apart, with the mass centre
    `between` them. `amplitude` is the largest angle of the swings, in rad.

    >>> kb.course.pendulum_inertia(3.0, 1.638, 0.5).inertia.round(4)
    np.float64(0.2501)
    """
    _refuse_negative(mass=mass, period=period, gravity=gravity)
    if not 0 <= amplitude < np.pi:
        raise StructureError(f"amplitude: expected an angle from 0 to pi rad, got {amplitude!r}")
    length = _length(period, amplitude, gravity)
    if arm is None:
        if other_period is None or between is None:
            raise StructureError(
                "give the arm of the mass centre, or the period about a second axis with its "
                "distance: other_period=, between="
            )
        _refuse_negative(other_period=other_period, between=between)
        other = _length(other_period, amplitude, gravity)
        left = 2 * between - length - other
        if abs(left) <= ALIKE * between:
            raise StructureError(
                f"the two axes, {between:g} m apart, have equal swings of that length, so every "
                "arm fits; take another second axis, or give the arm"
            )
        arm = between * (between - other) / left
    about = mass * length * arm
    inertia = about - mass * arm**2
    if not (arm > 0 and inertia > 0):
        raise StructureError(
            f"no body swings like that: at an arm of {arm:.6g} m its moment of inertia would be "
            f"{inertia:.6g} kg m^2; look at the periods and lengths"
        )
    return MeasuredInertia(np.float64(inertia), np.float64(about), float(arm))


@public
def torsion_inertia(stiffness: float, period: float, empty: float = 0.0) -> MeasuredInertia:
    """The moment of inertia of a body on a wire that twists (3), `empty` the holder's period.

    >>> kb.course.torsion_inertia(0.8, 2.0).inertia.round(6)
    np.float64(0.081057)
    """
    _refuse_negative(stiffness=stiffness, period=period)
    inertia = np.float64(stiffness * (period**2 - empty**2) / (2 * np.pi) ** 2)
    if not inertia > 0:
        raise StructureError(
            f"a body makes the swings of its holder longer, got {period!r} s with it and {empty!r} "
            "s without"
        )
    return MeasuredInertia(inertia, inertia, 0.0)


def _length(period: float, amplitude: float, gravity: float) -> float:
    """Of the simple pendulum with the same small swings."""
    a, b = 1.0, np.cos(amplitude / 2)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return float(gravity * (period * a / (2 * np.pi)) ** 2)


def _refuse_negative(**given: float) -> None:
    for name, x in given.items():
        if not x > 0:
            raise StructureError(f"{name}: expected a number above 0, got {x!r}")
