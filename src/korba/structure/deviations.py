"""The verb `size_deviations`: what inexact dimensions do to a mechanism with a passive constraint.

Such a mechanism moves only because some dimensions repeat others; if they deviate, it is forced.
Let `s` be the self-stress of the position: the forces in the joints that balance without any load.
A deviation of the distance of two joints of a link opens the loop along the direction of the two;
the whole misfit, measured along the link that is taken to deform, is

    dl = - sum_i c_i delta_i / c_link,      c_i = s . (opening by delta_i = 1)

the distance of its joints less its own length. Held by it, the link carries  F = E A dl / l.
Source: Gronowicz (2003), section 1.2.4, the drive of the IRb robot (Fig. 1.25).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import StructureError
from ..kinematics.constraints import Constraints, constraints_at, driven_to
from ..kinematics.placement import Placement, drawn_placement
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .rank import rank_of

Size = tuple[str, str, str]
"""A size: a body and two of its joints."""


@dataclass(frozen=True, eq=False)
class DeviationEffect:
    """Misfit `dl` and force at every value of the input; tension is positive."""

    values: Array
    dl: Array
    force: Array
    length: float


def size_deviations(
    m: Mechanism,
    coordinate: str,
    values: Sequence[float],
    deviations: Mapping[Size, float],
    link: Size,
    *,
    area: float,
    young: float = 2.1e11,
) -> DeviationEffect:
    """Misfit of a link's length and the axial force it causes, over the motion of an input.

    `deviations` maps sizes (body, joint, joint) to how much longer they are than drawn; `link` is
    the size of the link that deforms, of cross-section `area` and modulus `young`.
    """
    sizes = list(dict.fromkeys([*deviations, link]))
    for size in sizes:
        _check(m, size)
    place = drawn_placement(m)
    length = float(np.linalg.norm(_direction(place, link)))
    found = []
    for value in values:
        place = driven_to(place, coordinate, float(value))
        c = constraints_at(place)
        stress = _self_stress(c, value)
        shares = {size: _share(c, stress, size) for size in sizes}
        if abs(shares[link]) < 1e-12:
            raise StructureError(f"link {link[0]!r} takes no part in the passive constraint")
        total = sum(shares[size] * delta for size, delta in deviations.items())
        found.append(-total / shares[link])
    dl = np.array(found)
    return DeviationEffect(np.array(values, dtype=float), dl, young * area * dl / length, length)


def _check(m: Mechanism, size: Size) -> None:
    body, *joints = size
    for name in joints:
        joint = m.joint(name)
        if body not in (joint.parent, joint.child):
            raise StructureError(f"size {size}: joint {name!r} is not on body {body!r}")


def _self_stress(c: Constraints, value: float) -> Array:
    """The one dependency of the constraints."""
    rank = rank_of(c.matrix())
    if rank.left is None or rank.left.shape[1] != 1:
        count = "many" if rank.left is None else rank.left.shape[1]
        raise StructureError(
            f"size deviations need exactly one passive constraint, found {count} at {value:g}"
        )
    return rank.left[:, 0]


def _direction(place: Placement, size: Size) -> Array:
    """Vector between the two joints of a size, in the world."""
    first, second = (place.X_WM(place.graph.joints.index(name)).p for name in size[1:])
    return np.asarray(second - first)


def _share(c: Constraints, stress: Array, size: Size) -> float:
    """c_i: the self-stress times the opening of the second joint when the size grows by one."""
    u = _direction(c.place, size)
    twist = np.concatenate([np.zeros(3), u / np.linalg.norm(u) / c.place.scale])
    j = c.place.graph.joints.index(size[2])
    parent, _ = c.place.graph.ends[j]
    sign = -1.0 if c.place.graph.bodies[parent] == size[0] else 1.0
    rows = [i for i, owner in enumerate(c.owners) if owner == size[2]]
    return float(stress[rows] @ (c.blocked[j].T @ twist[list(c.components)])) * sign
