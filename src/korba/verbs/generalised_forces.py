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

from ..codegen import Program, trace
from ..errors import StructureError
from ..kinematics.couplings import all_coordinates, velocity_map
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.tree import Tree
from .programs import tree_system
from .store import compiled as kept_program


def generalised_forces(m: Mechanism, q: Any, forces: Mapping[str, Any]) -> Array:
    """The generalised forces, shape (..., nv), of forces and torques in joints by name.

    Any joint may be named, also one that a coupling moves and the shaft of a rotor; numbers or
    arrays over the batch axes of q:

    >>> kb.generalised_forces(arm, q, {"elbow.shaft": 0.36})                  # doctest: +SKIP
    """
    if not isinstance(forces, Mapping):
        raise StructureError(f"forces: expected a mapping from names, got {forces!r:.60}")
    names = tuple(forces)
    compiled = kept_program(m, ("generalised_forces", names), lambda: _program(m, names))
    given = _together([_numbers(name, forces[name]) for name in names])
    return compiled(q, np.stack(given, axis=-1) if names else np.zeros(0))


def _numbers(name: str, force: Any) -> Array:
    try:
        return np.asarray(force, dtype=float)
    except (TypeError, ValueError) as error:
        raise StructureError(
            f"force of {name!r}: expected a number in SI, or an array, got {force!r:.60}"
        ) from error


def _together(given: list[Array]) -> list[Array]:
    try:
        return list(np.broadcast_arrays(*given))
    except ValueError as error:
        shapes = ", ".join(str(x.shape) for x in given)
        raise StructureError(f"forces: the shapes {shapes} do not fit together") from error


def _program(m: Mechanism, names: tuple[str, ...]) -> Program:
    tree = tree_system(m).tree
    places = [_place(tree, name) for name in names]

    def written(q: Array, tau: Array) -> Array:
        G = velocity_map(tree, all_coordinates(tree, q))
        return G[places].T @ tau if places else np.zeros(tree.nv)

    return trace(written, {"q": tree.nq, "tau": len(names)}, m.name)


def _place(tree: Tree, name: str) -> int:
    if name in tree.rates:
        return tree.rates[name]
    if name in tree.velocities:
        return tree.velocities.index(name)
    known = ", ".join(tree.velocities)
    raise StructureError(
        f"forces: mechanism {tree.m.name!r} has no joint {name!r} to act in; there are {known}"
    )
