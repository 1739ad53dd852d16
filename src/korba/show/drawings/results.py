"""Results that `kb.draw` draws besides mechanisms and motions: their pictures, a line each.

A picture is a function of the result and of options by keyword, of which `theme` is one.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ...course.plane.centres import InstantCentres
from ...course.plane.plans import Plan
from ...course.statics.lever import Lever
from ...course.statics.polygons import ForcePlan
from ...design.result import Sweep
from ...display import Drawing
from ...errors import refuse_unknown
from .forces import of_forces
from .plane import of_centres, of_lever, of_plan
from .sweeps import of_sweep

PICTURES: dict[type, Callable[..., Drawing]] = {
    Plan: of_plan,
    Lever: of_lever,
    InstantCentres: of_centres,
    ForcePlan: of_forces,
    Sweep: of_sweep,
}


def of_result(result: Any, options: dict[str, Any]) -> Drawing:
    """The picture of a result; options that it does not have are refused."""
    picture = PICTURES[type(result)]
    _, *known = signature(picture).parameters
    refuse_unknown("option", options, known, "draw", f" of a picture of {type(result).__name__}")
    return picture(result, **options)
