"""The system that a verb's formula is given: any mechanism, a tree, and under which loads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import StructureError
from ..forces.loads import loads_at
from ..kinematics.couplings import refuse_timed
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.loads import Loads
from ..system.system import System, gravity_vector, system_of
from .store import kept


def kept_system(m: Mechanism) -> System:
    """The system of a mechanism as it is, made once and kept with it."""
    return kept(m, "system", lambda: system_of(m))


def any_system(m: Mechanism) -> System:
    """The system of a mechanism that formulas take, with loops or without."""
    system = kept_system(m)
    refuse_timed(system.tree)
    return system


def tree_system(m: Mechanism, gravity: Any = None) -> System:
    """The system of a mechanism without loops, in its own gravity or another."""
    system = any_system(m)
    if system.tree.closing:
        names = ", ".join(joint.name for joint in system.tree.closing)
        raise StructureError(
            f"mechanism {m.name!r} has loops (closed by joints {names}); the dynamics of closed "
            "mechanisms is not part of Korba yet, trees only"
        )
    return system if gravity is None else replace(system, gravity=gravity_vector(gravity))


def under(system: System, gravity: Any = None, t: Any = 0.0) -> System:
    """The system in its own gravity or another, with its loads as they act at a time."""

    def acting(q_all: Array, v_all: Array) -> Loads:
        return loads_at(system.tree, q_all, v_all, t)

    g = system.gravity if gravity is None else np.array(gravity)
    return replace(system, gravity=g, loads=acting)
