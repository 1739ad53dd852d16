"""What is kept of a mechanism between runs: its tree and its compiled methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen import Compiled
from ..codegen.routine.ir import AnyProgram
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..verbs.options import gravity_key
from ..verbs.store import compiled, kept
from ..verbs.systems import tree_system
from . import right_hand_side
from .arguments import Forces
from .right_hand_side import Plant
from .schemes import Scheme, scheme


class Prepared:
    """A mechanism under one gravity."""

    def __init__(self, m: Mechanism, gravity: Any) -> None:
        if m.drives:
            names = ", ".join(drive.name for drive in m.drives)
            raise StructureError(
                f"mechanism {m.name!r} has prescribed motions (drives {names}), which simulate "
                "does not take yet; leave them out and give forces or motors instead"
            )
        self.m = m
        self.system = tree_system(m, gravity)
        self.tree = self.system.tree
        if not self.tree.nv:
            raise StructureError(f"mechanism {m.name!r} has no freedom: nothing moves in time")
        self.gravity = None if gravity is None else tuple(self.system.gravity.tolist())

    def plant(self, forces: Forces) -> Plant:
        """The mechanism with given forces."""
        return Plant(self.system, forces.laws, forces.numbers is not None)

    def scheme(self, plant: Plant, method: str, formulation: str | None) -> Scheme:
        """The compiled method, made at its first use."""
        key = self._key(plant, formulation, method)

        def made(kind: str, make: Callable[[], AnyProgram]) -> Compiled:
            return compiled(self.m, (*key, kind), make)

        return kept(self.m, key, lambda: scheme(plant, method, formulation, made))

    def accelerations(self, plant: Plant, tau: Array, rows: Array, way: str | None) -> Array:
        """Accelerations at all rows, in one batch; `way` is the formulation."""
        key = self._key(plant, way, "slope")
        slope = compiled(self.m, key, lambda: right_hand_side.slope_program(plant, way))
        rates = slope(rows[..., 1:], rows[..., :1], tau, np.zeros(0), check_finite=False)
        return rates[..., self.tree.nq : self.tree.nq + self.tree.nv]

    def _key(self, plant: Plant, formulation: str | None, what: str) -> tuple[Any, ...]:
        return "simulate", what, self.gravity, plant.laws, plant.takes_tau, formulation


def prepared(m: Mechanism, gravity: Any) -> Prepared:
    """What is kept of a mechanism, made at its first use."""
    return kept(m, ("simulate", gravity_key(gravity)), lambda: Prepared(m, gravity))
