"""`kb.flywheel`: the inertia that makes a machine run as evenly as is asked for.

Of the energy-mass diagram (I, W) of a steady turn, all points must be seen from its origin, which a
flywheel J moves to (-J, -E_0), between the slopes of the wanted speeds,

    psi = w^2 / 2,    w = w_mean (1 +- delta/2)

so the tangents of these slopes, above and below the diagram, meet in that origin (Wittenbauer):

    J = (max (W - psi_max I) - min (W - psi_min I)) / (psi_max - psi_min)              (1)

With the inertia taken as constant this is the book's value (Gronowicz 4.137),

    J = (max W - min W) / (delta w_mean^2) - I                                         (2)

(1) is exact where loads depend on the position alone. Where they depend on the speed, the turn with
the flywheel has other work, and (1) is taken again with it until nothing is missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..display import Plotted
from ..door import public
from ..errors import StructureError
from ..model.display_units import display_units
from ..model.mechanism import Mechanism
from .collocation import NoTurnError
from .cycle import Cycle, cycle_of
from .irregularity import extreme
from .motor import steady_speed
from .panels import Panels
from .reduction import Reduction, reduce

ROUNDS, ENOUGH = 30, 1e-10
"""How often (1) is taken, and what may be missing beside the inertia that is there."""

NO_TURN = "it does not get through a turn"


@dataclass(frozen=True, eq=False)
class Flywheel(Plotted):
    """What a flywheel on the coordinate must have; 0 where the machine runs evenly enough."""

    coordinate: str
    wanted: float
    """The irregularity asked for."""
    inertia: float
    """Exact, to be added on the coordinate, in kg m^2."""
    book: float
    """The book's, with constant inertia (4.137)."""
    before: Cycle | None
    """The steady turn without it; None where the machine does not get through one."""
    after: Cycle
    """The steady turn with `inertia`."""

    def __str__(self) -> str:
        shown = display_units(self.after.reduction.m)
        exact, book = (shown.told(x, "kg m^2") for x in (self.inertia, self.book))
        lines = [
            f"flywheel on {self.coordinate} for irregularity {self.wanted:g}:",
            f"  exact {exact}, book (inertia constant) {book}",
            f"  without: {self.before.irregularity.told(shown) if self.before else NO_TURN}",
            f"  with:    {self.after.irregularity.told(shown)}",
        ]
        if not self.inertia:
            lines.append("  none is needed: the machine runs that evenly by itself")
        return "\n".join(lines)


@public
def flywheel(
    m: Mechanism,
    coordinate: str,
    irregularity: float,
    *,
    speed: float | None = None,
    flywheel: float = 0.0,
) -> Flywheel:
    """The flywheel on a coordinate with which a machine runs with that irregularity at most.

    The steady turn is that of `kb.steady_cycle` at a mean `speed`, or at that of its motor;
    `flywheel` is inertia that is there already.

    >>> engine = kb.linkages.slider_crank("50 mm", "150 mm")
    >>> round(kb.flywheel(engine, "A", 0.02, speed=150.0).inertia, 9)
    0.013263841
    """
    if not 0 < irregularity < 2:
        raise StructureError(
            f"flywheel: irregularity: expected a number between 0 and 2, such as 0.02, got "
            f"{irregularity:g}"
        )
    r = reduce(m, coordinate, flywheel=flywheel)
    book, total, before, after = _first(r, irregularity, speed)
    for _ in range(ROUNDS):
        more = max(missing(after, irregularity), -total)
        total = max(0.0, total + more)
        if total or before is None:
            after = cycle_of(replace(r, flywheel=flywheel + total), speed)
        else:
            after = before
        if abs(more) <= ENOUGH * after.mean_inertia:
            break
    return Flywheel(coordinate, irregularity, total, book, before, after)


def _first(
    r: Reduction, irregularity: float, speed: float | None
) -> tuple[float, float, Cycle | None, Cycle]:
    """(2), inertia to begin with, and the turns without it and with it.

    That is none, or where the machine does not get through a turn alone the work of a turn at
    constant speed over (2).
    """
    try:
        before = cycle_of(r, speed)
    except NoTurnError:
        mean = speed or steady_speed(r.m, r.coordinate, flywheel=r.flywheel).speed
        panels = r.panels(r.start, r.start + math.copysign(2 * math.pi, mean), mean)
        inertia, slope, force = panels.values
        whole = float(panels.edges[-1] - panels.edges[0])
        even = Panels(
            panels.edges, np.array([inertia, slope, force - panels.sums(force)[-1] / whole])
        )
        surplus = sum(extreme(even, 0.0, sign)[1] for sign in (1.0, -1.0))
        total = surplus / (irregularity * mean**2)
        book = max(0.0, total - float(panels.sums(inertia)[-1]) / whole)
        return book, total, None, cycle_of(replace(r, flywheel=r.flywheel + total), speed)
    total = before.surplus.work / (irregularity * before.irregularity.mean**2)
    return max(0.0, total - before.mean_inertia), 0.0, before, before


def missing(cycle: Cycle, irregularity: float) -> float:
    """(1): inertia more, or with a minus less, than the turn has."""
    mean = cycle.irregularity.mean
    high, low = (0.5 * (mean * (1 + side * irregularity / 2)) ** 2 for side in (1.0, -1.0))
    above, below = extreme(cycle.panels, high, 1.0)[1], extreme(cycle.panels, low, -1.0)[1]
    return (above + below) / (high - low)
