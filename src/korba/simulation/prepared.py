"""What is kept of a mechanism between runs: its tree and its compiled methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen import Compiled, compile_cached
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..verbs.options import gravity_key
from ..verbs.store import kept, program_key
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
        self._schemes: dict[Any, Scheme] = {}
        self._rates: dict[Any, Compiled] = {}

    def plant(self, forces: Forces) -> Plant:
        """The mechanism with given forces."""
        return Plant(self.system, forces.laws, forces.numbers is not None)

    def scheme(self, plant: Plant, method: str, formulation: str | None) -> Scheme:
        """The compiled method, made at its first use."""
        options = (plant.laws, plant.takes_tau, method, formulation)
        if options not in self._schemes:
            key = self._key(plant, formulation)
            self._schemes[options] = scheme(plant, method, formulation, key)
        return self._schemes[options]

    def accelerations(self, plant: Plant, tau: Array, rows: Array, way: str | None) -> Array:
        """Accelerations at all rows, in one batch; `way` is the formulation."""
        options = (plant.laws, plant.takes_tau, way)
        if options not in self._rates:
            key = self._key(plant, way)
            self._rates[options] = compile_cached(
                None if key is None else f"{key}\nslope",
                lambda: right_hand_side.slope_program(plant, way),
            )
        rates = self._rates[options](
            rows[..., 1:], rows[..., :1], tau, np.zeros(0), check_finite=False
        )
        return rates[..., self.tree.nq : self.tree.nq + self.tree.nv]

    def _key(self, plant: Plant, formulation: str | None) -> str | None:
        options = (self.gravity, plant.laws, plant.takes_tau, formulation)
        return program_key(self.m, *options, "simulate")


def prepared(m: Mechanism, gravity: Any) -> Prepared:
    """What is kept of a mechanism, made at its first use."""
    return kept(m, ("simulate", gravity_key(gravity)), lambda: Prepared(m, gravity))
