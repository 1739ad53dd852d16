"""A mechanism moved by one of its coordinates, everything else held.

The path parameter is the value of that coordinate itself, so the closed positions x -> q(x) are
followed on one branch (closed/branch.py) and end at folds or at the limits of the joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ..closed.assemble import (
    Configuration,
    assembled,
    drawn_closed,
    freedoms,
    present,
    refuse_unknown,
)
from ..closed.branch import Along, Inputs
from ..closed.loop_system import LoopSystem, loop_system
from ..keeping import kept_value


@dataclass(frozen=True, eq=False)
class SingleInput:
    """Loops with one coordinate that leads, the first of those held, and where it starts."""

    system: LoopSystem
    start: Array

    @property
    def coordinate(self) -> str:
        """The coordinate that leads."""
        return self.system.held[0]

    @property
    def turns(self) -> bool:
        """Whether it is an angle."""
        return any(
            kind == "angle"
            for joint in self.system.m.joints
            for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
            if name == self.coordinate
        )

    @property
    def value(self) -> float:
        """Its value at the start."""
        return float(present(self.system, self.start, 0.0)[0])

    @property
    def along(self) -> Along:
        """The path on which the coordinate leads and the others keep their values."""
        base = present(self.system, self.start, 0.0)
        speed = np.zeros(len(base))
        speed[0] = 1.0

        def inputs(s: Any) -> Inputs:
            s = np.asarray(s, dtype=float)
            wanted = np.broadcast_to(base, (*s.shape, len(base))).copy()
            wanted[..., 0] = s
            return wanted, np.broadcast_to(speed, wanted.shape), np.zeros((*s.shape, 2))

        return Along(self.system, inputs)


def single_input(
    m: Mechanism,
    coordinate: str,
    held: Mapping[str, float] | None = None,
    near: Configuration | None = None,
) -> SingleInput:
    """The input at the drawing, or at a configuration of the mechanism; drives do not count."""
    others = {name: float(value) for name, value in (held or {}).items() if name != coordinate}
    system = kept_value(
        m, ("single input", coordinate, *others), lambda: _system(replace(m), coordinate, others)
    )
    if near is not None:
        return SingleInput(system, near.q)
    start = drawn_closed(system, 0.0)
    if others:
        wanted = present(system, start, 0.0)
        wanted[1:] = list(others.values())
        start = assembled(system, wanted, 0.0)[0]
    return SingleInput(system, start)


def _system(m: Mechanism, coordinate: str, others: Mapping[str, float]) -> LoopSystem:
    """The loop equations, idle freedoms kept still; refuses freedoms too many or too few."""
    system = loop_system(m, (coordinate, *others), drives=False)
    refuse_unknown(system.tree, dict.fromkeys((coordinate, *others), 0.0) | dict(others))
    q = drawn_closed(system, 0.0)
    free, whole = freedoms(system, q, 0.0), freedoms(LoopSystem(system.tree, (), ()), q, 0.0)
    idle = mobility(replace(m, drives=())).local if free or whole < len(system.held) else 0
    if free > idle:
        raise StructureError(
            f"mechanism {system.m.name!r} can still move {free - idle} ways in its drawing while "
            f"{', '.join(system.held)} stand still; hold other coordinates as well, "
            "held={'name': value}, or draw it in a position that is not singular"
        )
    if whole - idle < len(system.held):
        raise StructureError(
            f"mechanism {system.m.name!r} has {whole - idle} freedoms: too few for "
            f"{', '.join(system.held)} to have values of their own"
        )
    return replace(system, still=_idle(system, q, free)) if free else system


def _idle(system: LoopSystem, q: Array, free: int) -> tuple[int, ...]:
    """Velocities that tell the idle motions apart best, one each."""
    from scipy.linalg import qr

    J = system.gaps(q, np.zeros(system.wanted), np.zeros(2))[1]
    null = np.linalg.svd(J / system.size[:, None] * system.units)[2][-free:]
    order = qr(null, pivoting=True, mode="r")[1]
    return tuple(int(k) for k in sorted(order[:free]))
