"""The verb `half_pair_misfit`: how far the last pair of a loop is from closing (Fig. 1.24b).

A loop is put together pair by pair, every joint at the coordinate that it has in the exact loop.
With sizes that deviate its last pair cannot be made: the axes of its two halves D', D'' are skew,

    h       their distance                  l'    from the place of D' along its axis to the foot
    beta    their angle                     l''   the same of D'' along its own

which are the a, alpha and both offsets d of the link that would close the loop, and change with the
position. Nothing gives way here; the forces that it takes to close the pair, and what turns of the
other joints spare of them, are `kb.size_deviations`. Source: Gronowicz (2003), section 1.2.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..display import Displayed, columns
from ..door import public
from ..errors import StructureError, refuse_unknown
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..model.validate import single_coordinates
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..structure.elastic import drawn_with
from ..structure.finite import driven_to
from ..structure.placement import Placement
from ..structure.sizes import Size, resized, shift_of
from ..topology.graph import Loop, independent_loops
from .dimensions import HalfPair, angle_of_lines, nearest_points


@dataclass(frozen=True, eq=False)
class HalfPairMisfit(Displayed):
    """Place of the half on a joint's child from the half on its parent, by values of the input."""

    mechanism: str
    joint: str
    coordinate: str
    values: Array
    h: Array
    """Distance of the two axes [m]."""
    beta: Array
    """Their angle [rad]."""
    l_prime: Array
    """l', along the axis on the parent [m]; 0 of parallel axes."""
    l_second: Array
    """l'', along the axis on the child [m]."""

    def __str__(self) -> str:
        """A row for each value of the input."""
        angles = np.degrees(self.beta)
        numbers = np.column_stack([self.values, self.h, angles, self.l_prime, self.l_second])
        rows = [(self.coordinate, "h [m]", "beta [deg]", "l' [m]", "l'' [m]")]
        rows += [tuple(f"{x:.5g}" for x in row + 0.0) for row in numbers]  # type: ignore[misc]
        title = (
            f"Halves of pair {self.joint!r} of {self.mechanism or 'the mechanism'!r}, not closed"
        )
        return "\n".join([title, "", *columns(rows)])


@public
def half_pair_misfit(
    m: Mechanism,
    joint: str,
    coordinate: str,
    values: Sequence[float | str],
    deviations: Mapping[Size, float | str],
) -> HalfPairMisfit:
    """h, beta, l' and l'' of the last pair of a loop whose sizes deviate (Fig. 1.24b).

    `joint` is made last; the others of its loop have the coordinates of the exact mechanism at
    every value of the input. `deviations` maps sizes to how much larger they are than drawn, as in
    `kb.size_deviations`.

    >>> found = kb.course.half_pair_misfit(m, "D", "A", [0.5], {("coupler", "C", "dz"): "50 um"})
    >>> found.l_second
    array([-5.e-05])
    """
    known = single_coordinates(m)
    refuse_unknown("coordinate", coordinate, known, end=" to move")
    place = drawn_with(m, list(deviations))
    loop, number = _loop_of(place, joint)
    shifts = [shift_of(place, size) for size in deviations]
    amounts = [
        quantity(f"deviation of {size}", amount, shift.kind)
        for (size, amount), shift in zip(deviations.items(), shifts, strict=True)
    ]
    own = known[coordinate]
    kinds = dict(zip(own.coordinates(), own.coordinate_kinds, strict=True))
    inputs = [quantity(f"{coordinate} = {v!r}", v, kinds[coordinate]) for v in values]
    rows = np.zeros((len(inputs), 4))
    for row, value in zip(rows, inputs, strict=True):
        place = driven_to(place, coordinate, value)
        row[:] = _misfit(resized(place, shifts, amounts), loop, number)
    return HalfPairMisfit(m.name, joint, coordinate, np.array(inputs, dtype=float), *rows.T)


def _loop_of(place: Placement, joint: str) -> tuple[Loop, int]:
    """A loop with the joint, and the joint's number."""
    graph = place.graph
    refuse_unknown("joint", joint, graph.joints)
    number = graph.joints.index(joint)
    loops = [loop for loop in independent_loops(graph) if number in loop.joints]
    if not loops:
        raise StructureError(f"joint {joint!r} is on no loop, so there is nothing to close")
    if not place.m.joint(joint).axial:
        raise StructureError(
            f"joint {joint!r}: h, beta, l' and l'' are told of pairs on one axis, such as R and C"
        )
    return min(loops, key=lambda loop: len(loop.joints)), number


def _misfit(place: Placement, loop: Loop, last: int) -> tuple[float, float, float, float]:
    """The loop walked from the parent of its last joint to the child, which is then not met."""
    first = loop.joints.index(last)
    joints = [*loop.joints[first + 1 :], *loop.joints[:first]]
    here = loop.bodies[(first + 1) % len(loop.bodies)]
    tie = place.ties[last]
    if here != tie.parent:
        joints.reverse()
    X_WB = place.X_WB[tie.parent]
    D_1, here = X_WB @ tie.X_LF, tie.parent
    for j in joints:
        X_WB, here = _across(place, j, X_WB, here)
    D_2 = X_WB @ tie.X_LM
    one, two = (HalfPair("", "axis", D.p, D.R[:, 2], False) for D in (D_1, D_2))
    foot_1, foot_2 = nearest_points(one, two)
    return (
        float(np.linalg.norm(foot_2 - foot_1)),
        angle_of_lines(one.direction, two.direction),
        float((foot_1 - one.at) @ one.direction),
        float((foot_2 - two.at) @ two.direction),
    )


def _across(place: Placement, j: int, X_WB: Pose, here: int) -> tuple[Pose, int]:
    """The body on the other side of a joint, at the joint's coordinates."""
    tie = place.ties[j]
    X_FM = tie.joint.pose(place.q[j])
    if here == tie.parent:
        return X_WB @ tie.X_LF @ X_FM @ tie.X_LM.inverse(), tie.child
    return X_WB @ tie.X_LM @ X_FM.inverse() @ tie.X_LF.inverse(), tie.parent
