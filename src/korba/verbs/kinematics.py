"""The verbs of kinematics: where bodies are and how they move, for one state or arrays of states.

Everything is in the world's axes, angular before linear. Points are given in the frame of their
body. Arrays carry batch axes in front; a verb compiles itself for the mechanism at its first use
and keeps the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen import Program, trace
from ..errors import StructureError
from ..kinematics import accelerations
from ..kinematics.centre_of_mass import centre_of_mass as mass_centre
from ..kinematics.centre_of_mass import total_mass
from ..kinematics.couplings import all_coordinates
from ..kinematics.forward import world_poses
from ..kinematics.velocity import body_pose
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.tree import Tree
from .programs import tree_system
from .store import compiled as kept_program

Point = tuple[float, ...]


def pose(m: Mechanism, q: Any, body: str) -> Array:
    """Pose X_WB of a body in the world as a 4 x 4 matrix, shape (..., 4, 4)."""
    m.body(body)

    def formula(tree: Tree, q: Array) -> Array:
        return body_pose(tree, q, body).matrix()

    return kept_program(m, ("pose", body), _traced(m, formula, "q"))(q)


def poses(m: Mechanism, q: Any) -> dict[str, Array]:
    """Poses X_WB of all bodies by name, each of shape (..., 4, 4)."""
    names = tuple(body.name for body in m.bodies)

    def formula(tree: Tree, q: Array) -> Array:
        X_WL = world_poses(tree, all_coordinates(tree, q))
        places = [tree.number(name) for name in names]
        return np.array([(X_WL[i] @ tree.links[i].X_BL.inverse()).matrix() for i in places])

    found = kept_program(m, ("poses",), _traced(m, formula, "q"))(q)
    return {name: found[..., i, :, :] for i, name in enumerate(names)}


def velocity(m: Mechanism, q: Any, v: Any, body: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """Angular velocity of a body and velocity of one of its points, shape (..., 6)."""
    at = _point(m, body, point)

    def formula(tree: Tree, q: Array, v: Array) -> Array:
        return accelerations.velocity(tree, q, v, body, at)

    return kept_program(m, ("velocity", body, at), _traced(m, formula, "q", "v"))(q, v)


def acceleration(
    m: Mechanism, q: Any, v: Any, a: Any, body: str, *, point: Any = (0.0, 0.0, 0.0)
) -> Array:
    """Angular acceleration of a body and acceleration of one of its points, shape (..., 6)."""
    at = _point(m, body, point)

    def formula(tree: Tree, q: Array, v: Array, a: Array) -> Array:
        return accelerations.acceleration(tree, (q, v, a), body, at)

    return kept_program(m, ("acceleration", body, at), _traced(m, formula, "q", "v", "a"))(q, v, a)


def jacobian_rate(m: Mechanism, q: Any, v: Any, body: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """dJ/dt of `jacobian` in the motion v, shape (..., 6, nv): acceleration = J a + dJ/dt v."""
    at = _point(m, body, point)

    def formula(tree: Tree, q: Array, v: Array) -> Array:
        return accelerations.jacobian_rate(tree, q, v, body, at)

    return kept_program(m, ("jacobian_rate", body, at), _traced(m, formula, "q", "v"))(q, v)


def centre_of_mass(m: Mechanism, q: Any) -> Array:
    """Centre of mass of the whole mechanism, shape (..., 3)."""

    def formula(tree: Tree, q: Array) -> Array:
        if total_mass(tree) == 0.0:
            raise StructureError(
                f"mechanism {tree.m.name!r} has no centre of mass: the masses of all its bodies "
                "are 0; give mass= to one"
            )
        return mass_centre(tree, q)

    return kept_program(m, ("centre_of_mass",), _traced(m, formula, "q"))(q)


def _traced(m: Mechanism, formula: Callable[..., Array], *inputs: str) -> Callable[[], Program]:
    """What writes the program of a formula of a tree and these inputs."""

    def written() -> Program:
        tree = tree_system(m).tree
        sizes = {name: tree.nq if name == "q" else tree.nv for name in inputs}
        return trace(lambda *values: formula(tree, *values), sizes, m.name or "the mechanism")

    return written


def _point(m: Mechanism, body: str, point: Any) -> Point:
    """Three finite components of a point of a body that exists; a planar one has z = 0."""
    m.body(body)
    found = tuple(float(x) for x in np.ravel(point))
    if len(found) not in (2, 3) or not np.all(np.isfinite(found)):
        raise StructureError(
            f"point of body {body!r}: expected two or three finite components, got {point!r:.60}"
        )
    return (*found, 0.0)[:3]
