"""What is done against the drift of loops and drives, which steps open by their errors.

    projection   positions and velocities are brought back after each step (projection.py)
    baumgarte    J a = f'' - J' v - 2 alpha (J v - f') - beta^2 Phi:  they die away like springs
    none         nothing: they grow with the time

Source: Baumgarte (1972), Stabilization of constraints and integrals of motion in dynamical systems,
Computer Methods in Applied Mechanics and Engineering 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import KorbaError

PROJECTION, BAUMGARTE, NONE = "projection", "baumgarte", "none"
USUAL = 20.0
"""alpha and beta, in 1/s, where they are not given."""


class Drift(NamedTuple):
    """Whether states are projected back, and alpha and beta of Baumgarte's stabilisation."""

    projects: bool
    back: tuple[float, float] = (0.0, 0.0)


PROJECTED = Drift(True)


def drift_of(given: Any) -> Drift:
    """What the user asks for: a word, or alpha and beta by name."""
    if given == PROJECTION:
        return PROJECTED
    if given == NONE:
        return Drift(False)
    own = {} if given == BAUMGARTE else given
    if isinstance(own, Mapping) and own.keys() <= {"alpha", "beta"}:
        values = [own.get(name, USUAL) for name in ("alpha", "beta")]
        if all(isinstance(x, int | float) and not isinstance(x, bool) and x >= 0 for x in values):
            return Drift(False, (float(values[0]), float(values[1])))
    raise KorbaError(
        "stabilisation: expected 'projection', 'baumgarte', 'none', or numbers in 1/s such as "
        f"{{'alpha': 20, 'beta': 20}}, got {given!r:.60}"
    )
