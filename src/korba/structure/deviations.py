"""The verb `size_deviations`: what inexact dimensions do to a mechanism with a passive constraint.

Such a mechanism moves only because some dimensions repeat others; if they deviate, it is forced.
Let `s` be the self-stress of the position: the forces in the joints that balance without any load.
A deviation of the distance of two joints of a link opens the loop along the direction of the two;
the whole misfit, measured along the link that is taken to deform, is

    dl = - sum_i c_i delta_i / c_link,      c_i = s . (opening by delta_i = 1)

the distance of its joints less its own length. Held by it, the link carries  F = E A dl / l.
That is the first order in the deviations. The exact misfit is the length that must be added to the
link so that the mechanism with all deviations closes, found by Newton's method. Source:
Gronowicz (2003), section 1.2.4, the drive of the IRb robot (Fig. 1.25).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..kinematics.rows import in_rows
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from .finite import driven_to, held_matrix, misfits, solve_least, stepped_along, steps_to
from .placement import Placement, drawn_placement
from .rank import rank_of

Size = tuple[str, str, str]
"""A size: a body and two of its joints; as it grows, the second moves away from all others."""


@dataclass(frozen=True, eq=False)
class DeviationEffect(Displayed):
    """Misfit `dl` and force at every value of the input; tension is positive."""

    values: Array
    dl: Array
    force: Array
    length: float


@public
def size_deviations(
    m: Mechanism,
    coordinate: str,
    values: Sequence[float],
    deviations: Mapping[Size, float],
    link: Size,
    *,
    area: float,
    young: float = 2.1e11,
    exact: bool = False,
) -> DeviationEffect:
    """Misfit of a link's length and the axial force it causes, over the motion of an input.

    `deviations` maps sizes (body, joint, joint) to how much longer they are than drawn; `link` is
    the size of the link that deforms, of cross-section `area` and modulus `young`. The misfit is
    of first order in the deviations, or `exact`, which matters near dead positions.
    """
    for size in (*deviations, link):
        _check(m, size)
    drawn = place = drawn_placement(m)
    length = float(np.linalg.norm(_direction(drawn, link)))
    if exact:
        _self_stress(drawn, drawn.values[coordinate])
        for size, delta in deviations.items():
            place = _resized(place, size, delta * _unit(drawn, size))
    misfit, dl = 0.0, []
    for value in map(float, values):
        if exact:
            for target in steps_to(place, coordinate, value):
                place, growth = _fitted(place, coordinate, target, link, _unit(drawn, link))
                misfit += growth
        else:
            place = driven_to(place, coordinate, value)
            misfit = _first_order(place, value, deviations, link)
        dl.append(misfit)
    force = young * area * np.array(dl) / length
    return DeviationEffect(np.array(values, dtype=float), np.array(dl), force, length)


def _first_order(
    place: Placement, value: float, deviations: Mapping[Size, float], link: Size
) -> float:
    """The misfit by the self-stress."""
    stress = _self_stress(place, value)
    shares = {size: float(stress @ _opening(place, size)) for size in (*deviations, link)}
    if abs(shares[link]) < 1e-12:
        raise StructureError(f"link {link[0]!r} takes no part in the passive constraint")
    return -sum(shares[size] * delta for size, delta in deviations.items()) / shares[link]


def _fitted(
    place: Placement, coordinate: str, value: float, link: Size, u: Array
) -> tuple[Placement, float]:
    """The closed position at a value of the input, and the length that the link had to get."""
    from scipy import sparse

    added = 0.0
    for _ in range(30):
        wanted, gap = misfits(place, {coordinate: value})
        if gap < 1e-12:
            return place, added
        A = held_matrix(place, [coordinate])
        longer = np.append(_opening(place, link), 0.0)[:, None]
        *twists, growth = solve_least(sparse.hstack([A, longer], "csr"), wanted)
        place = _resized(stepped_along(place, np.array(twists), close=True), link, growth * u)
        added += growth
    raise StructureError(
        f"with these deviations the mechanism does not close at {coordinate} = {value:g}"
    )


def _resized(place: Placement, size: Size, shift: Array) -> Placement:
    """The placement with the second joint of a size shifted on its body (in the body's frame)."""
    j = place.graph.joints.index(size[2])
    tie = place.ties[j]
    if tie.joint.parent == size[0]:
        tie = replace(tie, X_LF=Pose(tie.X_LF.R, tie.X_LF.p + shift))
    else:
        tie = replace(tie, X_LM=Pose(tie.X_LM.R, tie.X_LM.p + shift))
    return replace(place, ties=(*place.ties[:j], tie, *place.ties[j + 1 :]))


def _unit(place: Placement, size: Size) -> Array:
    """Unit vector from the first joint of a size to the second, in the body's frame."""
    u = _direction(place, size)
    body = place.graph.bodies.index(size[0])
    return np.asarray(place.X_WB[body].R.T @ u / np.linalg.norm(u))


def _check(m: Mechanism, size: Size) -> None:
    body, *joints = size
    for name in joints:
        joint = m.joint(name)
        if not joint.joins(body):
            raise StructureError(f"size {size}: joint {name!r} is not on body {body!r}")


def _self_stress(place: Placement, value: float) -> Array:
    """The one dependency of the constraints."""
    rank = rank_of(place.matrix())
    if rank.left is None or rank.left.shape[1] != 1:
        count = "many" if rank.left is None else rank.left.shape[1]
        raise StructureError(
            f"size deviations need exactly one passive constraint, found {count} at {value:g}"
        )
    return rank.left[:, 0]


def _direction(place: Placement, size: Size) -> Array:
    """Vector between the two joints of a size, in the world."""
    first, second = (place.X_WM[place.graph.joints.index(name)].p for name in size[1:])
    return np.asarray(second - first)


def _opening(place: Placement, size: Size) -> Array:
    """What the rows of all constraints see when the size grows by one."""
    u = _direction(place, size)
    j = place.graph.joints.index(size[2])
    twist = np.concatenate([np.zeros(3), u / np.linalg.norm(u) / place.scale])
    sign = -1.0 if place.ties[j].joint.parent == size[0] else 1.0
    opening = np.zeros(len(place.owners))
    rows = [i for i, owner in enumerate(place.owners) if owner == size[2]]
    opening[rows] = sign * (place.blocked[j].T @ in_rows(place, place.X_WM[j].R, twist))
    return opening
