"""One turn of a drive: how long it takes."""

from __future__ import annotations

import numpy as np

from ..errors import StructureError
from ..expr import Expr, derivative, variables
from ..model.mechanism import Mechanism


def cycle_time(m: Mechanism, way_out: str = "give the times") -> float:
    """Time of one turn of the first drive, which must run at constant speed."""
    if not m.drives:
        raise StructureError(
            f"mechanism {m.name!r} has no drive; add one, such as [[drive]] with a joint and its "
            "position in time"
        )
    law = m.drives[0].laws[0] if m.drives[0].coordinate else None
    speed = derivative(law, "t") if isinstance(law, Expr) else None
    if speed is None or variables(speed) or not speed.value:
        raise StructureError(
            f"drive {m.drives[0].name!r} does not turn at a constant speed; {way_out}"
        )
    return float(2 * np.pi / abs(float(speed.value)))
