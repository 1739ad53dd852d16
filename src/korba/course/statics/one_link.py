"""Newton's and Euler's equations of one link, from accelerations to forces and back.

In the plane, with the moment of inertia I_S about the mass centre S,

    F = m a_S,        M = I_S e                                                              (4.85)

and in space, where I_S, w, e and M_S are components in axes of the link,

    F = m a_S,        M_S = I_S e + w x I_S w                                        (4.87), (4.89)

F is the sum of all forces on the link, reactions and weight too, and M their moment about S. F and
a_S may be in any axes, if in the same. Source: Gronowicz (2003), section 4.4.1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...display import described
from ...door import public, real_array
from ...errors import StructureError
from ...spatial.rotation import Array, cross


class LinkForces(NamedTuple):
    """The sum of all forces on a link, and their moment about its mass centre."""

    force: Array
    moment: Array

    def __repr__(self) -> str:
        return described(self)


class LinkAccelerations(NamedTuple):
    """The acceleration of a link's mass centre, and its angular acceleration."""

    acceleration: Array
    angular_acceleration: Array

    def __repr__(self) -> str:
        return described(self)


@public
def link_forces(
    mass: float,
    inertia: Any,
    acceleration: Any,
    angular_acceleration: Any,
    angular_velocity: Any = None,
) -> LinkForces:
    """Force and moment that the motion of a link takes: (4.85) in the plane, (4.89) in space.

    Accelerations of two components (..., 2) are in the plane, with numbers for moment of inertia
    and angular acceleration; those of three are in space, with the tensor, or its three principal
    moments, and vectors (..., 3) in axes of the link.

    >>> kb.course.link_forces(2.0, 0.1, [3.0, 0.0], 5.0).moment
    np.float64(0.5)
    >>> kb.course.link_forces(1.0, [1, 2, 3], [0, 0, 0], [0, 0, 0], [1, 2, 3]).moment
    array([ 6., -6.,  2.])
    """
    a = _vector("acceleration", acceleration)
    m, I_S = _mass(mass), _inertia(inertia, a.shape[-1])
    e = _turning("angular_acceleration", angular_acceleration, a.shape[-1])
    if a.shape[-1] == 2:
        return LinkForces(m * a, I_S * e)
    w = _velocity(angular_velocity)
    return LinkForces(m * a, e @ I_S.T + cross(w, w @ I_S.T))


@public
def link_accelerations(
    mass: float, inertia: Any, force: Any, moment: Any, angular_velocity: Any = None
) -> LinkAccelerations:
    """The accelerations that the forces on a link give it: (4.85) or (4.89), solved for them.

    >>> kb.course.link_accelerations(2.0, 0.1, [6.0, 0.0], 0.5).angular_acceleration
    np.float64(5.0)
    """
    F = _vector("force", force)
    m, I_S = _mass(mass), _inertia(inertia, F.shape[-1])
    M = _turning("moment", moment, F.shape[-1])
    flat = F.shape[-1] == 2
    if m == 0.0 or not np.all(np.linalg.eigvalsh(np.atleast_2d(I_S)) > 0.0):
        raise StructureError(
            f"mass and inertia must be positive to determine accelerations, got {mass!r:.60} and "
            f"{inertia!r:.60}"
        )
    if flat:
        return LinkAccelerations(F / m, M / I_S)
    w = _velocity(angular_velocity)
    rest = M - cross(w, w @ I_S.T)
    return LinkAccelerations(F / m, np.linalg.solve(I_S, rest[..., None])[..., 0])


def _mass(mass: float) -> float:
    if mass < 0:
        raise StructureError(f"mass: expected a number that is not negative, got {mass!r}")
    return float(mass)


def _vector(what: str, given: Any) -> Array:
    vector = real_array(what, given)
    if vector.shape[-1:] not in {(2,), (3,)}:
        raise StructureError(
            f"{what}: expected two components (..., 2) in the plane or three (..., 3) in space, "
            f"got the shape {vector.shape}"
        )
    return vector


def _turning(what: str, given: Any, size: int) -> Array:
    """A number (...) in the plane, a vector (..., 3) in space."""
    value = real_array(what, given)
    if size == 3 and value.shape[-1:] != (3,):
        raise StructureError(f"{what}: expected shape (..., 3) in space, got {value.shape}")
    return value


def _velocity(given: Any) -> Array:
    return np.zeros(3) if given is None else _turning("angular_velocity", given, 3)


def _inertia(given: Any, size: int) -> Array:
    """The moment about the normal of the plane, or the tensor."""
    value = real_array("inertia", given)
    fits = value.shape == () if size == 2 else value.shape in {(3,), (3, 3)}
    if not fits:
        wanted = (
            "a number in the plane" if size == 2 else "three moments or a 3 x 3 tensor in space"
        )
        raise StructureError(f"inertia: expected {wanted}, got the shape {value.shape}")
    tensor = np.diag(value) if value.shape == (3,) else value
    if size == 3 and not np.allclose(tensor, tensor.T, rtol=1e-9, atol=0):
        raise StructureError("inertia: expected a symmetric tensor")
    return tensor
