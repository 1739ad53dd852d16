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
from ..system.system import System, system_of


def any_system(m: Mechanism, gravity: Any = None) -> System:
    """The system of a mechanism, with loops or without."""
    system = system_of(m, gravity)
    refuse_timed(system.tree)
    return system


def tree_system(m: Mechanism, gravity: Any = None) -> System:
    """The system of a mechanism without loops."""
    system = system_of(m, gravity)
    if system.tree.closing:
        names = ", ".join(joint.name for joint in system.tree.closing)
        raise StructureError(
            f"mechanism {m.name!r} has loops (closed by joints {names}); the dynamics of closed "
            "mechanisms is not part of Korba yet, trees only"
        )
    refuse_timed(system.tree)
    return system


def under(system: System, gravity: Any = None, t: Any = 0.0) -> System:
    """The system in its own gravity or another, with its loads as they act at a time."""

    def acting(q_all: Array, v_all: Array) -> Loads:
        return loads_at(system.tree, q_all, v_all, t)

    g = system.gravity if gravity is None else np.array(gravity)
    return replace(system, gravity=g, loads=acting)
