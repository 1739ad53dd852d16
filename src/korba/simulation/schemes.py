"""The methods by name: what each integrates, and how its state begins.

A scheme is the machine code of a driver with the equations of one mechanism, and the way from
(q, v, currents) at the start to the state and the base of that driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..codegen import Program
from ..errors import KorbaError
from ..spatial.rotation import Array
from . import canonical, llvm_dop853, llvm_fixed_step, right_hand_side
from .machine_code import MachineCode, Method, machine_code
from .right_hand_side import Plant, Shape

METHODS = {
    "dop853": Method("dop853", llvm_dop853.VECTORS, llvm_dop853.dop853),
    "rk4": Method("rk4", llvm_fixed_step.VECTORS, llvm_fixed_step.rk4),
    "symplectic": Method("symplectic", llvm_fixed_step.VECTORS, llvm_fixed_step.gauss),
}

Start = Callable[[Array, Array, Array], tuple[Array, Array]]
"""(q, v, currents) -> (y, base)."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """One method for one mechanism, compiled."""

    method: str
    code: MachineCode
    shape: Shape
    start: Start

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its steps."""
        return self.method == "dop853"


def scheme(plant: Plant, method: str, formulation: str | None, key: str | None) -> Scheme:
    """The scheme of that name; `key` stands for the plant and the formulation."""
    if method == "symplectic":
        return _symplectic(plant, formulation, key)

    @cache
    def programs() -> Mapping[str, Program]:
        return {
            "slope": right_hand_side.slope_program(plant, formulation),
            "settle": right_hand_side.settle_program(plant),
            "row": right_hand_side.row_program(plant),
        }

    made = right_hand_side.shape(plant)

    def start(q: Array, v: Array, currents: Array) -> tuple[Array, Array]:
        return np.concatenate([q, v, currents, np.zeros(int(made.works))]), np.zeros(0)

    return Scheme(method, machine_code(METHODS[method], key, programs), made, start)


def _symplectic(plant: Plant, formulation: str | None, key: str | None) -> Scheme:
    if formulation is not None:
        raise KorbaError(
            "formulation: the symplectic method has equations of its own (Hamilton's); "
            "leave it out, or take another method"
        )
    programs = cache(lambda: canonical.programs(plant))
    own = None if key is None else f"{key}\ncanonical"
    code = machine_code(METHODS["symplectic"], own, programs)
    return Scheme("symplectic", code, canonical.shape(plant), canonical.start(plant))


def refuse_unknown(method: object) -> None:
    """An error unless there is such a method."""
    if not isinstance(method, str) or method not in METHODS:
        raise KorbaError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
