"""A mechanism moved by one of its coordinates, everything else held.

The path parameter is the value of that coordinate itself, so the closed positions x -> q(x) are
followed on one branch (closed/branch.py) and end at folds or at the limits of the joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..model.mechanism import Mechanism
from ..solve.assemble import Configuration, assembled, drawn_closed, held_values, present
from ..solve.batch_positions import held_system
from ..solve.branch import Along, Inputs
from ..solve.loop_system import LoopSystem
from ..spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class SingleInput(Displayed):
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
    others = {name: value for name, value in (held or {}).items() if name != coordinate}
    system = held_system(m, (coordinate, *others))
    others = held_values(system.tree, others)
    if near is not None:
        return SingleInput(system, near.q)
    start = drawn_closed(system, 0.0)
    if others:
        wanted = present(system, start, 0.0)
        wanted[1:] = list(others.values())
        start = assembled(system, wanted, 0.0)[0]
    return SingleInput(system, start)
