"""`kb.steady_speed`: the speed that a motor and its loads come to, and how soon.

Of the reduced model with its means over a turn,  I w' = Q(w):  the motor comes to the speed with
Q(w) = 0, and near it the speed goes there as exp(-t/T),

    T = I / (-dQ/dw)                                                                   (1)

For a train of constant ratio with the characteristic M = M_0 - k w this is the book's solution
(Gronowicz, Example 4.8):  Q = A - k w,  w(t) = A/k (1 - exp(-u t)),  u = k/I = 1/T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..forces.loads import depends_on_time
from ..model.mechanism import Mechanism
from ..solve.bracketed import root_between
from ..spatial.rotation import Array
from ..system.system import any_system
from ..wording import named
from .reduction import Reduction, reduce
from .work import RESTING, refuse_massless

COUNT = 720
"""Positions of a turn over which means are taken."""
FASTEST = 1e9
"""Speed beyond which there is none."""


@dataclass(frozen=True, eq=False)
class SteadySpeed(Displayed):
    """The speed at which motor and loads balance, over the mean of a turn."""

    coordinate: str
    speed: float
    time_constant: float
    """In s: after three of them 95 % of the speed is reached; infinite without damping."""
    starting: float
    """Force or moment at rest, that accelerates it."""

    def __str__(self) -> str:
        return (
            f"{self.coordinate} comes to {self.speed:.6g} with the time constant "
            f"{self.time_constant:.6g} s, from {self.starting:.6g} at rest"
        )


@public
def steady_speed(m: Mechanism, coordinate: str, *, flywheel: float = 0.0) -> SteadySpeed:
    """The speed that the loads of a mechanism bring a coordinate to, and its time constant.

    The loads are those of the mechanism, the motor among them: `kb.Motor`, or `kb.JointForce` with
    a characteristic such as "1.2 - 0.004*v". Exact where the ratios of speeds are constant; else of
    the means over a turn, of which `kb.steady_cycle` gives the whole; of a coordinate that does not
    turn fully, such as a slider, at the position that is drawn.

    >>> motor = kb.Motor("motor", "A", voltage=12.0, torque_constant=0.05, resistance=0.5)
    >>> driven = dataclasses.replace(m, drives=(), forces=[motor])
    >>> round(kb.steady_speed(driven, "A").speed, 6)
    240.0
    """
    r = reduce(m, coordinate, flywheel=flywheel)
    refuse_massless(r)
    if depends_on_time(any_system(m).tree):
        timed = ", ".join(force.name for force in m.forces if force.timed)
        raise StructureError(
            f"steady_speed: loads {timed} depend on the time; ask {named('run_up')}"
        )
    starting = mean_force(r, RESTING)
    if not starting > 0:
        raise StructureError(
            f"mechanism {m.name!r} does not start: the loads on {coordinate} are {starting:.6g} "
            f"{r.units[1]} at rest, {_over(r)}; give a stronger motor"
        )
    top = 1.0
    while mean_force(r, top) > 0:
        top *= 4.0
        if top > FASTEST:
            raise StructureError(
                f"mechanism {m.name!r} has no steady speed: its loads drive {coordinate} at every "
                "speed; give it a load, or a motor whose moment falls with its speed"
            )
    low = 0.0 if top == 1.0 else top / 4.0
    speed = float(
        root_between(lambda w: mean_force(r, max(w, RESTING)), low, top, xtol=1e-14, rtol=1e-15)
    )
    step = 1e-4 * speed
    slope = (mean_force(r, speed + step) - mean_force(r, speed - step)) / (2 * step)
    inertia = float(np.mean(r(turn(r)).inertia))
    return SteadySpeed(coordinate, speed, inertia / -slope if slope < 0 else np.inf, starting)


def _over(r: Reduction) -> str:
    """What the means are over."""
    return "over the mean of a turn" if r.range.full_turn else "as it is drawn"


def turn(r: Reduction) -> Array:
    """Positions evenly over a turn; the drawn one of a coordinate that does not turn."""
    if not r.range.full_turn:
        return np.array([r.start])
    return r.start + 2 * np.pi * np.arange(COUNT) / COUNT


def mean_force(r: Reduction, speed: float) -> float:
    """Mean of the loads over a turn at one speed."""
    return float(np.mean(r(turn(r), speed).force))
