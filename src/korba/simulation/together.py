"""Which velocities loops and drives let move at will, and which only together.

The velocities of joints in all motions that the rows of loops allow, at a position near the drawing
that is not special: a row for each, over as many columns as there are freedoms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..positions.rank import TOLERANCE, rank_of
from ..spatial.rotation import Array
from ..structure.finite import general_place
from ..structure.placement import drawn_placement
from ..system.system import System


def rates_of(system: System, velocities: Sequence[str], *, drives: bool) -> Array:
    """Velocities by name, a row for each, in motions that loops (and drives at rest) allow."""
    m = system.in_numbers
    drawn = drawn_placement(m)
    place = general_place(drawn, drawn.rank)
    rows = [*place.rows, *(place.drive_rows(m.drives) if drives else ())]
    null = place.rank_of(rows).null
    joints = {
        name: (-1 - j, np.eye(joint.nv)[[k]])
        for j, joint in enumerate(m.joints)
        for k, name in enumerate(joint.velocities())
    }
    own = [(name, place.over_bodies(dict([joints[name]]))) for name in velocities]
    return np.asarray(place.matrix(own) @ null)


def independent(system: System, velocities: Sequence[str]) -> bool:
    """Whether velocities can have any values together, drives going on as they do."""
    return count_of(rates_of(system, velocities, drives=True)) == len(velocities)


def count_of(rates: Array) -> int:
    """How many velocities are independent, whatever their sizes."""
    sizes = np.linalg.norm(rates, axis=1, keepdims=True)
    scaled = rates / np.where(sizes > TOLERANCE, sizes, np.inf)
    return rank_of(scaled).rank
