"""What deviates and what gives way: sizes and springs, read from what the user gives.

A size that gives way is a spring along it. A joint that gives way has six, three against turns and
three against shifts of its half on the child, alike in all directions; along its freedoms they
carry nothing but the effort of the input, where it is held there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..errors import StructureError, refuse_unknown
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import SPACE
from .placement import Placement, drawn_placement
from .sizes import Shift, Size, half, joint_shifts, shift_of

Stiffness = float | str | tuple[float | str, float | str]
"""Of a size; of a joint against shifts, and against turns where two are given."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What deviates and what gives way."""

    sizes: dict[Size, Shift]
    """All sizes that are named."""
    deviations: dict[Size, float]
    springs: list[Shift]
    owners: list[Size | str]
    """Size or joint that each spring belongs to."""
    compliance: Array
    """K^-1 of the springs."""


def drawn_with(m: Mechanism, sizes: Iterable[Size]) -> Placement:
    """The drawing, in space where a size leaves the plane of the mechanism."""
    place = drawn_placement(m)
    outside = [i for i in range(6) if i not in place.space]
    for size in sizes:
        if np.abs(shift_of(place, size).motion[outside]).max(initial=0.0) > 1e-9:
            if flat := [j.name for j in m.joints if not j.spatial]:
                raise StructureError(
                    f"size {size} leaves the plane, where joints {', '.join(flat)} cannot follow"
                )
            return replace(place, space=SPACE)
    return place


def stiffnesses(
    place: Placement,
    link: Size | None,
    area: float | None,
    young: float,
    stiffness: Mapping[str | Size, Stiffness],
) -> dict[str | Size, Stiffness]:
    """Stiffness of everything that gives way; E A / l of the link."""
    given = dict(stiffness)
    if link is not None:
        if area is None or area <= 0 or young <= 0:
            raise StructureError(
                f"link {link}: expected a cross-section `area` and a modulus `young` above 0, got "
                f"{area} and {young:g}"
            )
        given[link] = young * area / length_of(place, link)
    if not given:
        raise StructureError(
            "nothing gives way: give a `link` with its `area`, or a `stiffness` of joints such as "
            f"{{{place.graph.joints[-1]!r}: (1e8, 1e4)}}"
        )
    return given


def length_of(place: Placement, link: Size) -> float:
    """Distance of the joints of a link."""
    if len(link) != 3 or shift_of(place, link).kind == "angle" or link[2] not in place.graph.joints:
        raise StructureError(f"link {link}: expected a body and two of its joints")
    ends = (half(place, link[0], joint).p for joint in link[1:])
    return float(np.linalg.norm(np.subtract(*ends)))


def read_parts(
    place: Placement,
    deviations: Mapping[Size, float | str],
    elastic: Mapping[str | Size, Stiffness],
) -> Parts:
    """What is given, with units taken out."""
    own = [size for size in elastic if not isinstance(size, str)]
    sizes = {size: shift_of(place, size) for size in (*deviations, *own)}
    amounts = {
        size: quantity(f"deviation of {size}", amount, sizes[size].kind)
        for size, amount in deviations.items()
    }
    springs: list[tuple[str | Size, Shift, float]] = []
    for part, given in elastic.items():
        if isinstance(part, str):
            springs += [(part, *spring) for spring in _joint_springs(place, part, given)]
        else:
            springs.append((part, sizes[part], _stiffness(part, given, sizes[part].kind)))
    return Parts(
        sizes,
        amounts,
        [shift for _, shift, _ in springs],
        [part for part, _, _ in springs],
        np.array([1 / k for _, _, k in springs]),
    )


def _joint_springs(place: Placement, name: str, given: Stiffness) -> list[tuple[Shift, float]]:
    """Springs between the halves of a joint, alike in all directions."""
    refuse_unknown("joint", name, place.graph.joints, "stiffness")
    kinds = given if isinstance(given, tuple) else (given,)
    stiff = dict(zip(("length", "angle"), kinds, strict=False))
    shifts = joint_shifts(place, place.graph.joints.index(name))
    return [
        (shift, _stiffness(name, stiff[shift.kind], shift.kind))
        for shift in shifts
        if shift.kind in stiff
    ]


def _stiffness(part: str | Size, given: object, kind: str) -> float:
    dimension = "angular stiffness" if kind == "angle" else "stiffness"
    stiffness = quantity(f"stiffness of {part!r}", given, dimension)
    if not 0 < stiffness < np.inf:
        raise StructureError(f"stiffness of {part!r}: expected a number above 0, got {given!r}")
    return stiffness
