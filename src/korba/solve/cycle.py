"""One turn of a drive, or one swing of drives: how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import StructureError
from ..expr import Expr, derivative, variables
from ..model.mechanism import Mechanism

WHOLE = 1e-9
"""How far a ratio of rates may be from a whole number."""


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


def period(m: Mechanism, way_out: str = "give the times") -> float:
    """Time of one turn of the first drive, or else that after which all drives repeat.

    Laws repeat in which time stands only in sines and cosines of a constant rate, the rates being
    whole multiples of the least: `at + swing*sin(speed*t)` swings once in 2 pi / speed.
    """
    rates = [rate for drive in m.drives for law in drive.laws for rate in _rates(law)]
    least = min(rates, default=0.0)
    if not least or any(abs(x / least - round(x / least)) > WHOLE for x in rates):
        return cycle_time(m, way_out)
    return float(2 * np.pi / least)


def _rates(law: Any) -> Iterator[float]:
    """Rates of the sines and cosines of time in a law; 0 where time stands otherwise."""
    if not isinstance(law, Expr):
        yield 0.0
    elif law.op in ("sin", "cos") and not variables(rate := derivative(law.args[0], "t")):
        yield from [abs(float(rate.value))] if rate.value else ()
    elif law.args:
        for part in law.args:
            yield from _rates(part)
    elif variables(law):
        yield 0.0
