"""The verbs of kinematics: where bodies are and how they move, for one state or arrays of states.

Everything is in the world's axes, angular before linear. Points are given in the frame of their
body, by place or by name. Arrays carry batch axes in front. Mechanisms may have loops: then q, v
and a list the independent coordinates of all joints, closing ones too, as `kb.assemble` and
`kb.motion` give them, and Jacobians are those of the tree in terms of all of v.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import StructureError
from ..kinematics import velocity as velocities
from ..kinematics.couplings import all_coordinates
from ..kinematics.forward import world_poses
from ..spatial.rotation import Array
from ..system.system import System
from .options import ORIGIN
from .verb import verb


@verb(closed=True)
def pose(system: System, q: Any, body: str) -> Array:
    """Pose X_WB of a body in the world as a 4 x 4 matrix, shape (..., 4, 4)."""
    return velocities.body_pose(system.tree, q, body).matrix()


@verb(
    closed=True,
    pack=lambda X_WB: np.stack([*X_WB.values()], axis=-3) if X_WB else np.zeros((0, 4, 4)),
    unpack=lambda m, X, _: {body.name: X[..., i, :, :] for i, body in enumerate(m.bodies)},
)
def poses(system: System, q: Any) -> dict[str, Array]:
    """Poses X_WB of all bodies by name, each of shape (..., 4, 4)."""
    X_WL = world_poses(system.tree, all_coordinates(system.tree, q))
    links = zip(system.tree.links, X_WL, strict=True)
    X_WB = {link.name: (X @ link.X_BL.inverse()).matrix() for link, X in links}
    return {body.name: X_WB[body.name] for body in system.m.bodies}


@verb(closed=True)
def velocity(system: System, q: Any, v: Any, body: str, point: Any = ORIGIN) -> Array:
    """Angular velocity of a body and velocity of one of its points, shape (..., 6)."""
    return velocities.velocity(system.tree, q, v, body, point)


@verb(closed=True)
def acceleration(
    system: System, q: Any, v: Any, a: Any, body: str, *, point: Any = ORIGIN
) -> Array:
    """Angular acceleration of a body and acceleration of one of its points, shape (..., 6)."""
    return velocities.acceleration(system.tree, (q, v, a), body, point)


@verb(closed=True)
def jacobian(system: System, q: Any, body: str, point: Any = ORIGIN) -> Array:
    """J with (w, v_P) = J v of a point of a body: (..., 6, nv), world axes, angular first."""
    return velocities.jacobian(system.tree, q, body, point)


@verb(closed=True)
def jacobian_rate(system: System, q: Any, v: Any, body: str, point: Any = ORIGIN) -> Array:
    """dJ/dt of `jacobian` in the motion v, shape (..., 6, nv): acceleration = J a + dJ/dt v."""
    return velocities.jacobian_rate(system.tree, q, v, body, point)


def _refuse_no_mass(system: System) -> None:
    if velocities.total_mass(system.tree) == 0.0:
        raise StructureError(
            f"mechanism {system.m.name!r} has no centre of mass: the masses of all its bodies "
            "are 0; give mass= to one"
        )


@verb(closed=True, refuse=_refuse_no_mass)
def centre_of_mass(system: System, q: Any) -> Array:
    """Centre of mass of the whole mechanism, shape (..., 3)."""
    return velocities.centre_of_mass(system.tree, q)
