"""Forces in joints, dependent ones too, as generalised forces: motors behind gears and cranks.

    tau = F_q' tau_all,    p = F(q)

A motor's torque does work on the angle of its rotor against the body that carries it; that angle is
a lead-in coordinate p, so what it gives in the independent coordinates is its column of F_q'.
Source: Maryniak & Malecki (3.63)-(3.66).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import StructureError
from ..kinematics.couplings import all_coordinates, velocity_map
from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Tree
from .verb import verb


@verb(named={"forces": 1})
def generalised_forces(system: System, q: Any, forces: Mapping[str, Any]) -> Array:
    """The generalised forces, shape (..., nv), of forces and torques in joints by name.

    Any joint may be named, also one that a coupling moves and the shaft of a rotor; numbers or
    arrays over the batch axes of q:

    >>> kb.generalised_forces(arm, q, {"elbow.shaft": 0.36})                  # doctest: +SKIP
    """
    G = velocity_map(system.tree, all_coordinates(system.tree, q))
    places = [_place(system.tree, name) for name in forces]
    return G[places].T @ np.array([*forces.values()]) if places else np.zeros(system.tree.nv)


def _place(tree: Tree, name: str) -> int:
    if name in tree.rates:
        return tree.rates[name]
    if name in tree.velocities:
        return tree.velocities.index(name)
    known = ", ".join(tree.velocities)
    raise StructureError(
        f"forces: mechanism {tree.m.name!r} has no joint {name!r} to act in; there are {known}"
    )
