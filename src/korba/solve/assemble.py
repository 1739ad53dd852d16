"""`kb.assemble`: the position of a mechanism where coordinates have given values, or many at once.

One position is reached along a path from the drawing (configuration.py), many side by side in the
lanes of the processor (batch_positions.py); both stay on the branch that was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, overload

import numpy as np

from ..door import public
from ..model.mechanism import Mechanism
from ..positions.loop_system import loop_system
from ..progress import Progress
from ..system.system import any_system
from ..verbs.generated import written_by
from ..verbs.states import coordinates, single
from .batch_positions import Positions, many_positions
from .configuration import Configuration, assembled, configuration, held_values


def _written(m: Mechanism, **options: Any) -> Any:
    """What is compiled and printed of this."""
    from .written_loops import assemble_routine

    return assemble_routine(m, **options)


@overload
def assemble(
    m: Mechanism,
    values: Mapping[str, float | str] | str | None = None,
    *,
    t: float = 0.0,
    progress: bool | Callable[[float], object] | None = None,
) -> Configuration: ...


@overload
def assemble(
    m: Mechanism,
    values: Mapping[str, Any],
    *,
    near: Configuration | None = None,
    refuse: bool = True,
    parameters: Mapping[str, Any] | None = None,
) -> Positions: ...


@written_by(_written)
@public
def assemble(
    m: Mechanism,
    values: Mapping[str, Any] | str | None = None,
    *,
    t: float = 0.0,
    near: Configuration | None = None,
    refuse: bool = True,
    parameters: Mapping[str, Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
) -> Any:
    """A configuration near the drawing in which the named coordinates have the given values.

    Values may have units, `{"A": "30 deg"}`, or are the name of a pose. Without values the drives
    hold at the time `t`. `progress` shows a bar (by itself after a second at a terminal) or is
    called with the part of the way that is made. Raises an `AssemblyError` that says which loop
    stays open, by how much, and which dimension would have to change.

    Arrays as values give `kb.results.Positions` of the shape to which they broadcast, all on the
    branch of the drawing or of the configuration `near`; the mechanism then leaves nothing free.
    Where the way to the values is blocked coordinates are nan, `closed` is False and `reasons` says
    why; an `AssemblyError` that holds these `positions` is raised, unless `refuse=False`.
    `parameters` gives named sizes by numbers or arrays that broadcast with the values: many designs
    at once, by one program. A mechanism made of dyads is placed without iteration in the assembly
    mode of the drawing, others are led from their own sizes to those of each design.

    >>> round(kb.assemble(m, {"A": "60 deg"})["A"], 6)
    1.047198
    >>> kb.assemble(m, {"A": np.linspace(0, 1, 5)}).q.shape
    (5, 4)
    """
    tree = any_system(m).tree
    wanted: Mapping[str, Any] = single(tree, values or {}, "values")
    if near is not None or parameters or not refuse or any(map(_is_array, wanted.values())):
        return many_positions(m, wanted, near=near, refuse=refuse, parameters=parameters)
    placed = isinstance(values, str) or not tree.rates.keys() >= wanted.keys()
    if placed and not tree.closing:  # quaternions are given, not led to
        q = coordinates(tree, values, "values")
        return configuration(loop_system(m, drives=False), q, np.zeros(0), t, followed=True)
    system = loop_system(m, tuple(wanted), drives=not wanted)
    held = np.array(list(held_values(system.tree, wanted).values()))
    with closing(Progress(progress, 1.0, "assembling", "of the way")) as shown:
        q, followed = assembled(system, held, t, lambda s: shown(s, s))
    return configuration(system, q, held, t, followed=followed)


def _is_array(value: Any) -> bool:
    """Whether a value of one coordinate stands for many."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
