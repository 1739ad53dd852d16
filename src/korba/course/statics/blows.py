"""What a blow does to a link that turns about a pin: the hammer of Fig. 4.6.

A link with mass m and moment of inertia I_S, its mass centre S at r_S from its pin B, strikes at
the distance h from B, across the line BS. With I_B = I_S + m r_S^2, angular velocity w and
coefficient of restitution e,

    P h = (1 + e) I_B w,          P_B = P - (1 + e) m r_S w                                 (1)

are the impulses of the blow and, in its direction, of the pin against it: P_B = 0 where the blow is
on the line of the inertia force, at the centre of percussion

    h = r_S + I_S / (m r_S)                                                                  (2)

For the same pin and speed P is the larger the smaller h, but only at (2) is the pin free of it.
Source: Gronowicz (2003), section 4.2.3, (4.8) and Fig. 4.6, qualitatively.
"""

from __future__ import annotations

from typing import NamedTuple

from ...display import described
from ...door import public
from ...errors import StructureError


class Blow(NamedTuple):
    """Impulses in N s, and what they leave."""

    impulse: float
    """On what is struck; the link gets the opposite."""
    pivot: float
    """Of the pin on the link, along the motion of the point that strikes."""
    speed: float
    """Angular velocity after, against that before where it is negative."""
    percussion: float
    """Distance from the pin at which it would feel nothing (2)."""

    def __repr__(self) -> str:
        return described(self)


@public
def blow(
    mass: float,
    inertia: float,
    arm: float,
    distance: float | None = None,
    *,
    speed: float = 1.0,
    restitution: float = 0.0,
) -> Blow:
    """Impulses of a hammer that turns about a pin and strikes at a distance from it.

    `arm` is that of the mass centre from the pin, `inertia` about the mass centre, `speed` an
    angular velocity; without `distance` it strikes at the centre of percussion.

    >>> kb.course.blow(2.0, 0.06, 0.3, 0.5, speed=10.0)
    Blow(impulse=4.8, pivot=-1.2, speed=0, percussion=0.4)
    """
    if not (mass > 0 and inertia >= 0 and arm > 0):
        raise StructureError(
            f"mass and arm must be positive and inertia not negative, got {mass!r}, {arm!r} and "
            f"{inertia!r}; at arm 0 a link turns about its mass centre and no blow spares its pin"
        )
    if not 0 <= restitution <= 1:
        raise StructureError(f"restitution: expected a number from 0 to 1, got {restitution!r}")
    percussion = arm + inertia / (mass * arm)
    h = percussion if distance is None else distance
    if not h > 0:
        raise StructureError(f"distance: expected a number above 0, got {distance!r}")
    gone = (1 + restitution) * speed
    impulse = gone * (inertia + mass * arm**2) / h
    return Blow(impulse, impulse - gone * mass * arm, -restitution * speed + 0.0, percussion)
