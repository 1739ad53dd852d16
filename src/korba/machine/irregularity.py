"""How evenly a machine runs: the largest and the least speed, and where they are.

    delta = (w_max - w_min) / w_mean,    w_mean = (w_max + w_min) / 2     (Gronowicz 4.130)    (1)

Over a turn with the kinetic energy E_0 + W(x) and the inertia I(x) the ends of psi = w^2/2 = E/I
are found by turns: where W - psi I is largest psi is taken anew, until it stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed, number_told
from ..door import public
from ..errors import StructureError
from ..expr.display_units import IN_SI, DisplayUnits
from ..solve.bracketed import root_between
from ..trajectory.trajectory import FINISHED, Trajectory
from .panels import Panels

MOST = 50
"""How often psi is taken anew."""


@dataclass(frozen=True, eq=False)
class Irregularity(Displayed):
    """How evenly a coordinate runs."""

    delta: float
    """(fastest - slowest) / mean."""
    mean: float
    """(fastest + slowest) / 2."""
    fastest: float
    slowest: float
    at_fastest: float
    """Position of the coordinate."""
    at_slowest: float

    def __str__(self) -> str:
        return self.told(IN_SI)

    def told(self, shown: DisplayUnits) -> str:
        """The same in the units that people read."""
        slow, fast, mean = (shown.told(x, "rad/s") for x in (self.slowest, self.fastest, self.mean))
        at_slow, at_fast = (shown.told(x, "rad") for x in (self.at_slowest, self.at_fastest))
        return (
            f"irregularity {number_told(self.delta)}: {slow} at {at_slow} to {fast} at {at_fast}, "
            f"mean {mean}"
        )


def extreme(panels: Panels, psi: float, sign: float) -> tuple[float, float]:
    """Where sign (W - psi I) is largest on the way, and that value; there Q = psi I'."""
    inertia, slope, force = panels.values
    way = np.sign(panels.edges[-1] - panels.edges[0])
    x = way * np.sort(way * np.append(panels.x.ravel(), panels.edges))

    def value(at: Any) -> Any:
        return sign * (panels.integral(force, at) - psi * panels.at(inertia, at))

    def rising(at: float) -> float:
        return float(sign * (panels.at(force, at) - psi * panels.at(slope, at)))

    k = int(np.argmax(value(x)))
    low, high = float(x[max(k - 1, 0)]), float(x[min(k + 1, len(x) - 1)])
    at = float(x[k])
    if rising(low) * rising(high) < 0:
        at = root_between(rising, low, high, xtol=1e-14)
    return at, float(value(at))


def irregular(panels: Panels, energy: float) -> Irregularity:
    """(1) of a turn: the largest and the least psi = E / I, each the slope of a tangent."""
    (fastest, here), (slowest, there) = (_steepest(panels, energy, sign) for sign in (1.0, -1.0))
    mean = 0.5 * (fastest + slowest)
    return Irregularity((fastest - slowest) / mean, mean, fastest, slowest, here, there)


def _steepest(panels: Panels, energy: float, sign: float) -> tuple[float, float]:
    """The largest (or with a minus the least) speed, and where it is."""
    inertia, _, force = panels.values
    ratio = (energy + panels.inside(force)) / inertia
    psi, at = float(sign * np.max(sign * ratio)), 0.0
    for _ in range(MOST):
        at, _ = extreme(panels, psi, sign)
        before = psi
        psi = float((energy + panels.integral(force, at)) / panels.at(inertia, at))
        if abs(psi - before) <= 1e-15 * abs(psi):
            break
    return float(np.sqrt(2 * max(psi, 0.0))), at


@public
def irregularity(motion: Trajectory, coordinate: str) -> Irregularity:
    """How evenly a coordinate runs in a motion, by the speeds at its times.

    >>> round(kb.irregularity(motion, "D").delta, 6)
    1.986008
    """
    if motion.shape or not len(motion) or not np.all(np.isfinite(motion.v)):
        raise StructureError(
            "irregularity: expected one motion with all its times, not a batch; take one run of it"
        )
    if motion.ended != FINISHED:
        raise StructureError(
            f"irregularity: the motion was not finished ({motion.message or motion.ended}), so its "
            "speeds are not those of a whole cycle; give one that is, or some of its times, "
            "motion[:100]"
        )
    x, v = motion[coordinate], np.abs(motion[f"v_{coordinate}"])
    high, low = int(np.argmax(v)), int(np.argmin(v))
    mean = 0.5 * float(v[high] + v[low])
    if not mean:
        raise StructureError(f"irregularity: {coordinate} does not move in this motion")
    ends = float(v[high]), float(v[low]), float(x[high]), float(x[low])
    return Irregularity((ends[0] - ends[1]) / mean, mean, *ends)
