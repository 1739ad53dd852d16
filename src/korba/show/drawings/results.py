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
from ...errors import StructureError, refuse_unknown
from ...model.mechanism import Mechanism
from .forces import of_forces
from .plane import of_centres, of_lever, of_plan
from .structure_graph import structure_graph
from .sweeps import of_sweep

PICTURES: dict[type, Callable[..., Drawing]] = {
    Plan: of_plan,
    Lever: of_lever,
    InstantCentres: of_centres,
    ForcePlan: of_forces,
    Sweep: of_sweep,
    Mechanism: structure_graph,
}


def of_result(result: Any, options: dict[str, Any], graph: bool = False) -> Drawing:
    """The picture of a result, or a structure graph; options that it does not have are refused."""
    result = getattr(result, "mechanism", getattr(result, "m", result)) if graph else result
    if graph and not isinstance(result, Mechanism):
        raise StructureError(f"draw: a graph is that of a mechanism, got {result!r:.60}")
    picture, what = PICTURES[type(result)], "graph" if graph else type(result).__name__
    _, *known = signature(picture).parameters
    refuse_unknown("option", options, known, "draw", f" of a picture of {what}")
    return picture(result, **options)
